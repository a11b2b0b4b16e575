/**
 * The one way to call a tool, for requests of clients and for code in the sandbox. It checks rights and arguments,
 * sends the call to the server or to PML itself, and counts it.
 *
 * @module
 */

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Emits } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { preciseNow, type SpanOptions, traced } from "../base/trace-context.js";
import type { Caller, RealServers, ServerAnswer } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import type { ToolId } from "../registry/tool-id.js";
import type { ArgumentCheck } from "./argument-check.js";
import { type SignInAsker, withSignIn } from "./ask-sign-in.js";
import { type Audit, decidedBy } from "./audit.js";
import type { CapabilityEntry } from "./capability-entries.js";
import { admitCall, mayReach, type PersonAsked, type Rules, refuseReader } from "./decision-gate.js";
import { codeOf } from "./error-mapping.js";
import type { CatalogueEntry } from "./tool-catalogue.js";
import type { ToolPins } from "./tool-pins.js";
import type { UsageRecorder } from "./usage-recorder.js";

export interface Invocation {
  readonly entry: CatalogueEntry;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  /** Passed on to a real server as `_meta`. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly scope: Scope;
  readonly caller: Caller;
  /** How the person was asked, if a command says so. */
  readonly person?: PersonAsked;
}

/** The parts of the gateway that an invocation needs. */
export interface ToolInvoker extends Rules {
  readonly servers: RealServers;
  readonly usage: UsageRecorder;
  readonly questionClock: QuestionClock;
  readonly argumentCheck: ArgumentCheck;
  /** Logs decisions of people. */
  readonly audit?: Pick<Audit, "note">;
  /** Refuses calls of tools that have changed. */
  readonly pins?: Pick<ToolPins, "refuse" | "admit">;
  /**
   * Decides about a direct call of a client: makes the call, or returns a question; throws the error for the client.
   */
  readonly admit?: (
    entry: RealEntry,
    invocation: Pick<Invocation, "args" | "scope" | "caller">,
    call: (caller: Caller) => Promise<ServerAnswer>,
  ) => Promise<ServerAnswer>;
  /** Shows a client's user where to sign in to a server that needs it. */
  readonly signIn?: SignInAsker;
  readonly events: Emits<ToolCallEvents>;
  /** The caller. Calls from code are counted together, when the code has ended. */
  readonly by: "client" | "code";
  readonly callCapability?: (
    entry: CapabilityEntry,
    args: Readonly<Record<string, unknown>>,
    scope: Scope,
    caller: Caller,
  ) => Promise<ServerAnswer>;
}

/** Events about calls of real tools. */
export interface ToolCallEvents {
  /** A call is about to be sent. `call.ended` carries the same object when the call has ended, also after a failure. */
  readonly "call.started": { readonly id: ToolId };
  readonly "call.ended": { readonly id: ToolId };
  /** A tool has answered without an error. */
  readonly "tool.answered": {
    readonly entry: RealEntry;
    readonly args: Readonly<Record<string, unknown>>;
    readonly result: CallToolResult;
    readonly scope: Scope;
    readonly connection: string;
    /** Groups calls that follow one another: the connection, or the client if each request is a connection. */
    readonly session: string;
    readonly by: ToolInvoker["by"];
  };
}

type RealEntry = Extract<CatalogueEntry, { kind: "real" }>;

/** Throws the error of a failed call; a question for the caller's user is an answer, not an error. */
export async function invokeTool(invoker: ToolInvoker, invocation: Invocation): Promise<ServerAnswer> {
  const { entry, args = {}, caller } = invocation;
  if (entry.kind === "own") await admitCall(invoker, entry.own, args, invocation);
  else refuseReader(caller.role, entry.id);
  const isNoted = entry.kind === "own" && caller.byPerson === true && entry.own.audits?.(args) === true;
  const noted = (outcome: string) =>
    isNoted ? invoker.audit?.note(decidedBy(entry.id, args, outcome), invocation.scope, caller) : undefined;
  const startedAt = invoker.questionClock.startOf(caller.input?.state);
  try {
    const answer = await run(invoker, invocation);
    await noted(isToolError(answer) ? "failed" : "done");
    if (answer.kind === "input-required") invoker.questionClock.keep(answer.result.requestState, startedAt);
    else {
      const endedAt = preciseNow();
      // The answer is sent first. The caller's next request is read after this.
      setImmediate(learn, invoker, invocation, startedAt, endedAt, answer);
    }
    return answer;
  } catch (error) {
    await noted(codeOf(error));
    record(invoker, invocation, startedAt, preciseNow(), codeOf(error));
    throw error;
  }
}

