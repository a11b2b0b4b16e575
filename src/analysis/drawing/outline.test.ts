import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Sketch, sketched } from "../../../test/support/sketched-structure.js";
import type { Arguments, StaticStructure } from "../static-structure.js";
import { outline } from "./outline.js";

const drawn = (sketch: Sketch): string => `\n${outline(sketched(sketch)).join("\n")}\n`;

describe("[UX-1] the outline of a structure", () => {
  it("[AN-4] shows branches under their decision", () =>
    expect(
      drawn({
        nodes: ["n1", "d1: file.exists", "n2", "n3", "n4"],
        edges: ["n1 > d1", "d1 -true> n2", "d1 -false> n3", "n3 > n4"],
      }),
    ).toBe(`
n1  t:n1
d1  if file.exists
    true  → n2  t:n2
    false → n3  t:n3
            n4  t:n4
`));

  it("[AN-4] shows after a decision what both branches lead to, and which branch is empty", () =>
    expect(
      drawn({ nodes: ["d1: a", "n1", "n2"], edges: ["d1 -true> n1", "d1 -false> n2", "n1 > n2"] }),
    ).toBe(`
d1  if a
    true  → n1  t:n1
    false → n2
n2  t:n2
`));

  it("[AN-4] goes on at the same level where only one branch goes on for long", () =>
    expect(
      drawn({
        nodes: ["d1: a", "n1", "d2: b", "n2", "n3", "n4", "n5", "n6"],
        edges: ["d1 -true> n1", "d1 -false> d2", "d2 -false> n2", "n2 > n3", "n3 > n4", "n4 > n5", "n5 > n6"],
      }),
    ).toBe(`
d1  if a
    true  → n1  t:n1
    false ↓
d2  if b
    true  → end
    false ↓
n2  t:n2
n3  t:n3
n4  t:n4
n5  t:n5
n6  t:n6
`));

  it("[AN-4] shows cases of a switch, those with one body together", () =>
    expect(
      drawn({
        nodes: ["d1: switch kind", "n1", "n2", "n3"],
        edges: ['d1 -"a"> n1', 'd1 -"b"> n1', "d1 -default> n2", "n1 > n3", "n2 > n3"],
      }),
    ).toBe(`
d1  switch kind
    "a" | "b" → n1  t:n1
    default   → n2  t:n2
n3  t:n3
`));

  it("[AN-4] nests loops, and what follows them does not", () =>
    expect(
      drawn({
        nodes: [
          "n1",
          "l1: for-of entries",
          "n2 in l1",
          "d1 in l1: info.size === 0",
          "n3 in l1",
          "l2 in l1: while more",
          "n4 in l2",
          "n5",
        ],
        edges: [
          "n1 > l1",
          "l1 => n2",
          "n2 > d1",
          "d1 -true> n3",
          "d1 -false> l2",
          "n3 > l2",
          "l2 => n4",
          "l2 > n5",
          "n4 > n5",
          "l1 > n5",
        ],
      }),
    ).toBe(`
n1  t:n1
l1  for each of entries
    n2  t:n2
    d1  if info.size === 0
        true  → n3  t:n3
        false → l2
    l2  while more
        n4  t:n4
n5  t:n5
`));

  it("[AN-4] leaves a loop that never ends by itself", () =>
    expect(
      drawn({
        nodes: ["l1: while true", "n1 in l1", "d1 in l1: done", "n2 in l1", "n3"],
        edges: ["l1 => n1", "n1 > d1", "d1 -true> n3", "d1 -false> n2"],
      }),
    ).toBe(`
l1  while true
    n1  t:n1
    d1  if done
        true  → end of l1
        false → n2  t:n2
n3  t:n3
`));

  it("[AN-4] shows what runs side by side, also one lane for many", () =>
    expect(
      drawn({
        nodes: ["f1", "n1 in f1", "n2 in f1", "n3 in f1", "j1", "f2", "n4 in f2", "j2", "n5"],
        edges: [
          "f1 > n1",
          "n1 > n2",
          "f1 > n3",
          "n2 > j1",
          "n3 > j1",
          "j1 > f2",
          "f2 > n4",
          "n4 > j2",
          "j2 > n5",
        ],
      }),
    ).toBe(`
f1  Promise.all
    ∥ n1  t:n1
      n2  t:n2
    ∥ n3  t:n3
j1  join of f1
f2  Promise.all
    ∥ n4  t:n4
j2  join of f2
n5  t:n5
`));

  it.each([
    ["ternary a > 1", "a > 1 ?"],
    ["and a.b", "a.b &&"],
    ["or a.b", "a.b ||"],
    ["nullish a.b", "a.b ??"],
    ["try try", "try"],
  ])("[AN-4] writes the decision %s as the code does", (words, text) =>
    expect(drawn({ nodes: [`d1: ${words}`], edges: [] })).toContain(`d1  ${text}\n`),
  );

  it.each([
    ["for let i = 0; i < n; i++", "for let i = 0; i < n; i++"],
    ["for-in table", "for each key of table"],
    ["do x", "do while x"],
    ["map args.ids", "map of args.ids"],
  ])("[AN-4] writes the loop %s so that it can be read", (words, text) =>
    expect(drawn({ nodes: [`l1: ${words}`], edges: [] })).toContain(`l1  ${text}\n`),
  );

  it("shows nothing of nothing, and nodes that nothing leads to", () => {
    expect(outline({ nodes: [], edges: [] })).toEqual([]);
    expect(drawn({ nodes: ["n1", "n2"], edges: [] })).toBe("\nn1  t:n1\nn2  t:n2\n");
  });

  it("keeps conditions on one line, and cuts long ones between characters", () => {
    const [line = ""] = outline(
      sketched({ nodes: [`d1: if a ===\n\t"b" && ${"🎉".repeat(200)}`], edges: [] }),
    );
    expect(line).toMatch(/^d1 {2}if a === "b" && (🎉)+…$/u);
    expect([...line].length).toBeLessThan(120);
  });

  it("[AN-3] shows every node once, whatever leads where", () => {
    const letters = fc.array(fc.constantFrom(..."nnnddlfj"), { minLength: 1, maxLength: 14 });
    const numbers = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(letters, numbers, (types, chance) => {
        let at = 0;
        const pick = (count: number) => (chance[at++ % chance.length] ?? 0) % count;
        const ids = types.map((letter, index) => `${letter}${index}`);
        const nodes = ids.map((id, index) => {
          const around = ids.slice(0, index).filter((other) => /^[lf]/.test(other));
          const within = pick(2) === 0 && around.length > 0 ? ` in ${around[pick(around.length)]}` : "";
          return `${id}${within}: ${id.startsWith("l") ? "while x" : "x"}`;
        });
        const edges = ids.slice(1).flatMap((to, index) =>
          Array.from({ length: pick(4) }, () => {
            const from = ids[pick(index + 1)] ?? "";
            const mark = from.startsWith("d") ? `-${["true", "false", "x"][pick(3)]}` : pick(2) ? "" : "=";
            return `${from} ${mark}> ${to}`;
          }),
        );
        const shown = outline(sketched({ nodes, edges })).flatMap(
          (line) => /^ *(?:∥ |[^→]* → )*([ndlfj]\d+) {2}/.exec(line.replace(/ +(?=[∥])/g, ""))?.[1] ?? [],
        );
        expect(shown).toHaveLength(ids.length);
        expect(new Set(shown)).toEqual(new Set(ids));
      }),
    );
  });

  it("[AN-14] is as long as the structure, however deep that is", () => {
    const count = 5_000;
    const nodes = Array.from({ length: count }, (_, at) => [`d${at}: a`, `n${at}`]).flat();
    const chain = (branch: string) =>
      Array.from({ length: count }, (_, at) => [`d${at} -${branch}> d${at + 1}`, `d${at} -other> n${at}`])
        .flat()
        .filter((edge) => !edge.endsWith(`d${count}`));
    for (const branch of ["false", "true"]) {
      const lines = outline(sketched({ nodes, edges: chain(branch) }));
      expect(lines.length).toBeLessThan(count * 5);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
    }
  });
});

