/**
 * Learns from a run: counts its use, stores its trace, and makes a capability of code that succeeded. Returns notes for
 * the caller.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Learned } from "../../registry/capability-store.js";
import type { DisplayName } from "../../registry/display-name.js";
import { inferNamespace } from "../../registry/namespace.js";
import type { Scope } from "../../registry/scope.js";
import { type Signer, signWith } from "../../registry/signature.js";
import { isOperationId, type ToolId } from "../../registry/tool-id.js";
import { capabilityUsage, type UsageRow } from "../../registry/usage.js";
import { isSameTag } from "../../registry/version-spec.js";
import { canSee } from "../../registry/visibility.js";
import { elapsedMs, type RunStart } from "../ports/execute-answer.js";
import { checkName, holderOf, knownAs } from "../prepare/name-check.js";
import { routingOf } from "../prepare/plan-run.js";
import type { CachedRun, PreparedRun } from "../prepare/prepared-run.js";
import { unnamedWarnings } from "../prepare/preparer.js";
import { contentOf } from "../prepare/stored-structure.js";
import type { LiveTools } from "../prepare/tool-index.js";
import type { AfterAnswer } from "../run/after-answer.js";
import { endedDag } from "../run/dag-ending.js";
import { keptError } from "../run/given-values.js";
import type { RunReport } from "../run/run-bridge.js";
import { type EndedRun, type RunEnding, saysSomething } from "../run/runner.js";
import type { ResultShapes } from "./result-shapes.js";
import type { RunRecorder } from "./run-recorder.js";
import { coldRunOf, savedByCache, savedByRun, type TokenCost } from "./run-saving.js";

export interface LearningOptions {
  readonly registry: CapabilityRegistry;
  readonly signer: Signer;
  readonly tools: LiveTools;
  readonly recorder: RunRecorder;
  readonly shapes: ResultShapes;
  readonly usage: (row: UsageRow) => void;
  readonly tokenCost: TokenCost;
  readonly after: AfterAnswer;
}

export class Learning {
  readonly #options: LearningOptions;

  constructor(options: LearningOptions) {
    this.#options = options;
  }

  /** Must be called before the run: the store checks during the run whether the code is new. */
  expect({ plan: { main, tools }, codeHash, sent, of, request }: PreparedRun, scope: Scope): void {
    if (sent === undefined || of !== undefined || request.options?.remember === false) return;
    const toolsUsed = tools.map(({ id }) => id);
    const { source: code } = main.analysis;
    const inferredNamespace = inferNamespace({ tools: toolsUsed, code, intent: request.intent });
    this.#options.registry.store.expect?.({ scope, name: sent.name, codeHash, inferredNamespace, toolsUsed });
  }

  async ended(prepared: PreparedRun, run: EndedRun, scope: Scope): Promise<RunEnding> {
    const { dag } = prepared;
    const ending = await this.#ended(prepared, dag === undefined ? run : endedDag(run, dag), scope);
    return withWarnings(ending, await this.#options.shapes.ended(prepared, ending, scope));
  }

  /** Counts a run that was answered with the result of an earlier one. */
  async served(prepared: PreparedRun, cached: CachedRun, scope: Scope, start: RunStart): Promise<RunEnding> {
    const { of, sent, request, warnings } = prepared;
    const { recorder, shapes, usage, tokenCost } = this.#options;
    if (of === undefined) return { cached, warnings };
    const { capability, version } = of;
    const { fqdn, displayName } = capability;
    const durationMs = elapsedMs(start);
    if (request.options?.remember !== false)
      recorder.served({ fqdn, version, saved: savedByCache(prepared, durationMs, tokenCost) });
    if (sent === undefined) {
      const call = { calledAt: new Date(), durationMs, success: true };
      usage(capabilityUsage(displayName, scope, call));
    }
    const named = sent === undefined ? [] : unnamedWarnings(capability);
    const changed = await shapes.calleeWarnings(prepared, scope);
    return { cached, ...of, warnings: [...warnings, ...named, ...changed] };
  }

  /** A replayed run that took another path than before does not count for its capability. */
  diverged({ trace, report }: EndedRun, error: PmlError): void {
    this.#options.recorder.trace({ ...trace, success: false, ...keptError(error, report.given) });
  }

  async #ended(prepared: PreparedRun, ended: EndedRun, scope: Scope): Promise<RunEnding> {
    const { of, sent, request, codeHash, warnings } = prepared;
    const { recorder, registry, tokenCost, after } = this.#options;
    const isLearnt = request.options?.remember !== false;
    // A client has called a tool itself.
    if (of === undefined && sent === undefined) return ended;
    const isWhole = saysSomething(ended);
    // If a run was lost, only its calls that had already succeeded count.
    const nested = isWhole ? ended.nested : ended.nested.filter(({ trace }) => trace.success);
    recorder.nested(isLearnt ? nested : [], ended.called);
    const known = sent === undefined ? of?.capability : knownAs(codeHash, request, scope, registry);
    if (known === undefined) return this.#learnCode(prepared, ended, scope, isLearnt);
    const { trace, error } = ended;
    const version = of?.version ?? 1;
    after.add(() => {
      const isFromMemory = sent === undefined && error === undefined;
      const saving = isFromMemory ? { saved: savedByRun(prepared, ended, tokenCost) } : {};
      if (isLearnt && isWhole) recorder.use({ fqdn: known.fqdn, version, trace, ...saving });
      else recorder.trace(trace);
      if (sent !== undefined) return;
      const { executedAt: calledAt, durationMs } = trace;
      const errorCode = error === undefined ? {} : { errorCode: error.code };
      const call = { calledAt, durationMs, success: error === undefined, ...errorCode };
      this.#options.usage(capabilityUsage(known.displayName, scope, call));
    });
    const named = sent === undefined ? [] : unnamedWarnings(known);
    return { ...ended, capability: known, version, warnings: [...warnings, ...named] };
  }

  /** Learns code that is not a capability yet, or that becomes a new version. */
  async #learnCode(
    prepared: PreparedRun,
    ended: EndedRun,
    scope: Scope,
    isLearnt: boolean,
  ): Promise<RunEnding> {
    const { recorder } = this.#options;
    const unworthy = ended.error === undefined && isLearnt ? notRemembered(prepared, ended.report) : [];
    const before = [...prepared.warnings, ...unworthy];
    if (ended.error !== undefined || !isLearnt || unworthy.length > 0) {
      recorder.trace(ended.trace);
      return { ...ended, warnings: before };
    }
    try {
      const given = prepared.sent?.name;
      const hinted = given === undefined ? await this.#hintedName(prepared, ended, scope) : {};
      const learned = await this.#learn(prepared, given ?? hinted.name, ended, scope);
      const { capability, version } = learned;
      if (!canSee(capability, scope)) return { ...ended, warnings: [...before, KEPT_BY_ANOTHER] };
      const kept = await this.keptWarnings(learned, prepared.request.options?.version_tag);
      const isNewlyNamed = learned.kind !== "known" && capability.isNamed;
      const warnings = [...before, ...(hinted.refused ?? learnWarnings(learned, given)), ...kept];
      return { ...ended, capability, version, isNewlyNamed, warnings };
    } catch (error) {
      // The tools have already done their work: the run is a success, with a warning that the code was not saved.
      if (!(error instanceof PmlError)) throw error;
      recorder.trace(ended.trace);
      const { code, message } = error;
      const why = `The run succeeded, but the code was not saved: ${code}: ${message}`;
      return { ...ended, warnings: [...before, why] };
    }
  }

  /** The name that the code gave itself with `pml.hint`, if that name is free. */
  async #hintedName(
    { codeHash }: PreparedRun,
    { report }: EndedRun,
    scope: Scope,
  ): Promise<{ readonly name?: DisplayName; readonly refused?: readonly string[] }> {
    const text = report.hint?.name;
    if (text === undefined) return {};
    const { tools, registry } = this.#options;
    try {
      const name = checkName(text, scope, tools.tools());
      await holderOf(name, codeHash, {}, scope, registry);
      return { name };
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      return { refused: [`The name from pml.hint was not used: ${error.message}`] };
    }
  }

  /** Notes about a version that was just stored or already known: its tag, and who signed it. */
  async keptWarnings(learned: Learned, tag: string | undefined): Promise<readonly string[]> {
    const { registry, signer } = this.#options;
    const { capability, version, kind } = learned;
    const isTagged =
      tag === undefined ||
      kind === "created" ||
      kind === "updated" ||
      (await registry.versionsOf(capability)).some(
        (one) => one.version === version && isSameTag(one.versionTag, tag),
      );
    return [
      ...(isTagged ? [] : [`version_tag ${tag} was not used: this code is not a new version.`]),
      ...(kind !== "known" || signer.isTrusted(capability.signedBy, capability.org)
        ? []
        : [
            `This code is ${capability.displayName}, which was imported and signed with an untrusted key: it cannot be called by name until \`pml key trust\` accepts the key.`,
          ]),
    ];
  }

  async #learn(
    { plan: { main, tools }, codeHash, sent, request: { intent, options } }: PreparedRun,
    name: DisplayName | undefined,
    { report, trace }: EndedRun,
    scope: Scope,
  ): Promise<Learned> {
    const { registry, signer, tools: live } = this.#options;
    const { source: code } = main.analysis;
    // All tools that can be reached by name, also through capabilities, and those called by a computed name.
    const toolsUsed = [...new Set([...tools.map(({ id }) => id), ...report.toolsCalled])];
    return registry.learn(
      {
        ...contentOf(main.analysis, { code, codeHash, toolsUsed }, sent?.definition),
        scope,
        name,
        inferredNamespace: inferNamespace({ tools: toolsUsed, code, intent }),
        intent,
        description: report.hint?.description?.slice(0, LIMITS.intentChars),
        routing: routingOf(toolsUsed, live.planTools()),
        routingSource: "tools",
        versionTag: options?.version_tag,
        changeSummary: undefined,
        update: options?.update ?? false,
        trace,
        cold: coldRunOf(report),
      },
      signWith(signer),
    );
  }
}

