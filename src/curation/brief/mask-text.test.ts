import { describe, expect, it } from "vitest";
import { maskText } from "./mask-text.js";

describe("words as a model may see them [CU-3]", () => {
  it.each<[string, string]>([
    ["list the open issues of the team", "list the open issues of the team"],
    ["lis config.json et compte les clés", "lis config.json et compte les clés"],
    ["convert csv to json, top 10 of 2026", "convert csv to json, top 10 of 2026"],
    ["mail ada.lovelace@example.org about it", "mail [mail] about it"],
    ["get https://ada:pw@example.org/a?key=1 now", "get [url] now"],
    ["use the password hunter2!", "use the password [secret]"],
    ["api_key=abcd1234, then go", "api_key=[secret] then go"],
    ["log out after the password change", "log out after the password change"],
    ["the token is swordfish", "the token is [secret]"],
    ["mot de passe: soleil99", "mot de passe: [secret]"],
    ["with ghp_0123456789abcdefABCD", "with [secret]"],
    ["with (sk-ant-0123456789abcdef0123)", "with [secret]"],
    ["id 9f8e7d6c5b4a39281706", "id [secret]"],
    ["call +33 6 12 34 56 78 or 4111-1111-1111-1111", "call [number] or [number]"],
    ["read /home/ada/letters/draft.txt again", "read [path] again"],
    ["read C:\\Users\\ada\\x.txt", "read [path]"],
    ["one\n\n  two\u200b\u0007three\u202e", "one two three"],
    ["", ""],
  ])("%j is %j", (text, expected) => {
    expect(maskText(text, 400)).toBe(expected);
  });

  it("is short", () => {
    expect(maskText("word ".repeat(1_000), 20)).toBe("word word word word …");
    expect(maskText("😀".repeat(50), 5)).toBe("😀😀…");
    expect(maskText("a".repeat(10_000_000), 400)).toBe("");
    expect(maskText(`${"[] ".repeat(398)}sk-ant-0123456789abcdef`, 2_000)).not.toContain("sk-");
  });

  it("leaves out values of the code, but for words of the language", () => {
    const values = ["users", "open issues", "Q3 report", "to: the board of directors", "a", "x-1"];
    expect(
      maskText("count users with open issues: Q3 report x-1 to: the board of directors", 400, values),
    ).toBe("count users with open issues: [value] [value] [value]");
  });
});
