import { describe, expect, it } from "vitest";
import { flowText } from "../../../test/support/data-flow.js";

const READ = 'const f = await mcp.fs.read({ path: "a" });';
const FOUND = "n1>n2 strict content>json";

/** What comes of the content of a file, in code that ends in its being parsed. */
function check(code: string, expected = FOUND): void {
  expect(flowText(`${READ} ${code}`).edges).toBe(expected);
}

describe("[AN-5] functions that are called by name or where they are written", () => {
  it.each([
    "const part = (x) => x.content; await mcp.json.parse({ json: part(f) })",
    "function part(x) { return x.content } await mcp.json.parse({ json: part?.(f) })",
    "await mcp.json.parse({ json: ((x) => x.content)(f) })",
    "await mcp.json.parse({ json: [f].map((x) => x.content)[0] })",
    "const parse = (json) => mcp.json.parse({ json }); await parse(f.content)",
    "setTimeout(() => mcp.json.parse({ json: f.content }), 10)",
  ])("%j", (code) => check(code));
});

describe("[AN-5] functions that are values", () => {
  it.each([
    "const part = (x) => x.content; const other = part; await mcp.json.parse({ json: other(f) })",
    "const part = (x) => x.content; await mcp.json.parse({ json: [f].map(part)[0] })",
    "const parts = { one: (x) => x.content }; await mcp.json.parse({ json: parts.one(f) })",
    "const parts = [(x) => x.content]; await mcp.json.parse({ json: parts[0](f) })",
    "const parts = []; parts.push((x) => x.content); await mcp.json.parse({ json: parts[0](f) })",
    "let part = (x) => x.size; part = (x) => x.content; await mcp.json.parse({ json: part(f) })",
    "const make = () => (x) => x.content; await mcp.json.parse({ json: make()(f) })",
    "const apply = (g, x) => g(x); await mcp.json.parse({ json: apply((x) => x.content, f) })",
    "const part = args.a ? (x) => x.content : (x) => x.content; await mcp.json.parse({ json: part(f) })",
    "const part = function self(x) { return args.a ? self(x) : x.content }; await mcp.json.parse({ json: part(f) })",
    "function setTimeout(g) { return g(f) } await mcp.json.parse({ json: setTimeout((x) => x.content) })",
    "const list = { map: (g) => g(f) }; await mcp.json.parse({ json: list.map((x) => x.content) })",
    "const parse = mcp.json.parse; const go = (g) => g({ json: f.content }); await go(parse)",
  ])("%j", (code) => check(code));
});
