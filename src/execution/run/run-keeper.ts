/**
 * Keeps the state of a run in progress. A run that may wait for a person, or be continued by another gateway,
 * is stored with a journal of its calls. Any other run is not stored, and its journal records nothing.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { PmlError } from "../../base/pml-error.js";
import type { ExecuteAnswer } from "../ports/execute-answer.js";
import type { ClockReadings, SandboxCall, SandboxCallAnswer } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { ShownUnit } from "../prepare/shown-calls.js";
import type { EndedRun } from "./runner.js";

export interface JournalCall {
  /** The node, with the capability calls that lead to it and its occurrence. */
  readonly taskId: string;
  /** Undefined if the call is refused before it reaches a tool. */
  readonly tool: KnownTool | undefined;
  readonly args: Readonly<Record<string, Json>>;
  readonly seen: number;
  readonly clock: ClockReadings | undefined;
}

export type JournalStep =
  /** The call may be sent now. */
  | { readonly kind: "send" }
  /** An earlier part of the run got this answer. */
  | {
      readonly kind: "answer";
      readonly answer: SandboxCallAnswer;
      readonly durationMs: number;
      /** Its position among the answers of the run, counted from 1. */
      readonly order: number;
    };

export interface CallJournal {
  /** Resolves when the call may be sent, or is answered; never resolves if the run stops here. */
  begin(call: JournalCall): Promise<JournalStep>;
  /** Resolves when the code may have the answer, with the answer's position if answers are recorded. */
  answered(taskId: string, answer: SandboxCallAnswer, durationMs: number): Promise<number | undefined>;
}

const KEEPS_NOTHING: CallJournal = {
  begin: async () => ({ kind: "send" }),
  answered: async () => undefined,
};

/** The state that a run starts from. */
export interface RunOrigin {
  readonly seed: string;
  /** Milliseconds since 1970; default: when the run gets its turn. */
  readonly startedAt?: number;
  /** Clock readings of earlier parts. */
  readonly clock: ClockReadings;
  readonly journal: CallJournal;
  /** What a person was shown before the run, if a person has approved the whole run. */
  readonly shown?: ShownUnit | undefined;
}

export interface RunKeeper extends RunOrigin {
  /**
   * Whether code may call a tool that needs approval: a person was asked, or will be before the call is sent. `shown`
   * is what a person was shown of the unit that calls, `ownFile` the text that names one of PML's own files.
   */
  allows?(
    tool: KnownTool,
    call: SandboxCall,
    shown: ShownUnit | undefined,
    ownFile: string | undefined,
  ): boolean;
  /** The answer of a run that now waits; undefined if it is over. Throws if it can only be continued. */
  stopped(ended: EndedRun): Promise<ExecuteAnswer | undefined>;
  /** Present if the run took another path than before: then nothing is learnt from it. */
  diverged(ended: EndedRun): PmlError | undefined;
  /** The run has ended with this answer; returns the answer for its client. */
  end(answer: ExecuteAnswer): Promise<ExecuteAnswer>;
}

/** For a run that is never stored. */
export function unkept(): RunKeeper {
  return {
    seed: randomSeed(),
    clock: [],
    journal: KEEPS_NOTHING,
    stopped: async () => undefined,
    diverged: () => undefined,
    end: async (answer) => answer,
  };
}

/**
 * 32 bytes as hex, of which 244 bits are random. Node.js prepares UUIDs in advance, so two of them are faster
 * than random bytes.
 */
export function randomSeed(): string {
  return `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
}
