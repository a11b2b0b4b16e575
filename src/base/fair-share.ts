/**
 * How many of `places` one client may have: half of what the others leave, so the next client finds a place. If two
 * clients use their full share they get a third each, three a quarter each.
 */
export function fairShare(places: number, takenByOthers: number): number {
  return Math.ceil((places - takenByOthers) / 2);
}
