/** The version of this package; `test/pins` holds it equal to package.json. */
export const VERSION = "0.1.0";

/**
 * Whether `version` comes after `other`, by its three numbers. A text that is not a version sorts before every version.
 */
export function isNewerVersion(version: unknown, other: string): boolean {
  const [one, two] = [numbersOf(version), numbersOf(other)];
  const at = one.findIndex((number, index) => number !== two[index]);
  return (one[at] ?? 0) > (two[at] ?? 0);
}

function numbersOf(version: unknown): readonly number[] {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(String(version));
  return found === null ? [] : found.slice(1).map(Number);
}
