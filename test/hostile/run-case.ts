/**
 * Runs a case as the gateway runs code: analysed first, then in the sandbox; and judges what became of it.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { analyse } from "../../src/analysis/analyse.js";
import { LIMITS } from "../../src/base/limits.js";
import type {
  ClockReadings,
  Sandbox,
  SandboxOutcome,
  SandboxUnit,
} from "../../src/execution/ports/sandbox.js";
import type { Baits } from "./baits.js";
import type { Engine } from "./engines.js";
import type { Expectation, HostileCase } from "./hostile-case.js";
import { createRecordingBridge, type RecordingBridge, VOCABULARY } from "./recording-bridge.js";

const SEED = "5eed".repeat(16);
/** A year that is not this one. */
const STARTED_AT = Date.UTC(2001, 5, 1);
/** After a run, for what it may have left behind. */
const SETTLE_MS = 80;
/** On top of its own limit of time; a run that has to be cancelled then was not held in. */
const GIVE_UP_MS = 30_000;
/** The same where a defence is off, and that it is not held in is what is expected. */
const GIVE_UP_SOON_MS = 5_000;
/** The log is cut at its limit, and a note follows. */
const LOG_SLACK_BYTES = 8_192;
const EVENTS_MOST = 100_000;
const SAID_CHARS_MOST = 256 * 1024 * 1024;

interface Ran {
  readonly outcome: SandboxOutcome;
  readonly bridge: RecordingBridge;
}

let lastName = 0;

/** What is wrong with how `engine` takes the case, as sentences; none where all is as it should be. */
export async function faultsOf(
  engine: Engine,
  baits: Baits,
  hostile: HostileCase,
  off: readonly string[] = [],
): Promise<readonly string[]> {
  const faults: string[] = [];
  lastName += 1;
  const name = `${lastName}`;
  const steps = hostile.steps.map((step) => baits.fill(step, name));
  const units: SandboxUnit[] = [];
  let { expect } = hostile;
  for (const [index, code] of steps.entries()) {
    const isLast = index === steps.length - 1;
    const isGated = !off.includes("ast-gate");
    const { unit, refusals } = read(code);
    const wanted = isLast ? hostile.gate : [];
    if (isGated && wanted.length === 0 && refusals.length > 0) faults.push(`refused: ${refusals.join("; ")}`);
    if (
      isGated &&
      wanted.length > 0 &&
      !refusals.some((text) => wanted.some((code) => text.startsWith(code)))
    )
      faults.push(`not refused with ${wanted.join(" or ")}, but: ${refusals.join("; ") || "nothing"}`);
    if (isGated && refusals.length > 0) expect = hostile.behindGate;
    units.push(refusals.length > 0 ? { code, parameters: [], lifted: [] } : unit);
  }
  let last: Ran | undefined;
  for (const unit of units) {
    last = await run(engine, hostile, unit, off);
    faults.push(...everywhere(last, baits, hostile));
  }
  if (last !== undefined) {
    faults.push(...judge(last, expect));
    if (hostile.isReplayed)
      faults.push(...(await replay(engine, hostile, units[units.length - 1], last, off)));
    faults.push(...(await leftBehind(last)));
  }
  if (baits.hits(name) > 0) faults.push(`reached the server ${baits.hits(name)} times`);
  if (Object.keys(Object.prototype).length > 0) faults.push("changed Object.prototype of the host");
  faults.push(...(await nextRun(sandboxFor(engine, hostile, off), hostile.limits.memoryMb)));
  return faults;
}

function read(code: string): { readonly unit: SandboxUnit; readonly refusals: readonly string[] } {
  const { problems, runnableCode, freeParameters, liftedParameters } = analyse(code, VOCABULARY);
  return {
    unit: { code: runnableCode, parameters: freeParameters, lifted: liftedParameters },
    refusals: problems.map(({ code: kind, message }) => `${kind} ${message}`),
  };
}

/** The same for all runs of a case, and for the one after it. */
function sandboxFor(
  engine: Engine,
  { steps, without, limits }: HostileCase,
  off: readonly string[],
): Sandbox {
  const all = [...without, ...off];
  return steps.length > 1 && all.length === 0 ? engine.narrow : engine.without(all, limits.memoryMb);
}

async function run(
  engine: Engine,
  hostile: HostileCase,
  main: SandboxUnit,
  off: readonly string[],
  clock?: ClockReadings,
): Promise<Ran> {
  const { limits, args } = hostile;
  const sandbox = sandboxFor(engine, hostile, off);
  const bridge = createRecordingBridge();
  const outcome = await sandbox.run(
    {
      program: { main, capabilities: [] },
      args,
      limits,
      seed: SEED,
      startedAt: STARTED_AT,
      ...(clock === undefined ? {} : { clock }),
    },
    bridge,
    AbortSignal.timeout(limits.timeMs + (off.length === 0 ? GIVE_UP_MS : GIVE_UP_SOON_MS)),
  );
  return { outcome, bridge };
}

