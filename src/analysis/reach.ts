/**
 * What can be reached from a place, in a graph that is found out while it is searched.
 *
 * Places that can reach one another reach the same: they are settled together (Tarjan's strongly connected components),
 * and no place is looked at twice, whatever is asked and how often. Nothing here recurses.
 *
 * @module
 */

export interface Place<Found> {
  readonly own: Found[];
  next: Place<Found>[];
  index: number;
  low: number;
  isOpen: boolean;
  reached: ReadonlySet<Found> | undefined;
}

export function newPlace<Found>(): Place<Found> {
  return { own: [], next: [], index: -1, low: -1, isOpen: false, reached: undefined };
}

/** Whoever comes of more than this many things comes of a crowd. */
const REACHED = 32;

/** `look` fills in what a place has itself, and where it leads. */
export function reach<P extends Place<Found>, Found>(start: P, look: (place: P) => void): ReadonlySet<Found> {
  if (start.reached !== undefined) return start.reached;
  const way: { readonly place: P; done: number }[] = [];
  const open: P[] = [];
  let count = 0;
  const enter = (place: P): void => {
    place.index = count;
    place.low = count;
    count += 1;
    place.isOpen = true;
    open.push(place);
    look(place);
    way.push({ place, done: 0 });
  };
  enter(start);
  for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
    const { place } = at;
    const next = place.next[at.done] as P | undefined;
    at.done += 1;
    if (next !== undefined) {
      if (next.index === -1) enter(next);
      else if (next.isOpen) place.low = Math.min(place.low, next.index);
      continue;
    }
    way.pop();
    const before = way.at(-1)?.place;
    if (before !== undefined) before.low = Math.min(before.low, place.low);
    if (place.low === place.index) settle(open.splice(open.lastIndexOf(place)));
  }
  return start.reached ?? new Set();
}

function settle<Found>(places: readonly Place<Found>[]): void {
  const reached = union(places);
  for (const place of places) {
    place.reached = reached;
    place.isOpen = false;
    place.next = [];
  }
}

function union<Found>(places: readonly Place<Found>[]): ReadonlySet<Found> {
  const [only] = places;
  const [next] = only?.next ?? [];
  // Most places lead to one other, and share what it reaches.
  if (places.length === 1 && only?.own.length === 0 && only.next.length === 1 && next?.reached !== undefined)
    return next.reached;
  const all = new Set<Found>();
  for (const { own, next: others } of places) {
    for (const each of own) all.add(each);
    for (const { reached } of others) {
      if (all.size >= REACHED) return all;
      for (const each of reached ?? []) all.add(each);
    }
  }
  return all;
}
