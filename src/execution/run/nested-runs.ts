/**
 * Capabilities that ran inside a run, as separate uses: each with its own trace, below its caller's trace.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { sha256Hex } from "../../base/sha256.js";
import { type CapabilityRef, fqdnOfRef } from "../../registry/capability-ref.js";
import type { CapabilityUse, DecisionTaken, LoopPassed, RunTrace } from "../../registry/capability-store.js";
import type { TaskReport } from "../ports/execute-answer.js";
import type { SandboxCapability } from "../ports/sandbox.js";

/** A capability call by code, as the run reports it. */
export interface CapabilityRun {
  readonly ref: CapabilityRef;
  /** Its task in the run. */
  readonly taskId: string;
  /** The capability call that made this one; absent for the main code. */
  readonly parentTaskId?: string;
  readonly success: boolean;
  /** The run ended before this call, perhaps for another reason: it counts neither as success nor as failure. */
  readonly isUnfinished?: true;
  readonly durationMs: number;
  /** JSON of its arguments; absent if not known. */
  readonly argsText?: string;
  readonly executedPath: readonly string[];
  readonly decisions: readonly DecisionTaken[];
  readonly loops: readonly LoopPassed[];
  /** The calls that it made itself. */
  readonly tasks: readonly TaskReport[];
}

/** In the order given; `run` is the trace of the main code. */
export async function nestedUses(
  runs: readonly CapabilityRun[],
  capabilities: readonly SandboxCapability[],
  run: RunTrace,
): Promise<readonly CapabilityUse[]> {
  const units = new Map(capabilities.map((unit) => [unit.ref, unit]));
  const traced = runs.slice(0, LIMITS.nestedTraces);
  const traceIds = new Map(
    await Promise.all(
      traced.map(async ({ taskId }) => [taskId, await traceIdOf(run.workflowId, taskId)] as const),
    ),
  );
  const uses = runs.map(async (call, index): Promise<CapabilityUse | undefined> => {
    const unit = units.get(call.ref);
    if (unit === undefined) return undefined;
    const isTraced = index < traced.length;
    const { taskId, parentTaskId = "" } = call;
    const argsHash = isTraced ? await argsHashOf(call, unit) : undefined;
    return {
      fqdn: fqdnOfRef(call.ref),
      version: unit.version,
      ...(isTraced ? {} : { isUntraced: true }),
      trace: {
        traceId: traceIds.get(taskId) ?? crypto.randomUUID(),
        parentTraceId: traceIds.get(parentTaskId) ?? run.traceId,
        taskId,
        workflowId: run.workflowId,
        intent: run.intent,
        executedPath: call.executedPath,
        decisions: call.decisions,
        loops: call.loops,
        tasks: call.tasks.map((task) => keptTask(task)),
        success: call.success,
        durationMs: call.durationMs,
        ...(argsHash !== undefined && { argsHash }),
        executedAt: run.executedAt,
        scope: run.scope,
      },
    };
  });
  return (await Promise.all(uses)).filter((use) => use !== undefined);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The trace of a run has the id of its workflow, and the ids of calls inside are derived from it. So a run that a
 * gateway continues without knowing that its end was already written is not counted twice.
 */
export async function traceIdOf(workflowId: string, taskId?: string): Promise<string> {
  if (taskId === undefined) return UUID.test(workflowId) ? workflowId : crypto.randomUUID();
  const hex = await sha256Hex(`${workflowId} ${taskId}`);
  // A version 8 UUID, which allows an implementation-defined hash.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The stored form of a task: without its result. */
export function keptTask(
  { taskId, tool, success, durationMs }: TaskReport,
  starts?: ReadonlyMap<string, number>,
): Json {
  const startMs = starts?.get(taskId);
  return { taskId, tool, success, durationMs, ...(startMs === undefined ? {} : { startMs }) };
}

/** As for a call by name: the defaults of the schema count as given. */
async function argsHashOf({ argsText }: CapabilityRun, { schema }: SandboxCapability) {
  if (argsText === undefined) return undefined;
  const given = JSON.parse(argsText) as Json;
  if (!isJsonObject(given)) return undefined;
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {};
  const merged: Record<string, Json> = Object.assign(Object.create(null), given);
  for (const [name, property] of Object.entries(properties))
    if (!Object.hasOwn(merged, name) && isJsonObject(property) && property.default !== undefined)
      merged[name] = property.default as Json;
  return await sha256Hex(canonicalJson(merged));
}
