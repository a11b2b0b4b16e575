import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

const SUM = 'mcp["local.default.misc.sum.beef"]';
const READ = 'mcp["local.default.fs.read_json.a7f3"]';

/** Code in, saved code out; it means the same. */
function check(code: string, expected: string): void {
  const { problems, savedCode, canonicalCode } = analyse(code, sampleVocabulary);
  expect(problems).toEqual([]);
  expect(savedCode).toBe(expected);
  expect(analyse(savedCode, sampleVocabulary).canonicalCode).toBe(canonicalCode);
  expect(analyse(savedCode, sampleVocabulary).savedCode).toBe(savedCode);
}

describe("[AN-10] saved code", () => {
  it.each([
    ["capabilities.old_name({ a: 1 })", `${SUM}({ a: 1 })`],
    ["return capabilities.fs.readJson({})", `return ${READ}({})`],
    ["await mcp.fs.readJson({}); // é", `await ${READ}({}); // é`],
    [`${READ}({})`, `${READ}({})`],
    ["mcp['local.default.misc.sum.beef']()", `${SUM}()`],
    ["capabilities?.old_name?.()", `${SUM}?.()`],
    ["(capabilities as any).old_name!<T>()", `${SUM}!<T>()`],
    [
      "const { old_name: f } = capabilities; f(); f()",
      `const { old_name: f } = capabilities; ${SUM}(); ${SUM}()`,
    ],
    [
      "const { fs } = capabilities;\nawait fs.readJson({})",
      `const { fs } = capabilities;\nawait ${READ}({})`,
    ],
    ["const f = capabilities.old_name; g({ f })", `const f = capabilities.old_name; g({ f: ${SUM} })`],
    ["[].map(capabilities.old_name)", `[].map(${SUM})`],
    [
      "capabilities\n  // c\n  .fs\r\n  .read_json({\n})",
      `mcp["local.default.fs.read_json.a7f3"\n\n\r\n]({\n})`,
    ],
    ["(capabilities?.fs?.readJson)?.({})", `(${READ})?.({})`],
    ["let f = capabilities.old_name; f = x", `let f = ${SUM}; f = x`],
    [
      "let f = capabilities\n.old_name as any; f = x",
      'let f = mcp["local.default.misc.sum.beef"\n] as any; f = x',
    ],
    ["g(f); const f = capabilities.old_name", `g(f); const f = ${SUM}`],
    ["let f = capabilities.old_name, h = f; h = x", `let f = capabilities.old_name, h = ${SUM}; h = x`],
    ["let { f = capabilities.old_name } = x; f = y", `let { f = ${SUM} } = x; f = y`],
    ["const x: number = 1; /* a */ mcp.t.echo({}) ;", "const x: number = 1; /* a */ mcp.t.echo({}) ;"],
  ])("%j", check);

  it("refuses what it could not write", () => {
    const { problems, savedCode } = analyse("f((mcp) => capabilities.old_name())", sampleVocabulary);
    expect(problems.map(({ code, column, message }) => `${code} ${column} ${message}`)).toEqual([
      "CODE_REFUSED 12 Cannot call the capability old_name here: the code has a variable named `mcp`",
    ]);
    expect(savedCode).toBe("f((mcp) => capabilities.old_name())");
  });

  it.each([
    ["let { read_json: r } = capabilities.fs; r = x", 18, "r"],
    ["let { read_json } = capabilities.fs; read_json = x", 7, "read_json"],
    ["let { fs: { read_json: r = y } } = capabilities; r = x", 24, "r"],
    ["f(r); const { fs: { read_json: r } } = capabilities", 32, "r"],
  ])("refuses a variable of a pattern that may have other values: %j", (code, column, name) => {
    const { problems, savedCode } = analyse(code, sampleVocabulary);
    expect(problems).toEqual([
      {
        code: "CODE_REFUSED",
        line: 1,
        column,
        message: `Cannot assign the capability fs:read_json to \`${name}\`: a variable in a destructuring pattern must be assigned once, before it is read`,
        text: code,
        hint: "Call it by its name: capabilities.fs.read_json(...)",
      },
    ]);
    expect(savedCode).toBe(code);
  });

  it.each(["let { echo: e } = mcp.t; e = x; f(e)", "let { echo = y } = mcp.t; echo = x"])(
    "leaves tools in such variables as they are: %j",
    (code) => check(code, code),
  );
});
