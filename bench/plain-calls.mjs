/**
 * Measures learning from tool calls that clients make one by one: the data flow that is found, the programs that
 * result, and the cost of watching.
 *
 *   node bench/plain-calls.mjs [--traces DIR] [--programs N]
 *
 * DIR has recorded sessions (`SET/sessions.jsonl`) and `truth.mjs`, which knows their flow; default: `traces` in the
 * folder `PML_EVAL_DIR`. Programs are learnt from one half of the tasks and applied to the other, both ways. A call
 * counts as reproduced if a program makes it with the right arguments and every parameter of that program is known
 * before it starts: said by the user, in an earlier call or result, or in no result of the program's own. Without DIR
 * only time and memory are measured. `--programs N` prints N programs of each set with their evidence.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { builds } from "./harness/build.mjs";
import { PML_EVAL_DIR } from "./harness/evaluation.mjs";
import { measuredHeap } from "./harness/heap.mjs";
import { OPTIONS, sized } from "./harness/options.mjs";
import { ms, printTable } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const { values: own } = parseArgs({
  options: { ...OPTIONS, traces: { type: "string" }, programs: { type: "string" } },
});
process.argv = process.argv.filter(
  (argument, index, all) =>
    !/^--(?:traces|programs)\b/.test(argument) && !/^--(?:traces|programs)$/.test(all[index - 1] ?? ""),
);

const CALLS = sized(100_000, 600);
const NOTED = sized(100_000, 1_000);
const SEED = 1;
/**
 * Upper limits: the share of arguments that are wrongly taken for data flow, and of uses that make a different call.
 */
const FALSE_FLOWS = 0.01;
const WRONG = 0.02;
/**
 * Two hundredths of the shortest plain call that was measured, 0.4 ms. CPU time, because other processes may use the
 * machine.
 */
const NOTE_MS = 0.008;

await benchmark(
  "plain-calls",
  "programs from tool calls that were made one by one, in process",
  async (bench) => {
    const [build] = await builds(bench);
    const parts = {};
    for (const file of [
      "apply-program",
      "data-flow",
      "flow-rows",
      "mine-sessions",
      "pieces",
      "program",
      "program-text",
    ])
      Object.assign(parts, await build.load(`observation/${file}.js`));
    Object.assign(parts, await build.load("gateway/plain-calls.js"));
    const folder = own.traces ?? join(PML_EVAL_DIR ?? "", "traces");
    const truth = join(folder, "truth.mjs");
    if (existsSync(truth)) await judge(bench, parts, folder, await import(pathToFileURL(truth).href));
    else console.log("No folder with recorded sessions and truth.mjs is given: nothing to judge by\n");
    await measure(bench, parts);
  },
);

async function judge(bench, parts, folder, { loadSets, goldOfSet, shuffled, fresh }) {
  const sets = loadSets(folder);
  const flows = sets.map((set) => ({ set: set.name, ...flowQuality(parts, set, goldOfSet(set).rows) }));
  const falseFlows = sets.map((set) => foundFlows(parts, shuffled(set, SEED).variant.sessions));
  printTable(
    [
      "data flow",
      "gold flows",
      "precision",
      "recall",
      "false flows, shuffled",
      "programs with flow, shuffled",
    ],
    flows.map(({ set, gold, precision, recall }, i) => [
      set,
      String(gold),
      precision.toFixed(3),
      recall.toFixed(3),
      share(falseFlows[i].found, falseFlows[i].all),
      String(parts.mineSessions(shuffled(sets[i], SEED).variant.sessions).filter(hasFlow).length),
    ]),
  );
  const allFalse =
    falseFlows.reduce((sum, { found }) => sum + found, 0) / falseFlows.reduce((sum, { all }) => sum + all, 0);
  bench.check("false flows in shuffled sessions", exactly(allFalse), FALSE_FLOWS);

  const rows = [];
  let worst = 0;
  for (const set of sets) {
    const learnt = halves(set.sessions).map(([train, test]) => used(parts, parts.mineSessions(train), test));
    const grams = halves(set.sessions).map(([train, test]) => used(parts, nGrams(parts, train), test));
    const replay = halves(set.sessions).map(([train, test]) => replayed(train, test));
    const all = (list, key) => list.reduce((sum, one) => sum + one[key], 0);
    worst = Math.max(worst, all(learnt, "wrong") / (all(learnt, "right") + all(learnt, "wrong") || 1));
    rows.push([
      set.name,
      String(all(learnt, "calls")),
      String(all(learnt, "programs")),
      share(all(learnt, "covered"), all(learnt, "calls")),
      String(all(learnt, "saved")),
      `${all(learnt, "wrong")} of ${all(learnt, "right") + all(learnt, "wrong")}`,
      share(all(grams, "covered"), all(grams, "calls")),
      share(all(replay, "covered"), all(replay, "calls")),
    ]);
  }
  printTable(
    [
      "other half",
      "calls",
      "programs",
      "calls made right",
      "calls saved",
      "wrong uses",
      "n-grams",
      "record and replay",
    ],
    rows,
  );
  bench.check("uses that make another call than the session, worst set", exactly(worst), WRONG);

  printTable(
    ["identifiers renamed (fresh)", "programs", "constants", "calls made right"],
    sets.map((set) => {
      const { sessions } = fresh(set, SEED).variant;
      const learnt = halves(sessions).map(([train, test]) => used(parts, parts.mineSessions(train), test));
      const constants = parts
        .mineSessions(sessions)
        .flatMap(({ program }) => program.steps.flatMap(({ sources }) => [...sources.values()]))
        .filter(({ kind }) => kind === "constant").length;
      const calls = learnt.reduce((sum, one) => sum + one.calls, 0);
      return [
        set.name,
        String(learnt.reduce((sum, one) => sum + one.programs, 0)),
        String(constants),
        share(
          learnt.reduce((sum, one) => sum + one.covered, 0),
          calls,
        ),
      ];
    }),
  );
  if (own.programs !== undefined)
    for (const set of sets) {
      console.log(`### ${set.name}\n`);
      for (const { program, support, contrary } of parts
        .mineSessions(set.sessions)
        .slice(0, Number(own.programs)))
        console.log(
          `seen ${support} times, otherwise ${contrary} times\n\n\`\`\`ts\n${parts.programText(program, () => true)}\n\`\`\`\n`,
        );
    }
}

