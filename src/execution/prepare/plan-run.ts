/**
 * Everything that is needed to run code: the program with all capabilities that it calls, and the tools they reach.
 *
 * @module
 */
import type { Analysis, CodePosition } from "../../analysis/analysis.js";
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { PmlError } from "../../base/pml-error.js";
import type { Callee } from "../../registry/callees.js";
import type { Capability, ParametersSchema, Routing } from "../../registry/capability.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { dependencyClosure, existingCallee } from "../../registry/dependency-closure.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import { shownName } from "../../registry/visibility.js";
import type { SandboxCapability, SandboxProgram } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { Approval } from "./approval-policy.js";
import type { CapabilityLoader, LoadedCapability } from "./capability-loader.js";
import type { CalledUnit } from "./shown-calls.js";
import type { PlanTools, ToolIndex } from "./tool-index.js";

/** Code on its way into the sandbox: just sent, or stored. */
export interface MainCode {
  readonly name: string;
  /** The capability or version that the code is, or is to become a version of; absent for other code. */
  readonly ref?: CapabilityRef | undefined;
  readonly code: string;
  readonly analysis: Analysis;
}

/**
 * The source text for positions of a unit, and the call path from the main code; absent unit: the main code. Undefined
 * if the asker may not see it.
 */
export type SourceOf = (unit: CapabilityRef | undefined) => UnitSource | undefined;

export interface UnitSource {
  /** The name for people; absent for the main code. */
  readonly name?: string;
  readonly code: string;
  originalPosition(position: CodePosition): CodePosition;
}

export interface RunPlan {
  readonly program: SandboxProgram;
  readonly main: MainCode;
  /** Tools that the code and all its callees can reach by name. */
  readonly tools: readonly KnownTool[];
  /** The tools among them that a person must approve. */
  readonly needsApproval: readonly ToolNeedingApproval[];
  /** Some of the code calls tools by names that are known only at run time. */
  readonly hasComputedCalls: boolean;
  /** The direct and indirect callees of the code, in their current state. */
  readonly units: readonly PlannedUnit[];
  /** For code generated from a graph: the task of each node of the main code. */
  readonly taskNames?: ReadonlyMap<string, string>;
  /** Local if one of the tools is local, or if the code calls a capability that is set to local. */
  readonly routing: Routing;
  /** Undefined for code that the asker may not see. */
  sourceOf(unit: CapabilityRef | undefined): UnitSource | undefined;
  /**
   * The name under which a use is counted. Only the operator of the gateway reads the counts, and may see all names.
   */
  usedName(unit: CapabilityRef): string;
  targetOf(unit: CapabilityRef | undefined, node: string): string | undefined;
  unitOf(unit: CapabilityRef): CalledUnit | undefined;
}

export interface ToolNeedingApproval {
  readonly tool: KnownTool;
  readonly reason: string;
  /** The capability that calls it, in the form that the asker may see, if the code does not call it itself. */
  readonly via?: string;
  /** A permanent approval does not cover this call. */
  readonly isAskedEachTime?: boolean;
}

export interface PlannedUnit {
  readonly ref: CapabilityRef;
  readonly version: number;
  readonly codeHash: string;
}

/**
 * Throws for a missing capability or tool, a cycle, or a tool that may not be called from code. Code may call
 * capabilities that the asker may not see, because the user who saved it could see them: they run, but their names are
 * hidden.
 */
export async function planRun(
  main: MainCode,
  asker: Scope,
  registry: CapabilityRegistry,
  loader: CapabilityLoader,
  { index, approvalOf }: PlanTools,
): Promise<RunPlan> {
  const { analysis } = main;
  const find = await registry.know(analysis.dependencies, asker);
  const { name, ref: own } = main;
  const { dependencies } = analysis;
  const refs = dependencyClosure({ name, dependencies, ...(own && { ref: own }) }, find);
  const units = new Map<CapabilityRef, { readonly callee: Callee; readonly loaded: LoadedCapability }>();
  for (const ref of refs) {
    const callee = existingCallee(ref, find, [main.name]);
    units.set(ref, { callee, loaded: await loader.load(callee.capability, callee.version, asker) });
  }
  const ids = new Set<ToolId>(analysis.toolsUsed);
  for (const { loaded } of units.values()) for (const id of loaded.analysis.toolsUsed) ids.add(id);
  const tools = Array.from(ids, (id) => knownTool(id, index));
  const needsApproval = tools.flatMap((tool): readonly ToolNeedingApproval[] => {
    const { mode, reason } = approvalOf(tool);
    if (mode === "deny") throw toolDenied(tool.id, reason);
    if (tool.quarantined !== undefined) throw toolQuarantined(tool.id, tool.quarantined);
    if (mode === "auto") return [];
    if (analysis.toolsUsed.includes(tool.id)) return [{ tool, reason }];
    const caller = [...units.values()].find(({ loaded }) => loaded.analysis.toolsUsed.includes(tool.id));
    return [{ tool, reason, ...(caller && { via: caller.callee.name }) }];
  });
  const isLocal =
    tools.some((tool) => approvalOf(tool).routing === "local") ||
    [...units.values()].some(({ callee: { capability } }) => isKeptLocal(capability));
  return {
    main,
    tools,
    needsApproval,
    hasComputedCalls: [analysis, ...Array.from(units.values(), ({ loaded }) => loaded.analysis)].some(
      (one) => one.hasComputedCalls,
    ),
    units: Array.from(units, ([ref, { loaded }]) => ({
      ref,
      version: loaded.stored.version,
      codeHash: loaded.stored.codeHash,
    })),
    routing: isLocal ? "local" : "cloud",
    program: {
      main: {
        code: analysis.runnableCode,
        parameters: analysis.freeParameters,
        lifted: analysis.liftedParameters,
        calls: analysis.dependencies,
      },
      capabilities: Array.from(units.values(), ({ callee, loaded }) => unitOf(callee, loaded, asker)),
    },
    unitOf(unit) {
      const found = units.get(unit);
      if (found === undefined) return undefined;
      const { analysis, stored } = found.loaded;
      return { analysis, parameters: stored.parameters, name: shownName(found.callee.capability, asker) };
    },
    usedName: (unit) => units.get(unit)?.callee.capability.displayName ?? unit,
    targetOf(unit, node) {
      const calls = (unit === undefined ? analysis : units.get(unit)?.loaded.analysis)?.calls ?? [];
      const target = calls.find((call) => call.node === node)?.target;
      return target?.kind === "tool" ? target.id : target?.ref;
    },
    sourceOf(unit) {
      if (unit === undefined)
        return { code: main.code, originalPosition: (position) => analysis.originalPosition(position) };
      const found = units.get(unit);
      return found === undefined || found.callee.isHidden === true
        ? undefined
        : {
            name: found.callee.name,
            code: found.loaded.stored.code,
            originalPosition: (position) => found.loaded.analysis.originalPosition(position),
          };
    },
  };
}

