/**
 * When an intent alone runs a capability: the match must be certain and the capability trusted. PML learns from the
 * outcome: the match was wrong if the same client soon asks for nearly the same and names something else to run.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityDirectory } from "../../registry/capability-directory.js";
import { splitCapabilityRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Certainty, Matcher } from "../../registry/matcher.js";
import type { Scope } from "../../registry/scope.js";
import type { Thresholds } from "../../registry/thresholds.js";
import { shownName } from "../../registry/visibility.js";
import type { ExecuteAnswer } from "../ports/execute-answer.js";
import { type KnownTool, sessionOf } from "../ports/tool-box.js";
import type { RunPlan } from "../prepare/plan-run.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { RunCaller } from "../run/runner.js";

/** The second-best match must score lower by at least this. */
const MARGIN = 0.05;
/** Judging one takes a third of a millisecond. */
const MOST_ACCEPTING = 30;
const NOT_CERTAIN = "the match is not certain enough to run automatically";

export interface Candidate {
  readonly capability: Capability;
  /** How well it matches, for the order in which it is shown. */
  readonly score: number;
}

/** A candidate with what decides whether it is run. */
export interface Judged extends Candidate {
  readonly certainty: Certainty;
}

/**
 * The most certain first. A capability of another project, or one that does not accept the arguments, is ignored if
 * there is another one, unless it matches clearly better: then the arguments are wrong, not the choice.
 */
export function bySure(
  found: readonly Judged[],
  args: Readonly<Record<string, Json>>,
  scope: Scope,
): readonly Judged[] {
  const sorted = found.toSorted((one, other) => other.certainty.score - one.certainty.score);
  const usable = sorted.filter(
    ({ capability }) => isOfProject(capability, scope) && misfitOf(capability, args) === undefined,
  );
  const [first] = sorted;
  const [best] = usable;
  return first !== undefined && (best === undefined || isWorse(best, first)) ? sorted : usable;
}

/** Why the first of these cannot be what was meant for sure; the most certain first. `sure` is the least score. */
export function doubtOf([best, second]: readonly Judged[], sure: number): string | undefined {
  if (best === undefined) return undefined;
  const { score, doubt } = best.certainty;
  if (score < sure) return doubt === undefined ? NOT_CERTAIN : `not certain enough: ${doubt}`;
  return second === undefined || isWorse(second, best) ? undefined : fitsAsWell(second);
}

/** Why one is not run that is not the best. */
export function rivalOf(one: Judged, best: Judged): string {
  return isWorse(one, best) ? `${best.capability.displayName} is a better match` : fitsAsWell(best);
}

function isWorse(one: Judged, best: Judged): boolean {
  return best.certainty.score - one.certainty.score >= MARGIN;
}

function fitsAsWell({ capability }: Candidate): string {
  return `${capability.displayName} is an equally good match`;
}

/** Names of parameters that must be given and are not. */
export function missingOf(
  { parameters: { required, properties } }: Capability,
  args: Readonly<Record<string, Json>>,
): readonly string[] {
  return required.filter((name) => {
    if (Object.hasOwn(args, name)) return false;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return !isJsonObject(property) || property.default === undefined;
  });
}

/** Why a capability is not run with these, by what its record says. */
export function objectionOf(
  capability: Capability,
  args: Readonly<Record<string, Json>>,
  scope: Scope,
): string | undefined {
  const { org, project, trust } = capability;
  // A bare name never means a capability of another project, and neither does an intent.
  if (!isOfProject(capability, scope)) return `it belongs to another project, ${org}.${project}`;
  if (trust !== "verified" && trust !== "provisional") return `it is ${trust}`;
  return misfitOf(capability, args);
}

function isOfProject({ org, project }: Capability, scope: Scope): boolean {
  return org === scope.org && project === scope.project;
}

/**
 * Some that words do not find, but that take exactly these arguments; those that are used most. A capability may be
 * meant in words that it has none of.
 */
export function acceptingOf(
  capabilities: Iterable<Capability>,
  args: Readonly<Record<string, Json>>,
  scope: Scope,
): readonly Capability[] {
  if (Object.keys(args).length === 0) return [];
  return [...capabilities]
    .filter((one) => !one.parameters.additionalProperties && objectionOf(one, args, scope) === undefined)
    .toSorted((one, other) => other.usageCount - one.usageCount)
    .slice(0, MOST_ACCEPTING);
}

