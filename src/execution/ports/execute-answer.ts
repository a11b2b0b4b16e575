/**
 * Requests and answers of `pml_execute`, for all callers (an agent, the command line, the library), and the question to
 * a person before something sensitive happens.
 *
 * @module
 */
import type { Arguments, StaticStructure } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import type { ErrorShape } from "../../base/pml-error.js";
import type { Span } from "../../base/trace-context.js";
import type { Capability, ParametersSchema, Routing } from "../../registry/capability.js";
import type { Dag } from "../../registry/definition.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";

export interface ExecuteOptions {
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly update?: boolean | undefined;
  readonly version_tag?: string | undefined;
  /** Runs nothing, and returns what is known before a run. */
  readonly dry_run?: boolean | undefined;
  /** Ignores the cache; the result replaces the cached one. */
  readonly no_cache?: boolean | undefined;
  /** False: nothing is learnt from the run, and no use is counted. */
  readonly remember?: boolean | undefined;
  /** Asks before each layer of calls that contains a tool which needs approval, instead of before the run. */
  readonly per_layer_validation?: boolean | undefined;
}

export interface ExecuteRequest {
  readonly intent: string;
  /** At most one of these four. */
  readonly code?: string | undefined;
  readonly dag?: Dag | undefined;
  readonly capability?: string | undefined;
  /** A tool that a client calls itself; clients cannot set this in a request. */
  readonly tool?: ToolId | undefined;
  /** The `workflowId` of a run that waited for approval, or was interrupted. */
  readonly resume?: string | undefined;
  readonly args?: Readonly<Record<string, Json>> | undefined;
  readonly name?: string | undefined;
  readonly options?: ExecuteOptions | undefined;
}

export interface TaskReport {
  /** The node of the static structure, or the id of the task of a DAG, with `#k` from its second occurrence on. */
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
  /** Only for the tasks of a DAG. */
  readonly status?: "success" | "failed" | "skipped";
  readonly durationMs: number;
  readonly resultPreview: string;
}

/** A request that is being answered. */
export interface RunStart {
  readonly workflowId: string;
  readonly mode: ExecuteMode;
  /** By the monotonic clock. */
  readonly startedAt: number;
  /** The trace that the request belongs to. */
  readonly trace?: Span | undefined;
}

export function startNow(mode: ExecuteMode, { trace }: Pick<RunStart, "trace">): RunStart {
  return { workflowId: crypto.randomUUID(), mode, startedAt: performance.now(), trace };
}

export type ExecuteMode = "direct" | "call_by_name" | "speculation" | "suggestion";

/** Which cache an answer comes from. */
export type CacheLevel = "execution" | "capability" | "intent";

interface AnyAnswer {
  readonly mode: ExecuteMode;
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
  readonly status: "success" | "approval_required" | "suggestions" | "error";
  readonly result?: Json;
  /** The arguments of `pml_execute` for the next call, instead of the code that was just named. */
  readonly callAgain?: { readonly capability: string };
  readonly executedPath?: readonly string[];
  readonly logs?: readonly string[];
  readonly cacheHit?: CacheLevel;
  /** The question to a person, if the run waits for an approval. */
  readonly approval?: ApprovalRequest;
  /** The structure of the code that waits for approval. */
  readonly dag?: StaticStructure;
  readonly suggestions?: Suggestions;
  /** Suggestions for the next step, highest confidence first; absent if none is confident enough. */
  readonly related?: readonly RelatedItem[];
  readonly error?: ErrorShape;
}

/** A suggestion: what is often used together with the given context. */
export interface RelatedItem {
  /** `next_tool`: likely to be called next. `tool`: used with the same things. */
  readonly type: "capability" | "tool" | "next_tool";
  /** `server:tool`, or the FQDN of a capability. */
  readonly id: string;
  /** The name that clients call it by. */
  readonly name: string;
  readonly reason: string;
  /** Between 0 and 1. */
  readonly confidence: number;
  /** Which fields of the result it can take, by its arguments. */
  readonly arguments?: Arguments;
}

/** Matches for an intent, best first. */
export interface Suggestions {
  readonly tools: readonly SuggestedTool[];
  readonly capabilities: readonly SuggestedCapability[];
  /** Pairs of suggestions: the second accepts the result of the first. */
  readonly chains: readonly SuggestedChain[];
  /** How many more results have too low a score to be shown. */
  readonly left_out?: number;
  /** Present if nothing matches. */
  readonly note?: string;
}

export interface SuggestedTool {
  readonly id: string;
  /** The name that clients call it by. */
  readonly name: string;
  readonly score: number;
  readonly description?: string;
  readonly inputSchema: Json;
  readonly outputSchema?: Json;
}

export interface SuggestedCapability {
  readonly name: string;
  readonly fqdn: Fqdn;
  readonly score: number;
  readonly description: string;
  readonly parameters: ParametersSchema;
  readonly trust: string;
  /** Why speculation did not run it; absent if there was no speculation, or no objection. */
  readonly notRun?: string;
  /** Required parameters that were not given. */
  readonly missing?: readonly string[];
}

export interface SuggestedChain {
  readonly from: string;
  readonly to: string;
  /** `content → text`: result field and argument. */
  readonly fields: readonly string[];
}

