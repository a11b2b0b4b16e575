/**
 * Replays a recording in the sandbox, without any tool, and reports the differences: calls, their arguments, the path,
 * the result.
 *
 * A call gets the answer of the recorded call with the same node and occurrence, if that was to the same tool; else of
 * a call to that tool with the same arguments, so that code with moved nodes is judged by what it does.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import type { RecordedCall, Recording } from "../../registry/recording.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { Sandbox, SandboxCallAnswer, SandboxOutcome } from "../ports/sandbox.js";
import type { ToolBox } from "../ports/tool-box.js";
import { runProgram } from "../run/run-bridge.js";
import type { CallJournal, JournalCall, JournalStep } from "../run/run-keeper.js";
import { decisionTexts } from "../run/run-tape.js";
import { type ReplayProgram, replayedTool } from "./replay-program.js";

/** One difference between a replay and its recording. */
export type Difference =
  | {
      readonly kind: "arguments";
      readonly task: string;
      readonly tool: string;
      readonly recorded: Json;
      readonly now: Json;
    }
  | { readonly kind: "missing-call"; readonly task: string; readonly tool: string; readonly recorded: Json }
  | { readonly kind: "new-call"; readonly task: string; readonly tool: string; readonly now: Json }
  | { readonly kind: "order"; readonly recorded: readonly string[]; readonly now: readonly string[] }
  | { readonly kind: "path"; readonly recorded: readonly string[]; readonly now: readonly string[] }
  | { readonly kind: "result"; readonly recorded: Json; readonly now: Json }
  | { readonly kind: "failed"; readonly message: string };

export interface ReplayOptions {
  readonly sandbox: Sandbox;
  readonly timeMs?: number;
}

/** Returns an empty list if the replay matches. */
export async function replay(
  program: ReplayProgram,
  recording: Recording,
  { sandbox, timeMs = LIMITS.replayMs }: ReplayOptions,
): Promise<readonly Difference[]> {
  const args = program.argumentsOf(recording.args);
  if ("problem" in args) return [{ kind: "failed", message: args.problem }];
  const journal = new ReplayJournal(recording.calls);
  const report = await runProgram(sandbox, NO_TOOLS, {
    workflowId: crypto.randomUUID(),
    program: program.program,
    structure: program.structure,
    args: args.args,
    limits: { timeMs, memoryMb: LIMITS.runMemoryMb, toolCalls: LIMITS.runToolCalls },
    context: {
      scope: { org: "local", project: "replay", user: "replay" },
      connection: "replay",
      signal: new AbortController().signal,
    },
    seed: recording.seed ?? NO_SEED,
    startedAt: recording.time?.start ?? 0,
    clock: recording.time?.readings ?? [],
    journal,
    toolFor: ({ object, path }) => {
      const known = object === "mcp" ? program.toolAt(path) : undefined;
      if (known !== undefined) return known;
      const called = path.join(":");
      // A computed name.
      if (recording.calls.some(({ tool }) => tool === called)) return replayedTool(called as ToolId);
      throw new Error(`Unknown tool: ${called.slice(0, 200)}`);
    },
    targetOf: program.targetOf,
    structureOf: program.structureOf,
    taskNames: program.taskNames,
    onEvent: () => {},
  });
  const now = { path: report.executedPath, decisions: decisionTexts(report.decisions, report.loops) };
  return [
    ...journal.differences(),
    ...(recording.structure === program.structureHash ? pathDifference(recording, now) : []),
    ...resultDifference(recording, report.outcome),
  ];
}

const NO_SEED = "0".repeat(64);

const NO_TOOLS: ToolBox = {
  tools: () => [],
  settled: async () => {},
  call: async (tool) => {
    throw new Error(`${tool.id} was not called: this is a replay`);
  },
};

interface MadeCall {
  readonly task: string;
  readonly tool: string;
  readonly args: Json;
  readonly recorded: RecordedCall | undefined;
}

/**
 * How long an answer waits for the answers before it. Changed code may never make the calls that these answers belong
 * to.
 */
const TURN_MS = 300;

