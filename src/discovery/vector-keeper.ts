/**
 * Keeps an index of vectors up to date with changing documents, in the background.
 *
 * A document is found once it has its vector. Stored vectors are looked up before any text is given to the model, and
 * the newest text goes first: a new capability is often searched for at once, and at a first start thousands of other
 * texts may wait. Errors never reach the caller that adds a document. Without the store, texts are embedded again;
 * without the model, they wait, and discovery uses words.
 *
 * One keeper has one embedder: with another model, a gateway has a new keeper with an empty index, and stored vectors
 * of the old model are not found under the new one's id. An endpoint may serve another model under the same name: it
 * then returns vectors of another length, and the owner is notified and starts a new keeper too. Stored vectors of
 * another length are not used then, and are replaced.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { type Log, silentLog } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";
import type { Embedder } from "./embedder.js";
import type { VectorIndex, VectorStore } from "./vector-index.js";

export interface VectorKeeperOptions<Key> {
  readonly embedder: Embedder;
  readonly index: VectorIndex<Key>;
  readonly store?: VectorStore | undefined;
  readonly log?: Log;
  /**
   * How long new texts without a stored vector wait at first: a gateway that runs only briefly need not load a model.
   */
  readonly embedAfterMs?: number;
  /** The dimension of a vector, if known: stored vectors of another length are computed again. */
  readonly length?: number | undefined;
  /** Called if the embedder now returns vectors of this length, and the index has another. */
  readonly onOtherLength?: (length: number) => void;
  /** Back-off after a failure of the embedder. */
  readonly retryFirstMs?: number;
  readonly retryMostMs?: number;
}

/** The progress of indexing. */
export interface VectorProgress {
  /** Documents with a vector. */
  readonly known: number;
  /** Documents that wait for a vector. */
  readonly pending: number;
}

/** A document with one text; another text makes another object. */
interface Document {
  /** Stored while it waits for its vector. */
  text: string | undefined;
  /** Of the text, once computed. */
  hash: string | undefined;
  /** The hash of the text whose vector is in the index, possibly an earlier one. */
  indexed: string | undefined;
}

export class VectorKeeper<Key> {
  readonly #embedder: Embedder;
  readonly #index: VectorIndex<Key>;
  readonly #store: VectorStore | undefined;
  readonly #log: Log;
  readonly #onOtherLength: ((length: number) => void) | undefined;
  readonly #retryFirstMs: number;
  readonly #retryMostMs: number;
  readonly #documents = new Map<Key, Document>();
  /** To be looked up in the store, newest last; duplicates and removed ones are skipped. */
  readonly #unseen: Key[] = [];
  /** Texts without a stored vector: the keys of each text by its hash. */
  readonly #missing = new Map<string, Set<Key>>();
  /** The same hashes, newest last; those that are no longer missing are skipped. */
  readonly #missed: string[] = [];
  readonly #ended = new AbortController();
  #known = 0;
  #length: number | undefined;
  #work: Promise<void> | undefined;
  #pauseTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #storeFails = false;
  #idle: (() => void)[] = [];

  constructor(options: VectorKeeperOptions<Key>) {
    const { embedder, index, store, log, embedAfterMs, retryFirstMs, retryMostMs } = options;
    this.#length = options.length;
    this.#onOtherLength = options.onOtherLength;
    this.#embedder = embedder;
    this.#index = index;
    this.#store = store;
    this.#log = log ?? silentLog;
    this.#retryFirstMs = retryFirstMs ?? LIMITS.embedRetryFirstMs;
    this.#retryMostMs = retryMostMs ?? LIMITS.embedRetryMostMs;
    if (embedAfterMs !== undefined) this.#pause(embedAfterMs);
  }

