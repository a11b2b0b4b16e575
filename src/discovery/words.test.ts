import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText, spokenName, wordsOf } from "./words.js";

const keys = (text: string) =>
  wordsOf(text, 100)
    .map(({ key }) => key)
    .join(" ");

describe("words of a text", () => {
  it("[DI-2] are the same whether it stands beside other letters than those of ASCII or not", () => {
    const word = fc.constantFrom("GitHub", "readJSONFile", "don't", "sha256", "a", "10x", "HTTPServer2Go");
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { size: "medium" }), (words) => {
        const text = words.join(" ");
        expect(foldText(`${text} é`)).toBe(`${foldText(text)} e`.trim());
      }),
    );
  });

  it.each([
    ["prose", "Read the JSON file, please.", "read json fil"],
    ["camelCase and acronyms", "readJSONFile parseHTTPResponse", "read json fil pars http respons"],
    ["snake_case and kebab-case", "list_all-directories", "list all directori"],
    ["digits", "sha256 of utf8 10 v2", "sha256 utf8 10 v2"],
    ["accents and elision", "Écrire l'été d'un élève", "ecrir ete elev"],
    ["negations", "don't delete", "not delet"],
    ["names that are one word", "GitHub github", "github github"],
    ["scripts without spaces", "読み込む", "読み み込 込む"],
    ["scripts side by side", "使用GitHub仓库v2 图", "使用 github 仓库 v2 图"],
    ["nothing", "", ""],
    ["nothing but stop words and signs", "the of and … ¡!", ""],
  ])("[DI-2] %s", (_what, text, expected) => {
    expect(keys(text)).toBe(expected);
  });

  it.each([
    ["plurals", "files boxes queries processes", "file box query process"],
    ["tenses", "parsed parsing stopped stopping", "parse parse stop stop"],
    ["nouns of verbs", "translation creation deletion", "translate create delete"],
    ["abbreviations", "configuration repo folder db", "config repository directory database"],
    ["verbs that mean the same", "fetch remove modify", "get delete update"],
  ])("[DI-2] forms of a word meet: %s", (_what, some, others) => {
    expect(keys(some)).toBe(keys(others));
  });

  it.each([
    ["a word that only looks like one", "string thing bus status", "string thing bus status"],
    ["who does it", "reader", "read"],
    ["station and state", "station", "state"],
  ])("[DI-2] other words stay apart: %s", (_what, some, others) => {
    expect(keys(some) === keys(others)).toBe(some === others);
    expect(keys(some).split(" ")).toHaveLength(some.split(" ").length);
  });

  it.each([
    ["camelCase and acronyms", "readJSONFile", "read JSON File"],
    ["snake_case, kebab-case, dots", "git_log-all.v2:x", "git log all v2 x"],
    ["a name that is one word", "searchGitHub", "search Github"],
    ["nothing", "__", ""],
  ])("[DI-2] a name as it is spoken: %s", (_what, name, expected) => {
    expect(spokenName(name)).toBe(expected);
  });

  it("[DI-2] reads the beginning of what is huge, and no word of a thousand letters", () => {
    expect(keys(`read ${"x".repeat(2_000)} file`)).toBe("read fil");
    expect(wordsOf("word ".repeat(1_000_000), 50)).toHaveLength(50);
    expect(foldText("ab ".repeat(1_000_000)).length).toBeLessThan(10_000);
    expect(() =>
      keys(String.fromCharCode(...Array.from({ length: 2_000 }, (_, i) => (i * 31) % 65_536))),
    ).not.toThrow();
  });
});