/**
 * Something that would stop a run. Without a position if it is not about the code: a name that is taken, a wrong
 * argument.
 */
export interface DryRunProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly nearest?: readonly string[];
  readonly line?: number;
  readonly column?: number;
  /** The line of the code as given. */
  readonly text?: string;
  /** For a graph of tasks: the task with the problem. */
  readonly task?: string;
}

/** Everything that is known before a run. */
export interface DryRunAnswer extends AnyAnswer {
  readonly status: "dry_run";
  readonly dag: StaticStructure;
  /** For a graph of tasks: the task of each node of the structure. */
  readonly taskIds?: Readonly<Record<string, string>>;
  readonly parameters: ParametersSchema;
  /** The parameters that replace literals of the code. */
  readonly liftedParameters?: readonly string[];
  readonly permissions: CodePermissions;
  readonly problems: readonly DryRunProblem[];
  readonly predictedPath: readonly string[];
  /** `runs`: the path of most runs. `structure`: the part that every run takes. */
  readonly predictedBy: "runs" | "structure";
}

/**
 * `run`: before anything has run. `layer`: before the calls that are pending together. `changed`: the code, a
 * capability or a tool differs from the approved one. `interrupted`: the run was cancelled half-way. `in_doubt`: a call
 * was sent, and its outcome is unknown.
 */
export type ApprovalReason = "run" | "layer" | "changed" | "interrupted" | "in_doubt";

export interface ApprovalRequest {
  readonly workflowId: string;
  readonly reason: ApprovalReason;
  /** A sentence for the person who decides. */
  readonly message: string;
  /** The tools that need approval. */
  readonly tools: readonly ApprovalTool[];
  /** The known calls: before a run from the structure of the code, at a layer exactly. */
  readonly calls: readonly ApprovalCall[];
  /** The code of capabilities that make such calls, if the asker may see it. */
  readonly code?: readonly ApprovalCode[];
  /** ISO 8601. */
  readonly expiresAt: string;
  /** The command for a person to see everything and to decide. Agents are only told in `next`. */
  readonly command?: string;
  /** The next step, for an agent. */
  readonly next: string;
}

export interface ApprovalTool {
  readonly tool: ToolId;
  /** Hash of the tool object: a permanent approval is for exactly that object. */
  readonly hash: string;
  /** Why it needs approval: a sentence without its full stop. */
  readonly reason: string;
  /** The capability that calls it, if the code does not call it itself. */
  readonly via?: string;
  /** A permanent approval does not cover this call: it must be approved each time. */
  readonly isAskedEachTime?: true;
}

export interface ApprovalCall extends CallNotes {
  readonly taskId: string;
  /** A tool, or the name of a capability. */
  readonly tool: string;
  /** The known arguments. */
  readonly arguments: Readonly<Record<string, Json>>;
  readonly needsApproval: boolean;
}

/** Notes for a person about a call, in addition to its tool and its known arguments. */
export interface CallNotes {
  /** The arguments that are not known before the run; absent if all are known. */
  readonly unknown?: readonly UnknownPart[];
  /** The capability that makes the call, if the code does not make it itself. */
  readonly via?: string;
  /** The call may be made more than once. */
  readonly isRepeatable?: true;
}

export interface ApprovalCode {
  readonly capability: string;
  readonly code: string;
}

/** An unknown value, by its JSON pointer; `isRest`: unknown further fields of the object there. */
export interface UnknownPart {
  readonly at: string;
  readonly expression: string;
  readonly isRest?: true;
}

interface ToolPermission {
  readonly tool: ToolId;
  readonly server: ServerName;
  readonly approvalMode: "auto" | "hil" | "deny";
  readonly routing: Routing;
  /** Why this mode applies: a sentence without its full stop. */
  readonly reason: string;
  /** The capability that calls it, if the code does not call it itself. */
  readonly via?: string;
  /** What has changed since the tool was first seen: it cannot be called before a person has accepted that. */
  readonly quarantined?: string;
}

export interface CodePermissions {
  /**
   * The available tools without duplicates: first those of the code itself in order of first call, then those of its
   * callees.
   */
  readonly tools: readonly ToolPermission[];
  readonly servers: readonly ServerName[];
  /** Where the whole code may run; a missing tool counts as local. */
  readonly routing: Routing;
  /** Some code calls tools by names that are known only at run time: these are not among {@link tools}. */
  readonly computedCalls: boolean;
  /** Explains the consequence of computed calls, if there are any. */
  readonly note?: string;
  readonly needsApproval: readonly ToolId[];
  readonly denied: readonly ToolId[];
  /** Tools that no server offers now, so their permissions are unknown. */
  readonly missing: readonly ToolId[];
}

/** Milliseconds since a request arrived. */
export function elapsedMs({ startedAt }: Pick<RunStart, "startedAt">): number {
  return rounded(performance.now() - startedAt);
}

export function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** The fields of an answer that identify its capability. */
export function capabilityFields({ id, displayName, fqdn }: Capability) {
  return { capabilityId: id, capabilityName: displayName, capabilityFqdn: fqdn };
}
