/**
 * A list that stays the very same object for as long as its content does, however often it is made anew. So
 * "what this client was sent" and "what it would be sent now" are compared by identity.
 *
 * @module
 */
export class StableList<T> {
  #items: readonly T[] = [];
  #text = "[]";

  get items(): readonly T[] {
    return this.#items;
  }

  set(items: readonly T[]): readonly T[] {
    const text = JSON.stringify(items);
    if (text !== this.#text) {
      this.#items = items;
      this.#text = text;
    }
    return this.#items;
  }
}
