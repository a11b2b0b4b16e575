/**
 * What `pml_execute` is asked and answers, whoever asks: an agent, the command line, the library.
 *
 * @module
 */
import type { StaticStructure } from "../analysis/static-structure.js";
import type { Json } from "../base/canonical-json.js";
import type { ParametersSchema } from "../registry/capability.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { CodePermissions } from "./permissions.js";

export interface ExecuteOptions {
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly update?: boolean | undefined;
  readonly version_tag?: string | undefined;
  /** Runs nothing, and answers with what is known before a run. */
  readonly dry_run?: boolean | undefined;
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

interface AnyAnswer {
  readonly mode: "direct" | "call_by_name";
  readonly capabilityId?: string;
  readonly capabilityName?: string;
  readonly capabilityFqdn?: Fqdn;
  readonly capabilityVersion?: number;
  readonly workflowId: string;
  readonly executionTimeMs: number;
  readonly tasks: readonly TaskReport[];
  readonly warnings?: readonly string[];
}

export interface ExecuteAnswer extends AnyAnswer {
  readonly status: "success" | "error";
  readonly result?: Json;
  readonly executedPath?: readonly string[];
  readonly logs?: readonly string[];
  readonly error?: AnswerError;
}

/** What would stop a run. Without a place where it is not the code's: a name that is taken, a wrong argument. */
export interface DryRunProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly nearest?: readonly string[];
  readonly line?: number;
  readonly column?: number;
  /** The line of the code, as it was given. */
  readonly text?: string;
}

/** Everything that is known before a run. */
export interface DryRunAnswer extends AnyAnswer {
  readonly status: "dry_run";
  readonly dag: StaticStructure;
  readonly parameters: ParametersSchema;
  /** Those of them that stand for literals of the code. */
  readonly liftedParameters?: readonly string[];
  readonly permissions: CodePermissions;
  readonly problems: readonly DryRunProblem[];
  readonly predictedPath: readonly string[];
  /** `runs`: what most runs did. `structure`: as far as every run must go. */
  readonly predictedBy: "runs" | "structure";
}