function isKeptLocal({ routing, routingSource }: Capability): boolean {
  return routingSource === "explicit" && routing === "local";
}

/** Where code that uses these tools may run; a tool that is missing now counts as local. */
export function routingOf(ids: readonly ToolId[], { index, approvalOf }: PlanTools): Routing {
  const isLocal = ids.some((id) => {
    const tool = index.find([id]);
    return tool === undefined || approvalOf(tool).routing === "local";
  });
  return isLocal ? "local" : "cloud";
}

/** For a tool name that the code computes: a person could not be asked about it before the run. */
export function refuseUnlessAuto(id: ToolId, { mode, reason }: Approval): void {
  if (mode === "auto") return;
  if (mode === "deny") throw toolDenied(id, reason);
  throw new PmlError(
    "APPROVAL_REQUIRED",
    `${id} needs approval, but is called by a computed name: ${reason}`,
    {
      hint: `Write the name as a literal, so that approval can be asked before the run; or run with options.per_layer_validation, which asks before the call.`,
      data: { tool: id },
    },
  );
}

/** The error for an operation that changes something, called by code that was not part of the caller's request. */
export function writesInside(id: ToolId): PmlError {
  return new PmlError("NOT_ALLOWED", `${id} was not called: it does not work inside a called capability`, {
    hint: "Call it in the code that you send with pml_execute.",
    data: { tool: id },
  });
}

export function toolDenied(id: ToolId, reason: string): PmlError {
  return new PmlError("TOOL_DENIED", `${id} may not be called: ${reason}`, { data: { tool: id } });
}

/** `what` lists the fields that differ. */
export function toolQuarantined(id: ToolId, what: string): PmlError {
  return new PmlError(
    "TOOL_QUARANTINED",
    `${id} is quarantined: it has changed since it was first seen (${what})`,
    {
      hint: `A person can review the change with \`pml tools changed\` and accept it with \`pml tools accept ${id}\`.`,
      data: { tool: id },
    },
  );
}

export function toolGone(id: ToolId): PmlError {
  return new PmlError("TOOL_NOT_FOUND", `The tool "${id}" no longer exists: no server offers it`, {
    hint: "`pml doctor` shows the servers; the capability works again when the tool is back.",
    data: { tool: id },
  });
}

function knownTool(id: ToolId, index: ToolIndex): KnownTool {
  const tool = index.find([id]);
  if (tool !== undefined) return tool;
  throw toolGone(id);
}

function unitOf(
  { ref, capability }: Callee,
  { stored, analysis }: LoadedCapability,
  asker: Scope,
): SandboxCapability {
  return {
    ref,
    displayName: shownName(capability, asker),
    version: stored.version,
    code: analysis.runnableCode,
    parameters: analysis.freeParameters,
    lifted: analysis.liftedParameters,
    calls: analysis.dependencies,
    schema: withoutDefaults(stored.parameters, analysis.liftedParameters),
  };
}

/** The defaults of lifted parameters are already in the code, and may be long. */
function withoutDefaults(schema: ParametersSchema, lifted: readonly string[]): ParametersSchema {
  if (lifted.length === 0) return schema;
  const names = new Set(lifted);
  const properties = Object.entries(schema.properties).map(([name, property]): [string, Json] => {
    if (!names.has(name) || !isJsonObject(property)) return [name, property];
    const { default: _, ...rest } = property;
    return [name, rest as Json];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Where an instance of PML runs. */
export type InstanceRole = "local" | "cloud";

/** An instance in the cloud has no local tools of a person: code that needs them is refused before anything runs. */
export function refuseLocal(role: InstanceRole | undefined, name: string, routing: Routing): void {
  if (role !== "cloud" || routing !== "local") return;
  throw new PmlError(
    "ROUTING_REFUSED",
    `Cannot run ${name} here: its routing is local, and this instance runs in the cloud (--role cloud)`,
    {
      hint: "Run it on a local instance. If its tools can be reached from here, set routing: cloud for their server in mcp-permissions.yaml, or for the capability in cap_save.",
      data: { routing },
    },
  );
}
