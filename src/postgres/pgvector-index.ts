/**
 * Vectors in PostgreSQL with pgvector: for more vectors than memory should hold.
 *
 * All gateways on the store share the rows: one for each vector, which may have several keys. Each gateway knows its
 * own keys, so it never finds, changes or removes vectors of another. A row is removed some days after the last gateway
 * that used it has released it.
 *
 * New vectors are written in batches and compared in memory until they are written, so searches do not wait for writes.
 * A small number of vectors is compared one by one. For many vectors, an HNSW index finds the nearest; if a filter
 * leaves too few of these, all vectors that it accepts are compared. Vectors have length 1, so the inner product equals
 * the cosine and is cheaper to compute.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type {
  OpenedOutside,
  OutsideVectorIndex,
  VectorSearch,
  VectorSearchOptions,
  VectorSpaceName,
} from "../discovery/vector-index.js";
import { BestFew, Spread } from "../discovery/vectors/exact-search.js";
import { checkVector, dot } from "../discovery/vectors/vector-rows.js";
import type { Database, Queryable } from "./database.js";
import {
  openVectorSpace,
  type VectorSpace,
  type VectorStatements,
  vectorStatements,
} from "./pgvector-space.js";
import { storeAction } from "./sql-error.js";
import { textOfVector, VectorIds, VectorWriter, vectorId } from "./vector-writer.js";

export interface PgVectorIndexOptions extends VectorSpaceName {
  readonly database: Database;
  readonly log: Log;
  /** The number of vectors from which on there is an HNSW index. */
  readonly indexedFrom?: number;
}

/** Up to this number, comparing one by one takes a few milliseconds and needs no time to build an index. */
const INDEXED_FROM = 2_000;
const PAGE = 10_000;
/** A few megabytes as text. */
const READ_AT_ONCE = 1_000;
/** The number of keys passed to a filter before the event loop may continue. */
const FILTERED_AT_ONCE = 10_000;
/** The most that the index searches; for more, all vectors are compared. */
const WIDEST = 8_000;
/** With a filter, the index searches this many times as much, because the filter may exclude some. */
const WIDE_EACH = 4;
const WIDE_LEAST = 100;
const WIDER = 8;
const SAMPLE = 2_000;
/** If the filter accepts fewer vectors of the sample, the whole sample is used instead. */
const SAMPLE_LEAST = 30;
/** Often enough that no row in use looks released. */
const KEEP_MS = 12 * 3_600_000;

interface FoundRow {
  readonly id: string;
  readonly cosine: number;
}

export async function openPgVectorIndex<Key>(
  options: PgVectorIndexOptions,
): Promise<OpenedOutside<Key, PgVectorIndex<Key>>> {
  return await storeAction("open a vector index", async () => {
    const space = await openVectorSpace(options);
    return "problem" in space ? space : { index: new PgVectorIndex<Key>(options, space) };
  });
}

class PgVectorIndex<Key> implements OutsideVectorIndex<Key> {
  readonly #options: PgVectorIndexOptions;
  readonly #statements: VectorStatements;
  readonly #ids = new VectorIds<Key>();
  readonly #writer: VectorWriter;
  readonly #indexedFrom: number;
  readonly #timer: NodeJS.Timeout;

