import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

/** Code in, problems out: `line:column message | the line`. */
function check(code: string, expected: string): void {
  const { problems } = analyse(code, sampleVocabulary);
  expect(
    problems
      .map((each) => `${each.code} ${each.line}:${each.column} ${each.message} | ${each.text}`)
      .join("\n"),
  ).toBe(expected);
}

describe("[AN-1] code that cannot be parsed", () => {
  it.each([
    ["const a = ;", "CODE_SYNTAX 1:11 Unexpected `;` | const a = ;"],
    ["a\r\nb\r\n  const é = ];", "CODE_SYNTAX 3:13 Unexpected `]` |   const é = ];"],
    [
      "const t = '🎉'; //\r\nf({ a: t ];",
      "CODE_SYNTAX 2:10 Expected `,` or `}` but found `]` (the bracket was opened in line 2) | f({ a: t ];",
    ],
    [
      "f({\n  a: 1\n];",
      "CODE_SYNTAX 3:1 Expected `,` or `}` but found `]` (the bracket was opened in line 1) | ];",
    ],
    ["const a: = 3;", "CODE_SYNTAX 1:10 Unexpected `=` | const a: = 3;"],
    ["\n\nf('a);\nb", "CODE_SYNTAX 3:3 Unterminated string | f('a);"],
    ["if (a) {\n  b();\n", "CODE_SYNTAX 2:7 Unexpected end of the code |   b();"],
    ["f(", "CODE_SYNTAX 1:3 Unexpected end of the code | f("],
    ["/* a", "CODE_SYNTAX 1:1 Unterminated multiline comment | /* a"],
    ["let a; let a;", "CODE_SYNTAX 1:12 Identifier `a` has already been declared | let a; let a;"],
    ["const a;", "CODE_SYNTAX 1:7 Missing initializer in const declaration | const a;"],
    ["break", "CODE_SYNTAX 1:1 Illegal break statement | break"],
    [
      "function f() { await x }",
      "CODE_SYNTAX 1:16 `await` is only allowed within async functions and at the top levels of modules | function f() { await x }",
    ],
  ])("%j", check);
});

describe("[AN-1] code that closes its wrapper", () => {
  const stray = (position: string, line: string) =>
    `CODE_SYNTAX ${position} Unexpected \`}\`: there is no matching opening bracket | ${line}`;
  it.each([
    ["}; evil(); {", stray("1:1", "}; evil(); {")],
    ["}", stray("1:1", "}")],
    ["a();\n}\nb();", stray("2:1", "}")],
    ["}, async () => {", stray("1:1", "}, async () => {")],
    ["}\nasync () => {", stray("1:1", "}")],
  ])("%j", check);
});

describe("[AN-1] code that is fine", () => {
  it.each([
    "",
    " \n",
    "// a",
    "return // a",
    "\ufeffreturn 1",
    "return 1\r\n",
    "await a; for await (const b of c);",
    "if (a) return; return { b }",
    "const undefined_ = undefined, async = 1; async",
    "class A { x = 1; x() {} }",
    "type A = 1; type A = 2; let x!: string = 'a'",
    "'use strict'; function f(a) { 'use strict' }",
  ])("%j", (code) => check(code, ""));
});

describe("[AN-14] code may have 256 KiB", () => {
  const message = "Code may have 262144 bytes of UTF-8 (256 KiB) at most";
  const problems = (code: string) => analyse(code, sampleVocabulary).problems.map((each) => each.message);
  it("and has it", () => expect(problems(`//${"x".repeat(262_142)}`)).toEqual([]));
  it("and not a byte more", () => expect(problems(`//${"x".repeat(262_143)}`)).toEqual([message]));
  it("in bytes, not characters", () => expect(problems(`//${"é".repeat(131_072)}`)).toEqual([message]));
});
