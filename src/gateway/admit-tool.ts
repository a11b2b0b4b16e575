/**
 * Decides about tools that a client calls itself: the call runs at once, never, or after a person has approved exactly
 * this call.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import type { ErrorShape } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";
import type { Executor } from "../execution/executor.js";
import type { ExecuteAnswer } from "../execution/ports/execute-answer.js";
import type { KnownTool } from "../execution/ports/tool-box.js";
import type { Approval } from "../execution/prepare/approval-policy.js";
import type { OwnFileCheck } from "../execution/prepare/own-files.js";
import { toolDenied } from "../execution/prepare/plan-run.js";
import { callAnswerOf } from "../execution/run/tool-value.js";
import { runRejected } from "../execution/wait/durable-answers.js";
import type { DirectResult } from "../execution/wait/durable-runs.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { ToolId } from "../registry/tool-id.js";
import { asked, decideAsAsked } from "./ask-approval.js";
import { failureOf } from "./call-capability.js";
import { type CalledTool, errorResult } from "./error-mapping.js";
import type { ToolInvoker } from "./invoke-tool.js";
import { runCaller } from "./own/run-caller.js";
import { toolResultOf } from "./tool-result.js";

export interface AdmissionOptions {
  readonly executor: Executor;
  readonly known: (id: ToolId) => KnownTool | undefined;
  /** `isRemote`: the client is not on this machine, as far as is known. */
  readonly approvalOf: (tool: KnownTool, isRemote: boolean) => Approval;
  readonly ownFiles?: OwnFileCheck | undefined;
}

export function toolAdmission({
  executor,
  known,
  approvalOf,
  ownFiles,
}: AdmissionOptions): NonNullable<ToolInvoker["admit"]> {
  // Admitted calls whose server asked the user a question: the answer arrives with the same request again.
  const underWay = new Map<string, true>();
  return async ({ id, server, listed }, { args, scope, caller }, call) => {
    const tool = known(id);
    const approval = tool === undefined ? undefined : approvalOf(tool, caller.isRemote === true);
    if (approval?.mode === "deny") throw toolDenied(id, approval.reason);
    const said = await decideAsAsked(executor.desk, scope, caller);
    // The answer to PML's own question is not for the server.
    const { input: _, ...unasked } = caller;
    const from: Caller = said === undefined ? caller : unasked;
    const given = (args ?? {}) as Readonly<Record<string, Json>>;
    const isOwnFile = ownFiles?.(server, given) !== undefined;
    if (approval?.mode !== "hil" && !isOwnFile) return call(from);
    if (said?.decision?.kind === "reject") throw runRejected(said);
    const callKey = (state: string | undefined) =>
      sha256Hex(canonicalJson([{ ...scope }, id, given, state ?? null]));
    const make = async (): Promise<ServerAnswer> => {
      const answer = await call(from);
      if (answer.kind === "input-required")
        keepNewest(underWay, await callKey(answer.result.requestState), true, LIMITS.inputWaits);
      return answer;
    };
    // Any client can claim that a call is under way, so each question of the server admits one call only.
    if (from.input !== undefined && underWay.delete(await callKey(from.input.state))) return make();
    const direct = await executor.callTool(id, given, runCaller(scope, caller), async () =>
      directResult(await make(), id),
    );
    if (direct.kind === "called") return direct.value;
    const question = asked(direct.answer, scope, caller, executor.desk);
    if (question.kind === "question") return { kind: "input-required", result: question.result };
    return { kind: "result", result: waitingResult(question.answer as ExecuteAnswer, listed) };
  };
}

function directResult(answer: ServerAnswer, tool: ToolId): DirectResult<ServerAnswer> {
  if (answer.kind === "input-required") return { value: answer, answer: { kind: "value", text: "null" } };
  return { value: answer, answer: callAnswerOf(toolResultOf(answer.result as CallToolResult), tool) };
}

function waitingResult(answer: ExecuteAnswer, tool: CalledTool): CallToolResult {
  const { _meta, ...result } = errorResult(failureOf(answer) as ErrorShape, tool);
  return { ...result, _meta: { ..._meta, "pml/run": { workflowId: answer.workflowId } } };
}
