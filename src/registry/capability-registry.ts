/**
 * Capabilities by name, for everybody in the gateway: memory in front, the store behind.
 *
 * What memory has is answered at once. What it has not may have been added by another gateway of the same store, so
 * the store is asked before anybody is told that something does not exist.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";
import { aliasWarning, CapabilityDirectory, type Resolution } from "./capability-directory.js";
import type {
  CapabilityStore,
  Learned,
  NewCapability,
  RenameRequest,
  SignVersion,
} from "./capability-store.js";
import { type DependencyStart, hiddenName, refuseDeepCallers } from "./dependency-closure.js";
import { foldDisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import { parseReference } from "./reference.js";
import type { Scope } from "./scope.js";
import { resolveVersion } from "./version-spec.js";
import { canSee } from "./visibility.js";

export interface FoundCapability {
  readonly capability: Capability;
  readonly version: number;
  readonly warnings: readonly string[];
}

/** The newest state of each. */
export interface CapabilityRelations {
  /** What it calls itself, in the order of its first calls. */
  readonly dependencies: readonly Capability[];
  /** Those whose newest code calls it, by FQDN. */
  readonly dependents: readonly Capability[];
}

const NAME_SHOWN_CHARS = 200;

export interface CapabilityRegistryOptions {
  readonly store: CapabilityStore;
  readonly log: Log;
  /** What can be listed before the store has been read: everything that has a name, or nothing where it is not known. */
  readonly named?: readonly Capability[] | undefined;
  /** Called before a change of what is listed is written; the answer is called when it was, or could not be. */
  readonly onChanging?: () => () => void;
}

export class CapabilityRegistry {
  readonly directory: CapabilityDirectory;
  readonly store: CapabilityStore;
  readonly #options: CapabilityRegistryOptions;
  #loading: Promise<void> | undefined;

  constructor(options: CapabilityRegistryOptions) {
    this.#options = options;
    this.store = options.store;
    this.directory = new CapabilityDirectory(options.named);
  }

  /** Resolves when it is known what has a name. */
  listable(): Promise<void> {
    return this.#options.named === undefined ? this.loaded() : Promise.resolve();
  }

  /** Resolves when memory holds what the store has. Tried anew by the next who asks where the store failed. */
  loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** What a caller's words mean; throws `CAPABILITY_NOT_FOUND` or `VERSION_NOT_FOUND`. */
  async find(text: string, scope: Scope): Promise<FoundCapability> {
    const found = await this.lookUp(text, scope);
    if (found === undefined) throw this.notFound(text, scope);
    const { capability, viaAlias, version } = found;
    const warnings = viaAlias === undefined ? [] : [aliasWarning(viaAlias, capability)];
    for (const message of warnings) this.#options.log.warn("capability.alias", { message });
    return { capability, version: await this.#versionOf(capability, version, text), warnings };
  }

  /** From memory, else from the store; nothing where it does not exist or may not be seen. */
  async lookUp(text: string, scope: Scope): Promise<Resolution | undefined> {
    await this.loaded();
    const known = this.directory.resolve(text, scope);
    if (known !== undefined) return known;
    await this.#fetch(text, scope);
    return this.directory.resolve(text, scope);
  }

  /** Memory has these, and all that they call, where the store has them: another gateway may have added some. */
  async know(fqdns: Iterable<Fqdn>): Promise<void> {
    const all = new Set(fqdns);
    for (const fqdn of all) {
      const capability = this.directory.get(fqdn) ?? (await this.store.get(fqdn));
      if (capability === undefined) continue;
      if (this.directory.get(fqdn) === undefined) this.directory.put(capability);
      for (const callee of capability.dependencies) all.add(callee);
    }
  }

  /**
   * Whether a capability may become this: throws `CODE_REFUSED` with the path where those who call it would be in a
   * circle or too deep then, as far as memory knows. The store decides when it is learnt.
   */
  refuseDeepUpdate(update: DependencyStart & { readonly fqdn: Fqdn }, scope: Scope): void {
    refuseDeepCallers(
      update,
      (fqdn) => this.directory.get(fqdn),
      (fqdn) =>
        this.directory.dependents(fqdn).map((caller) => ({
          fqdn: caller.fqdn,
          name: canSee(caller, scope) ? caller.displayName : hiddenName,
        })),
    );
  }

  /**
   * What a capability calls, and who calls it, that the session may see. Another gateway may have learnt callers since,
   * so the store is asked for them; memory has to do where it is away.
   */
  async relations(
    { fqdn, dependencies }: Pick<Capability, "fqdn" | "dependencies">,
    scope: Scope,
  ): Promise<CapabilityRelations> {
    try {
      await this.know(dependencies);
      for (const caller of await this.store.dependents(fqdn, LIMITS.dependentsShown))
        this.directory.put(caller);
    } catch (error) {
      this.#options.log.warn("capability.relations", { message: messageOf(error) });
    }
    const seen = (capability: Capability | undefined) =>
      capability !== undefined && canSee(capability, scope) ? [capability] : [];
    return {
      dependencies: dependencies.flatMap((callee) => seen(this.directory.get(callee))),
      dependents: this.directory.dependents(fqdn).flatMap(seen).slice(0, LIMITS.dependentsShown),
    };
  }

  notFound(text: string, scope: Scope): PmlError {
    const shown = text.slice(0, NAME_SHOWN_CHARS);
    const like = this.directory.nearest(shown, scope);
    return new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${shown}`, {
      hint:
        like.length === 0
          ? "cap_list shows the capabilities that there are."
          : `Did you mean ${like.join(" or ")}?`,
      data: { nearest: like },
    });
  }

  /** Stores what has just succeeded; from then on it can be called by name. */
  async learn(capability: NewCapability, sign: SignVersion): Promise<Learned> {
    const ended = capability.name === undefined ? undefined : this.#options.onChanging?.();
    try {
      const learned = await this.store.learn(capability, sign);
      this.directory.put(learned.capability);
      return learned;
    } finally {
      ended?.();
    }
  }

  async rename(request: RenameRequest): Promise<Capability> {
    const ended = this.#options.onChanging?.();
    try {
      const renamed = await this.store.rename(request);
      this.directory.put(renamed);
      return renamed;
    } finally {
      ended?.();
    }
  }

  async #versionOf(capability: Capability, spec: Resolution["version"], text: string): Promise<number> {
    if (spec === undefined || spec.kind === "latest") return capability.version;
    const name = text.slice(0, text.indexOf("@"));
    return resolveVersion(spec, await this.store.versions(capability.fqdn), name);
  }

  async #load(): Promise<void> {
    try {
      const capabilities = await this.store.load();
      const live = new Set(capabilities.map(({ fqdn }) => fqdn));
      for (const { fqdn } of [...this.directory.all()]) if (!live.has(fqdn)) this.directory.remove(fqdn);
      for (const capability of capabilities) this.directory.put(capability);
    } catch (error) {
      this.#options.log.warn("capabilities.not_loaded", { message: messageOf(error) });
      throw error;
    }
  }

  async #fetch(text: string, scope: Scope): Promise<void> {
    const target = parseReference(text)?.target;
    const fetched =
      target?.kind === "fqdn"
        ? await this.store.get(target.fqdn)
        : target?.kind === "name"
          ? await this.store.findByName(scope.org, scope.project, foldDisplayName(target.name))
          : target?.kind === "scoped"
            ? await this.store.findByName(target.org, target.project, foldDisplayName(target.name))
            : undefined;
    if (fetched !== undefined) this.directory.put(fetched);
  }
}