function hasFlow({ program }) {
  return program.steps.some(({ sources }) => [...sources.values()].some(({ kind }) => kind === "result"));
}

function flowQuality({ flowRows, countValues }, set, gold) {
  const counts = countValues(set.sessions);
  const found = new Map();
  for (const session of set.sessions)
    for (const row of flowRows(session, counts))
      found.set(`${session.id} ${row.call} ${row.argument}`, row.source);
  let right = 0;
  let wrong = 0;
  let all = 0;
  for (const { id, call, arg, sources, container, class: kind } of gold) {
    if (container) continue;
    const source = found.get(`${id} ${call} ${arg}`);
    const isFlow = kind === "flow" || kind === "named";
    const isRight = isFlow && sources.some((one) => one.call === source?.call && one.path === source?.path);
    if (isFlow) all++;
    if (isRight) right++;
    // Values that may be equal by chance count neither way, and an echo is no error.
    else if (source !== undefined && kind !== "common" && kind !== "echo") wrong++;
  }
  return { gold: all, precision: right / (right + wrong), recall: right / all };
}

function foundFlows({ flowRows, countValues }, sessions) {
  const counts = countValues(sessions);
  const rows = sessions.flatMap((session) => flowRows(session, counts));
  return { all: rows.length, found: rows.filter(({ source }) => source !== undefined).length };
}

/** Assigns tasks to the halves alternately, and then the other way round. */
function halves(sessions) {
  const groups = [...new Set(sessions.map((one) => one.group ?? one.id))];
  const half = (k) => sessions.filter((one) => groups.indexOf(one.group ?? one.id) % 2 === k);
  return [
    [half(0), half(1)],
    [half(1), half(0)],
  ];
}

function used({ applications, playable }, candidates, sessions) {
  const sum = { programs: candidates.length, calls: 0, covered: 0, saved: 0, right: 0, wrong: 0 };
  const longest = [...candidates].sort((a, b) => b.program.steps.length - a.program.steps.length);
  for (const session of sessions) {
    const calls = playable(session);
    const covered = new Set();
    sum.calls += calls.length;
    for (const { program } of longest)
      for (const one of applications(program, calls)) {
        if (!one.isRight) sum.wrong++;
        else if (isKnown(session, one)) {
          sum.right++;
          if (one.calls.every((call) => !covered.has(call))) sum.saved += one.calls.length - 1;
          for (const call of one.calls) covered.add(call);
        }
      }
    sum.covered += covered.size;
  }
  return sum;
}

/** Whether the caller knows every parameter before the first call. */
function isKnown({ user = "", calls }, { calls: own, given, neededBy }) {
  const has = (value, text) =>
    JSON.stringify(value).toLowerCase().includes(JSON.stringify(text).slice(1, -1));
  return [...given].every(([name, value]) =>
    leavesOf(value).every((leaf) => {
      if (leaf === null || typeof leaf === "boolean" || String(leaf).length < 3) return true;
      const text = String(leaf).toLowerCase();
      if (user.toLowerCase().includes(text) || has(calls.slice(0, own[0]), text)) return true;
      const before = own.filter((call) => call < neededBy.get(name));
      return !has(
        before.map((call) => calls[call].result),
        text,
      );
    }),
  );
}

