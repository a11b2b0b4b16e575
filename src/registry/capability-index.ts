/**
 * Capabilities by FQDN, FQDN without hash, id, and name or alias in a project. Knows
 * nothing about visibility; the caller passes the filter.
 *
 * @module
 */
import type { Capability } from "./capability.js";
import { type DisplayName, foldDisplayName, namePartsOf } from "./display-name.js";
import { type Fqdn, fqdnLabel } from "./fqdn.js";
import type { ReferenceTarget } from "./reference.js";
import type { Scope } from "./scope.js";

export type OrgAndProject = Pick<Scope, "org" | "project">;

export class CapabilityIndex {
  readonly #byFqdn = new Map<Fqdn, Capability>();
  readonly #byId = new Map<string, Fqdn>();
  readonly #byLabel = new Map<string, Fqdn | ReadonlySet<Fqdn>>();
  readonly #scopes = new Map<string, Map<string, ScopeNames>>();

  get size(): number {
    return this.#byFqdn.size;
  }

  get(fqdn: Fqdn): Capability | undefined {
    return this.#byFqdn.get(fqdn);
  }

  /** In no particular order. */
  all(): Iterable<Capability> {
    return this.#byFqdn.values();
  }

  names({ org, project }: OrgAndProject): ScopeNames | undefined {
    return this.#scopes.get(org)?.get(project);
  }

  /** Finds what `target` means in `scope`, among capabilities for which `counts` is true. */
  find(
    target: ReferenceTarget,
    scope: OrgAndProject,
    counts: (capability: Capability) => boolean,
  ): NameHolder | undefined {
    const holder = this.#holder(target, scope, counts);
    return holder !== undefined && counts(holder.capability) ? holder : undefined;
  }

  /** Replaces the state `before` by `after`; `after` is absent if the capability is gone. */
  change(before: Capability | undefined, after: Capability | undefined): void {
    if (before !== undefined) this.#unlink(before);
    if (after !== undefined) this.#link(after);
    const of = after ?? before;
    if (of !== undefined) this.#namesToChange(of).change(before, after);
  }

  #holder(
    target: ReferenceTarget,
    scope: OrgAndProject,
    counts: (capability: Capability) => boolean,
  ): NameHolder | undefined {
    switch (target.kind) {
      case "fqdn":
        return holderOf(this.#byFqdn.get(target.fqdn));
      case "label":
        return holderOf(this.#labelled(target.label, counts));
      case "id": {
        const fqdn = this.#byId.get(target.id);
        return holderOf(fqdn === undefined ? undefined : this.#byFqdn.get(fqdn));
      }
      case "scoped":
        return this.names(target)?.folded(foldDisplayName(target.name));
      case "name":
        return this.names(scope)?.folded(foldDisplayName(target.name));
    }
  }

  /**
   * If several capabilities share the label, the one that still has this name; if none has it, the label is ambiguous.
   */
  #labelled(label: string, counts: (capability: Capability) => boolean): Capability | undefined {
    const found = fqdns(this.#byLabel.get(label)).flatMap((fqdn) => this.#byFqdn.get(fqdn) ?? []);
    const counting = found.filter(counts);
    if (counting.length < 2) return counting[0];
    const stillCalled = counting.filter(({ displayName, namespace, action }) => {
      const parts = namePartsOf(displayName, namespace);
      return parts.namespace.toLowerCase() === namespace && parts.action.toLowerCase() === action;
    });
    return stillCalled.length === 1 ? stillCalled[0] : undefined;
  }

  #link(capability: Capability): void {
    const { fqdn, id } = capability;
    this.#byFqdn.set(fqdn, capability);
    this.#byId.set(id, fqdn);
    const label = fqdnLabel(fqdn);
    const labelled = this.#byLabel.get(label);
    this.#byLabel.set(label, labelled === undefined ? fqdn : new Set([...fqdns(labelled), fqdn]));
  }

  #unlink({ fqdn, id }: Capability): void {
    this.#byFqdn.delete(fqdn);
    this.#byId.delete(id);
    const label = fqdnLabel(fqdn);
    const [first, ...rest] = fqdns(this.#byLabel.get(label)).filter((other) => other !== fqdn);
    if (first === undefined) this.#byLabel.delete(label);
    else this.#byLabel.set(label, rest.length === 0 ? first : new Set([first, ...rest]));
  }

  #namesToChange({ org, project }: OrgAndProject): ScopeNames {
    const projects = this.#scopes.get(org) ?? new Map<string, ScopeNames>();
    this.#scopes.set(org, projects);
    const names = projects.get(project) ?? new ScopeNames();
    projects.set(project, names);
    return names;
  }
}

function fqdns(labelled: Fqdn | ReadonlySet<Fqdn> | undefined): readonly Fqdn[] {
  if (labelled === undefined) return [];
  return typeof labelled === "object" ? [...labelled] : [labelled];
}

function holderOf(capability: Capability | undefined): NameHolder | undefined {
  return capability === undefined ? undefined : { capability };
}

export interface NameHolder {
  readonly capability: Capability;
  /** Present if the name is an alias, spelled as it was while it was the name. */
  readonly viaAlias?: DisplayName;
}

/**
 * The current and former names of one org and project.
 *
 * A name is looked up first by its exact spelling, which most callers use, and then by its fold.
 */
class ScopeNames {
  readonly #bySpelling = new Map<string, NameHolder>();
  readonly #byFold = new Map<string, NameHolder>();
  readonly #byCode = new Map<string, Capability>();
  readonly #named = new Map<Fqdn, Capability>();
  /** Sorted once for many listings, and again only when a name changes: counters change all the time. */
  #order: readonly Fqdn[] | undefined;

  /** Finds a name or alias by its exact spelling. */
  spelled(name: string): NameHolder | undefined {
    return this.#bySpelling.get(name);
  }

  folded(fold: string): NameHolder | undefined {
    return this.#byFold.get(fold);
  }

  /** Finds by the hash of the first version's code. Excludes forks, whose first code belongs to another capability. */
  withCode(codeHash: string): Capability | undefined {
    return this.#byCode.get(codeHash);
  }

  /** The capabilities that were named, sorted by name. */
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

  /** Replaces the state `before` by `after`; `after` is absent if the capability is gone. */
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

  /** The last update gets the name: the store decides, and memory follows it. */
  #set(name: DisplayName, holder: NameHolder): void {
    const fold = foldDisplayName(name);
    const before = this.#byFold.get(fold);
    if (before !== undefined) this.#bySpelling.delete(before.viaAlias ?? before.capability.displayName);
    this.#bySpelling.set(name, holder);
    this.#byFold.set(fold, holder);
  }
}

/** Does nothing if another capability has the name now. */
function forget(holders: Map<string, NameHolder>, key: string, fqdn: Fqdn): void {
  if (holders.get(key)?.capability.fqdn === fqdn) holders.delete(key);
}
