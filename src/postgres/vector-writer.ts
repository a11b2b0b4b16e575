/**
 * Writes vectors into their table, in batches and in the background, and builds the index when there are enough.
 *
 * @module
 */

import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";
import type { Database } from "./database.js";
import type { VectorStatements } from "./pgvector-space.js";
import { storeAction } from "./sql-error.js";

export interface VectorWriterOptions {
  readonly database: Database;
  readonly log: Log;
  readonly statements: VectorStatements;
  /** Whether there are enough for an index. */
  readonly isMany: () => boolean;
}

/** One or two megabytes as text. */
const BATCH = 250;
const LET_GO_AT_ONCE = 10_000;

export class VectorWriter {
  readonly #options: VectorWriterOptions;
  readonly #pending = new Map<string, Float32Array>();
  readonly #letGo = new Set<string>();
  #writing: Promise<void> | undefined;
  #isScheduled = false;
  #wantsIndex = false;
  #isIndexed = false;

  constructor(options: VectorWriterOptions) {
    this.#options = options;
  }

  /** Vectors that may not be in the table yet, by id. */
  get pending(): ReadonlyMap<string, Float32Array> {
    return this.#pending;
  }

  get isIndexed(): boolean {
    return this.#isIndexed;
  }

  put(id: string, vector: Float32Array): void {
    this.#letGo.delete(id);
    this.#pending.set(id, vector);
    this.#schedule();
  }

  /** Releases a vector that this gateway no longer uses. */
  letGo(id: string): void {
    this.#pending.delete(id);
    // It may be in the table nevertheless: it is being written, or another gateway has written it.
    this.#letGo.add(id);
    this.#schedule();
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined || this.#isBehind) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  /** Allows the index, which is built as soon as there are enough vectors; writing many is faster without it. */
  async ready(): Promise<void> {
    this.#wantsIndex = true;
    await this.flush();
  }

  get #isBehind(): boolean {
    return this.#pending.size + this.#letGo.size > 0 || this.#lacksIndex;
  }

  get #lacksIndex(): boolean {
    return this.#wantsIndex && !this.#isIndexed && this.#options.isMany();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush().catch((thrown) => {
        this.#options.log.warn("store.vectors_not_written", { error: messageOf(thrown) });
      });
    });
  }

  async #write(): Promise<void> {
    const batch = first(this.#pending, BATCH);
    const gone = first(this.#letGo, LET_GO_AT_ONCE);
    await storeAction(`write ${batch.length} vectors`, async () => {
      const { database, statements } = this.#options;
      await this.#put(batch);
      if (gone.length > 0) await database.query(statements.letGo, [gone]);
      if (batch.length === this.#pending.size && this.#lacksIndex) await this.#build();
    });
    for (const id of gone) this.#letGo.delete(id);
    // A vector that was removed and added again meanwhile was not released, so its row is still valid.
    for (const [id] of batch) this.#pending.delete(id);
  }

  /** A gateway that starts puts all its vectors again, and most of them exist already. */
  async #put(batch: readonly (readonly [string, Float32Array])[]): Promise<void> {
    if (batch.length === 0) return;
    const { database, statements } = this.#options;
    const ids = batch.map(([id]) => id);
    const { rows } = await database.query<{ readonly id: string }>(statements.use, [ids]);
    const known = new Set(rows.map(({ id }) => id));
    const unknown = batch.filter(([id]) => !known.has(id));
    if (unknown.length === 0) return;
    await database.query(statements.put, [
      unknown.map(([id]) => id),
      unknown.map(([, vector]) => textOfVector(vector)),
    ]);
  }

  /** The index stays even if there are fewer vectors later. */
  async #build(): Promise<void> {
    const { database, statements } = this.#options;
    const { rows } = await database.query<{ readonly built: boolean }>(statements.isBuilt);
    if (rows[0]?.built !== true)
      await database.transaction(async (transaction) => {
        for (const statement of statements.build) await transaction.query(statement);
      });
    this.#isIndexed = true;
  }
}

export function textOfVector(vector: Float32Array): string {
  return `[${vector.join(",")}]`;
}

function first<T>(items: Iterable<T>, most: number): readonly T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length === most) break;
    taken.push(item);
  }
  return taken;
}

/** Numbers are rounded as the store rounds them, so that a vector that is read from there has the same id. */
const STEPS = 32_767;

/** A UUID, the shortest type in the database for such an id. */
export function vectorId(vector: Float32Array): string {
  const steps = Int32Array.from(vector, (value) => Math.round(value * STEPS));
  const hex = sha256(new Uint8Array(steps.buffer));
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

/**
 * Which vectors belong to which keys. A vector's id is computed from its numbers: keys and gateways with the same text
 * have the same id, without asking the database.
 */
export class VectorIds<Key> {
  readonly #ids = new Map<Key, string>();
  readonly #keys = new Map<string, Key>();
  /**
   * Further keys, besides the one above: most vectors have one key, and a set for each would take most of the memory.
   */
  readonly #others = new Map<string, Set<Key>>();

  /** The number of keys. */
  get size(): number {
    return this.#ids.size;
  }

  idOf(key: Key): string | undefined {
    return this.#ids.get(key);
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  keysOf(id: string): readonly Key[] {
    const first = this.#keys.get(id);
    if (first === undefined && !this.#keys.has(id)) return [];
    const others = this.#others.get(id);
    return others === undefined ? [first as Key] : [first as Key, ...others];
  }

  entries(): Iterable<readonly [Key, string]> {
    return this.#ids;
  }

  ids(): Iterable<string> {
    return this.#keys.keys();
  }

  /** The key must have no id yet. */
  add(key: Key, id: string): void {
    this.#ids.set(key, id);
    if (!this.#keys.has(id)) {
      this.#keys.set(id, key);
      return;
    }
    const others = this.#others.get(id) ?? new Set();
    this.#others.set(id, others.add(key));
  }

  /** Returns the former id. */
  remove(key: Key): string | undefined {
    const id = this.#ids.get(key);
    if (id === undefined) return undefined;
    this.#ids.delete(key);
    const others = this.#others.get(id);
    if (this.#keys.get(id) !== key) others?.delete(key);
    else if (others === undefined) this.#keys.delete(id);
    else {
      const [next] = others;
      this.#keys.set(id, next as Key);
      others.delete(next as Key);
    }
    if (others?.size === 0) this.#others.delete(id);
    return id;
  }
}
