/**
 * A capability called by its own name: it answers like any tool.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { ExecuteAnswer } from "../execution/execute-answer.js";
import type { Executor } from "../execution/executor.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { ToolInvoker } from "./invoke-tool.js";
import { runCaller } from "./own/run-caller.js";
import { structuredResult } from "./structured-result.js";

export function capabilityCaller(
  registry: CapabilityRegistry,
  executor: Executor,
): NonNullable<ToolInvoker["callCapability"]> {
  return async ({ reference }, args, scope, caller) => {
    const found = await registry.find(reference, scope);
    const answer = await executor.callCapability(
      found,
      args as Readonly<Record<string, Json>>,
      runCaller(scope, caller),
    );
    return { kind: "result", result: toolResult(answer) };
  };
}

/** The result as it is where it is an object, else as `{ result }`. */
function toolResult(answer: ExecuteAnswer): CallToolResult {
  const { error, result = null } = answer;
  const content = error !== undefined ? { error } : isJsonObject(result) ? result : { result };
  return {
    ...structuredResult(content, error !== undefined),
    _meta: { "pml/run": runMeta(answer) },
  };
}

function runMeta(answer: ExecuteAnswer): Readonly<Record<string, unknown>> {
  const { workflowId, capabilityVersion, executionTimeMs, warnings, logs } = answer;
  return {
    workflowId,
    executionTimeMs,
    ...(capabilityVersion === undefined ? {} : { version: capabilityVersion }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(logs === undefined ? {} : { logs }),
  };
}
