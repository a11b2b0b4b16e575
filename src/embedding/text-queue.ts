/**
 * Texts that wait for a model: those of intents first, since a search waits for them.
 *
 * @module
 */
import type { EmbeddedKind } from "../discovery/embedder.js";

/** `words` are answered with a vector for each word too. */
export type QueuedKind = EmbeddedKind | "words";

/** Texts that are answered together. */
export interface Asked {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

class Order {
  readonly #asked: Asked;
  readonly #vectors: Float32Array[];
  #left: number;
  /** Whether it was answered or cancelled. */
  isOver = false;

  constructor(count: number, asked: Asked) {
    this.#asked = asked;
    this.#vectors = new Array<Float32Array>(count);
    this.#left = count;
  }

  take(index: number, vector: Float32Array): void {
    this.#vectors[index] = vector;
    this.#left -= 1;
    if (this.#left > 0 || this.isOver) return;
    this.isOver = true;
    this.#asked.resolve(this.#vectors);
  }

  fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#asked.reject(error);
  }
}

export interface QueuedText {
  readonly kind: QueuedKind;
  readonly text: string;
  readonly order: Pick<Order, "take" | "fail" | "isOver">;
  readonly index: number;
  /** Whether a model process has died on it before. */
  isRetried: boolean;
}

export class TextQueue {
  readonly #waiting: Record<QueuedKind, QueuedText[]> = { query: [], words: [], document: [] };

  /** @returns a function that removes the texts again */
  add(texts: readonly string[], kind: QueuedKind, asked: Asked): (error: Error) => void {
    const order = new Order(texts.length, asked);
    for (const [index, text] of texts.entries())
      this.#waiting[kind].push({ kind, text, order, index, isRetried: false });
    return (error) => {
      order.fail(error);
      this.#dropOver(kind);
    };
  }

  get isEmpty(): boolean {
    return Object.values(this.#waiting).every(({ length }) => length === 0);
  }

  next(): QueuedText | undefined {
    const { query, words, document } = this.#waiting;
    return query.shift() ?? words.shift() ?? document.shift();
  }

  putBack(text: QueuedText): void {
    if (!text.order.isOver) this.#waiting[text.kind].unshift(text);
  }

  failAll(error: Error): void {
    for (const text of Object.values(this.#waiting).flat()) text.order.fail(error);
    for (const kind of ["query", "words", "document"] as const) this.#dropOver(kind);
  }

  #dropOver(kind: QueuedKind): void {
    this.#waiting[kind] = this.#waiting[kind].filter(({ order }) => !order.isOver);
  }
}
