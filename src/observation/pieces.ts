/**
 * Long work in pieces, so that other work gets its turn in between.
 *
 * @module
 */

/** Yields after every few microseconds, regardless of the total size: after each call or occurrence. */
export type Work<T> = Generator<void, T>;

/** Works without a pause. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const PIECE_MS = 4;

/**
 * Works in pieces of a few milliseconds. Also returns the time that it took.
 *
 * @param clock the used processor time, in ms: on a busy machine, a piece takes longer than its own work.
 */
export async function inTurns<T>(
  work: Work<T>,
  nextTurn: () => Promise<void>,
  clock: () => number = () => performance.now(),
): Promise<{ readonly value: T; readonly ms: number }> {
  let ms = 0;
  for (;;) {
    const startedAt = performance.now();
    const usedBefore = clock();
    const took = () => Math.min(performance.now() - startedAt, clock() - usedBefore);
    do {
      const { done, value } = work.next();
      if (done === true) return { value, ms: ms + took() };
    } while (performance.now() - startedAt < PIECE_MS);
    ms += took();
    await nextTurn();
  }
}
