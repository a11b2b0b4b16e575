/**
 * Every live capability in memory, by whatever a caller may call it. Resolving asks nobody and waits for nothing.
 *
 * A bare name means a capability of the current project and nothing else: falling through to another project, the
 * org or the public is how dependency confusion gets in.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { nearest } from "../base/nearest.js";
import type { Capability } from "./capability.js";
import { foldDisplayName, namePartsOf } from "./display-name.js";
import { type Fqdn, fqdnLabel } from "./fqdn.js";
import { parseReference, type ReferenceTarget } from "./reference.js";
import type { Scope } from "./scope.js";
import { type NameHolder, ScopeNames } from "./scope-names.js";
import type { VersionSpec } from "./version-spec.js";
import { canSee } from "./visibility.js";

export interface Resolution extends NameHolder {
  /** As the reference asks for; latest when left out. */
  readonly version?: VersionSpec;
}

/** `before` is left out for what is new, `after` for what is gone. */
export interface CapabilityChange {
  readonly before?: Capability;
  readonly after?: Capability;
}

type OrgAndProject = Pick<Scope, "org" | "project">;

/** What is said, in the log and in the result, to whoever uses an alias. */
export function aliasWarning(alias: string, { displayName }: Pick<Capability, "displayName">): string {
  return `Deprecated: Using alias "${alias}" for capability "${displayName}". Update your code.`;
}

export class CapabilityDirectory {
  readonly #byFqdn = new Map<Fqdn, Capability>();
  readonly #byId = new Map<string, Fqdn>();
  readonly #byLabel = new Map<string, Fqdn | ReadonlySet<Fqdn>>();
  readonly #scopes = new Map<string, Map<string, ScopeNames>>();
  readonly #dependents = new Map<Fqdn, Set<Fqdn>>();
  readonly #listeners = new Set<(change: CapabilityChange) => void>();

  constructor(capabilities: Iterable<Capability> = []) {
    for (const capability of capabilities) this.put(capability);
  }

  get size(): number {
    return this.#byFqdn.size;
  }

  /** Whatever its visibility. */
  get(fqdn: Fqdn): Capability | undefined {
    return this.#byFqdn.get(fqdn);
  }

  /** In no particular order, whatever their visibility. */
  all(): Iterable<Capability> {
    return this.#byFqdn.values();
  }

  /** Finds what `reference` means in `scope`, or nothing where it means nothing that the session may see. */
  resolve(reference: string, scope: Scope): Resolution | undefined {
    const names = this.#names(scope);
    const holder = names?.spelled(reference);
    if (holder !== undefined) return seen(holder, scope);
    const capability = this.#byFqdn.get(reference as Fqdn);
    if (capability !== undefined) return seen({ capability }, scope);
    return this.#resolveParsed(reference, scope);
  }

  /** Takes over a capability as it is now. What is older than what is known changes nothing. */
  put(capability: Capability): void {
    const before = this.#byFqdn.get(capability.fqdn);
    if (before === undefined || !isOlder(capability, before)) this.#change(before, capability);
  }

  remove(fqdn: Fqdn): void {
    const before = this.#byFqdn.get(fqdn);
    if (before !== undefined) this.#change(before, undefined);
  }

  /** The named capabilities of the project that the session may see, by name. */
  listed(scope: Scope): readonly Capability[] {
    return (
      this.#names(scope)
        ?.named()
        .filter((capability) => canSee(capability, scope)) ?? []
    );
  }

  /** Who has `name` in the project, as its name or as an alias, whoever may see it. */
  holderOf(name: string, scope: OrgAndProject): NameHolder | undefined {
    return this.#names(scope)?.folded(foldDisplayName(name));
  }

  /** The capability of the project that began as this code, whoever may see it. */
  withCode(codeHash: string, scope: OrgAndProject): Capability | undefined {
    return this.#names(scope)?.withCode(codeHash);
  }

  isTaken(name: string, scope: OrgAndProject): boolean {
    return this.holderOf(name, scope) !== undefined;
  }

  /** Names of the project that look like `name` and that the session may see, best first. */
  nearest(name: string, scope: Scope, most = 3): readonly string[] {
    const candidates: string[] = [];
    for (const capability of this.#names(scope)?.named() ?? []) {
      if (candidates.length === LIMITS.nearestCandidates) break;
      if (canSee(capability, scope)) candidates.push(capability.displayName);
    }
    return nearest(name, candidates, most);
  }

