/**
 * A dry run: everything that is known about code or a capability before it runs, without running it.
 *
 * It is not counted and leaves no trace. All problems that would stop the run are reported together, and tools that
 * need a person's approval are listed among the permissions: only the run itself asks.
 *
 * @module
 */
import type { Analysis, CallSite, CodePosition } from "../../analysis/analysis.js";
import { certainPath, type StaticStructure } from "../../analysis/static-structure.js";
import { SourceText } from "../../analysis/syntax/source-text.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { type CapabilityRef, refAt } from "../../registry/capability-ref.js";
import type { FoundCapability } from "../../registry/capability-registry.js";
import { type Dag, isDag } from "../../registry/definition.js";
import { dependencyClosure, existingCallee } from "../../registry/dependency-closure.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import { canSee } from "../../registry/visibility.js";
import {
  type CodePermissions,
  capabilityFields,
  type DryRunAnswer,
  type DryRunProblem,
  type ExecuteRequest,
  elapsedMs,
  type RunStart,
} from "../ports/execute-answer.js";
import { analyseSent, analyseStored } from "./analyse-code.js";
import { checkDag } from "./check-dag.js";
import { atTasks, dagCode, storedTasks } from "./dag-code.js";
import { mergeArguments } from "./merge-arguments.js";
import { checkName, checkTag, holderOf } from "./name-check.js";
import { permissionsOf, type ReachedCapability } from "./permissions.js";
import { type MainCode, toolDenied, toolGone, toolQuarantined } from "./plan-run.js";
import { type CodeParts, schemaKey } from "./preparer.js";

interface Subject {
  readonly main: MainCode;
  readonly asker: Scope;
  readonly problems: DryRunProblems;
  /** The version that already has this code. */
  readonly known: KnownVersion | undefined;
  readonly warnings: readonly string[];
}

interface KnownVersion {
  readonly capability: Capability;
  readonly version: number;
}

/** A capability reached through a direct call of the code. */
interface Reached extends ReachedCapability {
  /** The direct callee of the code on the way there. */
  readonly through: CapabilityRef;
}

export class DryRun {
  readonly #options: CodeParts;

  constructor(options: CodeParts) {
    this.#options = options;
  }

  async look(request: ExecuteRequest, scope: Scope, run: RunStart): Promise<DryRunAnswer> {
    const { code, dag, capability } = request;
    if (code !== undefined) return this.#code(request, code, scope, run);
    if (dag !== undefined) return this.#dag(request, dag, scope, run);
    if (capability === undefined)
      throw new PmlError("ARGUMENTS_INVALID", "Cannot do a dry run: expected code, a dag or a capability");
    return this.#capability(await this.#options.registry.find(capability, scope), request, scope, run);
  }

