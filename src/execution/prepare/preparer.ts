/**
 * Turns a request into a run that is ready: sent code, a capability, a graph of tasks, or a tool that a client calls
 * itself. All refusals before a run happen here.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import { traced } from "../../base/trace-context.js";
import type { Capability } from "../../registry/capability.js";
import { formatCapabilityRef, refAt } from "../../registry/capability-ref.js";
import type { CapabilityRegistry, FoundCapability } from "../../registry/capability-registry.js";
import { type Dag, isDag } from "../../registry/definition.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import { troubleText } from "../../registry/trust.js";
import { capabilityUsage, type UsageRow } from "../../registry/usage.js";
import { type ExecuteRequest, elapsedMs, type RunStart } from "../ports/execute-answer.js";
import { analyseSent, problemsError } from "./analyse-code.js";
import type { CapabilityLoader } from "./capability-loader.js";
import { checkDag } from "./check-dag.js";
import { type DagTasks, dagCode, dagProblems, storedTasks, taskNamesOf } from "./dag-code.js";
import { mergeArguments, type SchemaCheck } from "./merge-arguments.js";
import { checkName, checkTag, holderOf, knownAs } from "./name-check.js";
import { type OwnFileCheck, withOwnFiles } from "./own-files.js";
import { type InstanceRole, type MainCode, planRun, type RunPlan, refuseLocal } from "./plan-run.js";
import type { PreparedRun } from "./prepared-run.js";
import type { LiveTools } from "./tool-index.js";

/** The parts for analysing and planning code. */
export interface CodeParts {
  readonly registry: CapabilityRegistry;
  readonly loader: CapabilityLoader;
  readonly tools: LiveTools;
  readonly checkSchema: SchemaCheck;
}

export interface PreparerOptions extends CodeParts {
  readonly usage: (row: UsageRow) => void;
  /** Where this instance runs; default: local. */
  readonly role?: InstanceRole;
  readonly ownFiles: OwnFileCheck;
  /** Throws if a tool of the version has changed so that the version cannot work. */
  readonly refuseBroken?: (
    found: Pick<FoundCapability, "capability" | "version">,
    scope: Scope,
  ) => Promise<void>;
  /** Arguments that a user always gave, and that were never confirmed or rejected; they are optional. */
  readonly usual?: UsualArguments;
}

type UsualArguments = (fqdn: Fqdn, scope: Scope) => Readonly<Record<string, Json>>;

/** With this many uses, naming an unnamed capability is suggested. */
const NAME_AFTER_USES = 5;

export class Preparer {
  readonly #options: PreparerOptions;

  constructor(options: PreparerOptions) {
    this.#options = options;
  }

  async prepare(request: ExecuteRequest, scope: Scope, start: RunStart): Promise<PreparedRun> {
    const { capability = "" } = request;
    if ((request.code ?? request.dag ?? request.tool) !== undefined)
      return analysis(start, async () => this.#guarded(await this.#sent(request, scope)));
    return this.capability(await this.#options.registry.find(capability, scope), request, scope, start);
  }

  /** Counts a call that leads to no run, unless it was only considered. */
  async capability(
    { capability, version, warnings }: FoundCapability,
    request: ExecuteRequest,
    scope: Scope,
    start: RunStart,
  ): Promise<PreparedRun> {
    const { fqdn, displayName } = capability;
    try {
      const { tasks, ...prepared } = await analysis(start, () =>
        this.#stored(capability, version, request, scope),
      );
      return this.#guarded(
        asDagRun(
          {
            ...prepared,
            request,
            again: { ...request, capability: formatCapabilityRef({ fqdn, version }) },
            of: { capability, version },
            warnings: [...warnings, ...unnamedWarnings(capability), ...troubleWarnings(capability, version)],
          },
          tasks,
        ),
      );
    } catch (error) {
      const errorCode = error instanceof PmlError ? { errorCode: error.code } : {};
      const call = { calledAt: new Date(), durationMs: elapsedMs(start), success: false, ...errorCode };
      if (start.mode !== "speculation") this.#options.usage(capabilityUsage(displayName, scope, call));
      throw error;
    }
  }

  #sent(request: ExecuteRequest, scope: Scope): Promise<PreparedRun> {
    const { code = "", dag, tool } = request;
    if (dag !== undefined) return this.#dag(request, dag, scope);
    return tool === undefined ? this.#code(request, code, scope) : this.#tool(request, tool, scope);
  }

