/**
 * PML as a library: the tools of agents, as typed calls in this process.
 *
 * If no gateway runs on the data directory, this process becomes its gateway, and `pml` commands and MCP clients on the
 * same machine join it. Otherwise it joins the running gateway.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { type Log, type LogLevel, silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { DryRunAnswer, ExecuteAnswer, ExecuteOptions } from "../execution/ports/execute-answer.js";
import { invokeTool } from "../gateway/invoke-tool.js";
import type * as answers from "../gateway/own/answers.js";
import type * as curated from "../gateway/own/curate-answer.js";
import type { DiscoverAnswer } from "../gateway/own/discover-answer.js";
import type { CachePolicy, Routing, Visibility } from "../registry/capability.js";
import type { Dag, ToolDelegate } from "../registry/definition.js";
import {
  type AnswerOf,
  answerOf,
  call as callOver,
  type InputOf,
  type OperationId,
} from "./call-operation.js";
import { type GatewayClient, openGatewayClient } from "./gateway-client.js";
import { stderrLog } from "./json-log.js";
import { startOwnGateway } from "./own-gateway.js";
import { readSettings, type Settings } from "./settings.js";

export type { DryRunAnswer, ExecuteAnswer } from "../execution/ports/execute-answer.js";
export type {
  CapabilityRecord,
  CapabilitySummary,
  DeleteAnswer,
  ForkAnswer,
  HistoryAnswer,
  ListAnswer,
  LookupAnswer,
  MergeAnswer,
  RenameAnswer,
  RunsAnswer,
  SaveAnswer,
  ServerHistoryAnswer,
  ServerLookupAnswer,
  ServerWhoisAnswer,
  TraceAnswer,
  WhoisAnswer,
} from "../gateway/own/answers.js";

export type {
  AppliedName,
  ApplyAnswer,
  AutoAnswer,
  NameLeft,
  NameSuggestionRow,
  RenameResult,
  SuggestAnswer,
} from "../gateway/own/curate-answer.js";

export type {
  DiscoverAnswer,
  DiscoveredCapability,
  DiscoveredTool,
} from "../gateway/own/discover-answer.js";

export interface PmlOptions {
  /** Configuration file (default: `./pml.json` if trusted, else the user's). */
  readonly config?: string;
  /** Data directory (default: one for each configuration, in the user's data directory). */
  readonly dataDir?: string;
  /** `ORG/PROJECT[/USER]` (default: the configuration's, else `local/default/<you>`). */
  readonly scope?: string;
  /** Minimum level of log lines, which go to stderr as JSON (default: no log). */
  readonly log?: LogLevel;
}

export interface Query {
  /** Names with `*` for any text, such as `fs:*`. */
  readonly pattern?: string;
  /** `fs` is short for the pattern `fs:*`. */
  readonly namespace?: string;
  readonly namedOnly?: boolean;
  readonly unnamedOnly?: boolean;
  /** `user@org`, also with `*`. */
  readonly createdBy?: string;
  /** A capability must have all of these. */
  readonly tags?: readonly string[];
  /** `org` and `public` include other projects. */
  readonly visibility?: Visibility;
  readonly versionTag?: string;
  readonly sortBy?: "usage" | "name" | "created";
  readonly limit?: number;
  readonly offset?: number;
}

export interface DiscoverOptions {
  /** Default: both. */
  readonly type?: "tool" | "capability";
  /** The minimum score. */
  readonly minScore?: number;
  /** Only tools of this server, and capabilities of this namespace. */
  readonly namespace?: string;
  /** 10 by default, 50 at most. */
  readonly limit?: number;
  readonly offset?: number;
  /** `full` adds schemas and source. */
  readonly detail?: "compact" | "full";
  /** Includes related items. */
  readonly includeSuggestions?: boolean;
}

export interface CurationFilter {
  /** True by default. */
  readonly unnamedOnly?: boolean;
  readonly minUsage?: number;
  readonly namespace?: string;
}