class ReplayJournal implements CallJournal {
  readonly #calls: readonly RecordedCall[];
  readonly #open: Set<RecordedCall>;
  readonly #made: MadeCall[] = [];
  readonly #given = new Set<number>();
  #waiting: { readonly turn: number; readonly go: () => void }[] = [];

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
    this.#open = new Set(calls);
  }

  async begin({ taskId, tool, args }: JournalCall): Promise<JournalStep> {
    const id = tool?.id ?? "";
    const recorded = this.#match(taskId, id, args);
    this.#made.push({ task: taskId, tool: id, args, recorded });
    if (recorded !== undefined) this.#open.delete(recorded);
    if (recorded?.answer !== undefined) await this.#turn(recorded.answer);
    const order = this.#given.size + 1;
    this.#given.add(recorded?.answer ?? -order);
    this.#release();
    return { kind: "answer", answer: answerOf(recorded, id), durationMs: 0, order };
  }

  async answered(): Promise<number | undefined> {
    return undefined;
  }

  differences(): readonly Difference[] {
    const found: Difference[] = [];
    for (const { task, tool, args, recorded } of this.#made) {
      if (recorded === undefined) found.push({ kind: "new-call", task, tool, now: args });
      else if (!isEqual(recorded.args, args))
        found.push({ kind: "arguments", task, tool, recorded: recorded.args, now: args });
    }
    for (const { task, tool, args } of this.#calls.filter((call) => this.#open.has(call)))
      found.push({ kind: "missing-call", task, tool, recorded: args });
    return found.length > 0 ? found : this.#orderDifference();
  }

  /** Compares the order of sequential calls with the recorded one; parallel calls have no order. */
  #orderDifference(): readonly Difference[] {
    const now = this.#made.flatMap(({ recorded }) => recorded ?? []);
    if (this.#calls.some(({ answer }) => answer !== undefined)) return [];
    const isSame = now.every((call, index) => call === this.#calls[index]);
    if (isSame) return [];
    return [{ kind: "order", recorded: this.#calls.map(label), now: now.map(label) }];
  }

  #match(task: string, tool: string, args: Json): RecordedCall | undefined {
    const open = [...this.#open].filter((call) => call.tool === tool);
    const here = open.find((call) => call.task === task);
    if (here !== undefined && isEqual(here.args, args)) return here;
    return open.find((call) => isEqual(call.args, args)) ?? here ?? open[0];
  }

  #turn(turn: number): Promise<void> {
    if (this.#isTurn(turn)) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(go, TURN_MS);
      this.#waiting.push({ turn, go });
    });
  }

  #isTurn(turn: number): boolean {
    for (let before = 1; before < turn; before += 1) if (!this.#given.has(before)) return false;
    return true;
  }

  #release(): void {
    const ready = this.#waiting.filter(({ turn }) => this.#isTurn(turn));
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one));
    for (const { go } of ready) go();
  }
}

function label({ task, tool }: RecordedCall): string {
  return `${task} ${tool}`;
}

function answerOf(recorded: RecordedCall | undefined, tool: string): SandboxCallAnswer {
  if (recorded === undefined)
    return {
      kind: "error",
      code: "NOT_RECORDED",
      message: `${tool} was not called in the recorded run`,
      tool,
    };
  const { error, result = null } = recorded;
  if (error === undefined) return { kind: "value", text: JSON.stringify(result) };
  const { code, message, tool: of, content } = error;
  return {
    kind: "error",
    code: String(code),
    message: String(message),
    ...(typeof of === "string" && { tool: of }),
    ...(content !== undefined && { content: JSON.stringify(content) }),
  };
}

function pathDifference(
  recording: Recording,
  now: Pick<Recording, "path" | "decisions">,
): readonly Difference[] {
  const before = [...recording.path, ...recording.decisions];
  const after = [...now.path, ...now.decisions];
  return isEqual(before, after) ? [] : [{ kind: "path", recorded: before, now: after }];
}

function resultDifference({ result, error }: Recording, outcome: SandboxOutcome): readonly Difference[] {
  const recorded: Json =
    error === undefined ? (result ?? null) : { error: { name: error.name, message: error.message } };
  if (outcome.kind === "returned") {
    const now = JSON.parse(outcome.text) as Json;
    return error === undefined && isEqual(recorded, now) ? [] : [{ kind: "result", recorded, now }];
  }
  if (outcome.kind === "threw") {
    const { name, message } = outcome;
    const now = { error: { name, message } };
    return error !== undefined && isEqual(recorded, now) ? [] : [{ kind: "result", recorded, now }];
  }
  const message = "message" in outcome ? outcome.message : `the run was ${outcome.kind}`;
  return [{ kind: "failed", message }];
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalJson(one as Json) === canonicalJson(other as Json);
}
