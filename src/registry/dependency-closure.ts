/**
 * Everything that a capability calls, directly or not, and everything that calls it: no cycles, and only a few levels.
 *
 * The newest version of a capability and a pinned one are two different things here: a pinned version calls what it
 * called when it was saved, even if the capability has changed since.
 *
 * @module
 */
import { dayOf } from "../base/day.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { type CapabilityRef, nameAt, splitCapabilityRef } from "./capability-ref.js";
import { type Fqdn, splitFqdn } from "./fqdn.js";

export interface DependencyStart {
  /** For messages: its name, or a placeholder for unnamed code. */
  readonly name: string;
  /** Absent for code that is not a capability yet, so that nothing can call it. */
  readonly ref?: CapabilityRef;
  readonly dependencies: readonly CapabilityRef[];
}

/** The facts about a called capability. */
export interface CalleeLinks {
  /** The name that the asker sees, with its version if it is pinned. */
  readonly name: string;
  /** Whether the asker may not see it: then nothing that identifies it may be shown. */
  readonly isHidden?: boolean;
  readonly dependencies: readonly CapabilityRef[];
  /** Present if the capability was deleted. */
  readonly deletedAt?: Date | undefined;
}

export type FindLinks = (ref: CapabilityRef) => CalleeLinks | undefined;

/**
 * Everything that `start` needs to run, callees first. Throws `CODE_REFUSED` with the path if capabilities call one
 * another in a cycle or too deep, `CAPABILITY_NOT_FOUND` if one is gone, and `CAPABILITY_DELETED` if one was deleted.
 */
export function dependencyClosure(start: DependencyStart, find: FindLinks): readonly CapabilityRef[] {
  return walkDown(start, find).refs;
}

/** A capability that calls another, and its name for messages. */
export interface CallerOf {
  readonly ref: CapabilityRef;
  readonly name: string;
}

/** The planned state of a capability. */
export interface CapabilityUpdate {
  readonly name: string;
  readonly fqdn: Fqdn;
  readonly dependencies: readonly CapabilityRef[];
}

/**
 * Checks that the callers of a capability may still call it with these new dependencies; pinned older versions do not
 * change. Throws `CODE_REFUSED` with the path if the calls would be too deep, and the errors of
 * {@link dependencyClosure}.
 */
export function refuseDeepCallers(
  { name: updated, fqdn, dependencies }: CapabilityUpdate,
  find: FindLinks,
  callersOf: (ref: CapabilityRef) => readonly CallerOf[],
): void {
  // Code that calls nothing adds no level.
  if (dependencies.length === 0) return;
  const below = [updated, ...walkDown({ name: updated, ref: fqdn, dependencies }, find).longest];
  // Level by level with a limit, so that it ends even if stored capabilities form a cycle.
  let level = new Map<CapabilityRef, readonly string[]>([[fqdn, below]]);
  for (let up = 0; up <= LIMITS.capabilityDepth && level.size > 0; up += 1) {
    const above = new Map<CapabilityRef, readonly string[]>();
    for (const [callee, names] of level)
      for (const { ref, name } of callersOf(callee)) {
        if (above.has(ref)) continue;
        const path = [name, ...names];
        // A pinned version is only rejected through a caller that pins it, which appears one level above.
        if (splitCapabilityRef(ref).version === undefined) refuseDeep(path);
        above.set(ref, path);
      }
    level = above;
  }
}

function walkDown(
  start: DependencyStart,
  find: FindLinks,
): { readonly refs: readonly CapabilityRef[]; readonly longest: readonly string[] } {
  const done = new Map<CapabilityRef, Chain>();
  const names: string[] = [start.name];
  const open = new Set<CapabilityRef>(start.ref === undefined ? [] : [start.ref]);

  const visit = (ref: CapabilityRef): Chain => {
    const known = done.get(ref);
    if (known !== undefined) {
      refuseDeep([...names, ...known.names]);
      return known;
    }
    const { name, dependencies } = existingCallee(ref, find, names);
    if (open.has(ref)) throw circle([...names, name]);
    names.push(name);
    refuseDeep(names);
    open.add(ref);
    const chains = dependencies.map(visit);
    names.pop();
    const chain = { names: [name, ...longest(chains)] };
    done.set(ref, chain);
    return chain;
  };

  const chains = start.dependencies.map(visit);
  return { refs: [...done.keys()], longest: longest(chains) };
}

/** The longest call chain from a capability, itself included. */
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
    `Capabilities call each other more than ${LIMITS.capabilityDepth} levels deep: ${pathOf(names)}`,
    { hint: "Call the tools of the innermost capabilities directly." },
  );
}

function circle(names: readonly string[]): PmlError {
  return new PmlError("CODE_REFUSED", `Capabilities call each other in a cycle: ${pathOf(names)}`, {
    hint: "Move the shared code into a third capability.",
  });
}

/** The callee, if it exists. `names` is the path to its caller. */
export function existingCallee<T extends CalleeLinks>(
  ref: CapabilityRef,
  find: (ref: CapabilityRef) => T | undefined,
  names: readonly string[],
): T {
  const callee = find(ref);
  if (callee === undefined) throw missingCallee(ref, names);
  if (callee.deletedAt === undefined) return callee;
  throw new PmlError(
    "CAPABILITY_DELETED",
    `Capability ${callee.name} was deleted on ${dayOf(callee.deletedAt)}, and ${names.at(-1)} calls it: ${pathOf([...names, callee.name])}`,
    callee.isHidden === true
      ? { hint: "Update the caller to call another capability." }
      : {
          hint: "Update the caller to call another capability; cap_delete with undelete restores it while its name is reserved.",
          data: { ref },
        },
  );
}

function missingCallee(ref: CapabilityRef, names: readonly string[]): PmlError {
  const { fqdn, version } = splitCapabilityRef(ref);
  const { namespace, action } = splitFqdn(fqdn);
  const name = nameAt(`${namespace}:${action}`, version);
  return new PmlError(
    "CAPABILITY_NOT_FOUND",
    `Capability not found: ${ref}, which ${names.at(-1)} calls: ${pathOf([...names, name])}`,
    { hint: "Save it again, or update the caller to call another capability.", data: { fqdn } },
  );
}

function pathOf(names: readonly string[]): string {
  return names.join(" → ");
}