/** Counts an answered call, and emits an event for a result. */
function learn(
  invoker: ToolInvoker,
  invocation: Invocation,
  startedAt: number,
  endedAt: number,
  answer: ServerAnswer,
): void {
  const { entry, args = {}, scope, caller } = invocation;
  const isError = isToolError(answer);
  record(invoker, invocation, startedAt, endedAt, isError ? "isError" : undefined);
  if (isError || entry.kind !== "real") return;
  const result = answer.result as CallToolResult;
  const { connection, client: session = connection } = caller;
  invoker.events.emit("tool.answered", { entry, args, result, scope, connection, session, by: invoker.by });
}

async function run(invoker: ToolInvoker, invocation: Invocation): Promise<ServerAnswer> {
  const { entry, args, meta, scope, caller } = invocation;
  if (entry.kind === "own") return entry.own.answer(args ?? {}, scope, caller);
  if (entry.kind === "capability") {
    if (invoker.callCapability === undefined)
      throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${entry.id}`);
    return invoker.callCapability(entry, args ?? {}, scope, caller);
  }
  const { pins } = invoker;
  pins?.refuse(entry.id);
  invoker.argumentCheck.check(entry.tool, entry.hash, args);
  const beforeSend = pins === undefined ? undefined : () => pins.admit(entry.id);
  const call = (from: Caller) =>
    traced(caller.trace, `tools/call ${entry.id}`, callSpan(entry), async (span) => {
      const params = paramsOf(entry, args, span === undefined ? meta : { ...meta, ...span.fields });
      const started = { id: entry.id };
      invoker.events.emit("call.started", started);
      try {
        const request = { method: "tools/call", params, beforeSend, scope } as const;
        const answer = await invoker.servers.request(entry.server, request, from);
        if (isToolError(answer)) span?.failed(TOOL_ERROR);
        return answer;
      } finally {
        invoker.events.emit("call.ended", started);
      }
    });
  const admitted = (from: Caller) =>
    invoker.admit === undefined ? call(from) : invoker.admit(entry, { args, scope, caller: from }, call);
  const { signIn } = invoker;
  if (signIn === undefined) return admitted(caller);
  // Only a caller of the gateway's own project may begin a sign-in that all users share.
  if (signIn.isShared(entry.server) && !mayReach("shared", invoker, invocation)) return admitted(caller);
  return withSignIn(signIn, entry.server, scope, caller, admitted);
}

function paramsOf({ tool: { name } }: RealEntry, args: Invocation["args"], meta: Invocation["meta"]) {
  return {
    name,
    ...(args === undefined ? {} : { arguments: args }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** Uses the names of OpenTelemetry's semantic conventions where they exist. */
function callSpan({ id, server, tool }: RealEntry): SpanOptions {
  const attributes = {
    "mcp.method.name": "tools/call",
    "gen_ai.tool.name": tool.name,
    "pml.server": server,
    "pml.tool": id,
  };
  return { kind: "client", attributes };
}

/** The error type in traces for a failure that the tool itself reports. */
export const TOOL_ERROR = "tool_error";

export function isToolError(answer: ServerAnswer): boolean {
  return (answer.result as Partial<CallToolResult>).isError === true;
}

/** One row per call, regardless of how many questions it took. */
function record(
  { usage }: ToolInvoker,
  { entry, scope }: Invocation,
  startedAt: number,
  endedAt: number,
  errorCode: string | undefined,
): void {
  // Runs of capabilities are counted where they run, for all kinds of callers.
  if (entry.kind === "capability") return;
  const [serverId, toolName] =
    entry.kind === "real" ? [entry.server, entry.tool.name] : ["pml-std", entry.id];
  usage.record({
    serverId,
    toolName,
    ...scope,
    calledAt: new Date(startedAt),
    durationMs: endedAt - startedAt,
    success: errorCode === undefined,
    ...(errorCode === undefined ? {} : { errorCode }),
  });
}

/**
 * Start times of calls that asked their user something: the request with the answer is part of the same call. Calls
 * that never come back are forgotten, oldest question first.
 */
export class QuestionClock {
  readonly #starts = new Map<string, number>();

  /** The start time of the call that `state` belongs to; default: now. */
  startOf(state: string | undefined): number {
    const startedAt = state === undefined ? undefined : this.#starts.get(state);
    if (state !== undefined) this.#starts.delete(state);
    return startedAt ?? preciseNow();
  }

  keep(state: string | undefined, startedAt: number): void {
    if (state === undefined) return;
    this.#starts.set(state, startedAt);
    for (const oldest of this.#starts.keys()) {
      if (this.#starts.size <= LIMITS.inputWaits) return;
      this.#starts.delete(oldest);
    }
  }
}
