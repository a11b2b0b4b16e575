/**
 * The store as the rest of the gateway has it: ports that wait until it is open, and open it again when it was lost.
 *
 * A database that is down when the gateway starts, or a thread that dies, costs what was to be written meanwhile at
 * most; it is tried again by the next one who needs it.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { OutsideVectors } from "../discovery/vector-index.js";
import type { Store } from "../postgres/open-store.js";
import type { ChangeFeed } from "../registry/change-feed.js";

export interface StoreStatus {
  readonly kind: "pglite" | "postgres";
  readonly state: "open" | "failed";
  readonly problem?: string;
}

type Port = Exclude<keyof Store, "database" | "outsideVectors" | "changes" | "close">;

export class StoreKeeper {
  readonly usage = this.#port("usage");
  readonly tools = this.#port("tools");
  readonly wireNames = this.#port("wireNames");
  readonly capabilities = this.#port("capabilities");
  readonly keys = this.#port("keys");
  readonly servers = this.#port("servers");
  readonly cache = this.#port("cache");
  readonly workflows = this.#port("workflows");
  readonly taskResults = this.#port("taskResults");
  readonly resultShapes = this.#port("resultShapes");
  readonly runCounts = this.#port("runCounts");
  readonly vectors = this.#port("vectors");
  readonly graph = this.#port("graph");
  readonly thresholds = this.#port("thresholds");
  readonly suggestions = this.#port("suggestions");
  readonly traces = this.#port("traces");
  /** What other gateways change, once the store is open; nothing where it is embedded. */
  readonly changes: ChangeFeed = {
    start: async (listener) => {
      this.#feed = (await this.#store()).changes;
      await this.#feed?.start(listener);
    },
    fresh: () => this.#feed?.fresh(),
    stop: async () => await this.#feed?.stop(),
  };
  /** Nothing where the store is embedded. */
  readonly outsideVectors: OutsideVectors | undefined;
  readonly #kind: StoreStatus["kind"];
  readonly #open: () => Promise<Store>;
  readonly #log: Log;
  #opened: Promise<Store> | undefined;
  #feed: ChangeFeed | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #isClosed = false;

  constructor(kind: StoreStatus["kind"], open: () => Promise<Store>, log: Log) {
    this.#kind = kind;
    this.outsideVectors = kind === "postgres" ? this.#outsideVectors() : undefined;
    this.#open = open;
    this.#log = log;
  }

  /** Begins to open the store, so that the first one who needs it waits less. */
  start(): void {
    this.#store().catch(() => {});
  }

  /** Asks the database itself. */
  async status(): Promise<StoreStatus> {
    try {
      const { database } = await this.#store();
      await database.query("select 1");
      return { kind: this.#kind, state: "open" };
    } catch (error) {
      return { kind: this.#kind, state: "failed", problem: messageOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.then((store) => store.close()).catch(() => {});
  }

  /** One of the stores, as if it were open: its methods, which are all asynchronous, wait for that. */
  #port<Name extends Port>(name: Name): Store[Name] {
    const call = (method: string, args: readonly unknown[]) =>
      this.#use((store) => {
        const port: object = store[name];
        const run: (...given: unknown[]) => Promise<unknown> = Reflect.get(port, method);
        return run.apply(port, [...args]);
      });
    const get = (_: object, method: string | symbol) =>
      typeof method === "symbol" ? undefined : (...args: readonly unknown[]) => call(method, args);
    return new Proxy<object>({}, { get }) as Store[Name];
  }

  #outsideVectors(): OutsideVectors {
    const problem = "this store has none";
    return {
      name: "pgvector",
      problem: () => this.#use(async ({ outsideVectors }) => await outsideVectors?.problem()),
      open: (space) =>
        this.#use(async ({ outsideVectors }) => (await outsideVectors?.open(space)) ?? { problem }),
    };
  }

  async #use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const opened = this.#opened;
    const store = await this.#store();
    try {
      return await work(store);
    } catch (error) {
      // Anything else is an answer of a store that works.
      const hasFailed = error instanceof PmlError && error.code === "STORE_FAILED";
      if (hasFailed && opened === this.#opened) await this.#reopenIfDead(store);
      throw error;
    }
  }

  #store(): Promise<Store> {
    if (this.#isClosed)
      return Promise.reject(new PmlError("STORE_FAILED", "Cannot use the store: it is closed"));
    if (this.#opened !== undefined) return this.#opened;
    if (this.#failure !== undefined && Date.now() - this.#failure.at < LIMITS.storeRetryMs)
      return Promise.reject(this.#failure.error);
    this.#opened = this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      this.#failure = { error, at: Date.now() };
      this.#log.error("store.failed", { message: messageOf(error) });
      throw error;
    });
    return this.#opened;
  }

  /** A pool of connections heals itself; an embedded database whose thread has died does not. */
  async #reopenIfDead({ database, close }: Store): Promise<void> {
    if (this.#kind !== "pglite") return;
    try {
      await database.query("select 1");
    } catch {
      this.#log.error("store.lost", {});
      this.#opened = undefined;
      await close().catch(() => {});
    }
  }
}
