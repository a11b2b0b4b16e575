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
  /** Nothing where the call is refused before it reaches a tool. */
  readonly tool: KnownTool | undefined;
  readonly args: Readonly<Record<string, Json>>;
  readonly seen: number;
  readonly clock: ClockReadings | undefined;
}

export type JournalStep =
  /** It may be sent now. */
  | { readonly kind: "send" }
  /** It was answered so in an earlier part of the run. */
  | {
      readonly kind: "answer";
      readonly answer: SandboxCallAnswer;
      readonly durationMs: number;
      /** Which of the answers of the run it is, from 1. */
      readonly order: number;
    };

export interface CallJournal {
  /** Resolves when the call may be sent, or is answered; never where the run stops here. */
  begin(call: JournalCall): Promise<JournalStep>;
  /** Resolves when the code may have the answer, with which answer it is where answers are kept. */
  answered(taskId: string, answer: SandboxCallAnswer, durationMs: number): Promise<number | undefined>;
}

const KEEPS_NOTHING: CallJournal = {
  begin: async () => ({ kind: "send" }),
  answered: async () => undefined,
};

/** What a run starts from. */
export interface RunOrigin {
  readonly seed: string;
  /** Milliseconds since 1970; when the run gets its turn where it is left out. */
  readonly startedAt?: number;
  /** Readings of the clock of earlier parts. */
  readonly clock: ClockReadings;
  readonly journal: CallJournal;
  /** What a person was shown before the run, if a person has approved the whole run. */
  readonly shown?: ShownUnit | undefined;
}

export interface RunKeeper extends RunOrigin {
  /**
   * Whether code may call a tool that needs approval: a person was asked, or will be before the call is sent. `shown` is
   * what a person was shown of the unit that calls, `ownFile` the text that names one of PML's own files.
   */
  allows?(
    tool: KnownTool,
    call: SandboxCall,
    shown: ShownUnit | undefined,
    ownFile: string | undefined,
  ): boolean;
  /** The answer of a run that waits from now on; nothing where it is over. Throws where it can only be continued. */
  stopped(ended: EndedRun): Promise<ExecuteAnswer | undefined>;
  /** Set where the run took another path than before: then nothing is learnt from it. */
  diverged(ended: EndedRun): PmlError | undefined;
  /** The run is over, and this is its answer; answers what its client is told. */
  end(answer: ExecuteAnswer): Promise<ExecuteAnswer>;
}

/** Of a run that is answered at once, or never. */
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
