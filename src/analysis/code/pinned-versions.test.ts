import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";
import { mermaid } from "../drawing/mermaid.js";
import { outline } from "../drawing/outline.js";

const FQDN = "local.default.fs.read_json.a7f3";
const ONE = `mcp["${FQDN}@1"]`;
const TWO = `mcp["${FQDN}@2"]`;
const NEWEST = `mcp["${FQDN}"]`;

/** Code in; saved code and dependencies out. What is saved means the same. */
function check(code: string, saved: string, dependencies: readonly string[]): void {
  const analysis = analyse(code, sampleVocabulary);
  expect(analysis.problems).toEqual([]);
  expect(analysis.savedCode).toBe(saved);
  expect(analysis.dependencies).toEqual(dependencies.map((pin) => `${FQDN}${pin}`));
  const again = analyse(saved, sampleVocabulary);
  expect(again.canonicalCode).toBe(analysis.canonicalCode);
  expect(again.savedCode).toBe(saved);
  expect(again.dependencies).toEqual(analysis.dependencies);
}

describe("a pinned version", () => {
  it.each([
    ['mcp["fs:read_json@v1"]({ file: "a" })', `${ONE}({ file: "a" })`, ["@1"]],
    ['mcp.fs["readJson@v1"]({ file: "a" })', `${ONE}({ file: "a" })`, ["@1"]],
    ['capabilities["fs:read_json@v1"]({ file: "a" })', `${ONE}({ file: "a" })`, ["@1"]],
    ['mcp["fs:read_json@2025-12-22"]({})', `${TWO}({})`, ["@2"]],
    [`mcp["${FQDN}@v1"]({ file: "a" })`, `${ONE}({ file: "a" })`, ["@1"]],
    [
      'const pin = "fs:read_json@v1"; mcp[pin]({ file: "a" })',
      `const pin = "fs:read_json@v1"; ${ONE}({ file: "a" })`,
      ["@1"],
    ],
    [
      'const { "fs:read_json@v1": f } = mcp; f({ file: "a" })',
      `const { "fs:read_json@v1": f } = mcp; ${ONE}({ file: "a" })`,
      ["@1"],
    ],
    ['[].map(mcp["fs:read_json@v1"])', `[].map(${ONE})`, ["@1"]],
    [
      'mcp["fs:read_json@2025-12-22"]({}); mcp.fs.readJson({}); mcp["fs:read_json@v1"]({ file: "a" }); mcp.fs.read_json({})',
      `${TWO}({}); ${NEWEST}({}); ${ONE}({ file: "a" }); ${NEWEST}({})`,
      ["@2", "", "@1"],
    ],
  ] as const)("[ID-11] [AN-10] is saved by its number: %j", check);

  it("[AN-9] [ID-11] is part of the identity of the code, however it is spelled", () => {
    const canonical = (code: string): string => analyse(code, sampleVocabulary).canonicalCode;
    expect(canonical('mcp["fs:read_json@2025-12-22"]()')).toBe(`(do (call (capability "${FQDN}@2") []))`);
    expect(canonical("mcp.fs.readJson()")).toBe(`(do (call (capability "${FQDN}") []))`);
    expect(canonical(`mcp["${FQDN}@2"]()`)).toBe(canonical('capabilities["fs:readJson@2025-12-22"]()'));
  });

  it("[AN-13] [ID-11] is given what that version takes", () => {
    const { problems, structure } = analyse('mcp["fs:read_json@v1"]({ path: "a" })', sampleVocabulary);
    expect(problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `ARGUMENTS_INVALID fs:read_json@1 needs "file" (string)`,
      `ARGUMENTS_INVALID fs:read_json@1 has no argument "path"`,
    ]);
    expect(structure.nodes).toMatchObject([
      { type: "capability", name: "fs:read_json", fqdn: FQDN, version: 1 },
    ]);
  });

  it("[AN-3] [ID-11] is drawn with its number", () => {
    const { structure } = analyse(
      'mcp["fs:read_json@v1"]({ file: "a" }); mcp.fs.readJson({})',
      sampleVocabulary,
    );
    const [first, second] = outline(structure);
    expect(first).toContain("capability fs:read_json@1");
    expect(second).toMatch(/capability fs:read_json(?!@)/);
    expect(mermaid(structure)).toContain('"n1 · fs:read_json@1"');
  });

  it.each([
    [
      '\nmcp["fs:read_json@v5"]({})',
      "2:1 VERSION_NOT_FOUND Version v5 not found for fs:read_json There are others.",
    ],
    [
      'f(mcp["fs:read_json@v5"])',
      "1:3 VERSION_NOT_FOUND Version v5 not found for fs:read_json There are others.",
    ],
    ['mcp["fs:nothing@v1"]({})', "1:1 CAPABILITY_NOT_FOUND Capability not found: fs:nothing@v1 "],
  ])("[ID-11] that is not there is told with its line: %j", (code, expected) => {
    const { problems } = analyse(code, sampleVocabulary);
    const [told = ""] = problems.map(
      (one) => `${one.line}:${one.column} ${one.code} ${one.message} ${one.hint}`,
    );
    expect(told.slice(0, expected.length)).toBe(expected);
    expect(problems).toHaveLength(1);
  });
});
