/**
 * How much is tested: `npm test` makes the usual sizes, in minutes; `npm run test:all` the full ones.
 *
 * @module
 */

/** Vitest runs with `--mode full`. */
export const IS_FULL = process.env.PML_TEST_SIZE === "full";

export function sized<T>(full: T, usual: T): T {
  return IS_FULL ? full : usual;
}
