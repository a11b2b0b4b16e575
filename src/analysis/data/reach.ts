/**
 * Computes what is reachable from a place, in a graph that is discovered during the search.
 *
 * Places that can reach one another reach the same: they are settled together (Tarjan's strongly connected components).
 * Each place is visited once, however many questions are asked. Nothing here recurses.
 *
 * @module
 */

export interface Place<Found> {
  /** Its own items, and the places that it leads to. */
  own: Found[];
  next: Place<Found>[];
  /** How many of its successors were visited. */
  done: number;
  index: number;
  low: number;
  isOpen: boolean;
  /** The set of reached items may still grow: for this place, and for every place that leads to it. */
  isProvisional: boolean;
  reached: ReadonlySet<Found> | undefined;
}

/** Sources of one value; beyond this number they are no longer distinguished. */
const REACHED = 32;

/** A search that can be repeated; `look` fills in a place's own items and its successors. */
export function reaching<P extends Place<Found>, Found>(
  look: (place: P) => void,
): (start: P) => ReadonlySet<Found> {
  const way: P[] = [];
  const open: P[] = [];
  const enter = (place: P, index: number): void => {
    place.index = index;
    place.low = index;
    place.isOpen = true;
    open.push(place);
    way.push(place);
    look(place);
  };
  return (start) => {
    if (start.reached !== undefined) return start.reached;
    enter(start, 0);
    let count = 1;
    for (let place = way.at(-1); place !== undefined; place = way.at(-1)) {
      const next = place.next[place.done] as P | undefined;
      place.done += 1;
      if (next !== undefined) {
        if (next.index === -1) {
          enter(next, count);
          count += 1;
        } else if (next.isOpen) place.low = Math.min(place.low, next.index);
        continue;
      }
      way.pop();
      const before = way.at(-1);
      if (before !== undefined) before.low = Math.min(before.low, place.low);
      if (place.low !== place.index) continue;
      if (open.at(-1) === place) {
        open.pop();
        settleOne(place);
      } else settle(open.splice(open.lastIndexOf(place)));
    }
    return start.reached ?? NOTHING;
  };
}

/** Most places lead to one other place, or to none. */
function settleOne<Found>(place: Place<Found>): void {
  const { own, next } = place;
  let only: ReadonlySet<Found> | undefined;
  let isShared = own.length === 0;
  for (const { reached, isProvisional } of next) {
    if (isProvisional) place.isProvisional = true;
    if (reached === undefined || reached.size === 0 || reached === only) continue;
    if (only === undefined) only = reached;
    else isShared = false;
  }
  place.reached = isShared ? (only ?? NOTHING) : union([place]);
  close(place);
}

function settle<Found>(places: readonly Place<Found>[]): void {
  const reached = union(places);
  const isProvisional = places.some((place) => place.isProvisional || place.next.some(isNotCertain));
  for (const place of places) {
    place.reached = reached;
    place.isProvisional = isProvisional;
    close(place);
  }
}

const NOTHING: ReadonlySet<never> = new Set<never>();
const NOWHERE: never[] = [];

function isNotCertain(place: Place<unknown>): boolean {
  return place.isProvisional;
}

/** Complete: nothing is added any more. */
function close(place: Place<unknown>): void {
  place.isOpen = false;
  place.next = NOWHERE;
}

function union<Found>(places: readonly Place<Found>[]): ReadonlySet<Found> {
  const all = new Set<Found>();
  for (const { own, next: others } of places) {
    for (const each of own) all.add(each);
    for (const { reached } of others) {
      if (all.size >= REACHED) return all;
      if (reached !== undefined) for (const each of reached) all.add(each);
    }
  }
  return all;
}
