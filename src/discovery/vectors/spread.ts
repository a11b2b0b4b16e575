/** Mean and deviation of numbers that come one after the other. */
export class Spread {
  #count = 0;
  #mean = 0;
  #squares = 0;

  get count(): number {
    return this.#count;
  }

  get mean(): number {
    return this.#mean;
  }

  /** Of these numbers, not an estimate of what they are drawn from; 0 where there are none. */
  get deviation(): number {
    return this.#count === 0 ? 0 : Math.sqrt(this.#squares / this.#count);
  }

  /** Sums of squares lose the digits that count where numbers are much alike; this does not. */
  add(value: number): void {
    this.#count += 1;
    const off = value - this.#mean;
    this.#mean += off / this.#count;
    this.#squares += off * (value - this.#mean);
  }
}
