/**
 * The few hundred with the smallest distances of very many. Distances are small whole numbers: counting them sorts them.
 *
 * @module
 */
export class Candidates<Key> {
  readonly #most: number;
  readonly #counts: Uint32Array;
  #keys: Key[] = [];
  #distances: number[] = [];
  #below: number;
  #first: readonly Key[] | undefined;

  constructor(most: number, greatest: number) {
    this.#most = most;
    this.#counts = new Uint32Array(greatest + 1);
    this.#below = greatest + 1;
  }

  /** A distance that is not below this is not taken. */
  get below(): number {
    return this.#below;
  }

  get keys(): readonly Key[] {
    return this.#keys;
  }

  /** Those that came before any was refused, near or far; all, as long as none was. */
  get first(): readonly Key[] {
    return this.#first ?? this.#keys;
  }

  get hasRefused(): boolean {
    return this.#first !== undefined;
  }

  /** Only with a distance that is below what it takes. */
  add(key: Key, distance: number): void {
    this.#keys.push(key);
    this.#distances.push(distance);
    if (this.#keys.length >= 2 * this.#most) this.#keepNearest();
  }

  #keepNearest(): void {
    this.#first ??= this.#keys;
    this.#counts.fill(0);
    for (const distance of this.#distances) this.#counts[distance] = (this.#counts[distance] as number) + 1;
    let nearer = 0;
    let edge = 0;
    while (nearer + (this.#counts[edge] as number) < this.#most) {
      nearer += this.#counts[edge] as number;
      edge += 1;
    }
    let atEdge = this.#most - nearer;
    const keys: Key[] = [];
    const distances: number[] = [];
    for (let place = 0; place < this.#keys.length; place += 1) {
      const distance = this.#distances[place] as number;
      if (distance > edge) continue;
      if (distance === edge) {
        if (atEdge === 0) continue;
        atEdge -= 1;
      }
      keys.push(this.#keys[place] as Key);
      distances.push(distance);
    }
    this.#keys = keys;
    this.#distances = distances;
    this.#below = edge;
  }
}
