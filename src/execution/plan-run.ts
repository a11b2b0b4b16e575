/**
 * Everything that is needed to run code: the program with all capabilities that it calls, and the tools they reach.
 *
 * @module
 */
import type { Analysis } from "../analysis/analysis.js";
import type { Json } from "../base/canonical-json.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability, Routing } from "../registry/capability.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import { dependencyClosure } from "../registry/dependency-closure.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";
import type { Approval } from "./approval-policy.js";
import type { CapabilityLoader, LoadedCapability } from "./capability-loader.js";
import type { UnitSource } from "./run-failure.js";
import type { SandboxCapability, SandboxProgram } from "./sandbox.js";
import type { KnownTool } from "./tool-box.js";
import type { ToolIndex } from "./tool-index.js";

/** Code on its way into the sandbox: just sent, or stored. */
export interface MainCode {
  /** For messages. */
  readonly name: string;
  /** Left out for code that is no capability yet. */
  readonly fqdn?: Fqdn;
  readonly code: string;
  readonly analysis: Analysis;
}

export interface RunPlan {
  readonly program: SandboxProgram;
  readonly main: MainCode;
  /** Tools that the code and all it calls can reach by name. */
  readonly tools: readonly KnownTool[];
  readonly routing: Routing;
  sourceOf(unit: Fqdn | undefined): UnitSource | undefined;
}

export interface PlanTools {
  readonly index: ToolIndex;
  readonly approvalOf: (tool: KnownTool) => Approval;
}

/** Throws where a capability or tool is gone, in a circle, or where a tool may not be called from code. */
export async function planRun(
  main: MainCode,
  registry: CapabilityRegistry,
  loader: CapabilityLoader,
  { index, approvalOf }: PlanTools,
): Promise<RunPlan> {
  const { analysis } = main;
  const fqdns = dependencyClosure(
    {
      name: main.name,
      dependencies: analysis.dependencies,
      ...(main.fqdn === undefined ? {} : { fqdn: main.fqdn }),
    },
    (fqdn) => registry.directory.get(fqdn),
  );
  const units = new Map<Fqdn, { readonly capability: Capability; readonly loaded: LoadedCapability }>();
  for (const fqdn of fqdns) {
    const capability = registry.directory.get(fqdn);
    if (capability === undefined) throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}`);
    units.set(fqdn, { capability, loaded: await loader.load(capability, capability.version) });
  }
  const ids = new Set<ToolId>(analysis.toolsUsed);
  for (const { loaded } of units.values()) for (const id of loaded.analysis.toolsUsed) ids.add(id);
  const tools = Array.from(ids, (id) => knownTool(id, index));
  const approvals = tools.map((tool) => ({ tool, approval: approvalOf(tool) }));
  for (const { tool, approval } of approvals) refuseUnlessAuto(tool.id, approval);
  return {
    main,
    tools,
    routing: approvals.some(({ approval }) => approval.routing === "local") ? "local" : "cloud",
    program: {
      main: { code: analysis.runnableCode, parameters: analysis.freeParameters },
      capabilities: Array.from(units.values(), ({ capability, loaded }) => unitOf(capability, loaded)),
    },
    sourceOf(unit) {
      if (unit === undefined)
        return { code: main.code, originalPosition: (position) => analysis.originalPosition(position) };
      const found = units.get(unit);
      return found === undefined
        ? undefined
        : {
            name: found.capability.displayName,
            code: found.loaded.stored.code,
            originalPosition: (position) => found.loaded.analysis.originalPosition(position),
          };
    },
  };
}

/** What code may not do yet: a person cannot be asked from here. */
export function refuseUnlessAuto(id: ToolId, { mode, reason }: Approval): void {
  if (mode === "auto") return;
  if (mode === "deny")
    throw new PmlError("TOOL_DENIED", `${id} may not be called: ${reason}`, { data: { tool: id } });
  throw new PmlError(
    "APPROVAL_REQUIRED",
    `${id} needs a person's approval, so code cannot call it: ${reason}`,
    {
      hint: `A person can allow it: approvalMode: auto for ${id} in mcp-permissions.yaml, or approvals.unannotated: "auto" for all tools that say nothing. Otherwise call the tool directly.`,
      data: { tool: id },
    },
  );
}

function knownTool(id: ToolId, index: ToolIndex): KnownTool {
  const tool = index.find([id]);
  if (tool !== undefined) return tool;
  throw new PmlError("TOOL_NOT_FOUND", `The tool "${id}" is gone: no server offers it now`, {
    hint: "`pml doctor` shows the servers; the capability works again when the tool is back.",
    data: { tool: id },
  });
}

function unitOf(capability: Capability, { stored, analysis }: LoadedCapability): SandboxCapability {
  return {
    fqdn: capability.fqdn,
    displayName: capability.displayName,
    version: stored.version,
    code: analysis.runnableCode,
    parameters: analysis.freeParameters,
    schema: stored.parameters as unknown as Json,
  };
}
