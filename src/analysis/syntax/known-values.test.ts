import { expect, it } from "vitest";
import { type KnownValue, valuesIn } from "./known-values.js";
import { parseCode } from "./parse-code.js";
import { resolveScopes } from "./scopes.js";
import { SourceText } from "./source-text.js";

/** What is known of what the code (`§` is a dollar sign) returns: `?` is not known, `…` stands for further parts. */
function known(code: string, mode: "kept" | "changed" | "written" = "kept"): string {
  const { body } = parseCode(new SourceText(code.replaceAll("§", "$")));
  if (body === undefined) throw new Error("The code of the test cannot be parsed");
  const last = body.body.at(-1);
  if (last?.type !== "ReturnStatement" || !last.argument)
    throw new Error("The code of the test returns nothing");
  const isChanged = mode === "written" ? undefined : () => mode === "changed";
  const value = valuesIn(resolveScopes(body), isChanged)(last.argument);
  return value.json === undefined ? textOf(value) : `= ${JSON.stringify(value.json)}`;
}

function textOf(value: KnownValue): string {
  switch (value.kind) {
    case "scalar":
      return JSON.stringify(value.value);
    case "list":
      return `[${[...value.items.map(textOf), ...(value.isComplete ? [] : ["…"])].join(", ")}]`;
    case "object": {
      const fields = [...value.fields].map(([key, field]) => `${key}: ${textOf(field.value)}`);
      return `{ ${[...fields, ...(value.isComplete ? [] : ["…"])].join(", ")} }`;
    }
    default:
      return value.kind === "unknown" ? "?" : value.kind;
  }
}

it.each([
  [
    'return { a: [1, -2, +3, "x", `y`, null, true], "b-c": {}, 4: 5 }',
    '= {"4":5,"a":[1,-2,3,"x","y",null,true],"b-c":{}}',
  ],
  ["return { a: x, b: 1 }", "{ a: ?, b: 1 }"],
  ["return [x, 1, ...y, 2]", "[?, 1, 2, …]"],
  [
    "const o = { a: [1, 2] }; return { ...o, b: [...o.a, o.a[1]], c: o.d }",
    "{ a: [1, 2], b: [1, 2, 2], c: ? }",
  ],
  ["return { a: 1, ...x, b: 2 }", "{ a: ?, b: 2, … }"],
  ["return { a: 1, [x]: 2, b: 3 }", "{ a: ?, b: 3, … }"],
  ["return { a: 1, ...undefined, b: undefined, c: [undefined, , 1] }", '= {"a":1,"c":[null,null,1]}'],
  ["return { __proto__: { a: 1 }, b: 1 }", "{ b: 1, … }"],
  ['return { ["__proto__"]: 1 }.__proto__', "= 1"],
  ["return { f() {}, get g() { return 1 }, h: 1 }", "{ f: ?, g: ?, h: 1 }"],
  ["return { a: 1 }.toString", "?"],
  ["return [1].length", "?"],
  ["return `a§{x}`", "text"],
  ['const a = "b"; return `a§{a}` + "c"', '= "abc"'],
  ["let a = 1; a = 2; return [a]", "[?]"],
  ["return [1e999, /x/, 1n]", "[?, ?, ?]"],
])("%s", (code, expected) => expect(known(code)).toBe(expected));

it.each([
  ["return { a: [1, -2] }", '= {"a":[1,-2]}'],
  ["const a = 1; return { a, b: 1 }", "{ a: ?, b: 1 }"],
  ['return { ["a"]: 1, b: 2 }', "{ b: 2, … }"],
  ["return { a: 1, ...{ b: 2 } }", "{ a: ?, … }"],
  ["return [...[1], 2]", "[2, …]"],
  ['return ["a" + "b", `§{"c"}`, undefined, , void 0, [1][0]]', "[?, text, ?, ?, ?, ?]"],
])("only what is written out: %s", (code, expected) => expect(known(code, "written")).toBe(expected));

it("an object that may be changed is not known, a text is", () => {
  const code = 'const o = { a: 1 }, t = "x"; return [o, o.a, t]';
  expect(known(code, "changed")).toBe('[?, ?, "x"]');
});

it("a value of millions of parts is not told as a whole, and takes no time", () => {
  const lines = Array.from({ length: 60 }, (_, i) => `const v${i + 1} = [v${i}, v${i}];`);
  const code = `const v0 = 1; ${lines.join(" ")} return { v: v60[0].x, w: v3 }`;
  expect(known(code)).toBe("{ v: ?, w: [[[1, 1], [1, 1]], [[1, 1], [1, 1]]] }");
  expect(known(`${lines.slice(0, 3).join(" ").replace(/^/, "const v0 = 1; ")} return v3`)).toBe(
    "= [[[1,1],[1,1]],[[1,1],[1,1]]]",
  );
});
