import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../test/support/sizes.js";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import { analyse } from "../../analysis/analyse.js";
import { outline } from "../../analysis/drawing/outline.js";
import type { Json } from "../../base/canonical-json.js";
import type { Dag } from "../../registry/definition.js";
import { checkDag } from "./check-dag.js";
import { dagCode, storedTasks } from "./dag-code.js";

const vocabulary = testVocabulary(
  { t: { echo: { inputSchema: { type: "object" } }, add: { inputSchema: { type: "object" } } } },
  [
    {
      name: "fs:read_json",
      parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
    },
  ],
);

const codeOf = (dag: Dag): string => dagCode(checkDag(dag)).code;

const diamond: Dag = {
  tasks: [
    { id: "a", tool: "t:echo", arguments: { value: { items: [{ name: "first" }] } } },
    { id: "b", tool: "t:add", arguments: { left: { $arg: "left" }, right: 2 } },
    {
      id: "both",
      capability: "fs:read_json",
      arguments: { name: { $ref: "a.value.items[0].name" }, sum: { $ref: "b" } },
    },
    { id: "after", tool: "t:echo", dependsOn: ["b"] },
  ],
};

/** Runs code as the sandbox would, as far as a graph needs it. */
async function run(
  code: string,
  answer: (name: string, args: Json) => Promise<unknown>,
  args: Readonly<Record<string, Json>> = {},
): Promise<unknown> {
  const object = new Proxy(
    {},
    { get: (_, name) => (given: Json) => answer(String(name), JSON.parse(JSON.stringify(given)) as Json) },
  );
  // biome-ignore lint/security/noGlobalEval: the code that is generated is what is tested.
  const make = eval(`(async (mcp, capabilities, args) => {\n${code}})`) as (
    ...given: readonly unknown[]
  ) => Promise<unknown>;
  return make(object, object, args);
}

