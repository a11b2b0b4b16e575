/**
 * Recent invalidations, recent writes to servers, and consecutive failures of capabilities. A run that was under way at
 * such a time may have read old data.
 *
 * @module
 */
import { keepNewest } from "../../base/keep-newest.js";
import { LIMITS } from "../../base/limits.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityChange } from "../../registry/capability-directory.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { ServerName } from "../../registry/tool-id.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { type EndedRun, saysSomething } from "../run/runner.js";
import type { Invalidation } from "./cache-store.js";
import type { CachedResult } from "./memory-cache.js";

type Meant = (result: CachedResult) => boolean;

/** If more happened during a run, its result is not cached. */
const INVALIDATIONS_KEPT = 1_000;

/** A point in time, as the counts of events until then. */
export interface Mark {
  readonly dropped: number;
  readonly writes: number;
}

/**
 * Calls that may have changed the data of a server: a run that began before the newest of them ended may have read old
 * data.
 */
class ServerWrites {
  #count = 0;
  readonly #newest = new Map<ServerName, number>();
  readonly #underWay = new Map<ServerName, number>();

  /** Incremented when a call begins and when it ends. */
  get count(): number {
    return this.#count;
  }

  /** Call the returned function when the call has ended, in any way. */
  begin(server: ServerName): () => void {
    this.seen(server);
    this.#underWay.set(server, (this.#underWay.get(server) ?? 0) + 1);
    return () => {
      this.seen(server);
      const others = (this.#underWay.get(server) ?? 1) - 1;
      if (others > 0) this.#underWay.set(server, others);
      else this.#underWay.delete(server);
    };
  }

  seen(server: ServerName): void {
    this.#count += 1;
    this.#newest.set(server, this.#count);
  }

  /** Whether a run that began when the count was `since` may have read old data. */
  mayHaveChanged(servers: readonly ServerName[], since: number): boolean {
    return servers.some((server) => this.#underWay.has(server) || (this.#newest.get(server) ?? 0) > since);
  }
}

export class Invalidations {
  readonly writes = new ServerWrites();
  readonly #recent: Meant[] = [];
  #count = 0;

  now(): Mark {
    return { dropped: this.#count, writes: this.writes.count };
  }

  /** Returns a function that says which results are affected. `codeHashes` are those of the capability's versions. */
  add({ tool, capability }: Invalidation, codeHashes: ReadonlySet<string>): Meant {
    const isMeant: Meant = ({ tools, capabilities, codeHash }) => {
      if (tool !== undefined) return tools.some(({ id }) => id === tool);
      if (capability !== undefined) return capabilities.includes(capability) || codeHashes.has(codeHash);
      return true;
    };
    this.#count += 1;
    this.#recent.push(isMeant);
    if (this.#recent.length > INVALIDATIONS_KEPT) this.#recent.shift();
    return isMeant;
  }

  /** Whether an invalidation after `since`, or a call that has not ended, affects a result. */
  hasMeant(result: CachedResult, since: Mark): boolean {
    if (this.writes.mayHaveChanged(result.servers, since.writes)) return true;
    const after = this.#count - since.dropped;
    if (after > this.#recent.length) return true;
    return after > 0 && this.#recent.slice(-after).some((isMeant) => isMeant(result));
  }
}

type Registry = Pick<CapabilityRegistry, "directory" | "versionsOf">;

/** Results of sent code were cached before the code became a capability. */
export function firstHash(fqdn: Fqdn | undefined, registry: Registry): ReadonlySet<string> {
  const capability = capabilityOf(fqdn, registry);
  return new Set(capability === undefined ? [] : [capability.codeHash]);
}

/** The code hashes of all its versions. */
export async function allHashes(fqdn: Fqdn | undefined, registry: Registry): Promise<ReadonlySet<string>> {
  const capability = capabilityOf(fqdn, registry);
  if (capability === undefined || capability.version === 1) return firstHash(fqdn, registry);
  const versions = await registry.versionsOf(capability).catch(() => []);
  return new Set([capability.codeHash, ...versions.map(({ codeHash }) => codeHash)]);
}

function capabilityOf(fqdn: Fqdn | undefined, { directory }: Registry): Capability | undefined {
  return fqdn === undefined ? undefined : (directory.get(fqdn) ?? directory.getDeleted(fqdn));
}

/** The results that are invalid after a change of a record, on this gateway or another one. */
export function invalidationOf({ before, after }: CapabilityChange): Invalidation | undefined {
  if (before === undefined) return undefined;
  const capability = before.fqdn;
  if (after === undefined) return { trigger: "capability_deleted", capability };
  if (after.version !== before.version) return { trigger: "new_version", capability };
  if (hasOtherPolicy(before, after)) {
    const { updatedBy: by } = after;
    return { trigger: "policy_change", capability, ...(by === undefined ? {} : { by }) };
  }
  const isSuspect = after.trust === "suspect" && before.trust !== "suspect";
  return isSuspect ? { trigger: "repeated_failures", capability } : undefined;
}

function hasOtherPolicy(before: Capability, after: Capability): boolean {
  return (
    before.cachePolicy !== after.cachePolicy ||
    before.ttlSeconds !== after.ttlSeconds ||
    before.cachePersonVersion !== after.cachePersonVersion
  );
}

/** Consecutive failures of capabilities that this gateway has seen. */
export class FailureStreaks {
  readonly #failures = new Map<string, number>();

  /** Returns the capability if it has now reached the limit of failures; its count then starts again. */
  add({ of }: Pick<PreparedRun, "of">, ended: EndedRun): Fqdn | undefined {
    if (of === undefined || !saysSomething(ended)) return undefined;
    const { fqdn } = of.capability;
    const key = `${fqdn}@${of.version}`;
    const failures = ended.error === undefined ? 0 : (this.#failures.get(key) ?? 0) + 1;
    const isTooMany = failures >= LIMITS.failuresInARow;
    if (failures === 0 || isTooMany) this.#failures.delete(key);
    else keepNewest(this.#failures, key, failures, LIMITS.cachedEntries);
    return isTooMany ? fqdn : undefined;
  }
}
