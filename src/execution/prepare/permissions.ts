/**
 * What code can reach, before it runs: tools, hence servers, whether a person is asked first, and where it may run.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import type { Routing } from "../../registry/capability.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";
import type { ApprovalMode } from "./approval-policy.js";
import { type PlanTools, routingOf } from "./plan-run.js";

/** What analysis found that matters here. */
type Reach = Pick<Analysis, "toolsUsed" | "hasComputedCalls">;

/** A capability that the code calls, or that one of those calls. */
export interface ReachedCapability extends Reach {
  /** As people are shown it, with its version where that is pinned. */
  readonly name: string;
}

export interface PermissionQuestion extends PlanTools {
  readonly analysis: Reach;
  /** Every capability that the code depends on, directly or not. */
  readonly closure: readonly ReachedCapability[];
}

interface ToolPermission {
  readonly tool: ToolId;
  readonly server: ServerName;
  readonly approvalMode: ApprovalMode;
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
  /** What that means, where it is so. */
  readonly note?: string;
  readonly needsApproval: readonly ToolId[];
  readonly denied: readonly ToolId[];
  /** No server offers these now, so nobody can say what they need. */
  readonly missing: readonly ToolId[];
}

const COMPUTED_NOTE =
  "Tools that are reached by a computed name are not listed; they can be called only where they need no approval";

export function permissionsOf({ analysis, closure, index, approvalOf }: PermissionQuestion): CodePermissions {
  const tools: ToolPermission[] = [];
  const missing: ToolId[] = [];
  const callers = callersOf(analysis, closure);
  for (const [id, via] of callers) {
    const known = index.find([id]);
    if (known === undefined) {
      missing.push(id);
      continue;
    }
    const { mode, routing, reason } = approvalOf(known);
    const { server, quarantined } = known;
    tools.push({
      tool: id,
      server,
      approvalMode: mode,
      routing,
      reason,
      ...(via === undefined ? {} : { via }),
      ...(quarantined === undefined ? {} : { quarantined }),
    });
  }
  const computedCalls = [analysis, ...closure].some(({ hasComputedCalls }) => hasComputedCalls);
  const having = (mode: ApprovalMode): readonly ToolId[] =>
    tools.filter(({ approvalMode }) => approvalMode === mode).map(({ tool }) => tool);
  return {
    tools,
    servers: [...new Set(tools.map(({ server }) => server))],
    routing: routingOf([...callers.keys()], { index, approvalOf }),
    computedCalls,
    ...(computedCalls ? { note: COMPUTED_NOTE } : {}),
    needsApproval: having("hil"),
    denied: having("deny"),
    missing,
  };
}

/** Each tool with the first capability that calls it; with none where the code does so itself. */
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
