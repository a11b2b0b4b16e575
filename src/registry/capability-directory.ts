/**
 * Every capability in memory, by every form of its name. Resolving is synchronous.
 *
 * A bare name means only a capability of the current project: a fallback to another project, the org or public
 * capabilities would allow dependency confusion.
 *
 * Deleted capabilities are kept separately while their names are reserved: a lookup answers that they are deleted.
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
  /** As the reference requests; default: the latest. */
  readonly version?: VersionSpec;
}

/** `before` is absent for a new capability, `after` for a deleted one. */
export interface CapabilityChange {
  readonly before?: Capability;
  readonly after?: Capability;
}

/** The warning that an alias was used, for the log and the result. */
export function aliasWarning(alias: string, { displayName }: Pick<Capability, "displayName">): string {
  return `Deprecated: Using alias "${alias}" for capability "${displayName}". Update your code.`;
}

export class CapabilityDirectory {
  readonly #live = new CapabilityIndex();
  readonly #deleted = new CapabilityIndex();
  readonly #dependents = new Map<Fqdn, Set<Fqdn>>();
  readonly #listeners = new Set<(change: CapabilityChange) => void>();

  readonly #tools: ToolNames;

  /** A bare name that belongs to a real tool never means a capability. */
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

  /** A deleted capability that is still in memory. */
  getDeleted(fqdn: Fqdn): Capability | undefined {
    return this.#deleted.get(fqdn);
  }

  /** In no particular order, regardless of their visibility. */
  all(): Iterable<Capability> {
    return this.#live.all();
  }

  /** Finds what `reference` means in `scope`; undefined if the session may not see any match. */
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

  /** Like {@link get}, in the version that the user gets. */
  getFor(fqdn: Fqdn, scope: Scope): Capability | undefined {
    const capability = this.#live.get(fqdn);
    return capability && capabilityFor(capability, scope);
  }

  /** The deleted capability that `reference` meant, while its names are reserved and the session may see it. */
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

  /** Deleted capabilities that still reserve their names, by name. */
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

  /** The capability of the project whose first version has this code, regardless of visibility. */
  withCode(codeHash: string, scope: OrgAndProject): Capability | undefined {
    return this.#live.names(scope)?.withCode(codeHash);
  }

  isTaken(name: string, scope: OrgAndProject): boolean {
    return this.holderOf(name, scope) !== undefined;
  }

  /** Similar names of the project that the session may see, best first. */
  nearest(name: string, scope: Scope, most = 3): readonly string[] {
    const candidates: string[] = [];
    for (const capability of this.#live.names(scope)?.named() ?? []) {
      if (candidates.length === LIMITS.nearestCandidates) break;
      if (canSee(capability, scope)) candidates.push(capability.displayName);
    }
    return nearest(name, candidates, most);
  }

  /** The capabilities whose newest code calls this one, in any version, by FQDN. */
  dependents(fqdn: Fqdn): readonly Capability[] {
    return [...(this.#dependents.get(fqdn) ?? [])]
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((user) => this.#live.get(user) ?? []);
  }

  /** Calls the listener for every change, once the change can be resolved; returns a function that unsubscribes it. */
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

/** Most capabilities have no version on trial, and are returned unchanged. */
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

/** Answers of the store may arrive in another order than their requests. */
function isOlder(one: Capability, other: Capability): boolean {
  return one.revision !== undefined && other.revision !== undefined && one.revision < other.revision;
}
