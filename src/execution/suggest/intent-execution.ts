/**
 * An intent without code: the match is run if that is safe and certain (speculation), otherwise matches are suggested.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { fqdnOfRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry, FoundCapability } from "../../registry/capability-registry.js";
import {
  aboveFloor,
  type Certainty,
  type IntentJudge,
  type Match,
  type Matcher,
  NO_FLOOR,
} from "../../registry/matcher.js";
import type { Scope } from "../../registry/scope.js";
import type { Thresholds } from "../../registry/thresholds.js";
import { canSee } from "../../registry/visibility.js";
import type { ResultCache } from "../cache/run-cache.js";
import type { ExecuteAnswer, ExecuteRequest, RunStart } from "../ports/execute-answer.js";
import { type KnownTool, sessionOf } from "../ports/tool-box.js";
import type { Approval } from "../prepare/approval-policy.js";
import type { CapabilityLoader } from "../prepare/capability-loader.js";
import type { CachedRun, PreparedRun } from "../prepare/prepared-run.js";
import type { CurrentTools } from "../prepare/tool-index.js";
import { answerRun, type RunCaller, type RunEnding } from "../run/runner.js";
import {
  acceptingOf,
  bySure,
  type Candidate,
  doubtOf,
  missingOf,
  objectionOf,
  planObjection,
  rivalOf,
  SpeculationWatch,
} from "./speculation.js";
import type { SuggestionStats } from "./suggestion-stats.js";
import { type FittingCapability, type FoundTool, suggestionsOf, type WireNameOf } from "./suggestions.js";

export interface IntentOptions {
  readonly matcher: Matcher & IntentJudge;
  readonly isReadOnly: (tool: KnownTool) => boolean;
  readonly wireNameOf: WireNameOf;
  readonly cache?: Pick<ResultCache, "findByIntent"> | undefined;
  readonly suggestionStats: SuggestionStats;
  readonly thresholds: Thresholds;
}

export interface IntentParts {
  readonly registry: CapabilityRegistry;
  readonly tools: CurrentTools;
  readonly loader: CapabilityLoader;
  readonly approvalOf: (tool: KnownTool) => Approval;
  prepare(
    found: FoundCapability,
    request: ExecuteRequest,
    scope: Scope,
    start: RunStart,
  ): Promise<PreparedRun>;
  served(prepared: PreparedRun, cached: CachedRun, scope: Scope, start: RunStart): Promise<RunEnding>;
  run(prepared: PreparedRun, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer>;
}

const TOOLS = 10;
const CAPABILITIES = 5;
/** Of those that are not among the best half: of a task with many steps, even the right ones score little. */
const SHOWN_FROM = 0.1;
/** A share of the best capability's score; tools below it are not shown to a caller who gave values. */
const TOOL_SHARE = 0.5;
const NOTHING_FITS = "Nothing matches this intent.";

/** What fits, best first, and how many more score too low to be suggested. */
interface Fitting<T> {
  readonly found: readonly T[];
  readonly leftOut: number;
}

export class IntentExecution {
  readonly #options: IntentOptions;
  readonly #parts: IntentParts;
  readonly #watch: SpeculationWatch;

  constructor(options: IntentOptions, parts: IntentParts) {
    this.#options = options;
    this.#parts = parts;
    this.#watch = new SpeculationWatch(options.thresholds, options.matcher);
  }

