/**
 * Every capability in memory, by every form of its name. Resolving is synchronous.
 *
 * A bare name means a capability of the current project and nothing else: falling through to another project, the
 * org or the public is how dependency confusion gets in.
 *
 * Deleted ones are kept apart for as long as their names are reserved: a lookup answers that they are deleted.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { nearest } from "../base/nearest.js";
import type { Capability } from "./capability.js";
import type { NameHolder } from "./capability-index.js";
import { CapabilityIndex, type OrgAndProject } from "./capability-index.js";
import { fqdnOfRef } from "./capability-ref.js";
import { foldDisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import { isReserved } from "./missing-capability.js";
import { parseReference } from "./reference.js";
import { capabilityFor } from "./rollout.js";
import type { Scope } from "./scope.js";
import { noToolNames, type ToolNames } from "./tool-names.js";
import type { VersionSpec } from "./version-spec.js";
import { canSee } from "./visibility.js";

export interface Resolution extends NameHolder {
  /** As the reference asks for; latest when left out. */
  readonly version?: VersionSpec;
}

/** `before` is absent for a new capability, `after` for a deleted one. */
export interface CapabilityChange {
  readonly before?: Capability;
  readonly after?: Capability;
}

/** The warning about a used alias, in the log and in the result. */
export function aliasWarning(alias: string, { displayName }: Pick<Capability, "displayName">): string {
  return `Deprecated: Using alias "${alias}" for capability "${displayName}". Update your code.`;
}

export class CapabilityDirectory {
  readonly #live = new CapabilityIndex();
  readonly #deleted = new CapabilityIndex();
  readonly #dependents = new Map<Fqdn, Set<Fqdn>>();
  readonly #listeners = new Set<(change: CapabilityChange) => void>();

  readonly #tools: ToolNames;

  /** A bare name that is a real tool's means no capability here. */
  constructor(capabilities: Iterable<Capability> = [], tools: ToolNames = noToolNames) {
    this.#tools = tools;
    for (const capability of capabilities) this.put(capability);
  }

  get size(): number {
    return this.#live.size;
  }

  /** Regardless of its visibility. */
  get(fqdn: Fqdn): Capability | undefined {
    return this.#live.get(fqdn);
  }

  /** A deleted one, as far as memory knows. */
  getDeleted(fqdn: Fqdn): Capability | undefined {
    return this.#deleted.get(fqdn);
  }

  /** In no particular order, regardless of their visibility. */
  all(): Iterable<Capability> {
    return this.#live.all();
  }

