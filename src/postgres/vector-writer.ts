/**
 * Brings vectors into their table, in batches and in the background, and builds the index when there are enough.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
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
    // What went and came again meanwhile was not let go in between, so that its row is as good.
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