describe("the code of a graph", () => {
  it("[EX-9] is for people to read", () => {
    expect(codeOf(diamond)).toMatchInlineSnapshot(`
      "// Made of a graph of tasks: each starts as soon as all that it needs has succeeded.
      const need = (result, path, what) => {
        let value = result;
        for (const key of path) {
          if (value === null || value === undefined || !Object.hasOwn(Object(value), key)) throw new Error("there is no " + what);
          value = value[key];
        }
      };
      const task_a = mcp["t:echo"]({ value: { items: [{ name: "first" }] } });
      const task_b = mcp["t:add"]({ left: args.left, right: 2 });
      const task_both = (async () => {
        const from_a = await task_a;
        const from_b = await task_b;
        need(from_a, ["value","items",0,"name"], "value.items[0].name in the result of \\"a\\"");
        return capabilities["fs:read_json"]({ name: from_a.value.items[0].name, sum: from_b });
      })();
      const task_after = (async () => {
        await task_b;
        return mcp["t:echo"]({});
      })();
      const resultsOf = (ended) => {
        const ids = ["a", "b", "both", "after"];
        const needs = [[], [], [0, 1], [1]];
        const lost = ended.map(({ status }) => status === "rejected");
        if (!lost.includes(true)) return ended.map(({ value }) => value);
        const failed = [];
        const skipped = [];
        for (const [index, { reason }] of ended.entries()) {
          if (!lost[index]) continue;
          if (needs[index].some((other) => lost[other])) skipped.push(JSON.stringify(ids[index]));
          else {
            const said = String(reason?.message ?? reason).replace(/\\s+/g, " ").slice(0, 500);
            failed.push("Task " + JSON.stringify(ids[index]) + " failed: " + (reason?.tool ? reason.tool + ": " : "") + said);
          }
        }
        const more = failed.length - 20;
        const lines = failed.slice(0, 20);
        if (more > 0) lines.push("… and " + more + " more");
        if (skipped.length > 0) lines.push("Skipped, because they need what failed: " + skipped.join(", "));
        const error = new Error(lines.join("\\n"));
        error.name = "TaskError";
        throw error;
      };
      const results = resultsOf(await Promise.allSettled([task_a, task_b, task_both, task_after]));
      return { both: results[2], after: results[3] };
      "
    `);
  });

  it("[EX-9] has a structure: a fork of the tasks, and what they take from one another", () => {
    const { structure, problems, parameters } = analyse(codeOf(diamond), vocabulary);
    expect(problems).toEqual([]);
    expect(outline(structure)).toMatchInlineSnapshot(`
      [
        "f1  Promise.allSettled",
        "    ∥ n1  t:echo { value: {"items":[{"name":"first"}]} }",
        "    ∥ n2  t:add { left: ← left, right: 2 }",
        "    ∥ n3  capability fs:read_json { name: ⇐ n1.value (from_a.value.items[0].name), sum: ⇐ n2 }",
        "    ∥ n4  t:echo",
        "j1  join of f1",
      ]
    `);
    expect(parameters.required).toEqual(["left"]);
    expect(structure.edges.filter(({ type }) => type === "provides")).toMatchObject([
      { from: "n1", to: "n3", fieldMapping: [{ fromField: "value", toField: "name" }] },
      { from: "n2", to: "n3", fieldMapping: [{ fromField: "$", toField: "sum" }] },
    ]);
  });

  it("[EX-9] names the calls of the code after the tasks", () => {
    const analysis = analyse(codeOf(diamond), vocabulary);
    expect(storedTasks(diamond, analysis)?.names).toEqual(
      new Map([
        ["n1", "a"],
        ["n2", "b"],
        ["n3", "both"],
        ["n4", "after"],
      ]),
    );
    const [first, ...rest] = diamond.tasks;
    expect(storedTasks({ tasks: rest.slice(2) }, analysis)).toBeUndefined();
    expect(storedTasks({ tasks: [{ id: "x", tool: "t:danger" }, ...rest] }, analysis)).toBeUndefined();
    expect(storedTasks({ tasks: first === undefined ? [] : [first, first] }, analysis)).toBeUndefined();
  });

  it("[EX-9] starts a task when what it needs has ended, whatever else is under way", async () => {
    const events: string[] = [];
    const waiting = new Map<string, () => void>();
    const dag: Dag = {
      tasks: [
        { id: "slow", tool: "slow" },
        { id: "quick", tool: "quick" },
        { id: "next", tool: "next", dependsOn: ["quick"] },
      ],
    };
    const ended = run(codeOf(dag), (name) => {
      events.push(`start ${name}`);
      if (name === "next") waiting.get("slow")?.();
      if (name !== "slow") return Promise.resolve(name);
      return new Promise((resolve) => waiting.set(name, () => resolve(name)));
    });
    expect(await ended).toEqual({ slow: "slow", next: "next" });
    expect(events).toEqual(["start slow", "start quick", "start next"]);
  });

  it("[EX-9] [FP-10] fails what depends on a failed task, and only that", async () => {
    const called: string[] = [];
    const dag: Dag = {
      tasks: [
        { id: "bad", tool: "bad" },
        { id: "good", tool: "good" },
        { id: "lost", tool: "lost", arguments: { x: { $ref: "bad.x" } } },
        { id: "lost too", tool: "lost", dependsOn: ["lost", "good"] },
        { id: "after", tool: "after", dependsOn: ["good"] },
        { id: "missing", tool: "missing", arguments: { x: { $ref: "good.items[2]" } } },
      ],
    };
    const ended = run(codeOf(dag), async (name) => {
      called.push(name);
      if (name === "bad") throw Object.assign(new Error("no\nluck"), { tool: "t:bad" });
      return { items: [1, 2] };
    });
    await expect(ended).rejects.toThrow(
      [
        'Task "bad" failed: t:bad: no luck',
        'Task "missing" failed: there is no items[2] in the result of "good"',
        'Skipped, because they need what failed: "lost", "lost too"',
      ].join("\n"),
    );
    expect(called).toEqual(["bad", "good", "after"]);
  });

  it("[EX-9] takes a part of a result only where it is one of its own", async () => {
    const of = (path: string, value: unknown) => {
      const dag: Dag = {
        tasks: [
          { id: "a", tool: "a" },
          { id: "b", tool: "b", arguments: { x: { $ref: path } } },
        ],
      };
      return run(codeOf(dag), async (name, args) => (name === "a" ? value : args));
    };
    expect(await of("a.constructor.name", { constructor: { name: "Ferrari" } })).toEqual({
      b: { x: "Ferrari" },
    });
    expect(await of("a.x", { x: null })).toEqual({ b: { x: null } });
    expect(await of("a.length", [1, 2])).toEqual({ b: { x: 2 } });
    for (const [path, value] of [
      ["a.constructor.name", {}],
      ["a.__proto__", {}],
      ["a.x", null],
      ["a.x.y", { x: null }],
      ["a[0]", {}],
    ] as const)
      await expect(of(path, value)).rejects.toThrow("there is no");
  });

  /** Anything that JSON can hold, with keys that mean something elsewhere. */
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom(
          "</script>",
          "$" + "{x}",
          "`",
          "\\",
          "'\"",
          "\u2028\u2029",
          "*/",
          "//",
          "\ud800",
          "\r\n",
        ),
        fc.integer(),
        fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie("json"), { maxLength: 4 }),
      fc
        .array(
          fc.tuple(
            fc.oneof(
              fc.constantFrom(
                "__proto__",
                "constructor",
                "toString",
                "a b",
                "",
                "args",
                "$ref",
                "0",
                "\u2028",
              ),
              fc.string(),
            ),
            tie("json"),
          ),
          { maxLength: 4 },
        )
        .map(
          (entries) =>
            JSON.parse(
              `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${JSON.stringify(inner)}`).join(",")}}`,
            ) as Json,
        ),
    ),
  })).json as fc.Arbitrary<Json>;

  const id = fc
    .oneof(
      fc.constantFrom(
        "__proto__",
        "constructor",
        "a-b",
        "a_b",
        "a b",
        "é",
        "日本",
        "class",
        "args",
        "mcp",
        "ids",
        '"',
        "`$" + "{x}`",
      ),
      fc.string({ minLength: 1, maxLength: 100 }),
    )
    .filter((text) => !/[#.[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text));

  it("[EX-9] brings any argument to its task exactly, and any task its result", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(id, value), { minLength: 1, maxLength: 8, selector: ([one]) => one }),
        async (given) => {
          const dag: Dag = {
            tasks: given.map(([name, literal], index) => ({
              id: name,
              tool: "t:echo",
              arguments: { index, value: { $literal: literal } },
              dependsOn: index > 1 ? [given[index - 2]?.[0] ?? ""] : [],
            })),
          };
          const code = codeOf(dag);
          expect(analyse(code, vocabulary).problems).toEqual([]);
          const received = new Map<number, Json>();
          const result = await run(code, async (_, args) => {
            const { index, value: got } = args as { readonly index: number; readonly value: Json };
            received.set(index, got);
            return { index };
          });
          for (const [index, [, literal]] of given.entries())
            expect(JSON.stringify(received.get(index))).toBe(JSON.stringify(literal));
          const last = given.map(([name], index) => [name, index] as const).slice(-2);
          expect(JSON.parse(JSON.stringify(result))).toEqual(
            JSON.parse(
              `{${last.map(([name, index]) => `${JSON.stringify(name)}:{"index":${index}}`).join(",")}}`,
            ),
          );
        },
      ),
      { numRuns: sized(600, 50) },
    );
  });

  it("[EX-9] stays small for the largest of graphs", () => {
    const tasks = Array.from({ length: 200 }, (_, index) => ({
      id: `task ${index}`,
      tool: "t:echo",
      arguments: index < 2 ? {} : { x: { $ref: `task ${index - 1}.a[0]` }, y: { $ref: `task ${index - 2}` } },
    }));
    const code = codeOf({ tasks });
    const analysis = analyse(code, vocabulary);
    expect(analysis.problems).toEqual([]);
    expect(storedTasks({ tasks }, analysis)?.names.size).toBe(200);
    expect(analysis.structure.edges.filter(({ type }) => type === "provides").length).toBeGreaterThan(390);
  });
});
