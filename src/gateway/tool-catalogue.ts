/**
 * The one list of tools: PML's own, those of all real servers under their wire names, and the capabilities of a scope.
 *
 * The list depends on scope, configuration and store, never on the connection or its time. The first request after a
 * change of a server's offer builds it; later requests use the same value until the next change.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server";
import { keepNewest } from "../base/keep-newest.js";
import { nearest } from "../base/nearest.js";
import type { ServerOffer } from "../mcp/real-servers.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Scope } from "../registry/scope.js";
import { type ServerName, type ToolId, toolId } from "../registry/tool-id.js";
import type { ListMode } from "../registry/tool-list.js";
import { foldWireName, toolWireForm } from "../registry/wire-name.js";
import { type NameWish, type WireNameEntry, WireTable } from "../registry/wire-table.js";
import {
  CapabilityEntries,
  type CapabilityEntry,
  nameOfWish,
  type ScopedEntries,
} from "./capability-entries.js";
import { markedTool, unmarkedTool } from "./listed-tool.js";
import type { Operation } from "./operation.js";
import { inKeyOrder, StableList } from "./pages.js";
import { listKey, type View } from "./session.js";
import type { InventoryTool, ToolInventory, ToolSnapshot } from "./tool-inventory.js";
import type { ToolListing } from "./tool-listing.js";

export type CatalogueEntry =
  | { readonly kind: "own"; readonly id: string; readonly listed: Tool; readonly own: Operation }
  | {
      readonly kind: "real";
      readonly id: ToolId;
      readonly listed: Tool;
      readonly server: ServerName;
      /** The tool in its server's form. */
      readonly tool: Tool;
      readonly hash: string;
    }
  | CapabilityEntry;

export interface CatalogueOptions {
  readonly inventory: Pick<ToolInventory, "snapshot" | "showable">;
  readonly own: readonly Operation[];
  readonly capabilities: CapabilityDirectory;
  /** Whether a visible capability is in the session's list; default: all are. */
  readonly isListed?: ((capability: Capability) => boolean) | undefined;
  /** Chooses which tools are listed. */
  readonly listing: Pick<ToolListing, "choose" | "version">;
  /** Whether servers are still starting. */
  readonly isStarting: () => boolean;
  /** Whether a connected client was sent the list of this view. */
  readonly isInUse: (view: View) => boolean;
  /** Called when the listed capabilities of a scope may have changed. */
  readonly onCapabilities: () => void;
  /** Called with each scope whose capabilities are listed or called. */
  readonly onScope?: ((scope: Scope) => void) | undefined;
  /** Names that were given earlier; the first listing waits for them, so that no name is given twice. */
  readonly history: Promise<readonly WireNameEntry[]>;
  /** Called with names that the store may not have yet. */
  readonly onNamed: (added: readonly WireNameEntry[], table: WireTable) => void;
}

/** The number of cached lists; other lists are rebuilt when needed. */
const LISTS_KEPT = 1_000;
/** Prefixes of PML's own tools, folded: no server's tool gets a name with them. */
const OWN_PREFIXES = ["pml_", "cap_"];
/**
 * Names that would become `mcp__…` on the wire. This prefix is for tools with a server name, so a bare name must not
 * begin with it.
 */
const OTHERS_PREFIX = /^mcp[^a-z0-9]{2}/i;

/** The sort key of a tool: PML's own come first, and the entry points before all. */
export function toolKey({ name }: Tool): string {
  const place = OWN_PREFIXES.findIndex((prefix) => name.startsWith(prefix));
  return `${place < 0 ? OWN_PREFIXES.length : place} ${name}`;
}