function leavesOf(value) {
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(leavesOf) : [value];
}

/**
 * A baseline: the most frequent sequences of two to six tools. Arguments that varied are parameters, and there is no
 * data flow.
 */
function nGrams({ flowOf, countValues, atOnce, programOf }, sessions) {
  const flows = sessions.map((session) => flowOf(session, countValues([])));
  const grams = new Map();
  for (const [session, { steps }] of flows.entries())
    for (let n = 2; n <= 6; n++)
      for (let at = 0; at + n <= steps.length; at++) {
        const tools = steps.slice(at, at + n).map(({ tool }) => tool);
        const gram = grams.get(tools.join(" ")) ?? { tools, occurrences: [], groups: new Set() };
        grams.set(tools.join(" "), gram);
        gram.groups.add(sessions[session].group ?? session);
        gram.occurrences.push({ session, at: tools.map((_, i) => at + i) });
      }
  return [...grams.values()]
    .filter(({ groups }) => groups.size >= 3)
    .sort((a, b) => b.groups.size * (b.tools.length - 1) - a.groups.size * (a.tools.length - 1))
    .slice(0, 50)
    .map(({ tools, occurrences }) => {
      const pattern = {
        steps: tools.map((tool) => ({ tool, bindings: new Map() })),
        occurrences,
        support: 3,
      };
      return { program: atOnce(programOf(flows, pattern, () => false)) };
    });
}

/** Another baseline: repeats the recorded calls unchanged. */
function replayed(train, test) {
  const text = ({ tool, arguments: args }) => `${tool} ${JSON.stringify(args)}`;
  const pairs = new Set(
    train.flatMap(({ calls }) => calls.slice(1).map((call, i) => `${text(calls[i])}\n${text(call)}`)),
  );
  const sum = { calls: 0, covered: 0 };
  for (const { calls } of test) {
    const covered = new Set();
    for (let i = 1; i < calls.length; i++)
      if (pairs.has(`${text(calls[i - 1])}\n${text(calls[i])}`)) covered.add(i - 1).add(i);
    sum.calls += calls.filter(({ isError }) => !isError).length;
    sum.covered += covered.size;
  }
  return sum;
}

async function measure(bench, { PlainCalls, mineSessions }) {
  const plainCalls = new PlainCalls({});
  const scope = { org: "o", project: "p", user: "u" };
  const result = { content: [{ type: "text", text: "x".repeat(1_000) }] };
  const entry = { id: "a:b" };
  const before = process.cpuUsage();
  for (let i = 0; i < NOTED; i++)
    plainCalls.note({ entry, args: { i }, result, scope, session: `s${i % 50}`, by: "client" });
  const { user, system } = process.cpuUsage(before);
  const note = (user + system) / 1_000 / NOTED;
  await plainCalls.stop();
  const sessions = synthetic(CALLS);
  const began = performance.now();
  let programs = 0;
  const { bytes } = await measuredHeap(() => {
    const found = mineSessions(sessions);
    programs = found.length;
    return found;
  });
  const took = performance.now() - began;
  printTable(
    ["cost", "measured"],
    [
      ["noting a call, µs of the processor", (note * 1_000).toFixed(2)],
      [`mining ${CALLS} recorded calls, ms`, ms(took)],
      ["programs", String(programs)],
      ["heap that the programs hold, MB", (bytes / 1e6).toFixed(1)],
    ],
  );
  bench.check("noting a call, of its budget", exactly(note / NOTE_MS), 1);
}

/** Sessions of ten calls: one of forty chains of three, with different values each time, and other calls around it. */
function synthetic(calls) {
  return Array.from({ length: Math.ceil(calls / 10) }, (_, s) => {
    const chain = s % 40;
    const id = (kind, k) => `${kind}_${s}_${k}_${(s * 7919 + k * 104_729).toString(16)}`;
    return {
      id: `s${s}`,
      calls: Array.from({ length: 10 }, (_, i) => {
        const step = i - 3;
        if (step < 0 || step > 2)
          return {
            tool: `x:other_${(s + i * 13) % 60}`,
            arguments: { q: `q ${s} ${i}` },
            result: { ok: true, n: i },
          };
        return {
          tool: `c${chain}:step_${step}`,
          arguments: step === 0 ? { email: `u${s}@example.org` } : { id: id("v", step - 1) },
          result: { item: { id: id("v", step), name: `name ${s}` }, list: [{ a: 1 }, { a: 2 }] },
        };
      }),
    };
  });
}

function share(n, of) {
  return of === 0 ? "–" : `${((100 * n) / of).toFixed(1)} %`;
}

/** A figure that is counted, not sampled. */
function exactly(value) {
  return { middle: value, low: value, high: value };
}
