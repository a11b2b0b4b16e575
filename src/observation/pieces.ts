/**
 * Long work in pieces, so that others have their turn between them.
 *
 * @module
 */

/** Yields after every few microseconds of work, whatever its size: after each call or occurrence that it looks at. */
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
 * Works in pieces of a few milliseconds. Answers how long it took, too.
 *
 * @param clock the time of the processor that was used, in ms: where others use it, a piece takes longer than it works.
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
