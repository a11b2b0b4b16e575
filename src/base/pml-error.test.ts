import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorFromShape, errorShape, messageOf, PmlError, type PmlErrorOptions } from "./pml-error.js";

function check(options: PmlErrorOptions, expected: string): void {
  expect(JSON.stringify(errorShape(new PmlError("NAME_INVALID", "no", options)))).toBe(expected);
}

describe("PmlError", () => {
  it("is an Error with name, code and message", () => {
    const error = new PmlError("NAME_INVALID", "no");
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe("PmlError: no");
    expect(error.code).toBe("NAME_INVALID");
  });

  it("keeps its cause, and has none unless one is given", () => {
    const cause = new Error("deeper");
    expect(new PmlError("USAGE", "no", { cause }).cause).toBe(cause);
    expect("cause" in new PmlError("USAGE", "no")).toBe(false);
  });
});

describe("errorShape", () => {
  it("has code and message alone where there is no more", () =>
    check({}, '{"code":"NAME_INVALID","message":"no"}'));
  it("has a hint", () => check({ hint: "do" }, '{"code":"NAME_INVALID","message":"no","hint":"do"}'));
  it("[FP-21] has data beside code and message", () =>
    check({ data: { n: 1 }, hint: "do" }, '{"code":"NAME_INVALID","message":"no","hint":"do","n":1}'));
  it("keeps its own code and message, whatever the data has", () =>
    check({ data: { code: 5, message: "other" } }, '{"code":"NAME_INVALID","message":"no"}'));
  it("never shows the cause", () =>
    check({ cause: new Error("secret") }, '{"code":"NAME_INVALID","message":"no"}'));

  it("comes back from another process as it went", () => {
    const shapes = fc.record(
      {
        code: fc.constantFrom("USAGE", "STORE_FAILED", "A_CODE_OF_TOMORROW"),
        message: fc.string(),
        hint: fc.string(),
      },
      { requiredKeys: ["code", "message"] },
    );
    fc.assert(
      fc.property(shapes, fc.dictionary(fc.string(), fc.jsonValue()), (shape, data) => {
        const { hint: _, ...fields } = data;
        const sent = JSON.parse(JSON.stringify({ ...fields, ...shape }));
        expect(JSON.parse(JSON.stringify(errorShape(errorFromShape(sent))))).toEqual(sent);
      }),
    );
  });
});

describe("messageOf", () => {
  it.each([
    [new Error("broken"), "broken"],
    ["broken", "broken"],
    [undefined, "undefined"],
    [new URL("https://example.test/"), "https://example.test/"],
  ])("%o says %s", (thrown, expected) => {
    expect(messageOf(thrown)).toBe(expected);
  });
});