  /** The capabilities whose newest code calls this one, by FQDN. */
  dependents(fqdn: Fqdn): readonly Capability[] {
    return [...(this.#dependents.get(fqdn) ?? [])]
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((user) => this.#byFqdn.get(user) ?? []);
  }

  /** Tells of every change once it can be resolved; answers how to stop. */
  onChange(listener: (change: CapabilityChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #resolveParsed(text: string, scope: Scope): Resolution | undefined {
    const reference = parseReference(text);
    if (reference === undefined) return undefined;
    const holder = this.#find(reference.target, scope);
    if (holder === undefined || !canSee(holder.capability, scope)) return undefined;
    return reference.version === undefined ? holder : { ...holder, version: reference.version };
  }

  #find(target: ReferenceTarget, scope: Scope): NameHolder | undefined {
    switch (target.kind) {
      case "fqdn":
        return this.#holder(target.fqdn);
      case "label":
        return this.#holder(this.#labelled(target.label));
      case "id":
        return this.#holder(this.#byId.get(target.id));
      case "scoped":
        return this.holderOf(target.name, target);
      case "name":
        return this.holderOf(target.name, scope);
    }
  }

  #holder(fqdn: Fqdn | undefined): NameHolder | undefined {
    const capability = fqdn === undefined ? undefined : this.#byFqdn.get(fqdn);
    return capability === undefined ? undefined : { capability };
  }

  /** Of several, the one that is still called so; where none is, nobody can know which was meant. */
  #labelled(label: string): Fqdn | undefined {
    const found = this.#byLabel.get(label);
    if (typeof found !== "object") return found;
    const stillCalled = [...found].filter((fqdn) => {
      const capability = this.#byFqdn.get(fqdn);
      if (capability === undefined) return false;
      const { namespace, action } = namePartsOf(capability.displayName, capability.namespace);
      return namespace.toLowerCase() === capability.namespace && action.toLowerCase() === capability.action;
    });
    return stillCalled.length === 1 ? stillCalled[0] : undefined;
  }

  #names({ org, project }: OrgAndProject): ScopeNames | undefined {
    return this.#scopes.get(org)?.get(project);
  }

  #change(before: Capability | undefined, after: Capability | undefined): void {
    if (before !== undefined) this.#unlink(before);
    if (after !== undefined) this.#link(after);
    const of = after ?? before;
    if (of !== undefined) this.#namesToChange(of).change(before, after);
    const change = { ...(before && { before }), ...(after && { after }) };
    for (const listener of this.#listeners) listener(change);
  }

  #link(capability: Capability): void {
    const { fqdn, id, dependencies } = capability;
    this.#byFqdn.set(fqdn, capability);
    this.#byId.set(id, fqdn);
    const label = fqdnLabel(fqdn);
    const labelled = this.#byLabel.get(label);
    this.#byLabel.set(label, labelled === undefined ? fqdn : new Set([...fqdns(labelled), fqdn]));
    for (const callee of dependencies) {
      const users = this.#dependents.get(callee);
      if (users === undefined) this.#dependents.set(callee, new Set([fqdn]));
      else users.add(fqdn);
    }
  }

  #unlink({ fqdn, id, dependencies }: Capability): void {
    this.#byFqdn.delete(fqdn);
    this.#byId.delete(id);
    const label = fqdnLabel(fqdn);
    const [first, ...rest] = fqdns(this.#byLabel.get(label) ?? fqdn).filter((other) => other !== fqdn);
    if (first === undefined) this.#byLabel.delete(label);
    else this.#byLabel.set(label, rest.length === 0 ? first : new Set([first, ...rest]));
    for (const callee of dependencies) {
      const users = this.#dependents.get(callee);
      if (users?.delete(fqdn) && users.size === 0) this.#dependents.delete(callee);
    }
  }

  #namesToChange({ org, project }: OrgAndProject): ScopeNames {
    const projects = this.#scopes.get(org) ?? new Map<string, ScopeNames>();
    this.#scopes.set(org, projects);
    const names = projects.get(project) ?? new ScopeNames();
    projects.set(project, names);
    return names;
  }
}

function fqdns(labelled: Fqdn | ReadonlySet<Fqdn>): readonly Fqdn[] {
  return typeof labelled === "object" ? [...labelled] : [labelled];
}

function seen(holder: NameHolder, scope: Scope): Resolution | undefined {
  return canSee(holder.capability, scope) ? holder : undefined;
}

/** Answers of the store may arrive in another order than they were given. */
function isOlder(one: Capability, other: Capability): boolean {
  return one.revision !== undefined && other.revision !== undefined && one.revision < other.revision;
}
