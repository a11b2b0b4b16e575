/**
 * A model on this machine, in a separate process that starts on demand and ends when idle.
 *
 * The gateway's thread only sends and receives: texts are given to the process one at a time, so that an intent waits
 * for one text at most, and cancelled texts are never computed. Batches would not be faster, because the runtime has
 * one thread.
 *
 * A process that dies is restarted once, and the text that it died over is retried. If that fails too, the embedder has
 * failed; the first text after a pause starts it again.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { type Log, silentLog } from "../base/log.js";
import { Stay } from "../base/stay.js";
import type {
  Background,
  EmbeddedKind,
  Embedder,
  EmbedderState,
  WordVectors,
} from "../discovery/embedder.js";
import { embedderFailed } from "./embedder-failed.js";
import type { ModelFiles } from "./model-files.js";
import { MODEL_CHILD, ModelProcess } from "./model-process.js";
import { type QueuedKind, type QueuedText, TextQueue } from "./text-queue.js";

export interface LocalEmbedderOptions {
  readonly id: string;
  readonly weight: number;
  readonly background?: Background | undefined;
  readonly files: ModelFiles;
  /** The prefixes that the model needs before an intent and before a description. */
  readonly prefixes?: Readonly<Record<EmbeddedKind, string>>;
  readonly log?: Log;
  /** The program of the process; default: PML's own. */
  readonly program?: URL;
  readonly times?: Partial<LocalEmbedderTimes>;
}

export interface LocalEmbedderTimes {
  readonly queryVectorMs: number;
  readonly vectorMs: number;
  readonly modelLoadMs: number;
  readonly modelIdleMs: number;
  readonly modelIdleMostMs: number;
  readonly modelRestartMs: number;
  readonly modelRetryMs: number;
}

const NO_PREFIXES: Readonly<Record<EmbeddedKind, string>> = { query: "", document: "" };

