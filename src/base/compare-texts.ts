/** For sorting by UTF-16 code units: the same order on every machine, unlike `localeCompare`. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
