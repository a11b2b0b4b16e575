/**
 * Work that no answer waits for. It is done after the answer was sent, and before the next request is read.
 *
 * @module
 */
import { nextTurn } from "../../base/next-turn.js";

export class AfterAnswer {
  readonly #failed: (error: unknown) => void;
  #last: Promise<void> | undefined;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  add(work: () => void | Promise<void>): void {
    const last = this.#do(work, nextTurn(), this.#last);
    this.#last = last;
    void last.then(() => {
      if (this.#last === last) this.#last = undefined;
    });
  }

  /** Resolves when all of it is done; undefined if there is none. */
  done(): Promise<void> | undefined {
    return this.#last;
  }

  async #do(
    work: () => void | Promise<void>,
    turn: Promise<void>,
    before: Promise<void> | undefined,
  ): Promise<void> {
    await turn;
    await before;
    try {
      await work();
    } catch (error) {
      this.#failed(error);
    }
  }
}