/** Why it cannot take these arguments. */
function misfitOf(capability: Capability, args: Readonly<Record<string, Json>>): string | undefined {
  const { parameters } = capability;
  const unknown = parameters.additionalProperties
    ? []
    : Object.keys(args).filter((name) => !Object.hasOwn(parameters.properties, name));
  if (unknown.length > 0) return `it takes no ${listed(unknown)}`;
  const missing = missingOf(capability, args);
  return missing.length > 0 ? `it needs ${listed(missing)}` : undefined;
}

export interface PlanJudge {
  readonly directory: CapabilityDirectory;
  readonly isReadOnly: (tool: KnownTool) => boolean;
}

/**
 * Why a capability is not run because of its effects. A capability that is not verified may only read, and so
 * may one that calls it. An intent in other words is sometimes misunderstood, so it runs only capabilities
 * that read.
 */
export function planObjection(
  { trust }: Capability,
  certainty: Certainty | undefined,
  { tools, units, hasComputedCalls }: RunPlan,
  scope: Scope,
  { directory, isReadOnly }: PlanJudge,
): string | undefined {
  const own = tools.find(({ operation }) => operation === "writes");
  if (own !== undefined) return `it calls ${own.id}, which does not work inside a called capability`;
  let isProven = trust === "verified";
  for (const { ref } of units) {
    const { fqdn, version } = splitCapabilityRef(ref);
    const callee = directory.getFor(fqdn, scope);
    // What is said of trust is said of the newest version.
    if (callee === undefined || (version !== undefined && version !== callee.version)) continue;
    if (callee.trust !== "verified" && callee.trust !== "provisional")
      return `it calls ${shownName(callee, scope)}, which is ${callee.trust}`;
    isProven &&= callee.trust === "verified";
  }
  const isInOtherWords = certainty?.isInOtherWords === true;
  if (isProven && !isInOtherWords) return undefined;
  const why = isInOtherWords ? "the intent uses other words than earlier intents" : "it is not verified yet";
  const writing = tools.find((tool) => !isReadOnly(tool));
  if (writing !== undefined) return `${why}, and ${writing.id} may change things`;
  return hasComputedCalls ? `${why}, and the tools it calls are not known before the run` : undefined;
}

function listed(names: readonly string[]): string {
  return names
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 100)))
    .join(", ");
}

/** What is asked for later is asked for anew. */
const SOON_MS = 600_000;
const CONNECTIONS = 1_000;
/** As alike as one wording of an intent is to another. */
const SAME_INTENT = 0.95;
/** They say nothing about what was run. */
const NOBODYS_FAULT: ReadonlySet<string> = new Set(["RUN_CANCELLED", "SANDBOX_FAILED"]);

interface Speculated {
  readonly intent: string;
  readonly fqdn: Fqdn;
  readonly at: number;
}

export class SpeculationWatch {
  readonly #thresholds: Pick<Thresholds, "learn">;
  readonly #matcher: Pick<Matcher, "similarity">;
  readonly #now: () => number;
  readonly #speculated = new Map<string, Speculated>();

  constructor(
    thresholds: Pick<Thresholds, "learn">,
    matcher: Pick<Matcher, "similarity">,
    now: () => number = Date.now,
  ) {
    this.#thresholds = thresholds;
    this.#matcher = matcher;
    this.#now = now;
  }

  /** What was run on an intent has been answered for. */
  ended(intent: string, fqdn: Fqdn, { status, error }: ExecuteAnswer, caller: RunCaller): void {
    const { scope } = caller;
    if (status === "success") {
      this.#thresholds.learn("speculation", scope, "success");
      keepNewest(this.#speculated, sessionOf(caller), { intent, fqdn, at: this.#now() }, CONNECTIONS);
    } else if (status === "error" && !NOBODYS_FAULT.has(error?.code ?? ""))
      this.#thresholds.learn("speculation", scope, "failure");
  }

  used({ request, of }: PreparedRun, caller: RunCaller): void {
    const session = sessionOf(caller);
    const last = this.#speculated.get(session);
    if (last === undefined || this.#now() - last.at > SOON_MS) return;
    const { intent, code, dag, capability } = request;
    const isSaid = code !== undefined || dag !== undefined || capability !== undefined;
    if (!isSaid || of?.capability.fqdn === last.fqdn || !this.#isSame(intent, last.intent)) return;
    this.#speculated.delete(session);
    this.#thresholds.learn("speculation", caller.scope, "undone");
  }

  #isSame(one: string, other: string): boolean {
    return one === other || this.#matcher.similarity(one, other) >= SAME_INTENT;
  }
}
