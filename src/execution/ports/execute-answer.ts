/**
 * Requests and answers of `pml_execute`, for all callers (an agent, the command line, the library), and the question
 * that a person is asked before something sensitive happens.
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
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly update?: boolean | undefined;
  readonly version_tag?: string | undefined;
  /** Runs nothing, and answers with what is known before a run. */
  readonly dry_run?: boolean | undefined;
  /** Not answered from a cache; the result replaces what was cached. */
  readonly no_cache?: boolean | undefined;
  /** False: nothing is learnt from the run, and no use is counted. */
  readonly remember?: boolean | undefined;
  /** Asks before each layer of calls that holds a tool which needs approval, and not before the run. */
  readonly per_layer_validation?: boolean | undefined;
}

export interface ExecuteRequest {
  readonly intent: string;
  /** At most one of these four. */
  readonly code?: string | undefined;
  readonly dag?: Dag | undefined;
  readonly capability?: string | undefined;
  /** A tool that a client calls itself; no request of a client says so. */
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
  /** Of the tasks of a DAG. */
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
  /** The trace that the request is part of. */
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
  /** What `pml_execute` takes next time, in place of the code that was just named. */
  readonly callAgain?: { readonly capability: string };
  readonly executedPath?: readonly string[];
  readonly logs?: readonly string[];
  readonly cacheHit?: CacheLevel;
  /** What a person is asked, where the run waits for it. */
  readonly approval?: ApprovalRequest;
  /** The structure of what waits for approval. */
  readonly dag?: StaticStructure;
  readonly suggestions?: Suggestions;
  /** What may be wanted next, surest first; left out where nothing is sure enough. */
  readonly related?: readonly RelatedItem[];
  readonly error?: ErrorShape;
}

/** A suggestion: what is often used together with the given context. */
export interface RelatedItem {
  /** `next_tool`: likely to be called next. `tool`: used with the same things. */
  readonly type: "capability" | "tool" | "next_tool";
  /** `server:tool`, or the FQDN of a capability. */
  readonly id: string;
  /** What clients call it by. */
  readonly name: string;
  readonly reason: string;
  /** Between 0 and 1. */
  readonly confidence: number;
  /** What of the result it can take, by the arguments that it goes into. */
  readonly arguments?: Arguments;
}

/** What fits an intent, best first. */
export interface Suggestions {
  readonly tools: readonly SuggestedTool[];
  readonly capabilities: readonly SuggestedCapability[];
  /** Pairs of suggestions: the second accepts the result of the first. */
  readonly chains: readonly SuggestedChain[];
  /** How many more were found and score too low to be shown. */
  readonly left_out?: number;
  /** Says so where nothing fits. */
  readonly note?: string;
}

export interface SuggestedTool {
  readonly id: string;
  /** What clients call it by. */
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
  /** Why speculation did not run it; left out where there was no speculation, or nothing stood in the way. */
  readonly notRun?: string;
  /** Parameters that it requires and that were not given. */
  readonly missing?: readonly string[];
}

export interface SuggestedChain {
  readonly from: string;
  readonly to: string;
  /** `content → text`: which field goes where. */
  readonly fields: readonly string[];
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
  /** Of a graph of tasks: the task that it is a problem of. */
  readonly task?: string;
}

/** Everything that is known before a run. */
export interface DryRunAnswer extends AnyAnswer {
  readonly status: "dry_run";
  readonly dag: StaticStructure;
  /** Of a graph of tasks: which task a node of the structure is. */
  readonly taskIds?: Readonly<Record<string, string>>;
  readonly parameters: ParametersSchema;
  /** Those of them that stand for literals of the code. */
  readonly liftedParameters?: readonly string[];
  readonly permissions: CodePermissions;
  readonly problems: readonly DryRunProblem[];
  readonly predictedPath: readonly string[];
  /** `runs`: what most runs did. `structure`: as far as every run must go. */
  readonly predictedBy: "runs" | "structure";
}

/**
 * `run`: before anything has run. `layer`: before the calls that are pending together. `changed`: the code, a
 * capability or a tool differs from the approved one. `interrupted`: it was cancelled half-way. `in_doubt`: a call was
 * sent, and it is unknown whether it happened.
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
  /** Of the tool object that was asked about: a permanent approval is for exactly that object. */
  readonly hash: string;
  /** Who says that it needs approval: a sentence without its full stop. */
  readonly reason: string;
  /** The capability that calls it, where the code itself does not. */
  readonly via?: string;
  /** A permanent approval does not cover this call: it is approved once only. */
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

/** A value that is not known, by its JSON pointer; `isRest`: further fields of the object that is there. */
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
  /** Who says so: a sentence without its full stop. */
  readonly reason: string;
  /** The capability that calls it, where the code itself does not. */
  readonly via?: string;
  /** What has changed of it since it was first seen: it cannot be called before a person has accepted that. */
  readonly quarantined?: string;
}

export interface CodePermissions {
  /** That there are, each once: those of the code itself in order of first call, then those of what it calls. */
  readonly tools: readonly ToolPermission[];
  readonly servers: readonly ServerName[];
  /** Where the whole may run; a tool that is missing is taken for a local one. */
  readonly routing: Routing;
  /** Some code reaches for tools by names that are known only at run time: these are not among {@link tools}. */
  readonly computedCalls: boolean;
  /** Explains the consequence of computed calls, if there are any. */
  readonly note?: string;
  readonly needsApproval: readonly ToolId[];
  readonly denied: readonly ToolId[];
  /** No server offers these now, so what they need is unknown. */
  readonly missing: readonly ToolId[];
}

/** Milliseconds since a request came. */
export function elapsedMs({ startedAt }: Pick<RunStart, "startedAt">): number {
  return rounded(performance.now() - startedAt);
}

export function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** Which capability an answer is of. */
export function capabilityFields({ id, displayName, fqdn }: Capability) {
  return { capabilityId: id, capabilityName: displayName, capabilityFqdn: fqdn };
}