export class ToolCatalogue {
  readonly #options: CatalogueOptions;
  readonly #table: WireTable;
  #own: ReadonlyMap<string, CatalogueEntry>;
  readonly #forPersons: ReadonlyMap<string, CatalogueEntry>;
  readonly #unlisted: ReadonlyMap<string, CatalogueEntry>;
  readonly #listed = new StableList<Tool>();
  readonly #entryPoints = new StableList<Tool>();
  /** The tools that a reader may call. */
  readonly #forReaders = new StableList<Tool>();
  readonly #capabilities: CapabilityEntries;
  /** The last list of each scope and exposure. */
  readonly #merged = new Map<string, MergedList>();
  #snapshot: Snapshot = { all: [], counted: [], byId: new Map(), byName: new Map(), ambiguous: new Set() };
  #history: CatalogueOptions["history"] | undefined;
  /** The snapshot that the list was built from. */
  #of: ToolSnapshot | undefined;
  #building: Promise<void> | undefined;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#history = options.history;
    this.#table = new WireTable((fold) => OWN_PREFIXES.some((prefix) => fold.startsWith(prefix)));
    this.#own = this.#ownNow();
    this.#forPersons = byNameAndId(options.own.filter(({ who }) => who === "person"));
    this.#unlisted = byNameAndId(
      options.own.filter(({ who, unlisted }) => who !== "person" && unlisted === true),
    );
    this.#capabilities = new CapabilityEntries(
      options.capabilities,
      { assign: (wishes) => this.#assign(wishes), nameOf: (id) => this.#table.nameOf(id) },
      { onChange: options.onCapabilities, isListed: options.isListed, onScope: options.onScope },
    );
  }

  /** The next listing is rebuilt, even if the tools are the same. */
  invalidate(): void {
    this.#of = undefined;
    // Some of PML's own tools mention the names of the servers.
    this.#own = this.#ownNow();
    // A name that belongs to another tool may have been given to a capability.
    this.#capabilities.invalidate();
  }

  /** Every name that was given, including those of tools that are not listed now. */
  names(): readonly WireNameEntry[] {
    return this.#table.entries();
  }

  async list(view: View): Promise<readonly Tool[]> {
    const { all, counted, entryPoints, listed, capabilities } = await this.#shownTo(view);
    const { listing, capabilities: directory } = this.#options;
    const isStarting = this.#options.isStarting();
    const isInUse = this.#options.isInUse(view);
    const key = mergedKey(view);
    const last = this.#merged.get(key);
    const of = [all, listed, listing.version, isStarting, isInUse];
    if (last !== undefined && of.every((part, at) => part === last.of[at])) return last.tools;
    const chosen = await listing.choose({
      key: listKey(view),
      exposure: view.exposure,
      entryPoints,
      tools: all,
      counted,
      // Usage counters do not matter here; they are read when they do.
      capabilities: capabilities.map((capability, at) => ({
        capability: directory.getFor(capability.fqdn, view.scope) ?? capability,
        tool: listed[at] as Tool,
      })),
      isStarting,
      isInUse,
    });
    const { mode } = chosen;
    const parts = [...chosen.tools, ...chosen.capabilities];
    const wanted = mode === "lean" ? parts : inKeyOrder(parts, toolKey);
    // A concurrent request may have built the list.
    const before = this.#merged.get(key);
    const isSame =
      before?.tools.length === wanted.length && wanted.every((tool, at) => tool === before.tools[at]);
    const tools = isSame ? before.tools : wanted;
    keepNewest(this.#merged, key, { of, mode, tools }, LISTS_KEPT);
    return tools;
  }

  /** Whether the last list of this view was lean, sent by this gateway or its predecessor. */
  async isLean(view: View): Promise<boolean> {
    if (view.exposure !== "auto") return view.exposure === "lean";
    const key = mergedKey(view);
    if (!this.#merged.has(key)) await this.list(view);
    return this.#merged.get(key)?.mode === "lean";
  }

  /**
   * Resolves a wire name, as any client may have folded it, or an id: of PML's own tools, real tools and capabilities.
   * If several tools fold to one name, only their exact names and ids count.
   */
  async resolve(name: string, scope: Scope): Promise<CatalogueEntry | undefined> {
    const { byId, byName, ambiguous } = await this.#current();
    const fold = foldWireName(name);
    const folded = byName.get(fold);
    if (folded !== undefined && (folded.listed.name === name || !ambiguous.has(fold))) return folded;
    const exact = this.#own.get(name) ?? byId.get(name);
    if (exact !== undefined || folded !== undefined) return exact;
    return (
      (await this.#capabilities.of(scope)).byName.get(fold) ??
      this.#capabilities.find(name, scope) ??
      this.#unlisted.get(name)
    );
  }

  /** The wire name of a real tool. */
  async nameOf(id: ToolId): Promise<string | undefined> {
    return (await this.#current()).byId.get(id)?.listed.name;
  }

  /** The capability reference that `name` means: the display name, if `name` is a wire name. */
  reference(name: string): string {
    const id = this.#table.idOf(name) ?? name;
    return nameOfWish(id) ?? id;
  }

  /** Finds a tool that only a person at a command can call, by name or id. */
  forPerson(name: string): CatalogueEntry | undefined {
    return this.#forPersons.get(name);
  }

  /** Similar names, in the same form as `name`. */
  async nearest(name: string, view: View): Promise<readonly string[]> {
    const { all, byId } = await this.#current();
    if (!name.includes(":")) {
      // Tools that are not listed can be called too.
      const { listed } = await this.#capabilities.of(view.scope);
      return nearest(
        name,
        [...all, ...listed].map((tool) => tool.name),
      );
    }
    return nearest(name, [
      ...byId.keys(),
      ...this.#options.capabilities.listed(view.scope).map(({ displayName }) => displayName),
    ]);
  }

  #ownNow(): ReadonlyMap<string, CatalogueEntry> {
    const own = entriesOf(
      this.#options.own.filter(({ who, unlisted }) => who !== "person" && unlisted !== true),
    );
    const listed = Array.from(own.values(), (entry) => entry.listed);
    this.#entryPoints.set(listed.filter(isEntryPoint));
    this.#forReaders.set(
      Array.from(own.values()).flatMap((entry) =>
        entry.kind === "own" && entry.own.who === "reader" ? [entry.listed] : [],
      ),
    );
    return own;
  }

  /** All tools that may be in a list of this view. */
  async #shownTo({ role, scope }: View): Promise<ShownTools> {
    const { all, counted } = await this.#current();
    const own = this.#forReaders.items;
    if (role === "reader")
      return {
        all: own,
        counted: own,
        entryPoints: own.filter(isEntryPoint),
        listed: NONE,
        capabilities: NONE,
      };
    return { all, counted, entryPoints: this.#entryPoints.items, ...(await this.#capabilities.of(scope)) };
  }

  async #current(): Promise<Snapshot> {
    while (this.#of !== this.#options.inventory.snapshot() || this.#building !== undefined) {
      this.#building ??= this.#build()
        .catch((error: unknown) => {
          this.#of = undefined;
          throw error;
        })
        .finally(() => {
          this.#building = undefined;
        });
      await this.#building;
    }
    return this.#snapshot;
  }

  async #build(): Promise<void> {
    await this.#adoptHistory();
    const { inventory } = this.#options;
    await inventory.showable();
    const tools = inventory.snapshot();
    this.#of = tools;
    const wanted = tools.offers.flatMap(wishes);
    await this.#assign(wanted);
    // A tool may have taken a capability's name.
    this.#capabilities.invalidate();
    const own = inKeyOrder([...this.#own.values()], ({ listed }) => toolKey(listed));
    const found = Array.from(tools.byId.values()).flatMap((tool) => this.#found(tool) ?? []);
    const real = found.map(({ entry }) => entry);
    const entries = [...own, ...inKeyOrder(real, ({ listed }) => toolKey(listed))];
    const all = this.#listed.set(entries.map(({ listed }) => listed));
    const marked = new Map(found.map(({ entry: { listed }, counted }) => [listed, counted]));
    this.#snapshot = {
      all,
      // A tool without marks stays the same object, whose cost is already counted.
      counted: entries.map(({ listed }, at) => {
        const counted = marked.get(listed) ?? listed;
        return counted === listed ? (all[at] ?? listed) : counted;
      }),
      byId: new Map(entries.map((entry) => [entry.id, entry])),
      byName: new Map(entries.map((entry) => [foldWireName(entry.listed.name), entry])),
      ambiguous: wantedTwice(wanted),
    };
  }

  async #assign(wanted: readonly NameWish[]): Promise<void> {
    const added = await this.#table.assign(wanted);
    if (added.length > 0) this.#options.onNamed(added, this.#table);
  }

  /** Only once: a name of the history that belongs to another tool must not come back. */
  async #adoptHistory(): Promise<void> {
    const history = this.#history;
    if (history === undefined) return;
    this.#table.adopt(await history);
    this.#history = undefined;
    // The history may come from a list copy with names that the store does not have.
    const entries = this.#table.entries();
    if (entries.length > 0) this.#options.onNamed(entries, this.#table);
  }

  #found({ offer, shown: { tool, hash }, known }: InventoryTool): FoundTool | undefined {
    const { id, server, quarantined } = known;
    const name = this.#table.nameOf(id);
    if (name === undefined) return undefined;
    const counted = unmarkedTool(offer, tool, id, name);
    const listed = markedTool(counted, id, offer, quarantined !== undefined);
    return { entry: { kind: "real", id, server, tool, hash, listed }, counted };
  }
}

