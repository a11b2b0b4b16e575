/** The few with the highest scores of many that come one after the other: a heap whose root is the worst of them. */
export class BestFew<T> {
  readonly #most: number;
  readonly #scores: number[] = [];
  readonly #items: T[] = [];
  #least = Number.NEGATIVE_INFINITY;

  /** Any number will do: part of an item is no item, and less than none is none. */
  constructor(most: number) {
    this.#most = Math.max(0, Math.floor(most) || 0);
    if (this.#most === 0) this.#least = Number.POSITIVE_INFINITY;
  }

  /** What is not above this is not taken. */
  get least(): number {
    return this.#least;
  }

  add(item: T, score: number): void {
    if (!(score > this.#least)) return;
    if (this.#items.length < this.#most) {
      this.#rise(this.#items.length, item, score);
      if (this.#items.length === this.#most) this.#least = this.#scores[0] ?? this.#least;
      return;
    }
    this.#sink(item, score);
    this.#least = this.#scores[0] ?? this.#least;
  }

  /** Best first. Of those that are as good, in no order that means anything. */
  sorted(): readonly { readonly item: T; readonly score: number }[] {
    return this.#items
      .map((item, place) => ({ item, score: this.#scores[place] ?? 0 }))
      .sort((a, b) => b.score - a.score);
  }

  #rise(from: number, item: T, score: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >>> 1;
      const other = this.#scores[above] ?? 0;
      if (other <= score) break;
      this.#set(place, this.#items[above] as T, other);
      place = above;
    }
    this.#set(place, item, score);
  }

  /** Takes the place of the root, which goes. */
  #sink(item: T, score: number): void {
    const scores = this.#scores;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= scores.length) break;
      if (below + 1 < scores.length && (scores[below + 1] ?? 0) < (scores[below] ?? 0)) below += 1;
      const other = scores[below] ?? 0;
      if (other >= score) break;
      this.#set(place, this.#items[below] as T, other);
      place = below;
    }
    this.#set(place, item, score);
  }

  #set(place: number, item: T, score: number): void {
    this.#items[place] = item;
    this.#scores[place] = score;
  }
}
