/**
 * A capability that is called by name: its stored code, run with the arguments of now.
 *
 * @module
 */
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { formatCapabilityRef, refAt } from "../../registry/capability-ref.js";
import type { CapabilityRegistry, FoundCapability } from "../../registry/capability-registry.js";
import type { CapabilityUse } from "../../registry/capability-store.js";
import { isDag } from "../../registry/definition.js";
import type { Scope } from "../../registry/scope.js";
import { troubleText } from "../../registry/trust.js";
import { capabilityUsage, type UsageRow } from "../../registry/usage.js";
import type { ExecuteRequest } from "../ports/execute-answer.js";
import type { RunStart } from "../run/answer-run.js";
import type { EndedRun, RunCaller } from "../run/runner.js";
import { rounded } from "../run/task-log.js";
import { asDagRun, type DagTasks, storedTasks } from "./dag-tasks.js";
import { mergeArguments, type SchemaCheck } from "./merge-arguments.js";
import { type InstanceRole, type MainCode, planRun, type RunPlan, refuseLocal } from "./plan-run.js";
import type { ExecutionParts, PreparedRun } from "./prepared-run.js";

export interface CapabilityExecutionOptions {
  readonly registry: CapabilityRegistry;
  readonly checkSchema: SchemaCheck;
  readonly usage: (row: UsageRow) => void;
  /** Where this instance runs; local when left out. */
  readonly role?: InstanceRole;
}

/** An unnamed capability that was used this often is worth a name. */
const NAME_AFTER_USES = 5;

export class CapabilityExecution {
  readonly #options: CapabilityExecutionOptions & ExecutionParts;

  constructor(options: CapabilityExecutionOptions & ExecutionParts) {
    this.#options = options;
  }

  /** Counts a call that comes to no run. */
  async prepare(
    { capability, version, warnings }: FoundCapability,
    request: ExecuteRequest,
    caller: RunCaller,
    run: RunStart,
  ): Promise<PreparedRun> {
    const { fqdn } = capability;
    const { scope } = caller;
    const { plan, args, codeHash, tasks } = await this.#prepare(capability, version, request, caller).catch(
      (error: unknown) => {
        // Nobody has called what was only considered.
        if (run.mode === "speculation") throw error;
        this.#count(capability, scope, {
          calledAt: new Date(),
          durationMs: rounded(performance.now() - run.startedAt),
          error,
        });
        throw error;
      },
    );
    const said = [...warnings, ...unnamedWarnings(capability), ...troubleWarnings(capability, version)];
    const of = { capability, version };
    const prepared: PreparedRun = {
      request,
      again: { ...request, capability: formatCapabilityRef({ fqdn, version }) },
      plan,
      args,
      codeHash,
      of,
      finish: async (ended) => {
        const { trace, error } = ended;
        const isLearnt = request.options?.remember !== false;
        if (isLearnt && saysSomething(ended)) this.#options.recorder.use({ fqdn, version, trace });
        else this.#options.recorder.trace(trace);
        this.#options.recorder.nested(isLearnt ? nestedOf(ended) : [], ended.called);
        const { executedAt: calledAt, durationMs } = trace;
        this.#count(capability, scope, { calledAt, durationMs, error });
        return { ...ended, ...of, warnings: said };
      },
      served: async (cached) => {
        if (request.options?.remember !== false) this.#options.recorder.served({ fqdn, version });
        const durationMs = rounded(performance.now() - run.startedAt);
        this.#count(capability, scope, { calledAt: new Date(), durationMs, error: undefined });
        return { cached, ...of, warnings: said };
      },
    };
    return tasks === undefined ? prepared : asDagRun(prepared, tasks);
  }

  /** Everything that can be refused before the code runs. */
  async #prepare(
    capability: Capability,
    version: number,
    { args: given = {} }: ExecuteRequest,
    { scope }: RunCaller,
  ): Promise<Pick<PreparedRun, "plan" | "args" | "codeHash"> & { readonly tasks: DagTasks | undefined }> {
    const { checkSchema, role } = this.#options;
    const { fqdn, displayName, routing, routingSource } = capability;
    const isSaid = routingSource === "explicit";
    // Of an older version the record says nothing, unless somebody has said it of all.
    if (isSaid || version === capability.version) refuseLocal(role, displayName, routing);
    const { stored, analysis } = await this.#options.loader.load(capability, version, scope);
    const args = mergeArguments(
      given,
      stored.parameters,
      `${fqdn}@${version}`,
      checkSchema,
      analysis.liftedParameters,
    );
    const main: MainCode = {
      name: displayName,
      ref: refAt(capability, version),
      code: stored.code,
      analysis,
    };
    const plan = await this.#settledPlan(main, scope);
    // What it calls may have changed since.
    if (!isSaid) refuseLocal(role, displayName, plan.routing);
    const { definition, codeHash } = stored;
    const tasks =
      definition !== undefined && isDag(definition) ? storedTasks(definition, analysis) : undefined;
    return { args, plan, codeHash, tasks };
  }

  /** A tool that is not there may be of a server that is still starting. */
  async #settledPlan(main: MainCode, asker: Scope): Promise<RunPlan> {
    const { registry } = this.#options;
    try {
      return await planRun(main, asker, registry, this.#options.loader, this.#options.runner.planTools());
    } catch (error) {
      if (!(error instanceof PmlError) || error.code !== "TOOL_NOT_FOUND") throw error;
      await this.#options.runner.settled();
      return planRun(main, asker, registry, this.#options.loader, this.#options.runner.planTools());
    }
  }

  #count({ displayName }: Capability, scope: Scope, { calledAt, durationMs, error }: Call): void {
    this.#options.usage(
      capabilityUsage(displayName, scope, {
        calledAt,
        durationMs,
        success: error === undefined,
        ...(error instanceof PmlError ? { errorCode: error.code } : {}),
      }),
    );
  }
}

/** One call as it is counted, whether or not it came to a run. */
interface Call {
  readonly calledAt: Date;
  readonly durationMs: number;
  readonly error: unknown;
}

/** A run that was cancelled, or lost with its process, says nothing about the capability. */
export function saysSomething({ error }: EndedRun): boolean {
  return error?.code !== "RUN_CANCELLED" && error?.code !== "SANDBOX_FAILED";
}

/** Of what a run called, what says something: what had ended well before the run was cancelled or lost. */
export function nestedOf(ended: EndedRun): readonly CapabilityUse[] {
  return saysSomething(ended) ? ended.nested : ended.nested.filter(({ trace }) => trace.success);
}

/** Of the newest version, which is what trust is kept for. */
function troubleWarnings(
  { version: newest, trust, troubles }: Capability,
  version: number,
): readonly string[] {
  const reason = version === newest ? troubleText(troubles) : undefined;
  return reason === undefined ? [] : [`${trust}: ${reason}`];
}

export function unnamedWarnings({ isNamed, usageCount, displayName }: Capability): readonly string[] {
  if (isNamed || usageCount < NAME_AFTER_USES) return [];
  return [
    `${displayName} was used ${usageCount} times and has no name; cap_rename gives it one, so that it is listed.`,
  ];
}