  constructor(options: PgVectorIndexOptions, space: VectorSpace) {
    this.#options = options;
    this.#indexedFrom = options.indexedFrom ?? INDEXED_FROM;
    this.#statements = vectorStatements(space);
    const { database, log } = options;
    this.#writer = new VectorWriter({
      database,
      log,
      statements: this.#statements,
      isMany: () => this.#ids.size >= this.#indexedFrom,
    });
    this.#timer = setInterval(() => {
      this.keep().catch((thrown) => log.warn("store.vectors_not_kept", { error: messageOf(thrown) }));
    }, KEEP_MS);
    this.#timer.unref();
  }

  get size(): number {
    return this.#ids.size;
  }

  put(key: Key, vector: Float32Array): void {
    checkVector(vector, this.#options.dimensions);
    const id = vectorId(vector);
    if (this.#ids.idOf(key) === id) return;
    this.remove(key);
    if (!this.#ids.has(id)) this.#writer.put(id, Float32Array.from(vector));
    this.#ids.add(key, id);
  }

  remove(key: Key): void {
    const id = this.#ids.remove(key);
    if (id !== undefined && !this.#ids.has(id)) this.#writer.letGo(id);
  }

  async search(vector: Float32Array, options: VectorSearchOptions<Key>): Promise<VectorSearch<Key>> {
    checkVector(vector, this.#options.dimensions);
    return await storeAction("search vectors", async () => {
      // Pending vectors are compared here and excluded from the answer of the database, which may or may not have them
      // by then.
      const pending = new Map(this.#writer.pending);
      return (
        (await this.#searchNear(vector, pending, options)) ??
        (await this.#searchAll(vector, pending, options))
      );
    });
  }

  async cosines(vector: Float32Array, keys: readonly Key[]): Promise<ReadonlyMap<Key, number>> {
    checkVector(vector, this.#options.dimensions);
    const asked = new Map(
      keys.flatMap((key) => {
        const id = this.#ids.idOf(key);
        return id === undefined ? [] : [[key, id] as const];
      }),
    );
    const found = await storeAction("compare vectors", () =>
      this.#compare(vector, new Map(this.#writer.pending), [...new Set(asked.values())]),
    );
    return new Map(
      [...asked].flatMap(([key, id]) => {
        const cosine = found.get(id);
        return cosine === undefined ? [] : [[key, cosine] as const];
      }),
    );
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  async ready(): Promise<void> {
    await this.#writer.ready();
  }

  async *entries(): AsyncGenerator<readonly [Key, Float32Array]> {
    const all = [...this.#ids.ids()];
    for (let from = 0; from < all.length; from += READ_AT_ONCE) {
      const ids = all.slice(from, from + READ_AT_ONCE);
      const pending = new Map(this.#writer.pending);
      const { rows } = await storeAction("read vectors", () =>
        this.#options.database.query<{ readonly id: string; readonly numbers: string }>(
          this.#statements.rows,
          [ids],
        ),
      );
      const vectors = new Map([
        ...rows.map(({ id, numbers }) => [id, Float32Array.from(JSON.parse(numbers) as number[])] as const),
        ...pending,
      ]);
      for (const id of ids) {
        const vector = vectors.get(id);
        if (vector !== undefined) for (const key of this.#ids.keysOf(id)) yield [key, vector];
      }
    }
  }

  /** Marks the rows in use, deletes those unused for long, and retries failed writes. */
  async keep(): Promise<void> {
    await this.#writer.flush();
    await storeAction("save vectors", async () => {
      const { database } = this.#options;
      const all = [...this.#ids.ids()];
      for (let from = 0; from < all.length; from += PAGE)
        await database.query(this.#statements.use, [all.slice(from, from + PAGE)]);
      await database.query(this.#statements.useSpace);
      await database.query(this.#statements.prune);
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Returns undefined if there is no index, or if it does not find enough. */
  async #searchNear(
    vector: Float32Array,
    pending: ReadonlyMap<string, Float32Array>,
    { limit, accepts }: VectorSearchOptions<Key>,
  ): Promise<VectorSearch<Key> | undefined> {
    const most = Math.max(0, Math.floor(limit) || 0);
    if (!this.#writer.isIndexed || most > WIDEST || this.#ids.size < this.#indexedFrom) return undefined;
    const query = textOfVector(vector);
    return await this.#options.database.transaction(async (transaction) => {
      await transaction.query(this.#statements.settings);
      let wide = Math.max(WIDE_LEAST, accepts === undefined ? most : most * WIDE_EACH);
      for (; wide <= WIDEST; wide *= WIDER) {
        const { rows } = await transaction.query<FoundRow>(this.#statements.near, [query, wide]);
        const found = this.#accepted(
          rows.filter(({ id }) => !pending.has(id)),
          accepts,
        );
        if (found.length < most) continue;
        const best = new BestFew<Key>(most);
        for (const { key, cosine } of [...found, ...this.#accepted(comparedWith(vector, pending), accepts)])
          best.add(key, cosine);
        return { nearest: nearestOf(best), ...(await this.#sample(transaction, vector, pending, accepts)) };
      }
      return undefined;
    });
  }

  async #sample(
    transaction: Queryable,
    vector: Float32Array,
    pending: ReadonlyMap<string, Float32Array>,
    accepts: VectorSearchOptions<Key>["accepts"],
  ): Promise<Pick<VectorSearch<Key>, "mean" | "deviation">> {
    const share = Math.min(1, SAMPLE / Math.max(1, this.#ids.size));
    const { rows } = await transaction.query<FoundRow>(this.#statements.sample, [
      textOfVector(vector),
      share * 100,
    ]);
    const drawn = new Spread();
    const accepted = new Spread();
    const written = rows.filter(({ id }) => !pending.has(id));
    // The same share of the vectors that are not written yet.
    const waiting = comparedWith(vector, new Map([...pending].slice(0, Math.ceil(pending.size * share))));
    for (const row of [...written, ...waiting])
      for (const key of this.#ids.keysOf(row.id)) {
        drawn.add(row.cosine);
        if (accepts?.(key) ?? true) accepted.add(row.cosine);
      }
    const { mean, deviation } = accepted.count < SAMPLE_LEAST && share < 1 ? drawn : accepted;
    return { mean, deviation };
  }

  async #searchAll(
    vector: Float32Array,
    pending: ReadonlyMap<string, Float32Array>,
    { limit, accepts }: VectorSearchOptions<Key>,
  ): Promise<VectorSearch<Key>> {
    const best = new BestFew<Key>(limit);
    const spread = new Spread();
    const cosines = await this.#compare(vector, pending, await this.#acceptedIds(accepts));
    for (const { key, cosine } of this.#accepted(
      [...cosines].map(([id, cosine]) => ({ id, cosine })),
      accepts,
    )) {
      spread.add(cosine);
      best.add(key, cosine);
    }
    return { nearest: nearestOf(best), mean: spread.mean, deviation: spread.deviation };
  }

  async #acceptedIds(accepts: VectorSearchOptions<Key>["accepts"]): Promise<readonly string[]> {
    if (accepts === undefined) return [...this.#ids.ids()];
    const ids = new Set<string>();
    let asked = 0;
    for (const [key, id] of this.#ids.entries()) {
      if (accepts(key)) ids.add(id);
      asked += 1;
      if (asked % FILTERED_AT_ONCE === 0) await new Promise(setImmediate);
    }
    return [...ids];
  }

  /** Returns the cosines by id. */
  async #compare(
    vector: Float32Array,
    pending: ReadonlyMap<string, Float32Array>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const here = new Map(
      ids.flatMap((id) => {
        const waiting = pending.get(id);
        return waiting === undefined ? [] : [[id, waiting] as const];
      }),
    );
    const cosines = new Map(comparedWith(vector, here).map(({ id, cosine }) => [id, cosine]));
    const there = ids.filter((id) => !here.has(id));
    const query = textOfVector(vector);
    for (let from = 0; from < there.length; from += PAGE) {
      const { rows } = await this.#options.database.query<FoundRow>(this.#statements.some, [
        query,
        there.slice(from, from + PAGE),
      ]);
      for (const { id, cosine } of rows) cosines.set(id, cosine);
    }
    return cosines;
  }

  /** Uses the keys that the vectors have now. */
  #accepted(rows: readonly FoundRow[], accepts: VectorSearchOptions<Key>["accepts"]) {
    return rows.flatMap(({ id, cosine }) =>
      this.#ids
        .keysOf(id)
        .filter((key) => accepts?.(key) ?? true)
        .map((key) => ({ key, cosine })),
    );
  }
}

function comparedWith(vector: Float32Array, others: ReadonlyMap<string, Float32Array>): readonly FoundRow[] {
  const query = Float64Array.from(vector);
  return Array.from(others, ([id, other]) => ({ id, cosine: dot(other, 0, query) }));
}

function nearestOf<Key>(best: BestFew<Key>): VectorSearch<Key>["nearest"] {
  return best.sorted().map(({ item, score }) => ({ key: item, cosine: score }));
}
