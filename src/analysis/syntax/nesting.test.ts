import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";
import { findDeepNesting } from "./nesting.js";

/** Ways to nest, each with as many levels as asked for. */
const NESTED: Readonly<Record<string, (levels: number) => string>> = {
  brackets: (n) => `${"(".repeat(n)}1${")".repeat(n)}`,
  arrays: (n) => "[".repeat(n) + "]".repeat(n),
  blocks: (n) => "{".repeat(n) + "}".repeat(n),
  objects: (n) => `x = ${"{ a: ".repeat(n)}1${"}".repeat(n)}`,
  functions: (n) => "function f() {".repeat(n) + "}".repeat(n),
  templates: (n) => `${"`§{".repeat(n)}1${"}`".repeat(n)}`.replaceAll("§", "$"),
  unclosed: (n) => "[".repeat(n),
  prefixes: (n) => `${"!".repeat(n)}a`,
  sums: (n) => `a${"+a".repeat(n)}`,
  members: (n) => `a${".b".repeat(n)}`,
  calls: (n) => `a${"()".repeat(n)}`,
  arrows: (n) => `${"a=>".repeat(n)}1`,
  choices: (n) => `${"a?b:".repeat(n)}c`,
  assignments: (n) => `${"a=".repeat(n)}1`,
  ifs: (n) => `${"if(a)".repeat(n)};`,
  "ifs on lines": (n) => `${"if(a)\n".repeat(n)};`,
  "else ifs": (n) => `${"if(a){}else ".repeat(n)}{}`,
  "else ifs with semicolons": (n) => `${"if(a)b;else ".repeat(n)}{}`,
  "else ifs with commas": (n) => `${"if(a)b,c;else ".repeat(n)}{}`,
  loops: (n) => `${"for(;;)".repeat(n)};`,
  dos: (n) => `${"do ".repeat(n)};${"while(a);".repeat(n)}`,
  labels: (n) => `${Array.from({ length: n }, (_, i) => `l${i}:`).join("")};`,
  news: (n) => `${"new ".repeat(n)}A`,
  awaits: (n) => `${"await ".repeat(n)}a`,
  casts: (n) => `x${" as any".repeat(n)}`,
  "comparisons on lines": (n) => `a${">\na".repeat(n)}`,
  "casts on lines": (n) => `x${"\nas\nany".repeat(n)}`,
  "non-null": (n) => `x${"!".repeat(n)}`,
  "array types": (n) => `let x: A${"[]".repeat(n)}`,
  generics: (n) => `let x: ${"A<".repeat(n)}B${">".repeat(n)}`,
  "generics with commas": (n) => `let x: ${"A<C,".repeat(n)}B${">".repeat(n)}`,
  "generics without an end": (n) => `let x: ${"A<C,".repeat(n)}`,
  "function types": (n) => `let x: ${"()=>".repeat(n)}B`,
  "type operators": (n) => `let x: ${"keyof ".repeat(n)}B`,
  "type operators on lines": (n) => `let x: ${"keyof\n".repeat(n)}B`,
  "conditional types": (n) => `let x: ${"A extends B?C:".repeat(n)}D`,
  "tagged templates": (n) => `a${"``".repeat(n)}`,
  classes: (n) => `${"(class extends ".repeat(n)}B${"{})".repeat(n)}`,
};

/** Code whose nesting is hidden from a scanner that takes a regular expression for a division, or the other way. */
const HIDDEN: readonly ((nested: string) => string)[] = [
  (nested) => `if (x) /'/; ${nested} //'`,
  (nested) => `{} /'/; ${nested} //'`,
  (nested) => `let x: T\n/'/; ${nested} //'`,
  (nested) => `a++ /'/; ${nested} //'`,
  (nested) => `x! /'/; ${nested} //'`,
  (nested) => `for (const a of /'/) ${nested} //'`,
  (nested) => `\\u0069f (x) /'/; ${nested} //'`,
  (nested) => `x = a / b; "/"; ${nested}`,
  (nested) => `x = /[/'"]/; ${nested}`,
  (nested) => `x = \`\${"}"}\`; ${nested}`,
  (nested) => `/* ' */ ${nested}`,
  (nested) => `x = 1./${nested}/ 2`,
  (nested) => `x = 1_0.5/${nested}/ 2`,
  (nested) => `x = a.if (b) /${nested}/ 2`,
  (nested) => `if\u3000(x) /'/; ${nested} //'`,
  (nested) => `if\u2003(x) /'/; ${nested} //'`,
  (nested) => `for await (const a of b) /'/; ${nested} //'`,
  (nested) => `x = a => /'/; ${nested} //'`,
];

const tooDeep = [{ code: "LIMIT_EXCEEDED", message: "Code may be nested 1000 levels deep at most" }];

describe("[AN-14] nesting", () => {
  it.each(Object.entries(NESTED))("is refused before the parser overflows: %s", (_, nested) => {
    expect(analyse(nested(10_000), sampleVocabulary).problems).toMatchObject(tooDeep);
    expect(findDeepNesting(nested(100_000))).toBeDefined();
  });

  it.each(Object.entries(NESTED))("is fine within the limit: %s", (_, nested) => {
    expect(findDeepNesting(nested(400))).toBeUndefined();
    expect(
      analyse(nested(400), sampleVocabulary).problems.filter(({ code }) => code === "LIMIT_EXCEEDED"),
    ).toEqual([]);
  });

  it.each(HIDDEN.map((hide) => [hide("…"), hide] as const))("cannot be hidden: %j", (_, hide) => {
    expect(findDeepNesting(hide("[".repeat(100_000)))).toBeDefined();
    expect(findDeepNesting(hide("!".repeat(100_000)))).toBeDefined();
    expect(findDeepNesting(hide("[]"))).toBeUndefined();
  });

  it.each([
    ["statements", "a(b, [c], { d: 1 });\n", 8_000],
    ["statements without semicolons", "const a = await b.c({ d: -1 })\nf(a)\n", 4_000],
    ["branches", "if (a) { return b }\n", 1_000],
    ["a long list", "x,", 100_000],
    ["regular expressions", "a(/[(]/);\n", 8_000],
    ["arrows to regular expressions", "a((b) => /'/.test(b));\n", 8_000],
    ["divisions", "b = (a + 1) / c[0] / d;\n", 8_000],
  ])("takes long code that is flat: %s", (_, line, times) => {
    expect(findDeepNesting(`${line.repeat(times)}x`)).toBeUndefined();
  });
});
