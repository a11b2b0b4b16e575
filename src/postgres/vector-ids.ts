/**
 * Which vectors belong to which keys. A vector's id is made of its numbers: any number of keys, and of gateways, have
 * the same one where their texts are the same, and nobody has to ask a database for it.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** Numbers are told apart as finely as the store keeps them, so that a vector has the same id when it comes from there. */
const STEPS = 32_767;

/** A UUID, which is the shortest that a database has for it. */
export function vectorId(vector: Float32Array): string {
  const steps = Int32Array.from(vector, (value) => Math.round(value * STEPS));
  const hex = createHash("sha256").update(new Uint8Array(steps.buffer)).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

export class VectorIds<Key> {
  readonly #ids = new Map<Key, string>();
  readonly #keys = new Map<string, Key>();
  /** Beside the one above: most vectors have one key, and a set for each would take more than all else. */
  readonly #others = new Map<string, Set<Key>>();

  /** Of keys. */
  get size(): number {
    return this.#ids.size;
  }

  idOf(key: Key): string | undefined {
    return this.#ids.get(key);
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  keysOf(id: string): readonly Key[] {
    const first = this.#keys.get(id);
    if (first === undefined && !this.#keys.has(id)) return [];
    const others = this.#others.get(id);
    return others === undefined ? [first as Key] : [first as Key, ...others];
  }

  entries(): Iterable<readonly [Key, string]> {
    return this.#ids;
  }

  ids(): Iterable<string> {
    return this.#keys.keys();
  }

  /** The key has no id before. */
  add(key: Key, id: string): void {
    this.#ids.set(key, id);
    if (!this.#keys.has(id)) {
      this.#keys.set(id, key);
      return;
    }
    const others = this.#others.get(id) ?? new Set();
    this.#others.set(id, others.add(key));
  }

  /** The id that it had. */
  remove(key: Key): string | undefined {
    const id = this.#ids.get(key);
    if (id === undefined) return undefined;
    this.#ids.delete(key);
    const others = this.#others.get(id);
    if (this.#keys.get(id) !== key) others?.delete(key);
    else if (others === undefined) this.#keys.delete(id);
    else {
      const [next] = others;
      this.#keys.set(id, next as Key);
      others.delete(next as Key);
    }
    if (others?.size === 0) this.#others.delete(id);
    return id;
  }
}
