/**
 * What stands in the way of running a capability that nobody has named: an intent is a guess, and what is run on one
 * must be sure to be meant, and known to be good.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import { splitCapabilityRef } from "../registry/capability-ref.js";
import type { Scope } from "../registry/scope.js";
import { shownName } from "../registry/visibility.js";
import type { RunPlan } from "./plan-run.js";
import type { KnownTool } from "./tool-box.js";

/** Below this score it is not certain that it is what was meant, unless something was learnt about that. */
const SURE = 0.85;
/** What is second must be this much worse. */
const MARGIN = 0.05;

export interface Candidate {
  readonly capability: Capability;
  readonly score: number;
}

/** Why the first of these cannot be what was meant for sure; best first. */
export function doubtOf([best, second]: readonly Candidate[], sure: number = SURE): string | undefined {
  if (best === undefined) return undefined;
  if (best.score < sure) return "the match is not certain enough to run automatically";
  return second === undefined || isWorse(second, best) ? undefined : fitsAsWell(second);
}

/** Why one is not run that is not the best. */
export function rivalOf(one: Candidate, best: Candidate): string {
  return isWorse(one, best) ? `${best.capability.displayName} is a better match` : fitsAsWell(best);
}

function isWorse(one: Candidate, best: Candidate): boolean {
  return best.score - one.score >= MARGIN;
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
  const { org, project, trust, parameters } = capability;
  // A name means something of the own project and nothing else; an intent all the more.
  if (org !== scope.org || project !== scope.project)
    return `it belongs to another project, ${org}.${project}`;
  if (trust !== "verified" && trust !== "provisional") return `it is ${trust}`;
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

/** Why it is not run, by what it would do: what has not proved itself may only read, and so may what calls it. */
export function planObjection(
  { trust }: Capability,
  { tools, units, hasComputedCalls }: RunPlan,
  scope: Scope,
  { directory, isReadOnly }: PlanJudge,
): string | undefined {
  let isProven = trust === "verified";
  for (const { ref } of units) {
    const { fqdn, version } = splitCapabilityRef(ref);
    const callee = directory.get(fqdn);
    // What is said of trust is said of the newest version.
    if (callee === undefined || (version !== undefined && version !== callee.version)) continue;
    if (callee.trust !== "verified" && callee.trust !== "provisional")
      return `it calls ${shownName(callee, scope)}, which is ${callee.trust}`;
    isProven &&= callee.trust === "verified";
  }
  if (isProven) return undefined;
  const writing = tools.find((tool) => !isReadOnly(tool));
  if (writing !== undefined) return `it is not verified yet, and ${writing.id} may change things`;
  return hasComputedCalls
    ? "it is not verified yet, and the tools it calls are not known before the run"
    : undefined;
}

function listed(names: readonly string[]): string {
  return names
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 100)))
    .join(", ");
}
