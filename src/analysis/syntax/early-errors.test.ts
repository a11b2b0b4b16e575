import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

/** Problems as `line:column message`. */
function problemsOf(code: string): readonly string[] {
  return analyse(code, sampleVocabulary).problems.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  );
}

const WRONG = [
  "let a; let a;",
  "let a; var a;",
  "const { a, b: [a] } = x;",
  "let a, b, a;",
  "function f(a, a) {}",
  "((a, a) => 1)()",
  "class A {} class A {}",
  "class A { #a; #a }",
  "class A { constructor() {} constructor() {} }",
  "class A { m() { return this.#b } }",
  "x.#b",
  "break",
  "for (;;) { continue a }",
  "a: { a: ; }",
  "new.target",
  "super.x",
  "function f() { await x }",
  "delete a",
  "a(01, '\\01')",
  "const yield_ = 1; let yield",
  "const a;",
  "for (let a = 1 of b);",
  "switch (a) { case 1: let b; case 2: let b; }",
  "({ __proto__: 1, __proto__: 2 })",
  "try {} catch (e) { let e }",
  "import.meta; let a; let a;",
];
const FINE = [
  "type A = 1; type A = 2; let x!: string = 'a'",
  "class A { #a = 1; m() { return this.#a + this.#b() } #b() { return 1 } }",
  "function f(a: number): void; function f(a: any) {}",
  "const f = async <T,>(a: T, ...b: any[]): Promise<\nvoid> => { for await (const c of b) await (c as any)!; }",
  "return (\n1\n)",
];

describe("[AN-1] what keeps code from starting is the same in long code", () => {
  it.each(WRONG)("%j", (code) => {
    const problems = problemsOf(code);
    expect(problems).not.toEqual([]);
    const before = "f(1);\n".repeat(3_000);
    const lines = problems.map((each) => each.replace(/^\d+/, (line) => String(Number(line) + 3_000)));
    expect(problemsOf(before + code)).toEqual(lines);
    // A comment behind the code, since most of these end it without a semicolon.
    expect(problemsOf(`${code}\n//${" ".repeat(16_384)}\n`)).toEqual(problems);
  });

  it.each(WRONG)("%j in a long line", (code) => {
    const before = "f(1, [delete x.y, b ? 1 : c], -d + e);".repeat(500);
    const columns = problemsOf(code).map((each) =>
      each.replace(/^1:(\d+)/, (_, column) => `1:${Number(column) + before.length}`),
    );
    expect(problemsOf(before + code)).toEqual(columns);
  });

  it.each(FINE)("none in %j", (code) => {
    expect(problemsOf(code)).toEqual([]);
    expect(problemsOf(`${"f(1);".repeat(4_000)}${code}`)).toEqual([]);
    expect(problemsOf(`{${code}}${";f(1)".repeat(4_000)}`)).toEqual([]);
  });

  it("none in a long class, however late its private names are declared", () => {
    const method = "m() { return this.#late(this.#last); } ";
    expect(problemsOf(`class A { ${method.repeat(1_000)} #late(x) { return x } #last = 1 }`)).toEqual([]);
  });
});

describe("[AN-14] problems without end", () => {
  const MORE = "There are more than 100 problems; the rest are not listed";

  it.each([
    ["let a;\n", "Identifier `a` has already been declared"],
    ["let a;", "Identifier `a` has already been declared"],
    ["delete a;", "Delete of an unqualified identifier in strict mode"],
    ["1_;", "Invalid Character `;`"],
    ["a.#b;", "Private identifier '#b' is not allowed outside class bodies"],
    ["fetch;", "Cannot use `fetch`: it does not exist in the sandbox"],
    ["import('x');\n", "Cannot use `import`: code has no modules"],
    ["mcp.t.x({});", 'Unknown tool "t:x" (mcp.t.x)'],
  ])("%j again and again: a hundred are told, and that there are more", (part, message) => {
    const problems = analyse(part.repeat(40_000 / part.length), sampleVocabulary).problems;
    expect(problems.map((each) => each.message)).toEqual([...Array(100).fill(message), MORE]);
    const places = problems.map(({ line, column }) => line * 1e6 + column);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const { text } of problems) expect(text.length).toBeLessThanOrEqual(501);
  });

  it.each([
    ["one declaration", "let ", "a,", "b;"],
    ["one list of parameters", "(", "a,", "b) => 1;"],
    ["one pattern", "const [", "a,", "b] = c;"],
    ["one class", "class A {", "#a;", "}"],
    ["one function", "const f = () => {", "let a;", "};"],
    ["one switch", "switch (a) {", "case 1: let a;", "}"],
  ])("in %s", (_, before, part, after) => {
    const problems = problemsOf(before + part.repeat(40_000 / part.length) + after);
    expect(problems).toHaveLength(101);
    expect(problems[0]).toContain("has already been declared");
    expect(problems[100]).toContain(MORE);
  });

  it("a hundred are told as they are", () => {
    expect(problemsOf("fetch;".repeat(100))).toHaveLength(100);
    expect(problemsOf("fetch;".repeat(100)).join()).not.toContain(MORE);
  });
});
