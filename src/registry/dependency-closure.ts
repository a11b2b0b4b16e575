/**
 * Everything that a capability calls, directly or not, and everything that calls it: no circles, and no more than a few
 * levels.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";
import { type Fqdn, splitFqdn } from "./fqdn.js";

export interface DependencyStart {
  /** For messages: its name, or what stands for code that has none yet. */
  readonly name: string;
  /** Left out for code that is no capability yet, so that nothing can call it. */
  readonly fqdn?: Fqdn;
  readonly dependencies: readonly Fqdn[];
}

export type FindCapability = (fqdn: Fqdn) => Pick<Capability, "displayName" | "dependencies"> | undefined;

/**
 * What `start` needs to run, each after what it calls itself. Throws `CODE_REFUSED` naming the path where
 * capabilities call one another in a circle or too deep, and `CAPABILITY_NOT_FOUND` where one is gone.
 */
export function dependencyClosure(start: DependencyStart, find: FindCapability): readonly Fqdn[] {
  return walkDown(start, find).fqdns;
}

/** What stands in a path for a caller that the asker may not see. */
export const hiddenName = "(a capability of somebody else)";

/** A capability that calls another, and what to call it in messages. */
export interface CallerOf {
  readonly fqdn: Fqdn;
  readonly name: string;
}

/**
 * Whether what calls `start` may go on calling it when it depends on this from now on. Throws `CODE_REFUSED` naming the
 * path where callers would call one another too deep, and whatever {@link dependencyClosure} throws.
 */
export function refuseDeepCallers(
  start: DependencyStart & { readonly fqdn: Fqdn },
  find: FindCapability,
  callersOf: (fqdn: Fqdn) => readonly CallerOf[],
): void {
  // What calls nothing makes nobody deeper.
  if (start.dependencies.length === 0) return;
  const below = [start.name, ...walkDown(start, find).longest];
  // Level by level, which ends also where stored capabilities call one another in a circle.
  let level = new Map<Fqdn, readonly string[]>([[start.fqdn, below]]);
  while (level.size > 0) {
    const above = new Map<Fqdn, readonly string[]>();
    for (const [callee, names] of level)
      for (const { fqdn, name } of callersOf(callee)) {
        if (above.has(fqdn)) continue;
        const path = [name, ...names];
        refuseDeep(path);
        above.set(fqdn, path);
      }
    level = above;
  }
}

function walkDown(
  start: DependencyStart,
  find: FindCapability,
): { readonly fqdns: readonly Fqdn[]; readonly longest: readonly string[] } {
  const done = new Map<Fqdn, Chain>();
  const names: string[] = [start.name];
  const open = new Set<Fqdn>(start.fqdn === undefined ? [] : [start.fqdn]);

  const visit = (fqdn: Fqdn): Chain => {
    const known = done.get(fqdn);
    if (known !== undefined) {
      refuseDeep([...names, ...known.names]);
      return known;
    }
    const capability = find(fqdn);
    if (capability === undefined) throw missingCallee(fqdn, names);
    if (open.has(fqdn)) throw circle([...names, capability.displayName]);
    names.push(capability.displayName);
    refuseDeep(names);
    open.add(fqdn);
    const chains = capability.dependencies.map(visit);
    names.pop();
    const chain = { names: [capability.displayName, ...longest(chains)] };
    done.set(fqdn, chain);
    return chain;
  };

  const chains = start.dependencies.map(visit);
  return { fqdns: [...done.keys()], longest: longest(chains) };
}

/** The longest way down from a capability, itself included. */
interface Chain {
  readonly names: readonly string[];
}

function longest(chains: readonly Chain[]): readonly string[] {
  return chains.reduce<readonly string[]>(
    (most, { names }) => (names.length > most.length ? names : most),
    [],
  );
}

function refuseDeep(names: readonly string[]): void {
  if (names.length <= LIMITS.capabilityDepth) return;
  throw new PmlError(
    "CODE_REFUSED",
    `Capabilities call one another more than ${LIMITS.capabilityDepth} levels deep: ${pathOf(names)}`,
    { hint: "Call the tools that the innermost ones use directly." },
  );
}

function circle(names: readonly string[]): PmlError {
  return new PmlError("CODE_REFUSED", `Capabilities call one another in a circle: ${pathOf(names)}`, {
    hint: "Move what both need into a third capability.",
  });
}

/** `names` is the path to the one that calls it. */
export function missingCallee(fqdn: Fqdn, names: readonly string[]): PmlError {
  const { namespace, action } = splitFqdn(fqdn);
  return new PmlError(
    "CAPABILITY_NOT_FOUND",
    `Capability not found: ${fqdn}, which ${names.at(-1)} calls: ${pathOf([...names, `${namespace}:${action}`])}`,
    { hint: "Save it again, or update the caller to call another.", data: { fqdn } },
  );
}

function pathOf(names: readonly string[]): string {
  return names.join(" → ");
}
