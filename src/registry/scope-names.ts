/**
 * The names of one org and project: current names and former ones.
 *
 * A name is looked up as it is spelled first, since that is how most callers write it, and by its fold after that.
 *
 * @module
 */
import type { Capability } from "./capability.js";
import { type DisplayName, foldDisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";

export interface NameHolder {
  readonly capability: Capability;
  /** Set where the name is an alias, as it was spelled while it was the name. */
  readonly viaAlias?: DisplayName;
}

export class ScopeNames {
  readonly #bySpelling = new Map<string, NameHolder>();
  readonly #byFold = new Map<string, NameHolder>();
  readonly #byCode = new Map<string, Capability>();
  readonly #named = new Map<Fqdn, Capability>();
  /** Sorted once for many listings, and again only when a name changes: counters change all the time. */
  #order: readonly Fqdn[] | undefined;

  /** By a name or alias exactly as it is spelled. */
  spelled(name: string): NameHolder | undefined {
    return this.#bySpelling.get(name);
  }

  folded(fold: string): NameHolder | undefined {
    return this.#byFold.get(fold);
  }

  /** By the hash of the code of its first version. Not for forks: their code began as another capability. */
  withCode(codeHash: string): Capability | undefined {
    return this.#byCode.get(codeHash);
  }

  /** Those with a name of their own, by that name. */
  named(): readonly Capability[] {
    this.#order ??= [...this.#named.values()]
      .sort((a, b) => (a.displayName < b.displayName ? -1 : 1))
      .map(({ fqdn }) => fqdn);
    const named: Capability[] = [];
    for (const fqdn of this.#order) {
      const capability = this.#named.get(fqdn);
      if (capability !== undefined) named.push(capability);
    }
    return named;
  }

  /** Takes over one capability as it is now; `before` is how it was, `after` is left out when it is gone. */
  change(before: Capability | undefined, after: Capability | undefined): void {
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#add(after);
    if (before?.isNamed !== after?.isNamed || before?.displayName !== after?.displayName)
      this.#order = undefined;
  }

  #add(capability: Capability): void {
    this.#set(capability.displayName, { capability });
    for (const alias of capability.aliases) this.#set(alias, { capability, viaAlias: alias });
    if (capability.forkedFrom === undefined) this.#byCode.set(capability.codeHash, capability);
    if (capability.isNamed) this.#named.set(capability.fqdn, capability);
  }

  #remove(capability: Capability): void {
    for (const name of [capability.displayName, ...capability.aliases]) {
      forget(this.#bySpelling, name, capability.fqdn);
      forget(this.#byFold, foldDisplayName(name), capability.fqdn);
    }
    if (this.#byCode.get(capability.codeHash)?.fqdn === capability.fqdn)
      this.#byCode.delete(capability.codeHash);
    this.#named.delete(capability.fqdn);
  }

  /** The last update gets the name: memory follows the store, which decides. */
  #set(name: DisplayName, holder: NameHolder): void {
    const fold = foldDisplayName(name);
    const before = this.#byFold.get(fold);
    if (before !== undefined) this.#bySpelling.delete(before.viaAlias ?? before.capability.displayName);
    this.#bySpelling.set(name, holder);
    this.#byFold.set(fold, holder);
  }
}

/** A name that has gone to another since is left with it. */
function forget(holders: Map<string, NameHolder>, key: string, fqdn: Fqdn): void {
  if (holders.get(key)?.capability.fqdn === fqdn) holders.delete(key);
}
