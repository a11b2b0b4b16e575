/**
 * The database of a gateway's stores: the first query opens it, and the next query reopens it after it was lost.
 *
 * If a server is down when the gateway starts, or a thread dies, only the writes of that time are lost: the next query
 * tries again.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Database, NamedStatement, Queryable, QueryResult, SqlValue } from "./database.js";

export interface StoreStatus {
  readonly kind: Database["kind"];
  readonly state: "open" | "failed";
  readonly problem?: string;
}

export class LazyDatabase implements Database {
  readonly kind: Database["kind"];
  readonly #open: () => Promise<Database>;
  readonly #log: Log;
  #opened: Promise<Database> | undefined;
  /** Resolves when a dead database is closed: an embedded database must never be open twice. */
  #left: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #isClosed = false;

  constructor(kind: Database["kind"], open: () => Promise<Database>, log: Log) {
    this.kind = kind;
    this.#open = open;
    this.#log = log;
  }

  /** Starts to open the database, so that the first query waits less. */
  start(): void {
    this.#database().catch(() => {});
  }

  /** Reads the status from the database itself. */
  async status(): Promise<StoreStatus> {
    try {
      await (await this.#database()).query("select 1");
      return { kind: this.kind, state: "open" };
    } catch (error) {
      return { kind: this.kind, state: "failed", problem: messageOf(error) };
    }
  }

  query<Row extends object>(
    statement: string | NamedStatement,
    values?: readonly SqlValue[],
  ): Promise<QueryResult<Row>> {
    return this.#use((database) => database.query<Row>(statement, values));
  }

  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return this.#use((database) => database.transaction(work));
  }

  async listen(...listening: Parameters<NonNullable<Database["listen"]>>): Promise<() => Promise<void>> {
    return (await (await this.#database()).listen?.(...listening)) ?? (async () => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.then((database) => database.close()).catch(() => {});
    await this.#left;
  }

  async #use<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const opening = this.#database();
    const database = await opening;
    try {
      return await work(database);
    } catch (error) {
      // Every other error is an answer of a working database.
      const hasFailed = error instanceof PmlError && error.code === "STORE_FAILED";
      if (hasFailed && opening === this.#opened) await this.#reopenIfDead(database, opening);
      throw error;
    }
  }

  #database(): Promise<Database> {
    if (this.#isClosed)
      return Promise.reject(new PmlError("STORE_FAILED", "Cannot use the store: it is closed"));
    if (this.#opened !== undefined) return this.#opened;
    if (this.#failure !== undefined && Date.now() - this.#failure.at < LIMITS.storeRetryMs)
      return Promise.reject(this.#failure.error);
    this.#opened = this.#left.then(this.#open).catch((error: unknown) => {
      this.#opened = undefined;
      this.#failure = { error, at: Date.now() };
      this.#log.error("store.failed", { message: messageOf(error) });
      throw error;
    });
    return this.#opened;
  }

  /** A pool of connections heals itself; an embedded database whose thread has died does not. */
  async #reopenIfDead(database: Database, opening: Promise<Database>): Promise<void> {
    if (this.kind !== "pglite") return;
    try {
      await database.query("select 1");
    } catch {
      // Other callers may have found it dead at the same time.
      if (opening === this.#opened) {
        this.#log.error("store.lost", {});
        this.#opened = undefined;
        this.#left = database.close().catch(() => {});
      }
      await this.#left;
    }
  }
}
