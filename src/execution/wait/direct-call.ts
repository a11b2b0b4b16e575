import type { ExecuteAnswer } from "../ports/execute-answer.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";

/** What a tool answered to a client that called it itself. */
export interface DirectResult<T> {
  readonly value: T;
  /** The same as code would have been answered. */
  readonly answer: SandboxCallAnswer;
}

export type DirectCall<T> =
  | { readonly kind: "called"; readonly value: T }
  /** A person must approve it first. */
  | { readonly kind: "waits"; readonly answer: ExecuteAnswer };