export class LocalEmbedder implements Embedder {
  readonly id: string;
  readonly weight: number;
  readonly background: Background | undefined;
  readonly #files: ModelFiles;
  readonly #prefixes: Readonly<Record<EmbeddedKind, string>>;
  readonly #log: Log;
  readonly #program: URL;
  readonly #times: LocalEmbedderTimes;
  readonly #queue = new TextQueue();
  readonly #stay: Stay;
  #state: EmbedderState = "cold";
  #problem: string | undefined;
  #process: ModelProcess | undefined;
  /** The text that the process is working on. */
  #current: QueuedText | undefined;
  #lastDeath = Number.NEGATIVE_INFINITY;
  #retryAt = 0;
  /** Ends the current state: the timeout of an answer, a restart, idleness. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LocalEmbedderOptions) {
    const { id, weight, background, files, prefixes, log, program, times } = options;
    this.id = id;
    this.weight = weight;
    this.background = background;
    this.#files = files;
    this.#prefixes = prefixes ?? NO_PREFIXES;
    this.#log = log ?? silentLog;
    this.#program = program ?? MODEL_CHILD;
    this.#times = { ...LIMITS, ...times };
    const { modelIdleMs, modelIdleMostMs } = this.#times;
    this.#stay = new Stay({ firstMs: modelIdleMs, mostMs: modelIdleMostMs });
  }

  get state(): EmbedderState {
    return this.#state;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  embed(
    texts: readonly string[],
    kind: EmbeddedKind,
    signal?: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const prefix = this.#prefixes[kind];
    const given = texts.map((text) => `${prefix}${text}`.slice(0, LIMITS.embeddedChars));
    return this.#ask(given, kind, signal);
  }

  async embedWords(words: readonly string[], signal?: AbortSignal): Promise<WordVectors> {
    const [all = new Float32Array(0)] = await this.#ask([words.join(" ")], "words", signal);
    const length = all.length / (words.length + 1);
    const vectors = Array.from({ length: words.length + 1 }, (_, index) =>
      all.subarray(index * length, (index + 1) * length),
    );
    return { text: vectors[0] ?? all, words: vectors.slice(1) };
  }

  async close(): Promise<void> {
    this.#become("none", "it is closed");
    this.#queue.failAll(this.#failure("it is closed"));
    this.#current?.order.fail(this.#failure("it is closed"));
    const model = this.#process;
    model?.hold(true);
    this.#endProcess();
    await model?.ended;
  }

  #ask(
    texts: readonly string[],
    kind: QueuedKind,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    if (this.#state === "failed" && Date.now() >= this.#retryAt) this.#become("cold");
    if (this.#state === "failed" || this.#state === "none")
      return Promise.reject(this.#failure(this.#problem ?? ""));
    if (signal?.aborted === true)
      return Promise.reject(this.#failure("no caller waits for the answer any more"));
    if (texts.length === 0) return Promise.resolve([]);
    const timeMs = kind === "query" ? this.#times.queryVectorMs : undefined;
    let timer: NodeJS.Timeout | undefined;
    let giveUp: ((error: Error) => void) | undefined;
    const onAbort = (): void => this.#cancel(giveUp, "no caller waits for the answer any more");
    const vectors = new Promise<readonly Float32Array[]>((resolve, reject) => {
      giveUp = this.#queue.add(texts, kind, { resolve, reject });
      signal?.addEventListener("abort", onAbort, { once: true });
      if (timeMs === undefined) return;
      timer = setTimeout(() => this.#cancel(giveUp, `it did not answer within ${timeMs} ms`), timeMs);
    });
    this.#goOn();
    return vectors.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
  }

  #cancel(giveUp: ((error: Error) => void) | undefined, why: string): void {
    giveUp?.(this.#failure(why));
    this.#goOn();
  }

  /** Does the next step of the current state; may be called at any time. */
  #goOn(): void {
    const isWanted = this.#current !== undefined || !this.#queue.isEmpty;
    this.#process?.hold(isWanted);
    if (this.#current !== undefined) return;
    if (this.#state === "cold" && isWanted) this.#load();
    if (this.#state !== "ready") return;
    const next = this.#queue.next();
    if (next === undefined) this.#wait(this.#stay.ms, () => this.#rest());
    else this.#compute(next);
  }

  #load(): void {
    this.#become("loading");
    this.#stay.back();
    const started = performance.now();
    const model = new ModelProcess(this.#program, this.#log);
    this.#process = model;
    void model.ended.then((why) => this.#onEnd(model, why));
    this.#wait(this.#times.modelLoadMs, () => this.#kill("it was not loaded in time"));
    void model.ask({ kind: "load", files: this.#files }).then((answer) => {
      if (this.#process !== model) return;
      if (answer.kind === "loaded") {
        this.#log.info("embedder.loaded", { id: this.id, ms: Math.round(performance.now() - started) });
        this.#become("ready");
        this.#goOn();
      } else this.#fail(answer.kind === "unusable" ? answer.why : "it does not load");
    });
  }

  #compute(text: QueuedText): void {
    const model = this.#process;
    if (model === undefined) return;
    this.#current = text;
    this.#wait(this.#times.vectorMs, () => this.#kill("it has not answered in time"));
    void model.ask({ kind: text.kind === "words" ? "words" : "embed", text: text.text }).then((answer) => {
      if (this.#process !== model) return;
      this.#current = undefined;
      if (answer.kind === "vector") text.order.take(text.index, answer.vector);
      else text.order.fail(this.#failure(answer.kind === "refused" ? answer.why : "it does not answer"));
      this.#goOn();
    });
  }

  /** Ends the process to free its memory. */
  #rest(): void {
    this.#log.debug("embedder.unloaded", { id: this.id });
    this.#endProcess();
    this.#stay.left();
    this.#become("cold");
  }

  #kill(why: string): void {
    const model = this.#process;
    if (model === undefined) return;
    model.end();
    this.#onEnd(model, why);
  }

  /** The process ended unexpectedly. */
  #onEnd(model: ModelProcess, why: string): void {
    if (this.#process !== model) return;
    this.#process = undefined;
    const text = this.#current;
    this.#current = undefined;
    if (text !== undefined && !text.isRetried) {
      text.isRetried = true;
      this.#queue.putBack(text);
    } else text?.order.fail(this.#failure(why));
    const isSecond = performance.now() - this.#lastDeath < this.#times.modelRetryMs;
    this.#lastDeath = performance.now();
    if (isSecond) {
      this.#fail(why);
      return;
    }
    this.#log.warn("embedder.died", { id: this.id, error: why });
    this.#become("loading");
    this.#wait(this.#times.modelRestartMs, () => {
      this.#become("cold");
      this.#goOn();
    });
    // Callers that wait for a vector also wait for this.
    if (!this.#queue.isEmpty) this.#timer?.ref();
  }

  #fail(why: string): void {
    this.#log.warn("embedder.failed", { id: this.id, error: why });
    this.#become("failed", why);
    this.#retryAt = Date.now() + this.#times.modelRetryMs;
    this.#endProcess();
    this.#queue.failAll(this.#failure(why));
  }

  #endProcess(): void {
    const model = this.#process;
    // From here on its end is expected.
    this.#process = undefined;
    this.#current = undefined;
    model?.end();
  }

  #become(state: EmbedderState, problem?: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = state;
    this.#problem = problem;
  }

  /** Does not keep the gateway's process alive. */
  #wait(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, ms);
    this.#timer.unref();
  }

  #failure(why: string): Error {
    return embedderFailed(`embed a text with "${this.#files.name}"`, why);
  }
}
