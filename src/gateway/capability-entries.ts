/**
 * Capabilities as entries of the one list of tools: which ones a session sees, and their wire names.
 *
 * Wire names belong to display names, not to capabilities: two projects may both have an `fs:read_json`, each in its
 * own list. A name that was given once still resolves, as an alias does.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server";
import { keepNewest } from "../base/keep-newest.js";
import { cleanText } from "../mcp/clean-text.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityChange, CapabilityDirectory } from "../registry/capability-directory.js";
import { type DisplayName, namePartsOf } from "../registry/display-name.js";
import { formatScope, type Scope } from "../registry/scope.js";
import { CAPABILITY_WISH, foldWireName, toolWireForm, type WireName } from "../registry/wire-name.js";
import type { NameWish } from "../registry/wire-table.js";
import { descriptionOf } from "./own/capability-view.js";
import { StableList } from "./pages.js";

export interface CapabilityEntry {
  readonly kind: "capability";
  /** Its display name. */
  readonly id: string;
  readonly listed: Tool;
  /** The reference to look up when it is called, as the caller wrote it, so that an alias warns. */
  readonly reference: string;
}

export interface ScopedEntries {
  /** The same object for as long as its content stays the same. */
  readonly listed: readonly Tool[];
  /** The capabilities of the listed tools, in the same order. */
  readonly capabilities: readonly Capability[];
  /** By folded wire name, including former names. */
  readonly byName: ReadonlyMap<string, CapabilityEntry>;
}

/** Gives wire names: all wishes are assigned at once, then each name is read. */
export interface WireNames {
  assign(wishes: readonly NameWish[]): Promise<void>;
  nameOf(id: string): WireName | undefined;
}

export interface EntriesOptions {
  /** Called when a listing may have changed. */
  readonly onChange: () => void;
  /** Whether a visible capability is in the session's list; default: all are. */
  readonly isListed?: ((capability: Capability) => boolean) | undefined;
  /** Called with the scope of each request. */
  readonly onScope?: ((scope: Scope) => void) | undefined;
}

const SCOPES_KEPT = 1_000;

export class CapabilityEntries {
  readonly #directory: CapabilityDirectory;
  readonly #names: WireNames;
  readonly #isListed: (capability: Capability) => boolean;
  readonly #onScope: (scope: Scope) => void;
  readonly #scopes = new Map<
    string,
    { readonly stable: StableList<Tool>; entries?: Promise<ScopedEntries> }
  >();

  constructor(
    directory: CapabilityDirectory,
    names: WireNames,
    { onChange, isListed, onScope }: EntriesOptions,
  ) {
    this.#onScope = onScope ?? (() => {});
    this.#directory = directory;
    this.#names = names;
    this.#isListed = isListed ?? (() => true);
    directory.onChange((change) => {
      if (!changesListing(change)) return;
      this.invalidate();
      onChange();
    });
  }

  /** The next listing is rebuilt. */
  invalidate(): void {
    for (const kept of this.#scopes.values()) delete kept.entries;
  }

  of(scope: Scope): Promise<ScopedEntries> {
    const key = formatScope(scope);
    const kept = this.#scopes.get(key) ?? { stable: new StableList<Tool>() };
    keepNewest(this.#scopes, key, kept, SCOPES_KEPT);
    kept.entries ??= this.#build(scope, kept.stable).catch((error: unknown) => {
      delete kept.entries;
      throw error;
    });
    return kept.entries;
  }

  /** Finds by any form of its name. */
  find(reference: string, scope: Scope): CapabilityEntry | undefined {
    const found = this.#directory.resolve(reference, scope);
    if (found === undefined) return undefined;
    const { capability } = found;
    const name = this.#names.nameOf(wishOf(capability, capability.displayName).id);
    return entryOf(capability, name ?? "capability", reference);
  }

  async #build(scope: Scope, stable: StableList<Tool>): Promise<ScopedEntries> {
    this.#onScope(scope);
    const listed = this.#directory.listed(scope).filter(this.#isListed);
    // Deleted capabilities have wire names too, so that a call of one is answered with CAPABILITY_DELETED.
    const named = [...listed, ...this.#directory.listedDeleted(scope)];
    await this.#names.assign(
      named.flatMap((capability) => namesOf(capability).map((name) => wishOf(capability, name))),
    );
    const byName = new Map<string, CapabilityEntry>();
    const tools: Tool[] = [];
    const capabilities: Capability[] = [];
    for (const capability of listed) {
      for (const name of namesOf(capability)) {
        const wire = this.#names.nameOf(wishOf(capability, name).id);
        if (wire === undefined) continue;
        const entry = entryOf(capability, wire, name);
        if (name === capability.displayName) {
          tools.push(entry.listed);
          capabilities.push(capability);
        }
        byName.set(foldWireName(wire), entry);
      }
    }
    return { listed: stable.set(tools), capabilities, byName };
  }
}

function namesOf({ displayName, aliases }: Capability): readonly DisplayName[] {
  return [displayName, ...aliases];
}

/** The display name that an id of {@link wishOf} stands for; undefined for every other id. */
export function nameOfWish(id: string): string | undefined {
  return id.startsWith(CAPABILITY_WISH) ? id.slice(id.indexOf("/") + 1 || CAPABILITY_WISH.length) : undefined;
}

/** The id is the name, and unique: `a:b:c` and `a:b_c`, or `read` and `fs:read`, want the same wire name. */
function wishOf({ namespace: inferred }: Capability, name: DisplayName): NameWish {
  const { namespace, action } = namePartsOf(name, inferred);
  const id = `${CAPABILITY_WISH}${name.includes(":") ? name : `${inferred}/${name}`}`;
  return { id, wanted: toolWireForm(namespace, action) };
}

function entryOf(capability: Capability, wire: string, reference: string): CapabilityEntry {
  const { displayName, parameters } = capability;
  // A model reads the list in every turn; it learns from the error that a field is unknown.
  const { additionalProperties: _, ...inputSchema } = parameters;
  return {
    kind: "capability",
    id: displayName,
    reference,
    listed: {
      name: wire,
      title: displayName,
      description: cleanText(descriptionOf(capability)),
      inputSchema: inputSchema as Tool["inputSchema"],
      _meta: { "pml/id": displayName },
    },
  };
}

/** Counters change all the time, and are not in any list. */
function changesListing({ before, after }: CapabilityChange): boolean {
  if (before === undefined || after === undefined) return true;
  return (
    before.displayName !== after.displayName ||
    before.aliases.length !== after.aliases.length ||
    before.visibility !== after.visibility ||
    before.version !== after.version ||
    before.trial?.promoted !== after.trial?.promoted ||
    before.trial?.versions.length !== after.trial?.versions.length ||
    descriptionOf(before) !== descriptionOf(after) ||
    before.creators.length !== after.creators.length
  );
}