  /** Finds what `reference` means in `scope`, or nothing where it means nothing that the session may see. */
  resolve(reference: string, scope: Scope): Resolution | undefined {
    const holder = this.#live.names(scope)?.spelled(reference);
    if (holder !== undefined)
      return canSee(holder.capability, scope) && !this.#isTool(reference)
        ? forUser(holder, scope)
        : undefined;
    const capability = this.#live.get(reference as Fqdn);
    if (capability !== undefined)
      return canSee(capability, scope) ? forUser({ capability }, scope) : undefined;
    const target = parseReference(reference)?.target;
    if (target?.kind === "name" && this.#isTool(target.name)) return undefined;
    const found = resolveIn(this.#live, reference, scope, (one) => canSee(one, scope));
    return found && forUser(found, scope);
  }

  /** The same as {@link get}, as a user gets it. */
  getFor(fqdn: Fqdn, scope: Scope): Capability | undefined {
    const capability = this.#live.get(fqdn);
    return capability && capabilityFor(capability, scope);
  }

  /** What `reference` meant until it was deleted, while its names are reserved and the session may see it. */
  resolveDeleted(reference: string, scope: Scope): Resolution | undefined {
    if (this.#deleted.size === 0) return undefined;
    return resolveIn(
      this.#deleted,
      reference,
      scope,
      (one) => isReserved(one.reservedUntil) && canSee(one, scope),
    );
  }

  /** Stores the current state of a capability, deleted or not. An older state than the known one is ignored. */
  put(capability: Capability): void {
    const { fqdn } = capability;
    const live = this.#live.get(fqdn);
    const deleted = this.#deleted.get(fqdn);
    const before = live ?? deleted;
    if (before !== undefined && isOlder(capability, before)) return;
    if (capability.deletedAt === undefined) {
      if (deleted !== undefined) this.#deleted.change(deleted, undefined);
      this.#change(live, capability);
    } else {
      this.#deleted.change(deleted, capability);
      if (live !== undefined) this.#change(live, undefined);
    }
  }

  remove(fqdn: Fqdn): void {
    const before = this.#live.get(fqdn);
    if (before !== undefined) this.#change(before, undefined);
    const deleted = this.#deleted.get(fqdn);
    if (deleted !== undefined) this.#deleted.change(deleted, undefined);
  }

  /** The named capabilities of the project that the session may see, by name. */
  listed(scope: Scope): readonly Capability[] {
    return namedIn(this.#live, scope).map((capability) => capabilityFor(capability, scope));
  }

  /** Those that are deleted and keep their names, by name. */
  listedDeleted(scope: Scope): readonly Capability[] {
    return namedIn(this.#deleted, scope).filter(({ reservedUntil }) => isReserved(reservedUntil));
  }

  /** The capability with this name or alias in the project, visible or not; also a deleted one that reserves it. */
  holderOf(name: string, scope: OrgAndProject): NameHolder | undefined {
    const fold = foldDisplayName(name);
    const live = this.#live.names(scope)?.folded(fold);
    if (live !== undefined || this.#deleted.size === 0) return live;
    const deleted = this.#deleted.names(scope)?.folded(fold);
    return deleted !== undefined && isReserved(deleted.capability.reservedUntil) ? deleted : undefined;
  }

  /** The capability of the project whose first version is this code, regardless of visibility. */
  withCode(codeHash: string, scope: OrgAndProject): Capability | undefined {
    return this.#live.names(scope)?.withCode(codeHash);
  }

  isTaken(name: string, scope: OrgAndProject): boolean {
    return this.holderOf(name, scope) !== undefined;
  }

  /** Names of the project that look like `name` and that the session may see, best first. */
  nearest(name: string, scope: Scope, most = 3): readonly string[] {
    const candidates: string[] = [];
    for (const capability of this.#live.names(scope)?.named() ?? []) {
      if (candidates.length === LIMITS.nearestCandidates) break;
      if (canSee(capability, scope)) candidates.push(capability.displayName);
    }
    return nearest(name, candidates, most);
  }

  /** The capabilities whose newest code calls this one, any version of it, by FQDN. */
  dependents(fqdn: Fqdn): readonly Capability[] {
    return [...(this.#dependents.get(fqdn) ?? [])]
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((user) => this.#live.get(user) ?? []);
  }

  /** Tells of every change once it can be resolved; answers how to stop. */
  onChange(listener: (change: CapabilityChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #isTool(name: string): boolean {
    return this.#tools.toolCalled(name) !== undefined;
  }

  #change(before: Capability | undefined, after: Capability | undefined): void {
    this.#live.change(before, after);
    for (const ref of before?.dependencies ?? []) {
      const users = this.#dependents.get(fqdnOfRef(ref));
      if (before !== undefined && users?.delete(before.fqdn) && users.size === 0)
        this.#dependents.delete(fqdnOfRef(ref));
    }
    for (const ref of after?.dependencies ?? []) {
      const users = this.#dependents.get(fqdnOfRef(ref)) ?? new Set();
      if (after !== undefined) this.#dependents.set(fqdnOfRef(ref), users.add(after.fqdn));
    }
    const change = { ...(before && { before }), ...(after && { after }) };
    for (const listener of this.#listeners) listener(change);
  }
}

/** Most have no version on trial, and stay the object that they are. */
function forUser(found: Resolution, scope: Scope): Resolution {
  if (found.capability.trial === undefined) return found;
  return { ...found, capability: capabilityFor(found.capability, scope) };
}

function namedIn(index: CapabilityIndex, scope: Scope): readonly Capability[] {
  const named = index.names(scope)?.named() ?? [];
  return named.filter((capability) => canSee(capability, scope));
}

function resolveIn(
  index: CapabilityIndex,
  text: string,
  scope: Scope,
  counts: (capability: Capability) => boolean,
): Resolution | undefined {
  const reference = parseReference(text);
  if (reference === undefined) return undefined;
  const holder = index.find(reference.target, scope, counts);
  if (holder === undefined) return undefined;
  return reference.version === undefined ? holder : { ...holder, version: reference.version };
}

/** Answers of the store may arrive in another order than they were given. */
function isOlder(one: Capability, other: Capability): boolean {
  return one.revision !== undefined && other.revision !== undefined && one.revision < other.revision;
}
