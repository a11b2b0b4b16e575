/**
 * Texts that wait for a model: those of intents first, since somebody waits for them.
 *
 * @module
 */
import type { EmbeddedKind } from "../discovery/embedder.js";

/** Some texts that are answered together. */
export interface Asked {
  resolve(vectors: readonly Float32Array[]): void;
  reject(error: Error): void;
}

class Order {
  readonly #asked: Asked;
  readonly #vectors: Float32Array[];
  #left: number;
  /** Whether it is answered, or nobody waits any more. */
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
  readonly kind: EmbeddedKind;
  readonly text: string;
  readonly order: Pick<Order, "take" | "fail" | "isOver">;
  readonly index: number;
  /** Whether a model has died over it. */
  isRetried: boolean;
}

export class TextQueue {
  readonly #waiting: Record<EmbeddedKind, QueuedText[]> = { query: [], document: [] };

  /** @returns what takes the texts out again */
  add(texts: readonly string[], kind: EmbeddedKind, asked: Asked): (error: Error) => void {
    const order = new Order(texts.length, asked);
    for (const [index, text] of texts.entries())
      this.#waiting[kind].push({ kind, text, order, index, isRetried: false });
    return (error) => {
      order.fail(error);
      this.#dropOver(kind);
    };
  }

  get isEmpty(): boolean {
    return this.#waiting.query.length === 0 && this.#waiting.document.length === 0;
  }

  next(): QueuedText | undefined {
    return this.#waiting.query.shift() ?? this.#waiting.document.shift();
  }

  putBack(text: QueuedText): void {
    if (!text.order.isOver) this.#waiting[text.kind].unshift(text);
  }

  failAll(error: Error): void {
    for (const text of [...this.#waiting.query, ...this.#waiting.document]) text.order.fail(error);
    this.#dropOver("query");
    this.#dropOver("document");
  }

  #dropOver(kind: EmbeddedKind): void {
    this.#waiting[kind] = this.#waiting[kind].filter(({ order }) => !order.isOver);
  }
}
