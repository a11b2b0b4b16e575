import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { checkedScope, formatScope, parseScope } from "./scope.js";

const DEFAULTS = { org: "local", project: "default", user: "me" };

/** A scope as text in, the scope or the refusal as text out. */
function check(text: string, expected: string): void {
  expect(read(text)).toBe(expected);
}

function read(text: string): string {
  try {
    return formatScope(parseScope(text, DEFAULTS));
  } catch (error) {
    if (error instanceof PmlError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe("[GW-3] parseScope", () => {
  it("reads ORG/PROJECT, with the user by default", () => check("acme/web", "acme/web/me"));
  it("reads ORG/PROJECT/USER", () => check("acme/web/Jo.D@x-1", "acme/web/Jo.D@x-1"));
  it("refuses an org alone", () =>
    check("acme", 'USAGE: Cannot read scope "acme": expected ORG/PROJECT or ORG/PROJECT/USER'));
  it("refuses four parts", () =>
    check("a/b/c/d", 'USAGE: Cannot read scope "a/b/c/d": expected ORG/PROJECT or ORG/PROJECT/USER'));
  it("refuses capitals in an org", () =>
    check("Acme/web", `NAME_INVALID: Cannot use "Acme" as org: expected 1 to 64 of a-z, 0-9, '_' and '-'`));
  it("refuses an empty project", () =>
    check("acme/", `NAME_INVALID: Cannot use "" as project: expected 1 to 64 of a-z, 0-9, '_' and '-'`));
  it("refuses an empty user", () =>
    check(
      "acme/web/",
      `NAME_INVALID: Cannot use "" as user: expected 1 to 64 letters, digits, '_', '.', '@' and '-'`,
    ));
  it("takes 64 characters and refuses 65", () => {
    check(`${"a".repeat(64)}/b`, `${"a".repeat(64)}/b/me`);
    expect(read(`${"a".repeat(65)}/b`)).toMatch(/^NAME_INVALID/);
  });

  it("is undone by formatScope, for every valid scope", () => {
    const part = fc.stringMatching(/^[a-z0-9_-]{1,64}$/);
    const scope = fc.record({ org: part, project: part, user: fc.stringMatching(/^[A-Za-z0-9_.@-]{1,64}$/) });
    fc.assert(
      fc.property(scope, (given) => {
        expect(parseScope(formatScope(given), DEFAULTS)).toEqual(given);
        expect(checkedScope(given)).toEqual(given);
      }),
    );
  });

  it("answers USAGE or NAME_INVALID, whatever else the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(read(text)).toMatch(/^(?:USAGE|NAME_INVALID): |^[a-z0-9_-]+\/[a-z0-9_-]+\/[A-Za-z0-9_.@-]+$/);
      }),
    );
  });
});
