/**
 * The capabilities that code calls: current versions, and pinned versions, which stay as they were saved.
 *
 * Parameters and calls of a pinned version are in the store. They never change, so they are cached, up to a limit; a
 * caller gets everything it needs at once, even if entries are evicted meanwhile.
 *
 * @module
 */
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import type { Capability, CapabilityVersion, ParametersSchema } from "./capability.js";
import type { CapabilityDirectory } from "./capability-directory.js";
import { type CapabilityRef, nameAt, splitCapabilityRef } from "./capability-ref.js";
import type { CapabilityStore } from "./capability-store.js";
import type { CalleeLinks } from "./dependency-closure.js";
import type { Fqdn } from "./fqdn.js";
import { capabilityFor } from "./rollout.js";
import type { Scope } from "./scope.js";
import { canSee, shownName } from "./visibility.js";

/** The capability that a reference means. */
export interface Callee extends CalleeLinks {
  readonly ref: CapabilityRef;
  /** Its current record. */
  readonly capability: Capability;
  /** The called version; without a pin, the newest. */
  readonly version: number;
  readonly parameters: ParametersSchema;
}

export type FindCallee = (ref: CapabilityRef) => Callee | undefined;

/** The facts about a version that its callers need. */
type PinnedVersion = Pick<CapabilityVersion, "parameters" | "dependencies">;

export class Callees {
  readonly #store: Pick<CapabilityStore, "get" | "version">;
  readonly #directory: CapabilityDirectory;
  readonly #pinned = new Map<CapabilityRef, PinnedVersion>();

  constructor(store: Pick<CapabilityStore, "get" | "version">, directory: CapabilityDirectory) {
    this.#store = store;
    this.#directory = directory;
  }

  /**
   * Loads these capabilities and everything they call: another gateway may have added some. Returns a function that
   * finds them; a reference without a version resolves to the version at that time. Capabilities that `asker` may not
   * see get a placeholder as name. A caller that gives no `asker` must not show what it finds.
   */
  async know(refs: Iterable<CapabilityRef>, asker?: Scope): Promise<FindCallee> {
    const pinned = new Map<CapabilityRef, PinnedVersion>();
    // The set grows while it is iterated.
    const all = new Set(refs);
    for (const ref of all) {
      const { fqdn, version } = splitCapabilityRef(ref);
      const known = await this.#capability(fqdn);
      if (known === undefined) continue;
      const capability = asker === undefined ? known : capabilityFor(known, asker);
      const links = version === undefined ? capability : await this.#version(ref, fqdn, version);
      if (links === undefined) continue;
      if (version !== undefined) pinned.set(ref, links);
      for (const callee of links.dependencies) all.add(callee);
    }
    return (ref) => this.#callee(ref, pinned, asker);
  }

  #callee(
    ref: CapabilityRef,
    pinned: ReadonlyMap<CapabilityRef, PinnedVersion>,
    asker: Scope | undefined,
  ): Callee | undefined {
    const { fqdn, version } = splitCapabilityRef(ref);
    const known = this.#directory.get(fqdn) ?? this.#directory.getDeleted(fqdn);
    const capability = known && asker !== undefined ? capabilityFor(known, asker) : known;
    const links = version === undefined ? capability : pinned.get(ref);
    if (capability === undefined || links === undefined) return undefined;
    const { parameters, dependencies } = links;
    return {
      ref,
      name: nameAt(asker === undefined ? capability.displayName : shownName(capability, asker), version),
      isHidden: asker !== undefined && !canSee(capability, asker),
      capability,
      version: version ?? capability.version,
      parameters,
      dependencies,
      deletedAt: capability.deletedAt,
    };
  }

  async #capability(fqdn: Fqdn): Promise<Capability | undefined> {
    const known = this.#directory.get(fqdn);
    if (known !== undefined) return known;
    const fetched = await this.#store.get(fqdn);
    if (fetched !== undefined) this.#directory.put(fetched);
    return fetched ?? this.#directory.getDeleted(fqdn);
  }

  async #version(ref: CapabilityRef, fqdn: Fqdn, version: number): Promise<PinnedVersion | undefined> {
    const known = this.#pinned.get(ref);
    if (known !== undefined) return known;
    const stored = await this.#store.version(fqdn, version);
    if (stored === undefined) return undefined;
    const { parameters, dependencies } = stored;
    const links = { parameters, dependencies };
    keepNewest(this.#pinned, ref, links, LIMITS.loadedCapabilities);
    return links;
  }
}
