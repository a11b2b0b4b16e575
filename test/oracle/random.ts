/** Numbers from a seed: the same, whenever and wherever. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed ^ 0x5bd1e995;
    this.below(2);
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mixed(this.#state) % limit;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

/** A number from a text and a seed. */
export function hash(text: string, seed: number): number {
  let state = seed ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return mixed(state);
}

function mixed(state: number): number {
  let x = state;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
