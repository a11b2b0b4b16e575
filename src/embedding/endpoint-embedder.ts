/**
 * A model behind an OpenAI-compatible endpoint: `POST {url}/embeddings`.
 *
 * Intents do not wait behind descriptions and are not retried: a search then falls back to words. After a failure
 * nothing is sent for a while, so that only one search waits for the timeout of an endpoint that is down.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { type Log, silentLog } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { EmbeddedKind, Embedder, EmbedderState } from "../discovery/embedder.js";
import { embedderFailed } from "./embedder-failed.js";
import { AnswerUnusable, readAnswer } from "./endpoint-answer.js";
import { type Endpoint, EndpointRefused, type Patience, post } from "./endpoint-request.js";

export interface EndpointEmbedderOptions {
  readonly id: string;
  readonly weight: number;
  /** Without `/embeddings`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Requested from the endpoint, and checked. */
  readonly dimensions?: number | undefined;
  readonly prefixes?: Readonly<Record<EmbeddedKind, string>>;
  readonly log?: Log;
  readonly times?: Partial<EndpointTimes>;
}

export interface EndpointTimes {
  readonly queryVectorMs: number;
  readonly vectorMs: number;
  readonly endpointWaitMs: number;
  readonly endpointWaitMostMs: number;
}

const NO_PREFIXES: Readonly<Record<EmbeddedKind, string>> = { query: "", document: "" };

export class EndpointEmbedder implements Embedder {
  readonly id: string;
  readonly weight: number;
  readonly #options: EndpointEmbedderOptions;
  readonly #times: EndpointTimes;
  readonly #log: Log;
  readonly #closed = new AbortController();
  #state: EmbedderState = "cold";
  #problem: string | undefined;
  /** The dimension of every vector, once there was one. */
  #length: number | undefined;
  #failures = 0;
  #restUntil = 0;

  constructor(options: EndpointEmbedderOptions) {
    this.id = options.id;
    this.weight = options.weight;
    this.#options = options;
    this.#times = { ...LIMITS, ...options.times };
    this.#log = options.log ?? silentLog;
    this.#length = options.dimensions;
  }

  get state(): EmbedderState {
    return this.#state;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async embed(
    texts: readonly string[],
    kind: EmbeddedKind,
    signal?: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const batch of batches(texts, this.#options.prefixes?.[kind] ?? NO_PREFIXES[kind]))
      vectors.push(...(await this.#embedBatch(batch, kind, signal)));
    return vectors;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#state = "none";
    this.#problem = "it is closed";
  }

  async #embedBatch(
    texts: readonly string[],
    kind: EmbeddedKind,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    if (this.#closed.signal.aborted || Date.now() < this.#restUntil)
      throw this.#failure(this.#problem ?? "it failed a moment ago");
    if (isOver(signal)) throw this.#failure("no caller waits for the answer any more");
    if (this.#state === "cold") this.#state = "loading";
    const timeMs = kind === "query" ? this.#times.queryVectorMs : this.#times.vectorMs;
    const late = AbortSignal.timeout(timeMs);
    const until = AbortSignal.any([late, this.#closed.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      const body = await post(this.#endpoint(), this.#body(texts), until, this.#patience(kind));
      const vectors = this.#checked(readAnswer(body, texts.length));
      this.#succeeded();
      return vectors;
    } catch (error) {
      if (this.#closed.signal.aborted) throw this.#failure("it is closed");
      if (isOver(signal)) throw this.#failure("no caller waits for the answer any more");
      const why = late.aborted ? `it did not answer within ${timeMs} ms` : reasonOf(error);
      this.#failed(why);
      throw this.#failure(why);
    }
  }

  #endpoint(): Endpoint {
    const { url, apiKey } = this.#options;
    const address = new URL(url);
    const { username, password } = address;
    // A request with credentials in its address is rejected, with the address in the message.
    address.username = "";
    address.password = "";
    address.pathname = `${address.pathname.replace(/\/+$/, "")}/embeddings`;
    const person = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const basic = username === "" ? undefined : `Basic ${person.toString("base64")}`;
    const authorization = apiKey === undefined ? basic : `Bearer ${apiKey}`;
    return { url: address.href, headers: authorization === undefined ? {} : { authorization } };
  }

  #body(texts: readonly string[]): string {
    const { model, dimensions } = this.#options;
    // Some servers cannot answer in base64, and some reject unknown fields.
    return JSON.stringify({
      model,
      input: texts,
      encoding_format: "float",
      ...(dimensions === undefined ? {} : { dimensions }),
    });
  }

  #patience(kind: EmbeddedKind): Patience {
    return {
      tries: kind === "query" ? 1 : LIMITS.endpointTries,
      waitMs: this.#times.endpointWaitMs,
      waitMostMs: this.#times.endpointWaitMostMs,
    };
  }

  #checked(vectors: readonly Float32Array[]): readonly Float32Array[] {
    const length = vectors[0]?.length;
    this.#length ??= length;
    if (length === this.#length) return vectors;
    throw new AnswerUnusable(`vectors of ${length} dimensions instead of ${this.#length}`);
  }

  #succeeded(): void {
    this.#state = "ready";
    this.#problem = undefined;
    this.#failures = 0;
  }

  #failed(why: string): void {
    if (this.#state !== "failed") this.#log.warn("embedder.failed", { id: this.id, error: why });
    this.#state = "failed";
    this.#problem = why;
    const { endpointWaitMs, endpointWaitMostMs } = this.#times;
    this.#restUntil = Date.now() + Math.min(endpointWaitMs * 2 ** this.#failures, endpointWaitMostMs);
    this.#failures += 1;
  }

  #failure(why: string): Error {
    return embedderFailed(`embed a text with "${this.#options.model}"`, why);
  }
}

/** It may have been aborted since the last check. */
function isOver(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function reasonOf(error: unknown): string {
  if (error instanceof AnswerUnusable) return `its answer cannot be used: ${error.message}`;
  if (error instanceof EndpointRefused) return error.message;
  return messageOf(error);
}

/** As many texts and characters as one request may have. */
function* batches(texts: readonly string[], prefix: string): Generator<readonly string[]> {
  let batch: string[] = [];
  let chars = 0;
  for (const text of texts) {
    const given = `${prefix}${text}`.slice(0, LIMITS.embeddedChars);
    if (batch.length === LIMITS.endpointTexts || chars + given.length > LIMITS.endpointChars) {
      yield batch;
      batch = [];
      chars = 0;
    }
    // Endpoints reject an empty text, and every vector counts.
    batch.push(given.trim() === "" ? "." : given);
    chars += given.length;
  }
  if (batch.length > 0) yield batch;
}
