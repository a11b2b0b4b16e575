/**
 * The port to the record of a run's calls, for runs that can be continued: asked before a call is sent, told of every
 * answer before the code is.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { ClockReadings, SandboxCallAnswer } from "./sandbox.js";
import type { KnownTool } from "./tool-box.js";

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
  /** Of a call that was sent, or refused: resolves when the code may have the answer, with which answer it is. */
  answered(taskId: string, answer: SandboxCallAnswer, durationMs: number): Promise<number>;
}
