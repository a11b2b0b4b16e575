/**
 * Measures how many mistakes recordings find. Capabilities of several kinds are run and recorded as in PML, then the
 * code of each is changed in one place at a time. The changed code is also run outside of PML with the recorded
 * arguments; if it behaves differently there, `pml test` has to notice it.
 */
import { answerOf, CAPABILITIES, TOOL_IDS } from "./fixtures/recorded-capabilities.mjs";
import { builds } from "./harness/build.mjs";
import { sized } from "./harness/options.mjs";
import { printTable } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const MUTANTS_OF_EACH = sized(1_000, 3);
const LEAST_SHARE = 0.9;

const RULES = [
  [/(?<![\w."])\d+(?![\w"])/g, (n) => [String(Number(n) + 1), n === "0" ? "-1" : "0"]],
  [/"(?:[^"\\]|\\.)*"/g, (text) => ['"x"', `${text.slice(0, -1)}?"`]],
  [/ (?:>=|<=|>|<|===) /g, (sign) => OTHER_SIGNS[sign.trim()].map((other) => ` ${other} `)],
  [/&&/g, () => ["||"]],
  [/\|\|/g, () => ["&&"]],
  [/\?\?/g, () => ["&&"]],
  [/ ([-+*/%]) /g, (sign) => (sign === " - " ? [" + "] : [" - "])],
  [/\+=/g, () => ["-=", "="]],
  [/\btrue\b/g, () => ["false"]],
  [/\bfalse\b/g, () => ["true"]],
  [/\.(?:filter|map)\(/g, (call) => [call === ".map(" ? ".filter(" : ".map("]],
  [/\.(?:trim|toUpperCase)\(\)/g, () => [""]],
  [
    /Math\.(?:round|max|floor)/g,
    (name) => [{ "Math.round": "Math.ceil", "Math.max": "Math.min", "Math.floor": "Math.ceil" }[name]],
  ],
  // A field of something, but not a method and not a tool.
  [/(?<=\b(?!mcp\b|shop\b|geo\b|Math\b|Promise\b)\w+)\.\w+\b(?!\()/g, () => [".none"]],
  [/\bif \(/g, () => ["if (!"]],
  [/^ *(?:\w+\.\w+|await [\w.]+)\(.*\);$/gm, () => [""]],
  [/\bmcp\.(?:shop|geo)\.\w+/g, (name) => [name === "mcp.shop.detail" ? "mcp.shop.note" : "mcp.shop.detail"]],
  [/\breturn (?!\{ title)[^;]+;/g, () => ["return null;"]],
  [/ else if/g, () => [" if"]],
];
const OTHER_SIGNS = {
  ">=": [">", "<"],
  "<=": ["<", ">"],
  ">": [">=", "<"],
  "<": ["<=", ">"],
  "===": ["!=="],
};

/** The code with one small change in one place. */
function* mutants(code) {
  const seen = new Set([code]);
  for (const [pattern, changes] of RULES)
    for (const match of code.matchAll(pattern))
      for (const text of changes(match[0])) {
        const changed = code.slice(0, match.index) + text + code.slice(match.index + match[0].length);
        if (seen.has(changed)) continue;
        seen.add(changed);
        yield changed;
      }
}

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;

/** Runs a program outside of PML, and returns its calls in order. */
async function beside({ code, inner }, args) {
  const calls = [];
  const tool = (id) => async (input) => {
    calls.push([id, input ?? null]);
    return JSON.parse(JSON.stringify(answerOf(id, input)));
  };
  const mcp = {};
  for (const id of TOOL_IDS) {
    const [server, name] = id.split(":");
    mcp[server] = { ...mcp[server], [name]: tool(id) };
  }
  const run = (text, given) => new AsyncFunction("mcp", "args", `"use strict";${text}`)(mcp, given);
  if (inner !== undefined)
    mcp[inner.ref] = async (given) => JSON.parse(JSON.stringify((await run(inner.code, given)) ?? null));
  try {
    return JSON.stringify({ calls, result: (await run(code, args)) ?? null });
  } catch (error) {
    return JSON.stringify({
      calls,
      error: error instanceof Error ? [error.name, error.message] : String(error),
    });
  }
}

const versionOf = (fqdn, code, dependencies) => ({
  fqdn,
  version: 1,
  savedCode: code,
  toolsUsed: TOOL_IDS,
  dependencies,
  parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
});

await benchmark("recordings", "mistakes that recordings find", async (bench) => {
  const [build] = await builds(bench);
  const { replayProgram } = await build.load("execution/replay/replay-program.js");
  const { replay } = await build.load("execution/replay/replay.js");
  const { chooseRecordings } = await build.load("execution/replay/choose-recordings.js");
  const { RunTape } = await build.load("execution/run/run-tape.js");
  const { runProgram } = await build.load("execution/run/run-bridge.js");
  const { createSandbox } = await build.load("sandbox/create-sandbox.js");
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const sandbox = createSandbox({ engine: "auto", memoryMb: 128, timeMs: 10_000, log });

  const programOf = ({ code, inner }) =>
    replayProgram(
      versionOf("local.default.shop.main.0000", code, inner === undefined ? [] : [inner.ref]),
      inner === undefined
        ? []
        : [{ ...versionOf(inner.ref, inner.code, []), ref: inner.ref, displayName: "shop:price" }],
      () => undefined,
    );

  /** A run with tools that answer, recorded as the gateway does it. */
  async function recorded(program, args) {
    const tape = new RunTape({ seed: "0".repeat(64), startedAt: 0 });
    const journal = tape.beside({ begin: async () => ({ kind: "send" }), answered: async () => undefined });
    const box = {
      tools: () => [],
      settled: async () => {},
      call: async ({ id }, input) => ({
        structuredContent: answerOf(id, input),
        content: [],
        isError: false,
      }),
    };
    const report = await runProgram(sandbox, box, {
      workflowId: crypto.randomUUID(),
      program: program.program,
      structure: program.structure,
      args,
      limits: { timeMs: 10_000, memoryMb: 128, toolCalls: 1_000 },
      context: {
        scope: { org: "local", project: "default", user: "ada" },
        connection: "bench",
        signal: new AbortController().signal,
      },
      seed: "0".repeat(64),
      startedAt: 0,
      clock: [],
      journal,
      toolFor: ({ path }) => program.toolAt(path),
      targetOf: program.targetOf,
      structureOf: program.structureOf,
      taskNames: program.taskNames,
      onEvent: () => {},
    });
    return tape.recording(args, program.structureHash, report);
  }

  const rows = [];
  const sum = { tried: 0, changed: 0, found: 0 };
  const missed = [];
  try {
    for (const capability of CAPABILITIES) {
      const original = await programOf(capability);
      const runs = [];
      for (const args of capability.runs) runs.push(await recorded(original, args));
      const recordings = chooseRecordings([], runs);
      for (const recording of recordings) {
        const differences = await replay(original, recording, { sandbox });
        if (differences.length > 0)
          throw new Error(
            `${capability.kind} does not pass its own recordings: ${JSON.stringify(differences)}`,
          );
      }
      const used = recordings.map(({ args }) => args);
      const right = await Promise.all(used.map((args) => beside(capability, args)));
      const count = { tried: 0, changed: 0, found: 0 };
      const all = [
        ...[...mutants(capability.code)].map((code) => ({ ...capability, code })),
        ...(capability.inner === undefined
          ? []
          : [...mutants(capability.inner.code)].map((code) => ({
              ...capability,
              inner: { ...capability.inner, code },
            }))),
      ];
      for (const mutant of all.slice(0, MUTANTS_OF_EACH)) {
        count.tried += 1;
        const now = await Promise.all(used.map((args) => beside(mutant, args)));
        if (now.every((one, index) => one === right[index])) continue;
        count.changed += 1;
        const program = await programOf(mutant);
        let isFound = program.analysis.problems.length > 0;
        for (const recording of recordings)
          if (!isFound) isFound = (await replay(program, recording, { sandbox })).length > 0;
        if (isFound) count.found += 1;
        else missed.push(`${capability.kind}:\n${mutant.code}\n${mutant.inner?.code ?? ""}`);
      }
      for (const key of Object.keys(sum)) sum[key] += count[key];
      rows.push([capability.kind, recordings.length, ...Object.values(count)].map(String));
    }
  } finally {
    await sandbox.close();
  }
  rows.push(["all", "", ...Object.values(sum).map(String)]);
  printTable(["capability", "recordings", "changed codes", "behave otherwise", "found"], rows);
  for (const one of missed.slice(0, 5)) console.error(`Not found in ${one}`);
  if (sum.found < sum.changed * LEAST_SHARE) {
    console.error(`Only ${sum.found} of ${sum.changed} were found`);
    process.exitCode = 1;
  }
});