  /** `definition` is the graph that the code was generated from, if it was generated. */
  async #code(request: ExecuteRequest, code: string, scope: Scope, definition?: Dag): Promise<PreparedRun> {
    const { registry, checkSchema, tools, role } = this.#options;
    const { name: text, options = {}, args: given = {} } = request;
    // The name may belong to a tool of a server that is still starting.
    if (text !== undefined) await tools.settled();
    const name = text === undefined ? undefined : checkName(text, scope, tools.tools());
    checkTag(options.version_tag);
    const analysis = await analyseSent(code, scope, registry, tools);
    const problems = problemsError(analysis.problems);
    if (problems !== undefined) throw problems;
    const { parameters, liftedParameters, dependencies, warnings } = analysis;
    const codeHash = await sha256Hex(analysis.canonicalCode);
    const fqdn = name === undefined ? undefined : await holderOf(name, codeHash, options, scope, registry);
    const args = mergeArguments(
      given,
      parameters,
      schemaKey(codeHash, parameters),
      checkSchema,
      liftedParameters,
    );
    const main: MainCode = { name: name ?? "this code", code, analysis, ref: fqdn };
    const plan = await this.#plan(main, scope);
    refuseLocal(role, main.name, plan.routing);
    if (fqdn !== undefined && options.update === true)
      await registry.refuseDeepUpdate({ name: main.name, fqdn, dependencies }, scope);
    const known = knownAs(codeHash, request, scope, registry);
    const of = known && { capability: known, version: 1 };
    const sent = { name, definition };
    return { request, again: request, plan, args, codeHash, ...(of && { of }), sent, warnings };
  }

  /** Generates code from a graph; problems are reported at its tasks. */
  async #dag(request: ExecuteRequest, dag: Dag, scope: Scope): Promise<PreparedRun> {
    const checked = checkDag(dag);
    const made = dagCode(checked);
    const prepared = await this.#code(request, made.code, scope, dag).catch((error: unknown) => {
      throw error instanceof PmlError ? dagProblems(error, made) : error;
    });
    const names = taskNamesOf(checked, prepared.plan.main.analysis);
    return asDagRun(prepared, names && { dag: checked, names });
  }

  /** A tool that a client calls itself: treated as code with this one call, from which nothing is learnt. */
  async #tool(request: ExecuteRequest, tool: string, scope: Scope): Promise<PreparedRun> {
    const { registry, tools } = this.#options;
    const code = `return await mcp[${JSON.stringify(tool)}](args);`;
    const analysis = await analyseSent(code, scope, registry, tools);
    const [problem] = analysis.problems;
    if (problem !== undefined) throw new PmlError("TOOL_NOT_FOUND", problem.message);
    const plan = await this.#plan({ name: tool, code, analysis }, scope);
    const codeHash = await sha256Hex(analysis.canonicalCode);
    return { request, again: request, plan, args: request.args ?? {}, codeHash, warnings: [] };
  }

  async #stored(
    capability: Capability,
    version: number,
    { args: given = {} }: ExecuteRequest,
    scope: Scope,
  ): Promise<Pick<PreparedRun, "plan" | "args" | "codeHash"> & { readonly tasks: DagTasks | undefined }> {
    const { checkSchema, role, loader } = this.#options;
    const { fqdn, displayName, routing, routingSource } = capability;
    const isSaid = routingSource === "explicit";
    if (capability.troubles !== undefined) await this.#options.refuseBroken?.({ capability, version }, scope);
    // The record is about the newest version, unless a user has set its routing for all versions.
    if (isSaid || version === capability.version) refuseLocal(role, displayName, routing);
    const { stored, analysis } = await loader.load(capability, version, scope);
    const { parameters, definition, codeHash } = stored;
    const key = `${fqdn}@${version}`;
    const all = { ...this.#options.usual?.(fqdn, scope), ...given };
    const args = mergeArguments(all, parameters, key, checkSchema, analysis.liftedParameters);
    const main = { name: displayName, code: stored.code, analysis, ref: refAt(capability, version) };
    const plan = await this.#settledPlan(main, scope);
    // Its callees may have changed since.
    if (!isSaid) refuseLocal(role, displayName, plan.routing);
    const isGraph = definition !== undefined && isDag(definition);
    return { args, plan, codeHash, tasks: isGraph ? storedTasks(definition, analysis) : undefined };
  }

  /** A missing tool may belong to a server that is still starting. */
  async #settledPlan(main: MainCode, scope: Scope): Promise<RunPlan> {
    try {
      return await this.#plan(main, scope);
    } catch (error) {
      if (!(error instanceof PmlError) || error.code !== "TOOL_NOT_FOUND") throw error;
      await this.#options.tools.settled();
      return this.#plan(main, scope);
    }
  }

  #plan(main: MainCode, scope: Scope): Promise<RunPlan> {
    const { registry, loader, tools } = this.#options;
    return planRun(main, scope, registry, loader, tools.planTools());
  }

  #guarded(prepared: PreparedRun): PreparedRun {
    return withOwnFiles(prepared, this.#options.ownFiles);
  }
}

function analysis<T>({ trace }: RunStart, work: () => Promise<T>): Promise<T> {
  return traced(trace, "pml.analysis", {}, work);
}

/** The same code has other parameters when the schemas of its tools change. */
export function schemaKey(codeHash: string, parameters: Capability["parameters"]): string {
  return `${codeHash} ${JSON.stringify(parameters)}`;
}

function asDagRun(prepared: PreparedRun, tasks: DagTasks | undefined): PreparedRun {
  if (tasks === undefined) return prepared;
  return { ...prepared, dag: tasks.dag, plan: { ...prepared.plan, taskNames: tasks.names } };
}

/** Only for the newest version, because trust is stored for that one. */
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
    `${displayName} was used ${usageCount} times and has no name; name it with cap_rename to list it as a tool.`,
  ];
}
