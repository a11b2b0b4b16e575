/**
 * One stable list, read in pages of any size.
 *
 * Words and meaning each have an order of their own, and only the first of both are looked at: the more are looked at, the
 * more may turn out to belong before what was shown already. So the list is made in stages that do not depend on the
 * page: what a stage has shown stays where it is, and the next, which looks at twice as many, goes on behind it.
 *
 * @module
 */

/** Looked at first: three pages are one stage. */
const ROOM = 64;
/** Of what is looked at, the last are too near to what is not to be shown. */
const MARGIN = 30;

interface Listed {
  readonly key: unknown;
  readonly score: number;
}

/** The first `end`. `ranked` looks at `room` of each kind, and at fewer only where there are no more. */
export async function steadyList<T extends Listed>(
  end: number,
  ranked: (room: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const listed = new Map<unknown, T>();
  for (let room = ROOM; ; room *= 2) {
    const found = await ranked(room);
    const isAll = found.length < room;
    // What a later stage finds is no better than what stands before it.
    const most = [...listed.values()].at(-1)?.score ?? Number.POSITIVE_INFINITY;
    for (const one of found) {
      if (!isAll && listed.size >= room - MARGIN) break;
      if (listed.has(one.key)) continue;
      listed.set(one.key, one.score <= most ? one : { ...one, score: most });
    }
    if (isAll || listed.size >= end) return [...listed.values()].slice(0, end);
  }
}
