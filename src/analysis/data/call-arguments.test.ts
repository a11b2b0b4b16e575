import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

/** The arguments of the last call, as they are written; problems, if there are some. */
function lastArguments(code: string): unknown {
  const { structure, problems } = analyse(code, sampleVocabulary);
  if (problems.length > 0) return problems.map(({ message }) => message);
  const call = structure.nodes.findLast((node) => node.type === "task");
  return call?.type === "task" ? call.arguments : undefined;
}

/** Objects, each of which spreads the one before so many times. */
function spread(levels: number, times: number): string {
  const lines = Array.from(
    { length: levels },
    (_, i) => `const o${i + 1} = { ${`...o${i}, `.repeat(times)} };\n`,
  );
  return `const o0 = { path: "a" };\n${lines.join("")}`;
}

describe("[AN-6] fields of objects that are spread", () => {
  const known = { path: { type: "literal", value: "a" } };

  it.each([
    ["one within another, ten times", `${spread(10, 1)}mcp.fs.read_file(o10)`],
    ["two at a time", `${spread(4, 2)}mcp.fs.read_file(o4)`],
    ["the last of sixty", `mcp.fs.read_file({ ${"...{ path: 'b' }, ".repeat(59)}...{ path: "a" } })`],
    ["one object for many calls", `${spread(1, 1)}mcp.fs.read_file(o1); mcp.fs.read_file(o1)`],
  ])("%s are known", (_, code) => expect(lastArguments(code)).toEqual(known));

  it("of two with one key, the last is given", () => {
    expect(
      lastArguments('const o = { path: "a" }; mcp.fs.read_file({ ...o, path: "b", ...{ path: "c" } })'),
    ).toEqual({
      path: { type: "literal", value: "c" },
    });
  });

  it("[AN-14] of too many, nothing is wrong", () => {
    expect(analyse(`${spread(40, 2)}mcp.fs.read_file(o40)`, sampleVocabulary).problems).toEqual([]);
  });
});