  /** Runs what is meant for sure; else suggests, and says of each why it was not run. */
  async speculate(request: ExecuteRequest, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const known = await this.#remembered(request, caller, start);
    if (known !== undefined) return known;
    const { scope } = caller;
    const { args = {} } = request;
    const { found, leftOut } = await this.#capabilities(request.intent, scope);
    const { thresholds, matcher } = this.#options;
    const judge = <T extends Candidate>(one: T) => ({
      ...one,
      certainty: matcher.certainty(request.intent, args, one.capability),
    });
    const judged = found.map(judge);
    await thresholds.read(scope);
    const sure = thresholds.of("speculation", scope);
    const others = this.#accepting(args, scope, found).map(judge);
    const sorted = bySure(
      [...judged, ...others.filter(({ certainty }) => certainty.score >= sure)],
      args,
      scope,
    );
    const [best] = sorted;
    let notRun =
      best === undefined ? undefined : (doubtOf(sorted, sure) ?? objectionOf(best.capability, args, scope));
    if (best !== undefined && notRun === undefined) {
      const { capability, certainty } = best;
      const prepared = await this.#prepared(
        capability,
        capability.version,
        request,
        caller,
        start,
        certainty,
      );
      if (typeof prepared !== "string") {
        this.#options.suggestionStats.searched(true);
        const answer = await this.#parts.run(prepared, caller, start);
        this.#watch.ended(request.intent, best.capability.fqdn, answer, caller);
        return answer;
      }
      notRun = prepared;
    }
    const told = judged.map(({ capability, score, certainty }) => ({
      capability,
      score,
      missing: missingOf(capability, args),
      notRun:
        best === undefined || capability.fqdn === best.capability.fqdn
          ? notRun
          : (objectionOf(capability, args, scope) ?? rivalOf({ capability, score, certainty }, best)),
    }));
    return this.#suggest(request.intent, { found: told, leftOut }, caller, start);
  }

  async suggest({ intent }: ExecuteRequest, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    return this.#suggest(intent, await this.#capabilities(intent, caller.scope), caller, start);
  }

  /** What is run now may be what was suggested before. Tools are seen where they are called. */
  used(prepared: PreparedRun, caller: RunCaller): void {
    const { of, plan } = prepared;
    const session = sessionOf(caller);
    const stats = this.#options.suggestionStats;
    this.#watch.used(prepared, caller);
    if (of !== undefined) stats.used(session, of.capability.fqdn);
    for (const { ref } of plan.units) stats.used(session, fqdnOfRef(ref));
  }

  /** A result that an intent nearly like this one, with the same arguments, was answered with before. */
  async #remembered(
    request: ExecuteRequest,
    caller: RunCaller,
    start: RunStart,
  ): Promise<ExecuteAnswer | undefined> {
    const { intent, args = {}, options } = request;
    if (options?.no_cache === true) return undefined;
    const hit = await this.#options.cache?.findByIntent(intent, args, caller.scope);
    if (hit === undefined) return undefined;
    const { capability, version, level, text } = hit;
    if (objectionOf(capability, args, caller.scope) !== undefined) return undefined;
    const prepared = await this.#prepared(capability, version, request, caller, start);
    if (typeof prepared === "string") return undefined;
    this.#options.suggestionStats.searched(true);
    return answerRun(start, await this.#parts.served(prepared, { level, text }, caller.scope, start));
  }

  /** Ready to run, or why it is not run. */
  async #prepared(
    capability: Capability,
    version: number,
    request: ExecuteRequest,
    caller: RunCaller,
    start: RunStart,
    certainty?: Certainty,
  ): Promise<PreparedRun | string> {
    const { prepare, registry } = this.#parts;
    try {
      const prepared = await prepare({ capability, version, warnings: [] }, request, caller.scope, start);
      const judge = { directory: registry.directory, isReadOnly: this.#options.isReadOnly };
      return planObjection(capability, certainty, prepared.plan, caller.scope, judge) ?? prepared;
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      return error.message;
    }
  }

  #capabilities(intent: string, scope: Scope): Promise<Fitting<Candidate>> {
    const { directory } = this.#parts.registry;
    return this.#fitting(intent, scope, "capability", CAPABILITIES, (match) => {
      const capability = match.kind === "capability" ? directory.getFor(match.id, scope) : undefined;
      return capability === undefined || !canSee(capability, scope)
        ? []
        : [{ capability, score: match.score }];
    });
  }

  /** What takes these arguments beside what was found. */
  #accepting(
    args: Readonly<Record<string, Json>>,
    scope: Scope,
    found: readonly Candidate[],
  ): readonly Candidate[] {
    const { directory } = this.#parts.registry;
    const known = new Set(found.map(({ capability }) => capability.fqdn));
    return acceptingOf(directory.all(), args, scope).flatMap(({ fqdn }) => {
      const capability = known.has(fqdn) ? undefined : directory.getFor(fqdn, scope);
      return capability !== undefined && canSee(capability, scope) ? [{ capability, score: 0 }] : [];
    });
  }

  async #tools(intent: string, scope: Scope): Promise<Fitting<FoundTool>> {
    const { tools, approvalOf } = this.#parts;
    // The right tool may belong to a server that is still starting.
    await tools.settled();
    const index = tools.tools();
    return this.#fitting(intent, scope, "tool", TOOLS, (match) => {
      const tool = match.kind === "tool" ? index.find([match.id]) : undefined;
      if (tool === undefined || tool.quarantined !== undefined) return [];
      return approvalOf(tool).mode === "deny" ? [] : [{ tool, score: match.score }];
    });
  }

  /** Some that are found may not be used: so more are asked for. */
  async #fitting<T extends { readonly score: number }>(
    intent: string,
    scope: Scope,
    kind: Match["kind"],
    most: number,
    usableOf: (match: Match) => readonly T[],
  ): Promise<Fitting<T>> {
    let floor = NO_FLOOR;
    const found = await this.#options.matcher.match(intent, scope, {
      kind,
      limit: 2 * most,
      onRanked: (_, usual) => {
        floor = usual;
      },
    });
    const usable = found.flatMap(usableOf).slice(0, most);
    const fitting = aboveFloor(usable, floor, ({ score }) => score);
    const best = Math.ceil(most / 2);
    const shown = fitting.filter(({ score }, place) => place < best || score >= SHOWN_FROM);
    return { found: shown, leftOut: usable.length - shown.length };
  }

  async #suggest(
    intent: string,
    { found: capabilities, leftOut }: Fitting<FittingCapability>,
    caller: RunCaller,
    start: RunStart,
  ): Promise<ExecuteAnswer> {
    const fittingTools = await this.#tools(intent, caller.scope);
    // A caller who gives values wants to run something: beside a capability that fits, tools that fit less do not help.
    const best = start.mode === "speculation" ? Math.max(0, ...capabilities.map(({ score }) => score)) : 0;
    const tools = fittingTools.found.filter(({ score }) => score >= best * TOOL_SHARE);
    const withCode = await Promise.all(capabilities.map((one) => this.#withStructure(one, caller.scope)));
    const stats = this.#options.suggestionStats;
    stats.searched(tools.length + capabilities.length > 0);
    for (const { tool } of tools) stats.suggested(sessionOf(caller), tool.id);
    for (const { capability } of capabilities) stats.suggested(sessionOf(caller), capability.fqdn);
    const suggestions = await suggestionsOf(tools, withCode, this.#options.wireNameOf, caller.scope);
    const tooLow = leftOut + fittingTools.leftOut + fittingTools.found.length - tools.length;
    const told = {
      ...suggestions,
      ...(tooLow > 0 ? { left_out: tooLow } : {}),
      ...(tools.length + capabilities.length === 0 ? { note: NOTHING_FITS } : {}),
    };
    return { ...answerRun(start, {}), status: "suggestions", suggestions: told };
  }

  /** What it does is known where its code can be read; that it cannot is no reason not to suggest it. */
  async #withStructure(one: FittingCapability, scope: Scope): Promise<FittingCapability> {
    const { capability } = one;
    try {
      const { analysis } = await this.#parts.loader.load(capability, capability.version, scope);
      return { ...one, structure: analysis.structure };
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      return one;
    }
  }
}
