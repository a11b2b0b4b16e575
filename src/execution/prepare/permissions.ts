/**
 * What code can reach, before it runs: its tools and their servers, whether a person is asked first, and where it may
 * run.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import { defined } from "../../base/defined.js";
import { isOperationId, type ToolId } from "../../registry/tool-id.js";
import type { CodePermissions } from "../ports/execute-answer.js";
import type { ApprovalMode } from "./approval-policy.js";
import { routingOf } from "./plan-run.js";
import type { PlanTools } from "./tool-index.js";

type Reach = Pick<Analysis, "toolsUsed" | "hasComputedCalls">;

/** A direct or indirect callee of the code. */
export interface ReachedCapability extends Reach {
  /** The name for people, with its version if it is pinned. */
  readonly name: string;
}

export interface PermissionQuestion extends PlanTools {
  readonly analysis: Reach;
  /** Every capability that the code depends on, directly or not. */
  readonly closure: readonly ReachedCapability[];
}

const COMPUTED_NOTE =
  "Tools called by a computed name are not listed; only tools that need no approval can be called that way";

export function permissionsOf({ analysis, closure, index, approvalOf }: PermissionQuestion): CodePermissions {
  const tools: CodePermissions["tools"][number][] = [];
  const missing: ToolId[] = [];
  const callers = callersOf(analysis, closure);
  for (const [id, via] of callers) {
    const known = index.find([id]);
    if (known === undefined) {
      missing.push(id);
      continue;
    }
    const { mode: approvalMode, routing, reason } = approvalOf(known);
    const { server, quarantined } = known;
    tools.push({ tool: id, server, approvalMode, routing, reason, ...defined({ via, quarantined }) });
  }
  const computedCalls = [analysis, ...closure].some(({ hasComputedCalls }) => hasComputedCalls);
  const having = (mode: ApprovalMode): readonly ToolId[] =>
    tools.filter(({ approvalMode }) => approvalMode === mode).map(({ tool }) => tool);
  return {
    tools,
    servers: [...new Set(tools.flatMap(({ tool, server }) => (isOperationId(tool) ? [] : [server])))],
    routing: routingOf([...callers.keys()], { index, approvalOf }),
    computedCalls,
    ...(computedCalls && { note: COMPUTED_NOTE }),
    needsApproval: having("hil"),
    denied: having("deny"),
    missing,
  };
}

/** Each tool with the first capability that calls it; without one if the code calls it itself. */
function callersOf(
  analysis: Reach,
  closure: readonly ReachedCapability[],
): ReadonlyMap<ToolId, string | undefined> {
  const callers = new Map<ToolId, string | undefined>();
  for (const id of analysis.toolsUsed) callers.set(id, undefined);
  for (const { name, toolsUsed } of closure)
    for (const id of toolsUsed) if (!callers.has(id)) callers.set(id, name);
  return callers;
}
