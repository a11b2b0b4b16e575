import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

/** Code in, refusals out: `line:column what`. */
function check(code: string, expected: string): void {
  const { problems } = analyse(code, sampleVocabulary);
  const shown = problems.map(({ code: kind, line, column, message }) => {
    const what = /`(.*?)`|parameter properties|decorators/.exec(message);
    return `${kind === "CODE_REFUSED" ? "" : `${kind} `}${line}:${column} ${what?.[1] ?? what?.[0] ?? message}`;
  });
  expect(shown.join(", ")).toBe(expected);
}

describe("[AN-1] modules are refused", () => {
  it.each([
    ["import x from 'y'", "1:1 import"],
    ["import type { X } from 'y'", "1:1 import"],
    ["import 'y'", "1:1 import"],
    ["await import('x')", "1:7 import"],
    ["import.meta.url", "1:1 import.meta"],
    ["import x = require('y')", "1:1 import"],
    ["export const a = 1", "1:1 export"],
    ["export default 1", "1:1 export"],
    ["export = 1", "1:1 export"],
    ["export * from 'x'", "1:1 export"],
    ["f(() => import('x'))", "1:9 import"],
  ])("%j", check);
});

describe("[FP-2] TypeScript that is more than types is refused", () => {
  it.each([
    ["enum A { B }", "1:1 enum"],
    ["const enum A { B }", "1:1 const enum"],
    ["namespace A { export const b = 1 }", "1:1 namespace"],
    ["module A { }", "1:1 module"],
    ["class A {\n  constructor(private b: string) {}\n}", "2:15 parameter properties"],
    ["@a class B {}", "1:1 decorators"],
    ["class A { accessor b = 1 }", "1:11 accessor"],
    ["declare enum A { B }", ""],
    ["declare function f(): void; declare class B {}", ""],
  ])("%j", check);
});

describe("[AN-11] the name by which running code reports is refused", () => {
  it.each([
    ["$pml.test('d1', 1)", "1:1 $pml"],
    ["const $pml = 1", "1:7 $pml"],
    ["f(({ a: [$pml] }) => 1)", "1:10 $pml"],
    ["return { $pml }", "1:10 $pml"],
    ["function $pml() {}", "1:10 $pml"],
    ["class $pml {}", "1:7 $pml"],
    ["try {} catch ($pml) {}", "1:15 $pml"],
    ["$pml = 1", "1:1 $pml, 1:1 $pml"],
    ["typeof $pml", "1:8 $pml"],
    ["return \\u0024pml", "1:8 $pml"],
    ["const \\u{24}p\\u006dl = 1", "1:7 $pml"],
    ["return ({ $pml: 1 }).$pml", ""],
    ["return '$pml' + pml.$pml", ""],
  ])("%s", check);
});

describe("[FP-2] names that code does not have are refused", () => {
  const names =
    "process require module Buffer global fetch XMLHttpRequest WebSocket Deno Bun window document self navigator " +
    "localStorage Worker setInterval eval Function WebAssembly SharedArrayBuffer Atomics arguments";
  it.each(names.split(" "))("%s", (name) => {
    check(`f(${name})`, `1:3 ${name}`);
    const { parameters, problems } = analyse(`f(${name})`, sampleVocabulary);
    expect(Object.keys(parameters.properties)).toEqual(["f"]);
    expect(problems[0]?.hint).toMatch(/^[A-Z].{8,}/);
  });

  it.each([
    ["typeof process", "1:8 process"],
    ["await fetch('x');\nnew WebSocket('y')", "1:7 fetch, 2:5 WebSocket"],
    ["const { env } = process", "1:17 process"],
    ["({ fetch })", "1:4 fetch"],
    ["const process = 1; process", ""],
    ["args.process; ({ fetch: 1 }).fetch; class A { eval() {} }", ""],
    ["f((window) => window)", ""],
    ["function f() { return arguments.length }", ""],
    ["let x: typeof process", ""],
    ["globalThis.fetch", ""],
    ["setTimeout(f, 1); new URL('x'); crypto.randomUUID(); structuredClone(x)", ""],
  ])("%j", check);
});

describe("names that belong to the run", () => {
  it.each([
    ["mcp = 1", "1:1 mcp"],
    ["capabilities = 1", "1:1 capabilities"],
    ["total = 1; return total", "1:1 total"],
    ["path = path ?? 'x'; return path", ""],
    ["let total; total = 1", ""],
  ])("%j", check);
});

it("all problems are told at once, in order", () =>
  check(
    "mcp.t.nope();\nfetch(1); enum A {}\nprocess",
    'TOOL_NOT_FOUND 1:1 Unknown tool "t:nope" (mcp.t.nope), 2:1 fetch, 2:11 enum, 3:1 process',
  ));