interface MergedList {
  /** The values that it was built from. */
  readonly of: readonly unknown[];
  readonly mode: ListMode;
  readonly tools: readonly Tool[];
}

function mergedKey(view: View): string {
  return `${view.exposure} ${listKey(view)}`;
}

interface FoundTool {
  readonly entry: CatalogueEntry;
  /** The form of the tool that its cost is counted with. */
  readonly counted: Tool;
}

interface ShownTools extends Pick<ScopedEntries, "listed" | "capabilities"> {
  readonly all: readonly Tool[];
  readonly counted: readonly Tool[];
  readonly entryPoints: readonly Tool[];
}

const NONE: readonly never[] = [];

function isEntryPoint({ _meta }: Tool): boolean {
  return _meta?.["anthropic/alwaysLoad"] === true;
}

interface Snapshot {
  readonly all: readonly Tool[];
  /** The same tools without marks. */
  readonly counted: readonly Tool[];
  readonly byId: ReadonlyMap<string, CatalogueEntry>;
  readonly byName: ReadonlyMap<string, CatalogueEntry>;
  /** Folded names that several tools want. */
  readonly ambiguous: ReadonlySet<string>;
}

function wantedTwice(wishes: readonly NameWish[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { wanted } of wishes) {
    const fold = foldWireName(wanted);
    if (seen.has(fold)) twice.add(fold);
    seen.add(fold);
  }
  return twice;
}

function entriesOf(own: readonly Operation[]): ReadonlyMap<string, CatalogueEntry> {
  return new Map(
    own.map((one) => {
      const listed = { ...one.tool, _meta: { ...one.tool._meta, "pml/id": one.id } };
      return [one.id, { kind: "own", id: one.id, listed, own: one } as const];
    }),
  );
}

function byNameAndId(own: readonly Operation[]): ReadonlyMap<string, CatalogueEntry> {
  return new Map(
    [...entriesOf(own)].flatMap(([id, entry]) => [
      [id, entry],
      [entry.listed.name, entry],
    ]),
  );
}

function wishes({ server, naming, tools }: ServerOffer): NameWish[] {
  return tools.map(({ tool }) => ({
    id: toolId(server, tool.name),
    wanted: naming === "bare" && !OTHERS_PREFIX.test(tool.name) ? tool.name : toolWireForm(server, tool.name),
  }));
}