  get progress(): VectorProgress {
    return { known: this.#known, pending: this.#documents.size - this.#known };
  }

  /** Waiting texts are processed in the next batch, unless the embedder has just failed. */
  get isAboutToBeDone(): boolean {
    return this.#work !== undefined && this.progress.pending <= LIMITS.vectorBatch;
  }

  /** The dimension of the vectors, once there was one. */
  get length(): number | undefined {
    return this.#length;
  }

  /** Adds a document, or replaces its text. Until the new text has its vector, it is found by the old one's. */
  put(key: Key, text: string): void {
    if (this.#ended.signal.aborted || this.#embedder.state === "none") return;
    const former = this.#documents.get(key);
    if (former?.text === text) return;
    if (former !== undefined) this.#forget(key, former);
    this.#documents.set(key, { text, hash: undefined, indexed: former?.indexed });
    this.#unseen.push(key);
    this.#start();
  }

  remove(key: Key): void {
    const document = this.#documents.get(key);
    if (document === undefined) return;
    this.#forget(key, document);
    this.#documents.delete(key);
    this.#index.remove(key);
    this.#checkIdle();
  }

  /** Resolves when every document has its vector. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** A search is in progress: texts are embedded now, unless the embedder has just failed. */
  hurry(): void {
    if (this.#pauseTimer === undefined || this.#failures > 0) return;
    clearTimeout(this.#pauseTimer);
    this.#pauseTimer = undefined;
    this.#start();
  }

  /** Stops all work; nothing is added afterwards. */
  async stop(): Promise<void> {
    this.#ended.abort();
    clearTimeout(this.#pauseTimer);
    await this.#work;
    this.#settleIdle();
  }

  /** The key no longer waits for anything. */
  #forget(key: Key, document: Document): void {
    if (document.text === undefined) this.#known -= 1;
    if (document.hash === undefined) return;
    const keys = this.#missing.get(document.hash);
    keys?.delete(key);
    if (keys?.size === 0) this.#missing.delete(document.hash);
  }

  #start(): void {
    if (this.#pauseTimer !== undefined && this.#unseen.length === 0) return;
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      this.#checkIdle();
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    // Documents that are added together are looked up together.
    await Promise.resolve();
    while (!this.#ended.signal.aborted) {
      if (this.#unseen.length > 0) await this.#lookUp();
      else if (this.#missed.length > 0 && this.#pauseTimer === undefined) await this.#embed();
      else return;
    }
  }

  async #lookUp(): Promise<void> {
    const asked: { readonly key: Key; readonly document: Document; readonly hash: string }[] = [];
    await Promise.all(
      this.#unseen.splice(-LIMITS.vectorLookups).map(async (key) => {
        const document = this.#documents.get(key);
        if (document?.text === undefined) return;
        asked.push({ key, document, hash: await sha256Hex(document.text) });
      }),
    );
    const found = await this.#fromStore(
      asked.filter(({ document, hash }) => document.indexed !== hash).map(({ hash }) => hash),
    );
    for (const { key, document, hash } of asked) {
      // It was removed, or has another text now, which is looked up separately.
      if (this.#documents.get(key) !== document) continue;
      document.hash = hash;
      const vector = found.get(hash);
      if (document.indexed === hash) this.#settle(document);
      else if (vector === undefined || !this.#isSet(key, document, vector)) this.#miss(key, hash);
    }
  }

  #miss(key: Key, hash: string): void {
    const keys = this.#missing.get(hash) ?? new Set();
    this.#missing.set(hash, keys.add(key));
    this.#missed.push(hash);
  }

  async #fromStore(hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    if (this.#store === undefined || hashes.length === 0) return new Map();
    try {
      const found = await this.#store.get(this.#embedder.id, hashes);
      this.#storeFails = false;
      return found;
    } catch (error) {
      this.#storeFailed(error);
      return new Map();
    }
  }

  async #embed(): Promise<void> {
    const batch = this.#newestMissing();
    if (batch.size === 0) return;
    try {
      const vectors = await this.#embedder.embed([...batch.values()], "document", this.#ended.signal);
      const made = new Map([...batch.keys()].map((hash, index) => [hash, vectors[index] as Float32Array]));
      for (const [hash, vector] of made) this.#take(hash, vector);
      this.#failures = 0;
      await this.#toStore(made);
    } catch (error) {
      // One text may be the cause: the others come first from now on.
      this.#missed.unshift(...batch.keys());
      this.#backOff(error);
    }
  }

  /** Throws if it is not a valid vector for this index. */
  #take(hash: string, vector: Float32Array): void {
    if (this.#length !== undefined && vector.length !== this.#length) {
      this.#onOtherLength?.(vector.length);
      throw new TypeError(`A vector has ${vector.length} dimensions, and the others have ${this.#length}`);
    }
    for (const key of this.#missing.get(hash) ?? []) {
      const document = this.#documents.get(key);
      if (document?.hash === hash) this.#set(key, document, vector);
    }
    this.#missing.delete(hash);
  }

  /** Texts by hash. */
  #newestMissing(): ReadonlyMap<string, string> {
    const batch = new Map<string, string>();
    const size = this.#failures === 0 ? LIMITS.vectorBatch : 1;
    while (batch.size < size) {
      const hash = this.#missed.pop();
      if (hash === undefined) break;
      const [key] = this.#missing.get(hash) ?? [];
      const text = key === undefined ? undefined : this.#documents.get(key)?.text;
      if (text !== undefined) batch.set(hash, text);
    }
    return batch;
  }

  /** A stored vector may have another length, or be damaged. */
  #isSet(key: Key, document: Document, vector: Float32Array): boolean {
    if (this.#length !== undefined && vector.length !== this.#length) return false;
    try {
      this.#set(key, document, vector);
      return true;
    } catch {
      return false;
    }
  }

  #set(key: Key, document: Document, vector: Float32Array): void {
    this.#index.put(key, vector);
    this.#length = vector.length;
    document.indexed = document.hash;
    this.#settle(document);
  }

  #settle(document: Document): void {
    if (document.text !== undefined) this.#known += 1;
    document.text = undefined;
  }

  async #toStore(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    try {
      await this.#store?.put(this.#embedder.id, vectors);
      this.#storeFails = false;
    } catch (error) {
      this.#storeFailed(error);
    }
  }

  #storeFailed(error: unknown): void {
    // Logged once, not for every batch while it is down.
    if (!this.#storeFails) this.#log.warn("vectors.store_failed", { error: messageOf(error) });
    this.#storeFails = true;
  }

  #backOff(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    const wait = Math.min(this.#retryFirstMs * 2 ** this.#failures, this.#retryMostMs);
    // As with the store: only the first failure is logged.
    if (this.#failures === 0)
      this.#log.warn("vectors.embedder_failed", {
        error: messageOf(error),
        pending: this.progress.pending,
      });
    this.#failures += 1;
    this.#pause(wait);
  }

  /** Nothing is embedded during the pause; stored vectors are still found. */
  #pause(ms: number): void {
    this.#pauseTimer = setTimeout(() => {
      this.#pauseTimer = undefined;
      this.#start();
    }, ms);
    this.#pauseTimer.unref();
  }

  #isIdle(): boolean {
    return this.#work === undefined && this.progress.pending === 0;
  }

  #checkIdle(): void {
    if (this.#isIdle()) this.#settleIdle();
  }

  #settleIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}
