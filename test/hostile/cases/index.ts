/** All cases, in the order of the files. */
import { changingBuiltIns, type HostileCase } from "../hostile-case.js";
import { AUTHORITY } from "./authority.js";
import { BOMBS } from "./bombs.js";
import { ESCAPES } from "./escapes.js";
import { FLOODS } from "./floods.js";
import { FLOW } from "./flow.js";
import { FRAMES } from "./frames.js";
import { LOOPS } from "./loops.js";
import { POLLUTION } from "./pollution.js";
import { RESULTS } from "./results.js";
import { THROWS } from "./throws.js";
import { TIME } from "./time.js";
import { UNAWAITED } from "./unawaited.js";

/** Cases about something else that change built-ins on their way. */
const CHANGING = new Set([
  "flow/after-pollution",
  "frames/to-json-of-text",
  "frames/number-text",
  "frames/to-json-of-big-integer",
  "results/date-without-iso",
  "time/replayed-with-noise",
]);

const ALL: readonly HostileCase[] = [
  ...AUTHORITY,
  ...ESCAPES,
  ...POLLUTION,
  ...FLOW,
  ...FRAMES,
  ...RESULTS,
  ...THROWS,
  ...TIME,
  ...UNAWAITED,
  ...FLOODS,
  ...LOOPS,
  ...BOMBS,
];

export const CASES: readonly HostileCase[] = ALL.flatMap((one) =>
  CHANGING.has(one.id) ? changingBuiltIns(one) : [one],
);
