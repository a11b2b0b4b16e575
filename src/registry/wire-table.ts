/**
 * A bijective table between ids and wire names.
 *
 * A given name is kept, even while its owner is away and across restarts, because clients, prompts and saved
 * permissions refer to it. There is one exception: a capability gives way to a real tool. The store decides between
 * gateways that share it.
 *
 * @module
 */
import { foldWireName, givesWay, type WireName, wireNameFor } from "./wire-name.js";

export interface NameWish {
  readonly id: string;
  /** The name it would get if no name were taken. */
  readonly wanted: string;
}

export class WireTable {
  readonly #nameOf = new Map<string, WireName>();
  readonly #idOf = new Map<string, string>();
  readonly #isReserved: (fold: string) => boolean;

  constructor(isReserved: (fold: string) => boolean = () => false) {
    this.#isReserved = isReserved;
  }

  nameOf(id: string): WireName | undefined {
    return this.#nameOf.get(id);
  }

  /** Finds the owner of a name in any form that a client may have folded it to. */
  idOf(name: string): string | undefined {
    return this.#idOf.get(foldWireName(name));
  }

  entries(): readonly WireNameEntry[] {
    return [...this.#nameOf].map(([id, name]) => ({ id, name }));
  }

  /** Adds entries that were given earlier, here or by another gateway. Known entries win. */
  adopt(entries: readonly WireNameEntry[]): void {
    for (const { id, name } of entries) {
      if (this.#nameOf.has(id) || !this.#isFree(foldWireName(name), id)) continue;
      const former = this.#idOf.get(foldWireName(name));
      if (former !== undefined) this.forget(former);
      this.#set(id, name);
    }
  }

  /** Forgets a name that belongs to another id, so that the next {@link assign} gives a new one. */
  forget(id: string): void {
    const name = this.#nameOf.get(id);
    if (name === undefined) return;
    this.#nameOf.delete(id);
    this.#idOf.delete(foldWireName(name));
  }

  /** Names every id without a name; the order of the wishes makes no difference. Returns the new entries. */
  async assign(wishes: readonly NameWish[]): Promise<readonly WireNameEntry[]> {
    const added: WireNameEntry[] = [];
    const missing = wishes.filter(({ id }) => !this.#nameOf.has(id));
    for (const { id, wanted } of missing.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      while (!this.#nameOf.has(id)) {
        const name = await wireNameFor(id, wanted, (fold) => this.#isFree(fold, id));
        // A concurrent assignment may have finished while this one waited for the hash.
        if (this.#nameOf.has(id) || !this.#isFree(foldWireName(name), id)) continue;
        const former = this.#idOf.get(foldWireName(name));
        if (former !== undefined) this.forget(former);
        this.#set(id, name);
        added.push({ id, name });
      }
    }
    return added;
  }

  /** A real tool may take the name of a capability. */
  #isFree(fold: string, id: string): boolean {
    const holder = this.#idOf.get(fold);
    return (holder === undefined || givesWay(holder, id)) && !this.#isReserved(fold);
  }

  #set(id: string, name: WireName): void {
    this.#nameOf.set(id, name);
    this.#idOf.set(foldWireName(name), id);
  }
}

/** Stores new entries; if another gateway was first, takes over its names. */
export async function keepNames(
  table: WireTable,
  store: WireNameStore,
  added: readonly WireNameEntry[],
): Promise<readonly string[]> {
  const kept = new Map((await store.keep(added)).map(({ id, name }) => [id, name]));
  const lost = added.filter(({ id, name }) => kept.get(id) !== name).map(({ id }) => id);
  if (lost.length === 0) return [];
  // Loads all entries, because a lost name may belong to an id that is not listed here; the next name must differ from
  // it.
  const entries = await store.load();
  for (const id of lost) table.forget(id);
  table.adopt(entries);
  return lost;
}

/** One row of the wire-name table: an id and its name. */
export interface WireNameEntry {
  /** `server:tool`, or the id of anything else that is listed. */
  readonly id: string;
  readonly name: WireName;
}

/**
 * The port to the storage of wire names (table `wire_name`), so that a given name stays with its id. Both
 * implementations pass `test/suites/wire-name-store.suite.ts`.
 */
export interface WireNameStore {
  load(): Promise<readonly WireNameEntry[]>;
  /**
   * Stores new entries. An id or a folded name that is already stored stays as it is, except that a capability loses
   * its name to a real tool. Returns the table's current entries for these ids; an id whose name was taken is missing.
   */
  keep(entries: readonly WireNameEntry[]): Promise<readonly WireNameEntry[]>;
}
