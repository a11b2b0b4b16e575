/**
 * What `pml_execute` is asked and answers, whoever asks: an agent, the command line, the library.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Fqdn } from "../registry/fqdn.js";

export interface ExecuteOptions {
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly update?: boolean | undefined;
  readonly version_tag?: string | undefined;
}

export interface ExecuteRequest {
  readonly intent: string;
  readonly code?: string | undefined;
  readonly capability?: string | undefined;
  readonly args?: Readonly<Record<string, Json>> | undefined;
  readonly name?: string | undefined;
  readonly options?: ExecuteOptions | undefined;
}

export interface TaskReport {
  /** The node of the static structure, with `#k` from its second occurrence on. */
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly resultPreview: string;
}

/** An error as people and agents read it; further fields say where and of what. */
export interface AnswerError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly [key: string]: unknown;
}

export interface ExecuteAnswer {
  readonly status: "success" | "error";
  readonly mode: "direct" | "call_by_name";
  readonly result?: Json;
  readonly capabilityId?: string;
  readonly capabilityName?: string;
  readonly capabilityFqdn?: Fqdn;
  readonly capabilityVersion?: number;
  readonly workflowId: string;
  readonly executionTimeMs: number;
  readonly tasks: readonly TaskReport[];
  readonly executedPath?: readonly string[];
  readonly logs?: readonly string[];
  readonly error?: AnswerError;
  readonly warnings?: readonly string[];
}
