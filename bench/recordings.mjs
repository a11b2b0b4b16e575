/**
 * How many mistakes recordings find: a capability with branches and a loop is recorded, then its code is changed in one
 * place at a time. What a changed code does with the recorded arguments is found out by running it beside PML; where that
 * is another behaviour, `pml test` has to notice it.
 */
import { builds } from "./harness/build.mjs";
import { sized } from "./harness/options.mjs";
import { printTable } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const MUTANTS = sized(200, 4);
const LEAST_SHARE = 0.9;

const CODE = `const found = await mcp.shop.search({ query: args.query, limit: 10 });
let total = 0;
const names = [];
for (const item of found.items) {
  if (item.stock > 0 && item.price <= args.most) {
    const detail = await mcp.shop.detail({ id: item.id, full: true });
    total += item.price * 2;
    names.push(detail.name + "!");
  } else if (item.stock === 0) {
    names.push("none");
  }
}
if (names.length < 1) return { total: 0, names: ["empty"] };
return { total: total + 1, names, first: names[0] };`;

const TOOLS = {
  "shop:search": ({ query }) => ({
    items:
      query === "nothing"
        ? []
        : query === "dear"
          ? [{ id: "d", stock: 1, price: 90 }]
          : [
              { id: "a", stock: 3, price: 5 },
              { id: "b", stock: 0, price: 7 },
              { id: "c", stock: 1, price: 50 },
              { id: "e", stock: 2, price: 9 },
            ],
  }),
  "shop:detail": ({ id }) => ({ name: `item ${id}` }),
};
const RUNS = [
  { query: "all", most: 9 },
  { query: "all", most: 60 },
  { query: "nothing", most: 1 },
  { query: "dear", most: 10 },
];

/** One small change in one place. */
function* mutants(code) {
  const rules = [
    [/\d+/g, (n) => [String(Number(n) + 1), "0"]],
    [/"[^"]*"/g, (text) => [`"x"`, `${text.slice(0, -1)}?"`]],
    [/ > /g, () => [" >= ", " < "]],
    [/ <= /g, () => [" < ", " > "]],
    [/ < /g, () => [" <= ", " > "]],
    [/ === /g, () => [" !== "]],
    [/&&/g, () => ["||"]],
    [/ \+ /g, () => [" - "]],
    [/ \* /g, () => [" + ", " / "]],
    [/\+=/g, () => ["-=", "="]],
    [/true/g, () => ["false"]],
    [/item\.(id|stock|price)/g, () => ["item.id", "item.stock", "item.price", "item.none"]],
    [/args\.(query|most)/g, () => ["args.query", "args.most", "args.none"]],
    [/found\.items/g, () => ["found.items.slice(1)", "[...found.items].reverse()", "[]"]],
    [/names\.push\([^;]*\);/g, () => ["", "names.unshift(1);"]],
    [/names\[0\]/g, () => ["names[1]", "names", "names.at(-1)"]],
    [/await mcp\.shop\.detail/g, () => ["await mcp.shop.search"]],
    [/\bnames\b(?=[,.])/g, () => ["[]"]],
    [/total/g, () => ["1"]],
    [/ else if/g, () => [" if"]],
  ];
  for (const [pattern, changes] of rules)
    for (const match of code.matchAll(pattern))
      for (const text of changes(match[0])) {
        const changed = code.slice(0, match.index) + text + code.slice(match.index + match[0].length);
        if (changed !== code) yield changed;
      }
}

/** One change, then two at once. */
function* allMutants(code) {
  const first = [...mutants(code)];
  yield* first;
  for (let at = 0; at < first.length; at += 1) {
    const more = [...mutants(first[at])];
    for (let step = 1; step < 4; step += 1) yield more[(at * 5 + step * 17) % more.length];
  }
}

async function beside(code, args) {
  const calls = [];
  const tool = (id) => async (input) => {
    calls.push([id, input]);
    return TOOLS[id](input);
  };
  const mcp = { shop: { search: tool("shop:search"), detail: tool("shop:detail") } };
  try {
    const run = new (Object.getPrototypeOf(async () => {}).constructor)(
      "mcp",
      "args",
      `"use strict";${code}`,
    );
    return { calls, result: JSON.parse(JSON.stringify((await run(mcp, args)) ?? null)) };
  } catch (error) {
    return { calls, error: { name: error.name, message: error.message } };
  }
}

await benchmark("recordings", "mistakes that recordings find", async (bench) => {
  const [build] = await builds(bench);
  const { replayProgram } = await build.load("execution/replay/replay-program.js");
  const { replay } = await build.load("execution/replay/replay.js");
  const { createSandbox } = await build.load("sandbox/create-sandbox.js");
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const sandbox = createSandbox({ engine: "auto", memoryMb: 128, timeMs: 10_000, log });
  const programOf = (savedCode) =>
    replayProgram(
      {
        fqdn: "local.default.shop.sum.0000",
        version: 1,
        savedCode,
        toolsUsed: ["shop:search", "shop:detail"],
        dependencies: [],
        parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
      },
      [],
      () => undefined,
    );
  try {
    const original = await programOf(CODE);
    const recordings = [];
    for (const args of RUNS) {
      const { calls, result } = await beside(CODE, args);
      const tasks = new Map();
      const taskOf = (id) => {
        const node = id === "shop:search" ? "n1" : "n2";
        tasks.set(node, (tasks.get(node) ?? 0) + 1);
        return tasks.get(node) === 1 ? node : `${node}#${tasks.get(node)}`;
      };
      // No path: what is found is found by calls and results alone.
      recordings.push({
        format: 1,
        args,
        structure: "",
        calls: calls.map(([tool, input]) => ({
          task: taskOf(tool),
          tool,
          args: input,
          result: TOOLS[tool](input),
        })),
        result,
        path: [],
        decisions: [],
      });
    }
    for (const recording of recordings) {
      const differences = await replay(original, recording, { sandbox });
      if (differences.length > 0)
        throw new Error(`The code does not pass its own recordings: ${JSON.stringify(differences)}`);
    }
    let changed = 0;
    let found = 0;
    let tried = 0;
    const missed = [];
    for (const code of allMutants(CODE)) {
      if (tried === MUTANTS) break;
      tried += 1;
      let isOther = false;
      for (const args of RUNS)
        isOther ||= JSON.stringify(await beside(code, args)) !== JSON.stringify(await beside(CODE, args));
      if (!isOther) continue;
      changed += 1;
      const program = await programOf(code);
      let isFound = program.analysis.problems.length > 0;
      for (const recording of recordings)
        if (!isFound) isFound = (await replay(program, recording, { sandbox })).length > 0;
      if (isFound) found += 1;
      else missed.push(code);
    }
    printTable(
      ["", "count"],
      [
        ["changed codes", `${tried}`],
        ["that behave otherwise", `${changed}`],
        ["found by the recordings", `${found}`],
      ],
    );
    if (found < changed * LEAST_SHARE) {
      console.error(`Only ${found} of ${changed} were found, for instance not\n${missed[0]}`);
      process.exitCode = 1;
    }
  } finally {
    await sandbox.close();
  }
});