/** What to curate, and how: suggest names, apply the names that are certain, or apply given names. */
export type CurationRequest =
  | {
      readonly mode?: "suggest";
      readonly filter?: CurationFilter;
      /** 20 by default, 200 at most. */
      readonly limit?: number;
      readonly offset?: number;
      /** `full` adds the code of all, and figures. */
      readonly detail?: "compact" | "full";
    }
  | { readonly mode: "auto"; readonly filter?: CurationFilter; readonly limit?: number }
  | { readonly mode: "apply"; readonly renames: readonly GivenRename[] };

export interface GivenRename {
  /** Or any form of its name. */
  readonly id: string;
  readonly name: string;
  /** If it has another name now, it is not changed. */
  readonly currentName?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export type CurationAnswer<Request extends CurationRequest> = Request extends { readonly mode: "apply" }
  ? curated.ApplyAnswer
  : Request extends { readonly mode: "auto" }
    ? curated.AutoAnswer
    : curated.SuggestAnswer;

export interface RecordChanges {
  readonly newName?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly visibility?: Visibility;
  readonly cachePolicy?: CachePolicy;
  /** In seconds; null removes it. */
  readonly ttl?: number | null;
}

export interface NewVersion {
  readonly intent: string;
  /** Either this or `source`. */
  readonly code?: string;
  /** A graph of tasks, or a tool that the calls go to, with default arguments. */
  readonly source?:
    | { readonly type: "code"; readonly code: string }
    | ({ readonly type: "dag" } & Dag)
    | ({ readonly type: "tool" } & ToolDelegate);
  /** Default: unnamed. If the name exists, the code becomes its newest version. */
  readonly name?: string;
  readonly versionTag?: string;
  readonly changeSummary?: string;
  readonly routing?: Routing;
}

export interface Execution {
  readonly intent: string;
  readonly code?: string;
  /** Instead of code: a graph of tasks. */
  readonly dag?: Dag;
  /**
   * Instead of code. Without code, graph and capability, PML runs the match for the intent if `args` are given, and
   * otherwise suggests matches.
   */
  readonly capability?: string;
  readonly args?: Readonly<Record<string, Json>>;
  readonly name?: string;
  readonly options?: ExecuteOptions;
}

/**
 * Methods throw `PmlError` with a stable `code`. A failed run is not an exception: it is an answer with status `error`.
 */
export interface Pml {
  /**
   * Runs code or a graph, and remembers it when it succeeds; or runs a capability. With `options.dry_run` nothing runs.
   */
  execute(execution: Execution, signal?: AbortSignal): Promise<ExecuteAnswer | DryRunAnswer>;
  /** Finds tools and capabilities for an intent, best first. */
  discover(intent: string, options?: DiscoverOptions): Promise<DiscoverAnswer>;
  /** Resolves a name. Accepts every form of a name, with an optional version; `mcp:<server>` is a server. */
  lookup(name: string): Promise<answers.LookupAnswer | answers.ServerLookupAnswer>;
  /** Lists capabilities. */
  query(query?: Query): Promise<answers.ListAnswer>;
  /** The complete record. */
  whois(name: string): Promise<answers.WhoisAnswer | answers.ServerWhoisAnswer>;
  /** Versions with diffs, newest first, and former names. */
  history(name: string, limit?: number): Promise<answers.HistoryAnswer | answers.ServerHistoryAnswer>;
  /** The events of a run, by the `workflowId` of its answer; throws `RUN_NOT_FOUND`. */
  trace(workflowId: string): Promise<answers.TraceAnswer>;
  /** The last runs, newest first. */
  runs(limit?: number): Promise<answers.RunsAnswer>;
  rename(name: string, changes: RecordChanges): Promise<answers.RenameAnswer>;
  /** Names for unnamed capabilities. Each given name has its own result; a rejected one does not stop the others. */
  curate<Request extends CurationRequest>(
    request: Request,
    signal?: AbortSignal,
  ): Promise<CurationAnswer<Request>>;
  /** Analyses, signs and saves code without running it. */
  save(version: NewVersion): Promise<answers.SaveAnswer>;
  fork(source: string, name: string): Promise<answers.ForkAnswer>;
  /** Combines several capabilities into a pipeline, in order, or uses the given code. */
  merge(sources: readonly string[], name: string, code?: string): Promise<answers.MergeAnswer>;
  delete(name: string): Promise<answers.DeleteAnswer>;
  undelete(name: string): Promise<answers.CapabilityRecord>;
  /** Stops everything that this process has started. */
  close(): Promise<void>;
}

interface Operations {
  /** The caller chooses the answer type if the operation has several. */
  call<Id extends OperationId, Answer extends AnswerOf<Id>>(
    id: Id,
    input: InputOf<Id>,
    signal?: AbortSignal,
  ): Promise<Answer>;
  close(): Promise<void>;
}

export async function createPml(options: PmlOptions = {}): Promise<Pml> {
  const { config, dataDir, scope, log: level } = options;
  const settings = readSettings({ config, dataDir, scope }, process.env);
  const { call, close } = await openOperations(settings, level === undefined ? silentLog : stderrLog(level));
  return {
    execute: (execution, signal) => call("pml:execute", execution, signal),
    discover: (intent, { type, minScore, namespace, includeSuggestions, ...rest } = {}) =>
      call("pml:discover", {
        intent,
        filter: defined({ type, minScore, namespace }),
        include_suggestions: includeSuggestions,
        ...rest,
      }),
    lookup: (name) => call("cap:lookup", { name }),
    query: ({ namespace, namedOnly, unnamedOnly, createdBy, versionTag, sortBy, ...rest } = {}) =>
      call("cap:list", {
        pattern: namespace === undefined ? undefined : `${namespace}:*`,
        named_only: namedOnly,
        unnamed_only: unnamedOnly,
        created_by: createdBy,
        version_tag: versionTag,
        sort_by: sortBy,
        ...rest,
      }),
    whois: (name) => call("cap:whois", { name }),
    history: (name, limit) => call("cap:history", { name, limit }),
    trace: (workflowId) => call("pml:trace", { workflow_id: workflowId }),
    runs: (limit) => call("pml:trace", { limit }),
    rename: (name, { newName, cachePolicy, ...rest }) =>
      call("cap:rename", { name, new_name: newName, cache_policy: cachePolicy, ...rest }),
    curate: ({ ...request }, signal) => {
      const filter = "filter" in request ? request.filter : undefined;
      const { unnamedOnly, minUsage, namespace } = filter ?? {};
      return call(
        "cap:curate",
        {
          ...request,
          filter:
            filter === undefined
              ? undefined
              : defined({ unnamed_only: unnamedOnly, min_usage: minUsage, namespace }),
        },
        signal,
      );
    },
    save: ({ versionTag, changeSummary, source, ...rest }) =>
      call("cap:save", {
        ...rest,
        source: source as InputOf<"cap:save">["source"],
        version_tag: versionTag,
        change_summary: changeSummary,
      }),
    fork: (source, name) => call("cap:fork", { source, name }),
    merge: (sources, name, code) => call("cap:merge", { sources, name, code }),
    delete: (name) => call("cap:delete", { name }),
    undelete: (name) => call("cap:delete", { name, undelete: true }),
    close,
  };
}

async function openOperations(settings: Settings, log: Log): Promise<Operations> {
  try {
    return await inProcess(settings, log);
  } catch (error) {
    if (!(error instanceof PmlError) || error.code !== "STORE_LOCKED") throw error;
    return joined(await openGatewayClient(settings));
  }
}

async function inProcess(settings: Settings, log: Log): Promise<Operations> {
  const own = await startOwnGateway(settings, "library", log);
  const { gateway } = own;
  const { id: connection, scope } = own.session();
  return {
    async call(id, input, signal = new AbortController().signal) {
      const entry = await gateway.tools.resolve(id, scope);
      if (entry === undefined) throw new PmlError("TOOL_NOT_FOUND", `Unknown tool: "${id}"`);
      const args = defined(input);
      const caller = { connection, capabilities: {}, signal, onLog() {} };
      const { result } = await invokeTool(gateway.invoker, { entry, args, meta: undefined, scope, caller });
      return answerOf(result as CallToolResult);
    },
    close: () => own.stop(),
  };
}

function joined({ client, close }: { readonly client: GatewayClient; close(): Promise<void> }): Operations {
  return {
    call: (id, input, signal) => callOver(client, id, input, signal === undefined ? {} : { signal }),
    close,
  };
}
