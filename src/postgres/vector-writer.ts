/**
 * Brings vectors into their table, in batches and in the background, and builds the index when there are enough.
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

  /** By id: what is not known to be in the table yet. */
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

  /** It is not used here any more. */
  letGo(id: string): void {
    this.#pending.delete(id);
    // It may be in the table all the same: it is being written, or another gateway has written it.
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

  /** From then on there is an index as soon as there are enough; to write many is faster without. */
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

  /** A gateway that starts puts everything once more: most of it is there. */
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

  /** It is kept when there are fewer again. */
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

/** Numbers are told apart as finely as the store keeps them, so that a vector has the same id when it comes from there. */
const STEPS = 32_767;

/** A UUID, which is the shortest that a database has for it. */
export function vectorId(vector: Float32Array): string {
  const steps = Int32Array.from(vector, (value) => Math.round(value * STEPS));
  const hex = sha256(new Uint8Array(steps.buffer));
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

/**
 * Which vectors belong to which keys. A vector's id is made of its numbers: keys and gateways with the same text have the
 * same id, without asking the database for it.
 */
export class VectorIds<Key> {
  readonly #ids = new Map<Key, string>();
  readonly #keys = new Map<string, Key>();
  /** Beside the one above: most vectors have one key, and a set for each would take more than all else. */
  readonly #others = new Map<string, Set<Key>>();

  /** Of keys. */
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

  /** The key has no id before. */
  add(key: Key, id: string): void {
    this.#ids.set(key, id);
    if (!this.#keys.has(id)) {
      this.#keys.set(id, key);
      return;
    }
    const others = this.#others.get(id) ?? new Set();
    this.#others.set(id, others.add(key));
  }

  /** The id that it had. */
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
