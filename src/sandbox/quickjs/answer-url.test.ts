import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerUrl } from "./answer-url.js";

function check(question: object, href: string): void {
  const answer = answerUrl(JSON.stringify(question));
  expect(answer === "" ? "" : (JSON.parse(answer) as { href: string }).href).toBe(href);
}

describe("[FP-2] addresses for the guest", () => {
  it("reads an address, alone or from a base, and sets parts of it", () => {
    check({ href: "https://example.org/a b" }, "https://example.org/a%20b");
    check({ href: "../c", base: "https://example.org/a/b" }, "https://example.org/c");
    check({ href: "https://example.org/", part: "search", value: "q=1" }, "https://example.org/?q=1");
  });

  it("answers nothing where there is no address", () => {
    check({ href: "nonsense" }, "");
    check({ href: "/a", base: "nonsense" }, "");
  });

  it("sets no part that is not one", () => {
    check({ href: "https://example.org/", part: "searchParams", value: "x" }, "https://example.org/");
    check({ href: "https://example.org/", part: "__proto__", value: "x" }, "https://example.org/");
  });

  it("never throws, whatever it is asked", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (question) => {
        expect(typeof answerUrl(question)).toBe("string");
      }),
    );
  });
});
