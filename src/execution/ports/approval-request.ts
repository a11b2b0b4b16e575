/**
 * What a person is asked before something sensitive happens: which tools, with which arguments, and what was done so far.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { UnknownPart } from "../prepare/known-value.js";

/**
 * `run`: before anything has run. `layer`: before the calls that are pending together. `changed`: what was approved is
 * not what would run now. `interrupted`: it was cancelled half-way. `in_doubt`: a call was sent, and nobody knows
 * whether it happened.
 */
export type ApprovalReason = "run" | "layer" | "changed" | "interrupted" | "in_doubt";

export interface ApprovalRequest {
  readonly workflowId: string;
  readonly reason: ApprovalReason;
  /** A sentence for the person who decides. */
  readonly message: string;
  /** The tools that need approval. */
  readonly tools: readonly ApprovalTool[];
  /** Calls as far as they are known: before a run by what the code says, at a layer exactly. */
  readonly calls: readonly ApprovalCall[];
  /** The code of capabilities that make such calls, where the asker may see it. */
  readonly code?: readonly ApprovalCode[];
  /** ISO 8601. */
  readonly expiresAt: string;
  /** What a person pastes into a shell to see all of it and to decide. Agents are told in `next` only. */
  readonly command?: string;
  /** What to do now, for an agent. */
  readonly next: string;
}

export interface ApprovalTool {
  readonly tool: ToolId;
  /** Of the tool object that was asked about: who approves it for good approves that one. */
  readonly hash: string;
  /** Who says that it needs approval: a sentence without its full stop. */
  readonly reason: string;
  /** The capability that calls it, where the code itself does not. */
  readonly via?: string;
  /** Who approves for good approves this one only once. */
  readonly isAskedEachTime?: true;
}

export interface ApprovalCall extends CallNotes {
  readonly taskId: string;
  /** A tool, or a capability by its name. */
  readonly tool: string;
  /** What is known of them. */
  readonly arguments: Readonly<Record<string, Json>>;
  readonly needsApproval: boolean;
}

/** What a person has to know of a call beside its tool and its known arguments. */
export interface CallNotes {
  /** What is not known before the run; absent where everything is. */
  readonly unknown?: readonly UnknownPart[];
  /** The capability that makes the call, where the code itself does not. */
  readonly via?: string;
  /** It can be made more than once. */
  readonly isRepeatable?: true;
}

export interface ApprovalCode {
  readonly capability: string;
  readonly code: string;
}
