import { describe, expect, it } from "vitest";
import { globMatcher } from "./glob.js";

/** Pattern and text in, whether they match out. */
function check(pattern: string, text: string, expected: boolean): void {
  expect(globMatcher(pattern)?.(text)).toBe(expected);
}

describe("globMatcher", () => {
  it("asks nothing without a pattern", () => expect(globMatcher(undefined)).toBeUndefined());
  it("takes * at the end for any text, and for none", () => {
    check("fs:*", "fs:read", true);
    check("fs:*", "FS:", true);
    check("fs:*", "fs", false);
    check("fs:**", "fs:read", true);
    check("fs:*", "gs:read", false);
  });
  it("takes a pattern without * for the whole text", () => {
    check("fs:read", "FS:Read", true);
    check("fs:read", "fs:readme", false);
    check("fs:read", "fs:rea", false);
  });
  it("takes * alone for everything", () => {
    check("*", "", true);
    check("*", "fs:read", true);
  });
  it("wants all pieces, in their order", () => {
    check("*:*r*d", "fs:read", true);
    check("*d*r*", "fs:read", false);
    check("*read", "fs:read", true);
    check("*read", "fs:reader", false);
  });
  it("does not let two pieces share text", () => {
    check("ab*ba", "aba", false);
    check("ab*ba", "abba", true);
  });
  it("takes no case for a difference beyond ASCII either", () => {
    check("ÉCOLE*", "école:lire", true);
    check("k*", "\u212Aelvin", true);
    check("i\u0307x*", "\u0130X1", true);
    check("e*", "école", false);
  });
});