  async #code(request: ExecuteRequest, code: string, asker: Scope, run: RunStart): Promise<DryRunAnswer> {
    const { tools, registry } = this.#options;
    const { name: text, options = {} } = request;
    // The name may belong to a tool of a server that is still starting.
    if (text !== undefined) await tools.settled();
    const analysis = await analyseSent(code, asker, registry, tools);
    const problems = new DryRunProblems(code, analysis);
    const codeHash = await sha256Hex(analysis.canonicalCode);
    await problems.attempt(() => checkTag(options.version_tag));
    const fqdn = await problems.attempt(async () => {
      if (text === undefined) return undefined;
      return holderOf(checkName(text, asker, tools.tools()), codeHash, options, asker, registry);
    });
    const { parameters, warnings } = analysis;
    await this.#checkArguments(request, analysis, schemaKey(codeHash, parameters), problems);
    const main: MainCode = { name: text ?? "this code", code, analysis, ref: fqdn };
    if (fqdn !== undefined && options.update === true) await this.#checkCallers(main, fqdn, asker, problems);
    const known = await this.#knownAs(codeHash, asker);
    return this.#answer(run, { main, asker, problems, known, warnings });
  }

  /** For a graph of tasks: every problem is reported at its task. */
  async #dag(request: ExecuteRequest, dag: Dag, scope: Scope, run: RunStart): Promise<DryRunAnswer> {
    const checked = checkDag(dag);
    const { tasks } = checked;
    const made = dagCode(checked);
    const answer = await this.#code(request, made.code, scope, run);
    // Nodes that call are in the order of the tasks.
    const calls = answer.dag.nodes.filter(({ type }) => type === "task" || type === "capability");
    const taskIds = Object.fromEntries(calls.map(({ id }, index) => [id, tasks[index]?.id ?? ""]));
    const problems = atTasks(answer.problems, made);
    return { ...answer, ...(calls.length === tasks.length && { taskIds }), problems };
  }

  /** For a capability: its stored code, with the current schemas of its tools. */
  async #capability(
    { capability, version, warnings }: FoundCapability,
    request: ExecuteRequest,
    asker: Scope,
    run: RunStart,
  ): Promise<DryRunAnswer> {
    const { fqdn, displayName } = capability;
    const { stored, analysis: saved } = await this.#options.loader.load(capability, version, asker);
    const { parameters, definition } = stored;
    const { liftedParameters } = saved;
    const { code, analysis: seen } = await this.#analyseStored(stored, asker);
    // A call by name is checked against the stored parameters.
    const analysis = { ...seen, parameters, liftedParameters };
    const problems = new DryRunProblems(code, analysis);
    await this.#checkArguments(request, analysis, `${fqdn}@${version}`, problems);
    const answer = await this.#answer(run, {
      main: { name: displayName, ref: refAt(capability, version), code, analysis },
      asker,
      problems,
      known: { capability, version },
      warnings: [...warnings, ...analysis.warnings],
    });
    const isGraph = definition !== undefined && isDag(definition);
    const tasks = isGraph ? storedTasks(definition, analysis) : undefined;
    return tasks === undefined ? answer : { ...answer, taskIds: Object.fromEntries(tasks.names) };
  }

  /**
   * Checks the callers of the updated capability, and reports the problem at the call that makes the chain too deep.
   */
  async #checkCallers(
    { name, analysis }: MainCode,
    fqdn: Fqdn,
    scope: Scope,
    problems: DryRunProblems,
  ): Promise<void> {
    const { registry } = this.#options;
    for (const through of analysis.dependencies)
      await problems.attempt(
        () => registry.refuseDeepUpdate({ name, fqdn, dependencies: [through] }, scope),
        through,
      );
  }

  /** A missing tool may belong to a server that is still starting. */
  async #analyseStored(
    stored: CapabilityVersion,
    asker: Scope,
  ): Promise<{ readonly code: string; readonly analysis: Analysis }> {
    const find = await this.#options.registry.know(stored.dependencies, asker);
    const isThere = (id: ToolId) => this.#options.tools.tools().find([id]) !== undefined;
    if (!stored.toolsUsed.every(isThere)) await this.#options.tools.settled();
    const index = this.#options.tools.tools();
    const toolOf = (id: ToolId) => index.find([id]);
    return analyseStored(stored, find, toolOf);
  }

  async #checkArguments(
    { args }: ExecuteRequest,
    { parameters, liftedParameters }: Analysis,
    schemaKey: string,
    problems: DryRunProblems,
  ): Promise<void> {
    if (args === undefined) return;
    const { checkSchema } = this.#options;
    await problems.attempt(() => mergeArguments(args, parameters, schemaKey, checkSchema, liftedParameters));
  }

  /** The capability that has exactly this code, if the asker may see it. */
  async #knownAs(codeHash: string, { org, project, ...scope }: Scope): Promise<KnownVersion | undefined> {
    const { registry } = this.#options;
    const known = await registry.store.findByCode(org, project, codeHash);
    if (known === undefined) return undefined;
    await registry.know([known.fqdn]);
    const capability = registry.directory.get(known.fqdn);
    if (capability === undefined || !canSee(capability, { org, project, ...scope })) return undefined;
    return { capability, version: known.version };
  }

  async #answer(run: RunStart, subject: Subject): Promise<DryRunAnswer> {
    const { main, asker, problems, known, warnings } = subject;
    const { analysis } = main;
    const { parameters, liftedParameters, structure } = analysis;
    const reached = await this.#reached(main, asker, problems);
    const permissions = await this.#permissions(analysis, reached);
    for (const id of permissions.missing) problems.add(toolGone(id), placeOf(id, analysis, reached));
    for (const { tool, approvalMode, reason } of permissions.tools)
      if (approvalMode === "deny") problems.add(toolDenied(tool, reason), placeOf(tool, analysis, reached));
    for (const { tool, quarantined } of permissions.tools)
      if (quarantined !== undefined)
        problems.add(toolQuarantined(tool, quarantined), placeOf(tool, analysis, reached));
    const predicted = await this.#predicted(structure, known);
    const hidden = await this.#options.registry.hiddenNames(analysis.dependencies, asker);
    return hidden.everywhere({
      status: "dry_run",
      mode: run.mode,
      ...(known && { ...capabilityFields(known.capability), capabilityVersion: known.version }),
      workflowId: run.workflowId,
      executionTimeMs: elapsedMs(run),
      tasks: [],
      dag: structure,
      parameters,
      ...(liftedParameters.length > 0 && { liftedParameters }),
      permissions,
      problems: problems.all(),
      ...predicted,
      ...(warnings.length > 0 && { warnings }),
    });
  }

  /**
   * Every capability that the code calls, directly or not; problems are reported at the direct call that leads there.
   */
  async #reached(
    { name, ref: own, analysis }: MainCode,
    asker: Scope,
    problems: DryRunProblems,
  ): Promise<readonly Reached[]> {
    const { registry } = this.#options;
    const find = await registry.know(analysis.dependencies, asker);
    const reached = new Map<CapabilityRef, Reached>();
    for (const through of analysis.dependencies) {
      const start = { name, dependencies: [through], ...(own && { ref: own }) };
      const refs = await problems.attempt(() => dependencyClosure(start, find), through);
      for (const ref of refs ?? []) {
        if (reached.has(ref)) continue;
        const callee = existingCallee(ref, find, [name]);
        const loaded = await problems.attempt(
          () => this.#options.loader.load(callee.capability, callee.version, asker),
          through,
        );
        if (loaded === undefined) continue;
        const { toolsUsed, hasComputedCalls } = loaded.analysis;
        reached.set(ref, { through, name: callee.name, toolsUsed, hasComputedCalls });
      }
    }
    return [...reached.values()];
  }

  /** A missing tool may belong to a server that is still starting. */
  async #permissions(analysis: Analysis, closure: readonly Reached[]): Promise<CodePermissions> {
    const permissions = permissionsOf({ analysis, closure, ...this.#options.tools.planTools() });
    if (permissions.missing.length === 0) return permissions;
    await this.#options.tools.settled();
    return permissionsOf({ analysis, closure, ...this.#options.tools.planTools() });
  }

  async #predicted(
    structure: StaticStructure,
    known: KnownVersion | undefined,
  ): Promise<Pick<DryRunAnswer, "predictedPath" | "predictedBy">> {
    const { store } = this.#options.registry;
    const taken =
      known === undefined ? undefined : await store.dominantPath(known.capability.fqdn, known.version);
    return taken === undefined
      ? { predictedPath: certainPath(structure), predictedBy: "structure" }
      : { predictedPath: taken, predictedBy: "runs" };
  }
}

/** The direct callee of the code that leads to a tool. */
function placeOf(
  id: ToolId,
  { toolsUsed }: Analysis,
  reached: readonly Reached[],
): ToolId | CapabilityRef | undefined {
  if (toolsUsed.includes(id)) return id;
  return reached.find((one) => one.toolsUsed.includes(id))?.through;
}

/** The longest line that a problem quotes whole. */
const LINE_CHARS = 500;

/** Collects the problems of one piece of code. */
export class DryRunProblems {
  readonly #source: SourceText;
  readonly #calls: readonly CallSite[];
  readonly #found: DryRunProblem[] = [];

  constructor(code: string, { calls, problems }: Pick<Analysis, "calls" | "problems">) {
    this.#source = new SourceText(code);
    this.#calls = calls;
    this.#found.push(...problems);
  }

  /** Adds the error of `check` instead of throwing it. */
  async attempt<T>(check: () => T | Promise<T>, at?: CapabilityRef | ToolId): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      this.add(error, at);
      return undefined;
    }
  }

  /** `at` is the callee with the problem. */
  add(error: PmlError, at?: CapabilityRef | ToolId): void {
    const { code, message, hint, data } = error;
    const nearest = data?.nearest;
    this.#found.push({
      code,
      message,
      ...(at && this.#placeOf(at)),
      ...(hint !== undefined && { hint }),
      ...(isTexts(nearest) && nearest.length > 0 && { nearest }),
    });
  }

  /** Problems with a position come first, in that order; without duplicates. */
  all(): readonly DryRunProblem[] {
    const distinct = new Map(
      this.#found.map((one) => [`${one.line}:${one.column}:${one.code}:${one.message}`, one]),
    );
    const order = ({ line = Number.MAX_SAFE_INTEGER, column = 0 }: DryRunProblem) => ({ line, column });
    return [...distinct.values()].sort((a, b) => {
      const [first, second] = [order(a), order(b)];
      return first.line - second.line || first.column - second.column;
    });
  }

  #placeOf(callee: CapabilityRef | ToolId): Partial<CodePosition & { readonly text: string }> {
    const site = this.#calls.find(
      ({ target }) => (target.kind === "tool" ? target.id : target.ref) === callee,
    );
    if (site === undefined) return {};
    const { line, column } = site;
    const text = this.#source.line(line);
    return { line, column, text: text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text };
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