/** Why code that succeeded is not remembered; empty if it is. */
function notRemembered(
  { plan }: Pick<PreparedRun, "plan">,
  { outcome, tasks, toolsCalled, unawaited }: RunReport,
): readonly string[] {
  if (unawaited !== undefined)
    return [
      `Not remembered: ${unawaited} not awaited. Await every call, also calls of your own async functions (\`await main()\`), and send the code again.`,
    ];
  const { toolsUsed, dependencies } = plan.main.analysis;
  if (callsOnlyOperations([...toolsUsed, ...toolsCalled], dependencies))
    return ["Not remembered: the code calls only operations of PML, such as cap:list."];
  const isNothing = outcome.kind === "returned" && outcome.text === "null" && tasks.length === 0;
  return isNothing ? ["Not remembered: the code returned nothing and called nothing."] : [];
}

/** Code that only manages PML is useful only once, so it is not remembered. */
export function callsOnlyOperations(
  tools: readonly ToolId[],
  dependencies: readonly CapabilityRef[],
): boolean {
  return tools.length > 0 && dependencies.length === 0 && tools.every(isOperationId);
}

/** The same code is one capability in a project; a private capability of another user must not be named. */
const KEPT_BY_ANOTHER =
  "The run succeeded, but the code was not saved: another user of this project has a private capability with identical code.";

/** Notes about code that was already known. */
export function learnWarnings(
  { kind, capability }: Learned,
  name: DisplayName | undefined,
): readonly string[] {
  if (kind === "known" && name !== undefined && name !== capability.displayName)
    return [
      `This code is already saved as ${capability.displayName} and keeps that name; cap_rename renames it.`,
    ];
  if (kind !== "known" && name !== undefined && name !== capability.displayName)
    return [
      `The name ${name} now belongs to a tool of a server: this capability is called ${capability.displayName}.`,
    ];
  return kind === "known" ? unnamedWarnings(capability) : [];
}

function withWarnings(ending: RunEnding, more: readonly string[]): RunEnding {
  return more.length === 0 ? ending : { ...ending, warnings: [...(ending.warnings ?? []), ...more] };
}
