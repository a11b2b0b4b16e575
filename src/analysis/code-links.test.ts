import { describe, expect, it } from "vitest";
import { testVocabulary } from "../../test/support/vocabulary.js";
import { analyse } from "./analyse.js";
import { codeLinks } from "./code-links.js";

const fields = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: [...names],
});

const vocabulary = testVocabulary({
  fs: {
    read: { inputSchema: fields("path"), outputSchema: fields("content") },
    list: { inputSchema: fields("path"), outputSchema: fields("entries") },
    write: { inputSchema: fields("path", "content"), outputSchema: fields("bytes") },
  },
  cap: { list: { inputSchema: fields("pattern"), outputSchema: fields("path") } },
  json: { parse: { inputSchema: fields("json"), outputSchema: fields("value") } },
});

/** Code in; `fs:read>json:parse` for what follows, `… strict content>json` for what is passed on. */
function check(code: string, sequences: string, provides = ""): void {
  const { structure } = analyse(code, vocabulary);
  const links = codeLinks(structure);
  expect(links.sequences.map(([from, to]) => `${from}>${to}`).join(" ")).toBe(sequences);
  expect(
    links.provides
      .map(
        ({ from, to, coverage, fieldMapping }) =>
          `${from}>${to} ${coverage} ${fieldMapping.map((one) => `${one.fromField}>${one.toField}`).join(",")}`,
      )
      .join("; "),
  ).toBe(provides);
}

describe("[DI-5] what code says about what it calls", () => {
  it("[LP-3] says nothing of operations of PML", () => {
    check(
      "const l = await mcp.cap.list({ pattern: args.p }); const f = await mcp.fs.read({ path: l.path }); await mcp.cap.list({ pattern: f.content }); return await mcp.json.parse({ json: f.content });",
      "fs:read>json:parse",
      "fs:read>json:parse strict content>json",
    );
  });

  it("is what follows what, and what is passed on", () => {
    check(
      "const f = await mcp.fs.read({ path: args.p }); return await mcp.json.parse({ json: f.content });",
      "fs:read>json:parse",
      "fs:read>json:parse strict content>json",
    );
  });

  it("looks through decisions, either way", () => {
    check(
      'await mcp.fs.list({ path: "." }); if (args.x) await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: "1" });',
      "fs:list>json:parse fs:list>fs:read fs:read>json:parse",
    );
  });

  it("knows what a loop repeats", () => {
    check(
      'for (const p of args.paths) await mcp.fs.read({ path: p }); await mcp.fs.list({ path: "." });',
      "fs:read>fs:list fs:read>fs:read",
    );
  });

  it("is nothing of code that calls nothing, or one thing", () => {
    check("return 1", "");
    check('await mcp.fs.list({ path: "." })', "");
  });

  it("says each thing once", () => {
    const twice = 'const a = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: a.content });';
    check(
      `${twice} ${twice.replaceAll(" a ", " b ").replace("a.content", "b.content")}`,
      "fs:read>json:parse json:parse>fs:read",
      "fs:read>json:parse strict content>json",
    );
  });

  it("ends", () => {
    const branches = Array.from(
      { length: 300 },
      (_, at) => `if (args.x > ${at}) await mcp.fs.list({ path: "${at}" });`,
    );
    const { structure } = analyse(branches.join("\n"), vocabulary);
    expect(codeLinks(structure).sequences.map(([from, to]) => `${from}>${to}`)).toEqual(["fs:list>fs:list"]);
  });
});
