/**
 * Records a run while it runs, so that it can become a recording: in addition to the run's own journal. Large runs are
 * not recorded completely.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import type { DecisionTaken, LoopPassed } from "../../registry/capability-store.js";
import type { RecordedCall, Recording } from "../../registry/recording.js";
import type { ClockReadings, SandboxCallAnswer, SandboxOutcome } from "../ports/sandbox.js";
import type { CallJournal, JournalCall } from "./run-keeper.js";

interface TapedCall {
  readonly task: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly clock: ClockReadings;
  answer?: SandboxCallAnswer;
  /** The position of the answer. */
  place?: number;
}

/** The outcome of a run in the form of a recording. */
export interface TapedEnd {
  readonly outcome: SandboxOutcome;
  readonly executedPath: readonly string[];
  readonly decisions: readonly DecisionTaken[];
  readonly loops: readonly LoopPassed[];
}

export class RunTape {
  readonly #seed: string;
  readonly #startedAt: number;
  readonly #calls = new Map<string, TapedCall>();
  #answers = 0;
  #isContinued = false;
  #chars = 0;

  constructor({ seed, startedAt }: { readonly seed: string; readonly startedAt: number }) {
    this.#seed = seed;
    this.#startedAt = startedAt;
  }

  /** The recorded characters of tools' answers. */
  get chars(): number {
    return this.#chars;
  }

  get isTooLarge(): boolean {
    return this.#chars > LIMITS.recordingChars || this.#calls.size > LIMITS.recordingCalls;
  }

  /** Wraps the journal of a run to record its calls too. */
  beside(journal: CallJournal): CallJournal {
    return {
      begin: async (call) => {
        this.#begun(call);
        const step = await journal.begin(call);
        // The clock readings of a resumed run's earlier parts are missing here.
        if (step.kind === "answer") this.#isContinued = true;
        return step;
      },
      answered: async (taskId, answer, durationMs) => {
        this.#answered(taskId, answer);
        return journal.answered(taskId, answer, durationMs);
      },
    };
  }

  /** Why the run cannot become a recording; undefined if it can. */
  problem({ outcome }: Pick<TapedEnd, "outcome">): string | undefined {
    if (this.#isContinued) return "it waited for a person";
    if (this.#calls.size > LIMITS.recordingCalls) return `it made more than ${LIMITS.recordingCalls} calls`;
    const isLong = outcome.kind === "returned" && outcome.text.length > LIMITS.recordingChars;
    if (this.isTooLarge || isLong)
      return `its calls or its result have more than ${LIMITS.recordingChars} characters`;
    if (outcome.kind !== "returned" && outcome.kind !== "threw") return "it was ended from outside";
    // After a race, calls may be open when a run ends: the next replay could then differ by chance.
    if ([...this.#calls.values()].some(({ answer }) => answer === undefined))
      return "a call was not answered before it ended";
    return undefined;
  }

  /** Undefined if there is a {@link problem}. */
  recording(args: Readonly<Record<string, Json>>, structure: string, end: TapedEnd): Recording | undefined {
    const { outcome, executedPath, decisions, loops } = end;
    if (this.problem(end) !== undefined) return undefined;
    if (outcome.kind !== "returned" && outcome.kind !== "threw") return undefined;
    const taped = [...this.#calls.values()];
    const isInOrder = taped.every(({ place }, index) => place === index + 1);
    const readings = [...taped.flatMap(({ clock }) => clock), ...outcome.clock];
    return {
      format: 1,
      args,
      structure,
      calls: taped.map((call) => recordedCall(call, isInOrder)),
      ...(outcome.kind === "returned"
        ? { result: JSON.parse(outcome.text) as Json }
        : { error: { name: outcome.name, message: outcome.message } }),
      path: executedPath,
      decisions: decisionTexts(decisions, loops),
      ...(readings.length > 0 && { time: { start: this.#startedAt, readings } }),
      ...(outcome.usedRandomness !== false && { seed: this.#seed }),
    };
  }

  #begun({ taskId, tool, args, clock = [] }: JournalCall): void {
    if (this.isTooLarge) return;
    this.#chars += JSON.stringify(args).length;
    this.#calls.set(taskId, { task: taskId, tool: tool?.id ?? "", args, clock });
  }

  #answered(taskId: string, answer: SandboxCallAnswer): void {
    const call = this.#calls.get(taskId);
    if (call === undefined || this.isTooLarge) return;
    this.#answers += 1;
    this.#chars += answer.kind === "value" ? answer.text.length : answer.message.length;
    call.answer = answer;
    call.place = this.#answers;
  }
}

function recordedCall({ task, tool, args, answer, place }: TapedCall, isInOrder: boolean): RecordedCall {
  const order = isInOrder || place === undefined ? {} : { answer: place };
  if (answer?.kind === "error") {
    const { kind: _, content, ...error } = answer;
    return {
      task,
      tool,
      args,
      error: { ...error, ...(content !== undefined && { content: JSON.parse(content) as Json }) } as Record<
        string,
        Json
      >,
      ...order,
    };
  }
  return { task, tool, args, result: JSON.parse(answer?.text ?? "null") as Json, ...order };
}

/** Decisions and loops of a run in the form of recordings. */
export function decisionTexts(
  decisions: readonly DecisionTaken[],
  loops: readonly LoopPassed[],
): readonly string[] {
  return [
    ...decisions.map(
      ({ nodeId, outcome, count = 1 }) => `${nodeId}=${outcome}${count === 1 ? "" : ` ×${count}`}`,
    ),
    ...loops.map(({ nodeId, iterations }) => `${nodeId}=${iterations}`),
  ];
}
