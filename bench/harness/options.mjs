import { parseArgs } from "node:util";

/** Options of every benchmark; `run.mjs` passes them on unchanged. */
export const OPTIONS = {
  check: { type: "boolean" },
  rounds: { type: "string" },
  smoke: { type: "boolean" },
  against: { type: "string", multiple: true },
  "no-peers": { type: "boolean" },
};

/** `--smoke`: one round of the smallest sizes, which shows that a benchmark runs. Its figures mean nothing. */
export const IS_SMOKE = process.argv.includes("--smoke");

/**
 * A number of calls, records or milliseconds: `full` for a measurement, `smoke` as the minimum that runs every line.
 */
export function sized(full, smoke) {
  return IS_SMOKE ? smoke : full;
}

/**
 * @typedef {object} Options
 * @property {boolean} check exit with 1 if a ratio is exceeded
 * @property {number | undefined} rounds
 * @property {readonly string[]} against other checkouts whose builds are measured in the same run
 * @property {boolean} peers
 */

/** @returns {Options} */
export function readOptions(argv = process.argv.slice(2)) {
  const { values } = parseArgs({ args: argv, options: OPTIONS });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds is "${values.rounds}": expected a whole number above 0`);
  return {
    check: values.check === true && !IS_SMOKE,
    rounds: sized(rounds, 1),
    against: values.against ?? [],
    peers: values["no-peers"] !== true && !IS_SMOKE,
  };
}
