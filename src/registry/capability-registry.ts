/**
 * Capabilities by name, for all parts of the gateway: memory in front, the store behind it.
 *
 * Lookups are answered from memory. If memory does not have a name, another gateway may have added it, so the store is
 * asked before the answer is "not found". Changes of other gateways arrive through the feed; if it is more than a
 * second behind, callers wait for it.
 *
 * @module
 */
import { LaterTry } from "../base/later-try.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { Callees, type FindCallee } from "./callees.js";
import { type Capability, cleanWords } from "./capability.js";
import { aliasWarning, CapabilityDirectory, type Resolution } from "./capability-directory.js";
import { type CapabilityRef, fqdnOfRef } from "./capability-ref.js";
import type {
  CapabilityKey,
  CapabilityStore,
  DeleteRequest,
  Imported,
  ImportedCapability,
  Learned,
  NewCapability,
  RenameRequest,
  SignVersion,
  UndeleteRequest,
  VersionSummary,
} from "./capability-store.js";
import type { ChangeFeed, OtherChanges } from "./change-feed.js";
import { type CapabilityUpdate, refuseDeepCallers } from "./dependency-closure.js";
import { foldDisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import { deletedError, notFoundError, shownText } from "./missing-capability.js";
import { parseReference, type ReferenceTarget } from "./reference.js";
import { capabilityFor, type PromoteRequest } from "./rollout.js";
import type { Scope } from "./scope.js";
import { ToolNameGuard } from "./tool-name-guard.js";
import { noToolNames, type ToolNames } from "./tool-names.js";
import { type ListedVersions, VersionLists } from "./version-lists.js";
import { canSee, HiddenNames, refuseChange, shownName } from "./visibility.js";

export interface FoundCapability {
  readonly capability: Capability;
  readonly version: number;
  readonly warnings: readonly string[];
}

/** Each in its newest state. */
export interface CapabilityRelations {
  /** What it calls directly, in the order of the first calls. */
  readonly dependencies: readonly Capability[];
  /** The capabilities whose newest code calls it, by FQDN. */
  readonly dependents: readonly Capability[];
}

/** About a few milliseconds: the longest that other work waits while a hundred thousand capabilities are loaded. */
const PUTS_AT_ONCE = 2_000;

export interface CapabilityRegistryOptions {
  readonly store: CapabilityStore;
  readonly log: Log;
  /** The named capabilities, which can be listed before the store has been read; absent if not known. */
  readonly named?: readonly Capability[] | undefined;
  /** Called before a change of listed capabilities is written; the returned function is called after the write. */
  readonly onChanging?: () => () => void;
  /** Names that no capability may keep. */
  readonly tools?: ToolNames;
  /** Delivers changes of other gateways; absent for an embedded store, which has only one gateway. */
  readonly feed?: ChangeFeed | undefined;
}

export class CapabilityRegistry {
  readonly directory: CapabilityDirectory;
  readonly store: CapabilityStore;
  /** Capabilities that lose their names to real tools. */
  readonly toolNames: ToolNameGuard;
  readonly #options: CapabilityRegistryOptions;
  readonly #versions: VersionLists;
  readonly #callees: Callees;
  /** Starts to follow other gateways' changes once the store is available, even without a request for a capability. */
  readonly #later = new LaterTry(() => this.loaded(), LIMITS.storeRetryMs);
  #loading: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  #elsewhere: OtherChanges | undefined;

  constructor(options: CapabilityRegistryOptions) {
    this.#options = options;
    this.store = options.store;
    const tools = options.tools ?? noToolNames;
    this.directory = new CapabilityDirectory(options.named, tools);
    this.toolNames = new ToolNameGuard({
      directory: this.directory,
      tools,
      giveWay: (request) => this.#change(() => this.store.giveWay(request), itself),
      refresh: (fqdn) => this.refresh([fqdn]),
      log: options.log,
    });
    this.#versions = new VersionLists(options.store);
    this.#callees = new Callees(options.store, this.directory);
  }

  /** Resolves when the named capabilities are known. */
  listable(): Promise<void> {
    return this.#options.named === undefined ? this.loaded() : Promise.resolve();
  }

  /** Resolves when memory matches the store; if the store fails, the next caller tries again. */
  loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      if (this.#options.feed !== undefined) this.#later.plan();
      throw error;
    });
    return this.#loading;
  }

  /** Finds what `text` means; throws `CAPABILITY_NOT_FOUND`, `CAPABILITY_DELETED` or `VERSION_NOT_FOUND`. */
  async find(text: string, scope: Scope): Promise<FoundCapability> {
    const found = await this.lookUp(text, scope);
    if (found === undefined) throw this.missing(text, scope);
    const { capability, viaAlias, version } = found;
    const warnings = viaAlias === undefined ? [] : [aliasWarning(viaAlias, capability)];
    for (const message of warnings) this.#options.log.warn("capability.alias", { message });
    return { capability, version: await this.#versions.meant(capability, version, text, scope), warnings };
  }

  /** Finds a capability to change; also throws `NOT_ALLOWED` if the session may only see it. */
  async findToChange(text: string, scope: Scope): Promise<FoundCapability> {
    const found = await this.find(text, scope);
    refuseChange(found.capability, scope);
    return found;
  }

  /** A deleted capability that can be restored; throws `CAPABILITY_NOT_FOUND` and `NOT_ALLOWED`. */
  async findDeleted(text: string, scope: Scope): Promise<Capability> {
    if ((await this.lookUp(text, scope)) !== undefined)
      throw new PmlError("CAPABILITY_NOT_FOUND", `Nothing to undelete: ${shownText(text)} is not deleted`);
    const deleted = this.directory.resolveDeleted(text, scope)?.capability;
    if (deleted === undefined)
      throw new PmlError("CAPABILITY_NOT_FOUND", `Nothing to undelete: ${shownText(text)}`, {
        hint: "There is no such capability, or it can no longer be restored.",
      });
    refuseChange(deleted, scope);
    return deleted;
  }

  /** Looks in memory, then in the store; undefined if it does not exist or the session may not see it. */
  async lookUp(text: string, scope: Scope): Promise<Resolution | undefined> {
    await this.loaded();
    const behind = this.#options.feed?.fresh();
    if (behind !== undefined) await behind;
    const known = this.directory.resolve(text, scope);
    if (known !== undefined) {
      const pending = this.toolNames.pending(text);
      if (pending === undefined) return known;
      await pending;
      return this.directory.resolve(text, scope);
    }
    await this.#fetch(text, scope);
    return this.directory.resolve(text, scope);
  }

  /** Loads these capabilities and everything they call: see {@link Callees.know}. */
  know(refs: Iterable<CapabilityRef>, asker?: Scope): Promise<FindCallee> {
    return this.#callees.know(refs, asker);
  }

  /**
   * Checks an update of a capability: throws `CODE_REFUSED` with the path if its callers would then be in a cycle or
   * too deep, as far as memory knows. The store decides when the update is written.
   */
  async refuseDeepUpdate(update: CapabilityUpdate, scope: Scope): Promise<void> {
    refuseDeepCallers(update, await this.know(update.dependencies, scope), (ref) =>
      this.directory
        .dependents(fqdnOfRef(ref))
        .filter(({ dependencies }) => dependencies.includes(ref))
        .map((caller) => ({ ref: caller.fqdn, name: shownName(caller, scope) })),
    );
  }

  /**
   * The callees and callers of a capability that the session may see. Another gateway may have added callers, so the
   * store is asked for them; if it is unavailable, memory is used.
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
      dependencies: dependencies.flatMap((callee) => seen(this.directory.get(fqdnOfRef(callee)))),
      dependents: this.directory.dependents(fqdn).flatMap(seen).slice(0, LIMITS.dependentsShown),
    };
  }

  /** The names of the direct and indirect callees that the session may not see. */
  async hiddenNames(refs: Iterable<CapabilityRef>, scope: Scope): Promise<HiddenNames> {
    const all = new Set(refs);
    const find = await this.know(all);
    // The set grows while it is iterated.
    for (const ref of all) for (const callee of find(ref)?.dependencies ?? []) all.add(callee);
    return new HiddenNames(
      [...all].flatMap((ref) => find(ref)?.capability ?? []),
      scope,
    );
  }

  /** The error for `text`: "deleted" if the session could see the capability before, else "not found". */
  missing(text: string, scope: Scope): PmlError {
    const deleted = this.directory.resolveDeleted(text, scope)?.capability;
    return deleted === undefined ? this.notFound(text, scope) : deletedError(deleted, scope);
  }

  notFound(text: string, scope: Scope): PmlError {
    const like = this.directory.nearest(shownText(text), scope);
    return notFoundError(text, like, "cap_list lists all capabilities.");
  }

  /** Stores code that has just succeeded or was saved; it can then be called by name. */
  async learn(capability: NewCapability, sign: SignVersion): Promise<Learned> {
    const write = () => this.store.learn(cleanWords(capability), sign);
    const learned =
      capability.name === undefined
        ? await this.#keep(write, (written) => written.capability)
        : await this.#change(write, (written) => written.capability);
    const settled = await this.toolNames.settle(learned.capability);
    return { ...learned, capability: capabilityFor(settled, capability.scope) };
  }

  async rename(request: RenameRequest): Promise<Capability> {
    return await this.toolNames.settle(
      await this.#changeLive(request, () => this.store.rename(cleanWords(request))),
    );
  }

  delete(request: DeleteRequest): Promise<Capability> {
    return this.#changeLive(request, () => this.store.delete(request));
  }

  /** If a tool has its name now, it is restored under another name. */
  async undelete(request: UndeleteRequest): Promise<Capability> {
    return await this.toolNames.settle(await this.#change(() => this.store.undelete(request), itself));
  }

  /** Imports a capability of another installation. If it already exists here, no change is announced. */
  async importRecord(imported: ImportedCapability): Promise<Imported> {
    const write = () => this.store.importRecord(cleanWords(imported));
    const written = imported.dryRun
      ? await this.#keep(write, ({ capability }) => capability)
      : await this.#change(write, ({ capability }) => capability);
    if (written.capability === undefined) return written;
    const capability = await this.toolNames.settle(written.capability);
    return { ...written, capability, name: capability.displayName };
  }

  /** A person vouches for a version. */
  verify(fqdn: Fqdn, version: number, scope: Scope): Promise<Capability> {
    return this.#keep(() => this.store.verify(fqdn, version, scope), itself);
  }

  /** Makes a version the latest for all users; returns whether that changed anything. */
  async promote(request: PromoteRequest): Promise<boolean> {
    return (await this.#change(() => this.store.promote(request), itself)) !== undefined;
  }

  /** Updates memory from the store for these capabilities. */
  async refresh(fqdns: readonly Fqdn[]): Promise<void> {
    for (const capability of await this.store.getAll(fqdns)) this.directory.put(capability);
  }

  /** The current list of a capability's versions, newest first; cached after the first read. */
  versionsOf(capability: ListedVersions): Promise<readonly VersionSummary[]> {
    return this.#versions.of(capability);
  }

  /** Subscribes to other gateways' other changes. Must be called before anything is awaited. */
  listenElsewhere(listener: OtherChanges): void {
    this.#elsewhere = listener;
  }

  /** Ends the feed. */
  async stop(): Promise<void> {
    this.#later.stop();
    this.toolNames.stop();
    await this.#options.feed?.stop();
  }

  /** On a conflicting change or deletion, memory is updated before the caller gets the error. */
  async #changeLive({ fqdn, scope }: UndeleteRequest, write: () => Promise<Capability>): Promise<Capability> {
    try {
      return await this.#change(write, itself);
    } catch (error) {
      const isBehind =
        error instanceof PmlError &&
        (error.code === "CAPABILITY_NOT_FOUND" || error.code === "CAPABILITY_CHANGED");
      const now = isBehind ? await this.store.get(fqdn) : undefined;
      if (now !== undefined) this.directory.put(now);
      throw now?.deletedAt === undefined ? error : deletedError(now, scope);
    }
  }

  /** Like `#keep`, for listed capabilities: the copy of the names outside of the store is updated before and after. */
  async #change<T>(write: () => Promise<T>, changed: (written: T) => Capability | undefined): Promise<T> {
    const ended = this.#options.onChanging?.();
    try {
      return await this.#keep(write, changed);
    } finally {
      ended?.();
    }
  }

  /** Writes a change; if it changed anything, memory takes over the result. */
  async #keep<T>(write: () => Promise<T>, changed: (written: T) => Capability | undefined): Promise<T> {
    const written = await write();
    const capability = changed(written);
    if (capability !== undefined) this.directory.put(capability);
    return written;
  }

  async #load(): Promise<void> {
    try {
      await this.#follow();
      // Only capabilities that are in memory now can turn out to be deleted: those added while the store is read are
      // newer than its answer.
      const known = Array.from(this.directory.all(), ({ fqdn }) => fqdn);
      const capabilities = await this.store.load();
      const live = new Set(capabilities.map(({ fqdn }) => fqdn));
      for (const fqdn of known) if (!live.has(fqdn)) this.directory.remove(fqdn);
      for (const [index, capability] of capabilities.entries()) {
        this.directory.put(capability);
        if (index % PUTS_AT_ONCE === PUTS_AT_ONCE - 1) await new Promise(setImmediate);
      }
    } catch (error) {
      this.#options.log.warn("capabilities.not_loaded", { message: messageOf(error) });
      throw error;
    }
  }

  /** Starts before anything is read, so that no change is missed; only once, even if reading fails repeatedly. */
  #follow(): Promise<void> {
    const { feed } = this.#options;
    this.#following ??= feed
      ?.start({
        capabilitiesChanged: (fqdns) => this.refresh(fqdns),
        serversChanged: async () => this.#elsewhere?.serversChanged(),
        keysChanged: async () => this.#elsewhere?.keysChanged(),
        toolsChanged: async (servers) => this.#elsewhere?.toolsChanged(servers),
        cachesDropped: async (ids) => this.#elsewhere?.cachesDropped?.(ids),
        watchedChanged: (what, projects) => this.#elsewhere?.watchedChanged?.(what, projects),
        allChanged: async () => {
          await Promise.all([
            this.#load(),
            this.#elsewhere?.serversChanged(),
            this.#elsewhere?.keysChanged(),
            this.#elsewhere?.toolsChanged(),
            this.#elsewhere?.cachesDropped?.(undefined),
          ]);
        },
      })
      .catch((error: unknown) => {
        this.#following = undefined;
        throw error;
      });
    return this.#following ?? Promise.resolve();
  }

  async #fetch(text: string, scope: Scope): Promise<void> {
    const target = parseReference(text)?.target;
    if (target === undefined) return;
    const fetched =
      target.kind === "fqdn"
        ? await this.store.getAll([target.fqdn])
        : await this.store.find(lookupKey(target, scope));
    for (const capability of fetched) this.directory.put(capability);
  }
}

function lookupKey(target: Exclude<ReferenceTarget, { kind: "fqdn" }>, scope: Scope): CapabilityKey {
  if (target.kind === "id" || target.kind === "label") return target;
  const { org, project } = target.kind === "scoped" ? target : scope;
  return { kind: "name", org, project, fold: foldDisplayName(target.name) };
}

function itself<T extends Capability | undefined>(capability: T): T {
  return capability;
}