describe("[AN-6] the arguments of a call", () => {
  function shown(given: Arguments, edges: StaticStructure["edges"] = []): string {
    const [task] = sketched({ nodes: ["n2: fs:write"], edges: [] }).nodes;
    const node = { ...task, arguments: given } as StaticStructure["nodes"][number];
    return (outline({ nodes: [node], edges })[0] ?? "").replace(/^n2 {2}fs:write ?/, "");
  }

  it.each<[string, Arguments, string]>([
    ["no arguments", {}, ""],
    [
      "literals",
      { a: { type: "literal", value: "x" }, b: { type: "literal", value: [1, null] } },
      '{ a: "x", b: [1,null] }',
    ],
    [
      "a parameter",
      { path: { type: "parameter", parameterName: "from", expression: "args.from" } },
      "{ path: ← from }",
    ],
    [
      "what is made of a parameter",
      { path: { type: "parameter", parameterName: "dir", expression: "args.dir + '/x'" } },
      "{ path: ← dir (args.dir + '/x') }",
    ],
    [
      "what only the run can tell",
      { at: { type: "reference", expression: "Date.now()" } },
      "{ at: = Date.now() }",
    ],
    [
      "what is made of results",
      { text: { type: "reference", expression: "a + b", producer: "n1", producers: ["n1", "n3"] } },
      "{ text: ⇐ n1, n3 (a + b) }",
    ],
    [
      "fields of fields",
      {
        body: {
          type: "reference",
          expression: "{ id: f.id, n: 1 }",
          producer: "n1",
          fields: {
            id: { type: "reference", expression: "f.id", producer: "n1" },
            n: { type: "literal", value: 1 },
          },
        },
      },
      "{ body: { id: ⇐ n1 (f.id), n: 1 } }",
    ],
  ])("shows %s", (_what, given, text) => expect(shown(given)).toBe(text));

  it("[AN-5] names the field of the result that goes in", () => {
    const reference = (expression: string) => ({ type: "reference", expression, producer: "n1" }) as const;
    const given = { content: reference("f.content"), all: reference("f") };
    const mapped = (fromField: string, toField: string) => ({ fromField, toField, typeCompatible: true });
    const edge = {
      from: "n1",
      to: "n2",
      type: "provides",
      coverage: "strict",
      fieldMapping: [mapped("content", "content"), mapped("$", "all")],
    } as const;
    expect(shown(given, [edge])).toBe("{ content: ⇐ n1.content, all: ⇐ n1 }");
    const made = { content: reference("f.content.trim()") };
    expect(shown(made, [edge])).toBe("{ content: ⇐ n1.content (f.content.trim()) }");
    expect(shown(given, [{ ...edge, to: "n9" }])).toBe("{ content: ⇐ n1 (f.content), all: ⇐ n1 (f) }");
  });

  it("cuts what is long: texts, and lists of fields", () => {
    expect(shown({ a: { type: "literal", value: "x".repeat(500) } }).length).toBeLessThan(70);
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`f${at}`, { type: "literal", value: at } as const]),
    );
    expect(shown(many)).toMatch(/f11: 11, … \}$/);
  });
});
