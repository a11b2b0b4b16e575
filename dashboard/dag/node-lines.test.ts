import { expect, it } from "vitest";
import { type Sketch, sketched } from "../../test/support/sketched-structure.js";
import { linesOf } from "./node-lines.js";

function lines(code: string, sketch: Sketch): string {
  return [...linesOf(code, sketched(sketch).nodes)].map(([id, line]) => `${id}:${line}`).join(" ");
}

it.each([
  [
    "calls in their order",
    "await mcp.fs.read({});\nawait mcp.fs.read({});",
    ["n1: fs:read", "n2: fs:read"],
    "n1:1 n2:2",
  ],
  ["a call with a name in brackets", `\nawait mcp.fs["read-all"]({});`, ["n1: fs:read-all"], "n1:2"],
  ["a decision, over lines", "if (\n  a &&\n  b) x();", ["d1: a && b"], "d1:2"],
  ["a loop", "const a = 1;\nfor (const x of items) {}", ["l1: for-of items"], "l1:2"],
  ["a loop by a method", "x;\nitems.map((one) => one)", ["l1: map items"], "l1:2"],
  ["nothing for what is not there", "return 1;", ["n1: fs:read"], ""],
])("[DA-2] finds the line of %s", (_, code, nodes, expected) => {
  expect(lines(code, { nodes, edges: [] })).toBe(expected);
});
