/**
 * A capability called by its own name: it answers like any tool.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { isJsonObject } from "../base/json-object.js";
import type { ErrorShape } from "../base/pml-error.js";
import type { Executor } from "../execution/executor.js";
import type { ExecuteAnswer } from "../execution/ports/execute-answer.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import { withApproval } from "./ask-approval.js";
import { type CalledTool, errorResult } from "./error-mapping.js";
import type { ToolInvoker } from "./invoke-tool.js";
import { runCaller } from "./own/run-caller.js";
import { structuredResult } from "./tool-result.js";

export function capabilityCaller(
  registry: CapabilityRegistry,
  executor: Executor,
): NonNullable<ToolInvoker["callCapability"]> {
  return async ({ reference, listed }, args, scope, caller) => {
    const found = await registry.find(reference, scope);
    const { intent } = found.capability;
    const from = runCaller(scope, caller);
    const asked = await withApproval(
      {
        start: () => executor.callCapability(found, args as Readonly<Record<string, Json>>, from),
        resume: (resume) => executor.execute({ intent, resume }, from),
      },
      executor.desk,
      scope,
      caller,
    );
    if (asked.kind === "question") return { kind: "input-required", result: asked.result };
    return { kind: "result", result: toolResult(asked.answer as ExecuteAnswer, listed) };
  };
}

/** An object as it is; any other result as `{ result }`. */
function toolResult(answer: ExecuteAnswer, tool: CalledTool): CallToolResult {
  const { workflowId, result = null } = answer;
  const error = failureOf(answer);
  const { _meta, ...told } =
    error === undefined
      ? structuredResult(isJsonObject(result) ? result : { result })
      : errorResult({ ...error, workflowId }, tool);
  return { ...told, _meta: { ..._meta, "pml/run": runMeta(answer) } };
}

/** A run that waits for approval has no result yet: the caller of a tool gets an error. */
export function failureOf({ approval, error }: ExecuteAnswer): ErrorShape | undefined {
  if (error !== undefined || approval === undefined) return error;
  const { message, next, workflowId, tools, calls, expiresAt } = approval;
  return { code: "APPROVAL_REQUIRED", message, hint: next, workflowId, tools, calls, expiresAt };
}

function runMeta(answer: ExecuteAnswer): Readonly<Record<string, unknown>> {
  const { workflowId, capabilityVersion, executionTimeMs, warnings, logs, cacheHit } = answer;
  return {
    workflowId,
    executionTimeMs,
    ...defined({ version: capabilityVersion, cacheHit, warnings, logs }),
  };
}
