import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meantWord, nearest } from "./nearest.js";

const TOOLS =
  "mcp__fs__read_file mcp__fs__write_file mcp__fs__read_dir mcp__git__log mcp__memory__search_nodes";

function check(text: string, expected: string, candidates = TOOLS): void {
  expect(nearest(text, candidates.split(" ")).join(" ")).toBe(expected);
}

describe("nearest", () => {
  it("finds a name with a typing error first", () =>
    check("mcp__fs__raed_file", "mcp__fs__read_file mcp__fs__write_file mcp__fs__read_dir"));
  it("finds a name in other punctuation and case", () => check("MCP--GIT--LOG", "mcp__git__log"));
  it("finds nothing for what is like nothing", () => check("zebra", ""));
  it("finds nothing for nothing", () => check("", ""));
  it("finds an id by its tool", () => check("fs:read", "fs:read_file", "fs:read_file git:log"));
  it("compares letters of every alphabet", () => check("файл", "файлы", "файлы данные 文件"));
  it("breaks ties by name", () => check("abcd", "abcd_1 abcd_2 abcd_3", "abcd_3 abcd_1 abcd_4 abcd_2"));

  it("answers at most as many as asked, each of them a candidate", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), fc.nat(5), (text, candidates, most) => {
        const found = nearest(text, candidates, most);
        expect(found.length).toBeLessThanOrEqual(most);
        for (const name of found) expect(candidates).toContain(name);
      }),
    );
  });

  it("puts the very same name first, whatever the rest", () => {
    const word = fc.stringMatching(/^[a-z]{2,12}$/);
    fc.assert(
      fc.property(word, fc.array(word), (text, rest) => {
        const others = rest.filter((name) => name !== text);
        expect(nearest(text, [...others, text])[0]).toBe(text);
      }),
    );
  });

  it("does not depend on the order of the candidates", () => {
    const word = fc.stringMatching(/^[a-c_:]{1,8}$/);
    fc.assert(
      fc.property(word, fc.uniqueArray(word), (text, candidates) => {
        expect(nearest(text, candidates.toReversed())).toEqual(nearest(text, candidates));
      }),
    );
  });
});

describe("[FH-5] the word that was meant", () => {
  const KNOWN = ["serve", "stop", "doctor", "discover", "exec", "export", "cap", "list", "json"];

  it.each([
    ["serv", "serve"],
    ["sevre", "serve"],
    ["docter", "doctor"],
    ["lst", "list"],
    ["jsn", "json"],
    ["EXEC", "exec"],
    ["disc", "discover"],
    ["dsicover", "discover"],
    ["ex", "exec"],
    ["x", undefined],
    ["constructor", undefined],
    ["a".repeat(10_000), undefined],
    ["", undefined],
  ])("%j is %j", (word, meant) => expect(meantWord(word, KNOWN)).toBe(meant));
});
