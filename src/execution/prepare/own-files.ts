/**
 * Calls that name one of PML's own files (its data, keys, configuration or rules) always need approval, regardless of
 * the rules for their tool: code that can change those files can change the rules.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";
import { shownValue } from "./known-value.js";
import type { RunPlan, ToolNeedingApproval } from "./plan-run.js";
import type { PreparedRun } from "./prepared-run.js";
import { type ShownCall, shownCalls } from "./shown-calls.js";

/** The first text in a value that refers to one of PML's own files for that server, if any. */
export type OwnFileCheck = (server: ServerName, value: Json) => string | undefined;

/** Adds to the tools that need approval those that the run calls with such arguments, at any depth. */
export function withOwnFiles(prepared: PreparedRun, check: OwnFileCheck): PreparedRun {
  const { plan } = prepared;
  if (plan.tools.length === 0) return prepared;
  const named = toolsNaming(prepared, check);
  if (named.size === 0) return prepared;
  const needsApproval = [
    ...plan.needsApproval.filter(({ tool }) => !named.has(tool.id)),
    ...plan.tools.flatMap((tool): readonly ToolNeedingApproval[] => {
      const text = named.get(tool.id);
      if (text === undefined) return [];
      const known = plan.needsApproval.find((one) => one.tool.id === tool.id);
      const via = known === undefined ? viaOf(tool.id, plan) : known.via;
      return [
        { tool, reason: ownFileReason(text), isAskedEachTime: true, ...(via !== undefined && { via }) },
      ];
    }),
  ];
  return { ...prepared, plan: { ...plan, needsApproval } };
}

/** For people: a sentence without its full stop. */
export function ownFileReason(text: string): string {
  return `its arguments name ${JSON.stringify(text)}, one of PML's own files, which always need approval`;
}

/** The error for a call that a person was not asked about. */
export function ownFileRefused(id: ToolId, text: string): PmlError {
  return new PmlError("APPROVAL_REQUIRED", `${id} was not called: ${ownFileReason(text)}`, {
    hint: "Write the path as a literal in the call, so that approval can be asked before the run; or run with options.per_layer_validation, which asks before the call.",
    data: { tool: id },
  });
}

/** The calls known before the run; each call is checked again when it is made. */
function toolsNaming({ plan, args }: PreparedRun, check: OwnFileCheck): ReadonlyMap<ToolId, string> {
  const tools = plan.tools.filter(({ operation }) => operation === undefined);
  const servers = new Map(tools.map(({ id, server }) => [id, server]));
  const named = new Map<ToolId, string>();
  const visit = (call: ShownCall): void => {
    const server = servers.get(call.target as ToolId);
    if (server !== undefined) {
      const text = check(server, shownValue(call.args).value ?? null);
      if (text !== undefined) named.set(call.target as ToolId, text);
    }
    for (const inner of call.inside) visit(inner);
  };
  for (const call of allCalls(plan, args)) visit(call);
  return named;
}

function allCalls(plan: RunPlan, args: PreparedRun["args"]): readonly ShownCall[] {
  try {
    const unitOf = (ref: Parameters<RunPlan["unitOf"]>[0]) => plan.unitOf(ref);
    return shownCalls({
      main: plan.main.analysis,
      args,
      unitOf,
      needsApproval: new Set(plan.tools.map(({ id }) => id)),
    });
  } catch (error) {
    // There are too many calls to show to a person: those with such a file are refused when they are made.
    if (error instanceof PmlError && error.code === "LIMIT_EXCEEDED") return [];
    throw error;
  }
}

function viaOf(id: ToolId, { main, units, unitOf }: RunPlan): string | undefined {
  if (main.analysis.toolsUsed.includes(id)) return undefined;
  for (const { ref } of units) {
    const unit = unitOf(ref);
    if (unit?.analysis.toolsUsed.includes(id) === true) return unit.name;
  }
  return undefined;
}