/** What holds for every run. */
function everywhere({ outcome, bridge }: Ran, baits: Baits, hostile: HostileCase): readonly string[] {
  const faults: string[] = [];
  let size = 0;
  for (const text of everythingSaid(outcome, bridge)) {
    size += text.length;
    for (const secret of baits.secrets)
      if (text.includes(secret)) faults.push(`a secret came out: ${secret}`);
    if (text.includes(process.cwd())) faults.push("a path of this machine came out");
  }
  const { calls, events, atOnce } = bridge;
  if (calls.length > hostile.callsMost) faults.push(`${calls.length} calls, more than ${hostile.callsMost}`);
  if (atOnce > hostile.callsAtOnceMost) faults.push(`${atOnce} calls at once`);
  const logged = events.reduce(
    (sum, event) => sum + (event.kind === "log" ? Buffer.byteLength(event.text) : 0),
    0,
  );
  if (logged > LIMITS.runLogBytes + LOG_SLACK_BYTES) faults.push(`${logged} bytes of log`);
  if (events.length > EVENTS_MOST) faults.push(`${events.length} events`);
  if (size > SAID_CHARS_MOST) faults.push(`${size} characters in all`);
  if (outcome.kind === "threw" && outcome.positions.some(({ unit }) => unit !== undefined))
    faults.push("a position in code that is not there");
  if (outcome.kind === "threw" && outcome.message.length > 64 * 1024) faults.push("a message without end");
  const warnings = outcome.warnings.join("\n");
  if (hostile.warnings !== undefined && !hostile.warnings.test(warnings))
    faults.push(`warnings: ${warnings}`);
  if (hostile.cancelled !== undefined && bridge.cancelled !== hostile.cancelled)
    faults.push(`${bridge.cancelled} calls were cancelled, not ${hostile.cancelled}`);
  if (outcome.warnings.length > 50) faults.push(`${outcome.warnings.length} warnings`);
  return faults;
}

/** One after the other, since all of them together can be large. */
function* everythingSaid(outcome: SandboxOutcome, { events, calls }: RecordingBridge): Generator<string> {
  yield outcome.kind === "returned" ? outcome.text : JSON.stringify(outcome);
  yield outcome.warnings.join("\n");
  yield JSON.stringify(events);
  for (const { path, args } of calls) yield JSON.stringify([path, args]);
}

function judge({ outcome }: Ran, expected: Expectation): readonly string[] {
  const what = describe(outcome);
  switch (expected.kind) {
    case "anything":
      return [];
    case "value":
      return isValue(outcome, [expected.value]) ? [] : [`expected ${brief(expected.value)}: ${what}`];
    case "error":
      return outcome.kind === "threw" && expected.like.test(`${outcome.name}: ${outcome.message}`)
        ? []
        : [`expected an error like ${expected.like}: ${what}`];
    case "limit":
      return outcome.kind === "limit" && expected.limits.includes(outcome.limit)
        ? []
        : [`expected the limit ${expected.limits.join(" or ")}: ${what}`];
    case "contained":
      if (outcome.kind === "cancelled") return ["it had to be cancelled"];
      return outcome.kind !== "returned" || isValue(outcome, expected.values)
        ? []
        : [`not contained: ${what}`];
  }
}

function isValue(outcome: SandboxOutcome, values: readonly unknown[]): boolean {
  return (
    outcome.kind === "returned" && values.some((value) => isDeepStrictEqual(JSON.parse(outcome.text), value))
  );
}

function describe(outcome: SandboxOutcome): string {
  switch (outcome.kind) {
    case "returned":
      return `returned ${outcome.text.slice(0, 500)}`;
    case "threw":
      return `threw ${outcome.name}: ${outcome.message.slice(0, 300)}`;
    case "limit":
      return `limit ${outcome.limit}`;
    case "lost":
      return `lost: ${outcome.message}`;
    case "cancelled":
      return "cancelled";
  }
}

function brief(value: unknown): string {
  return JSON.stringify(value).slice(0, 200);
}

async function replay(
  engine: Engine,
  hostile: HostileCase,
  unit: SandboxUnit | undefined,
  first: Ran,
  off: readonly string[],
): Promise<readonly string[]> {
  if (unit === undefined || first.outcome.kind !== "returned")
    return [`not replayed: ${describe(first.outcome)}`];
  const { outcome } = await run(engine, hostile, unit, off, first.outcome.clock);
  return outcome.kind === "returned" && outcome.text === first.outcome.text
    ? []
    : [`replayed otherwise: ${describe(first.outcome)}, then ${describe(outcome)}`];
}

/** Whether calls are left open, or come after the end. */
async function leftBehind({ bridge }: Ran): Promise<readonly string[]> {
  const { left } = bridge;
  const counts = [bridge.calls.length, bridge.events.length];
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const faults = left > 0 ? [`${left} calls were not cancelled`] : [];
  return isDeepStrictEqual(counts, [bridge.calls.length, bridge.events.length])
    ? faults
    : [...faults, "calls or events after the end"];
}

const NEXT: SandboxUnit = {
  code: 'const { a } = await mcp.test.echo({ a: [1, "€"] }); return { sum: [1, 2, 3].reduce((x, y) => x + y), a, clean: ({}).polluted === undefined };',
  parameters: [],
  lifted: [],
};
const NEXT_VALUE = { sum: 6, a: [1, "€"], clean: true };

/** A run like any other, after or beside the hostile ones. */
async function nextRun(sandbox: Sandbox, memoryMb: number): Promise<readonly string[]> {
  const bridge = createRecordingBridge();
  const outcome = await sandbox.run(
    {
      program: { main: NEXT, capabilities: [] },
      args: {},
      limits: { timeMs: 20_000, memoryMb, toolCalls: 5 },
      seed: SEED,
      startedAt: STARTED_AT,
    },
    bridge,
    new AbortController().signal,
  );
  return isValue(outcome, [NEXT_VALUE]) ? [] : [`the next run: ${describe(outcome)}`];
}
