/**
 * The size of tests: `npm test` uses the usual sizes, and takes minutes; `npm run test:all` the full ones.
 *
 * @module
 */

/** Set if Vitest runs with `--mode full`. */
export const IS_FULL = process.env.PML_TEST_SIZE === "full";

export function sized<T>(full: T, usual: T): T {
  return IS_FULL ? full : usual;
}
