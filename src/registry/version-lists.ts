/**
 * The lists of a capability's versions, and which of them a reference means. Versions are only ever added, so a list is
 * valid as long as its newest version is the same.
 *
 * @module
 */
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import type { Capability } from "./capability.js";
import type { CapabilityStore, VersionSummary } from "./capability-store.js";
import type { Fqdn } from "./fqdn.js";
import { versionAt } from "./rollout.js";
import type { Scope } from "./scope.js";
import { resolveVersion, type VersionSpec } from "./version-spec.js";
import { creatorOf } from "./visibility.js";

export type ListedVersions = Pick<Capability, "fqdn" | "version" | "newestVersion" | "trial">;

export class VersionLists {
  readonly #store: Pick<CapabilityStore, "versions" | "promotions">;
  readonly #kept = new Map<Fqdn, readonly VersionSummary[]>();

  constructor(store: Pick<CapabilityStore, "versions" | "promotions">) {
    this.#store = store;
  }

  /** Newest first; cached after the first read. */
  async of({
    fqdn,
    version,
    newestVersion = version,
    trial,
  }: ListedVersions): Promise<readonly VersionSummary[]> {
    const newest = Math.max(newestVersion, ...(trial?.versions ?? []).map((one) => one.version));
    const known = this.#kept.get(fqdn);
    if (known !== undefined && (known[0]?.version ?? 0) >= newest) return known;
    const versions = await this.#store.versions(fqdn);
    keepNewest(this.#kept, fqdn, versions, LIMITS.versionListsKept);
    return versions;
  }

  /** The version that `spec` requests for `text`; throws `VERSION_NOT_FOUND`. */
  async meant(
    capability: ListedVersions,
    spec: VersionSpec | undefined,
    text: string,
    scope: Scope,
  ): Promise<number> {
    if (spec === undefined || spec.kind === "latest") return capability.version;
    const name = text.slice(0, text.indexOf("@")).replace(/^cap:/, "");
    const versions = await this.of(capability);
    if (spec.kind === "day" && versions.length > 1) {
      const promotions = await this.#store.promotions(capability.fqdn);
      const version = versionAt(spec.end, versions, promotions, creatorOf(scope));
      if (version !== undefined) return version;
    }
    return resolveVersion(spec, versions, name);
  }
}
