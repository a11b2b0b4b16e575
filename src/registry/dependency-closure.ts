/**
 * Everything that a capability calls, directly or not: no circles, and no more than a few levels.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";
import type { Fqdn } from "./fqdn.js";

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
    if (capability === undefined) throw missing(fqdn, names);
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

  for (const fqdn of start.dependencies) visit(fqdn);
  return [...done.keys()];
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
    `Capabilities call one another more than ${LIMITS.capabilityDepth} levels deep: ${names.join(" -> ")}`,
    { hint: "Call the tools that the innermost ones use directly." },
  );
}

function circle(names: readonly string[]): PmlError {
  return new PmlError("CODE_REFUSED", `Capabilities call one another in a circle: ${names.join(" -> ")}`, {
    hint: "Move what both need into a third capability.",
  });
}

function missing(fqdn: Fqdn, names: readonly string[]): PmlError {
  return new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}, which ${names.at(-1)} calls`);
}
