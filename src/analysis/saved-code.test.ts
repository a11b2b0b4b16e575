import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../test/support/sample-vocabulary.js";
import { analyse } from "./analyse.js";

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
    ["capabilities\n  // c\n  .fs\r\n  .read_json({\n})", `${READ}\n\n\r\n({\n})`],
    ["const x: number = 1; /* a */ mcp.t.echo({}) ;", "const x: number = 1; /* a */ mcp.t.echo({}) ;"],
  ])("%j", check);

  it("refuses what it could not write", () => {
    const { problems, savedCode } = analyse("f((mcp) => capabilities.old_name())", sampleVocabulary);
    expect(problems.map(({ code, column, message }) => `${code} ${column} ${message}`)).toEqual([
      "CODE_REFUSED 12 Cannot call the capability old_name here: a variable of the code is called `mcp`",
    ]);
    expect(savedCode).toBe("f((mcp) => capabilities.old_name())");
  });
});
