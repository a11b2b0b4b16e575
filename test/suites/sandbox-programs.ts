/**
 * Random programs that do many things at once: the calls that they send show the order in which they did them.
 *
 * @module
 */
import fc from "fast-check";
import { capability } from "./sandbox-runs.js";

/** A capability that does the same things as the programs, from inside. */
export const INNER = capability(
  "inner",
  `const log = args.log; const t = (label) => mcp.s.t({ label, at: log.push(label) }, "n9");
   const nap = (ms) => new Promise((wake) => setTimeout(wake, ms));
   await Promise.race([t("race"), nap(2)]); log.push("raced");
   return (await Promise.all([t("a"), nap(1).then(() => t("b"))])).length`,
  { schema: { type: "object", properties: { log: { type: "array" } } } },
);

/** Every event is logged, and every call sends the log of the events before it. */
const PRELUDE = `
const log = [];
const later = [];
const note = (label) => log.push(label);
const t = (label, more = 0) => {
  const call = mcp.s.t({ label, more, at: log.length, last: log.slice(-3) }, "n1");
  return call.then((value) => { note(label + "=" + value); return value; }, (error) => { note(label + "!" + error.message); return -1; });
};
const hop = async (count, value) => { for (let n = 0; n < count; n += 1) await null; note("hop" + count); return value; };
const nap = (ms, label) => new Promise((wake) => setTimeout(() => { note("nap" + label); wake(ms); }, ms));
`;

type Made = (label: string) => string;

const small = fc.integer({ min: 0, max: 4 });

/** Expressions whose value is a promise; each gets its own label. */
const expression: fc.Arbitrary<Made> = fc.letrec<{ leaf: Made; one: Made }>((tie) => ({
  leaf: fc.oneof(
    fc.constant((label: string) => `t("${label}")`),
    fc.constant((label: string) => `t("${label}", Math.random())`),
    fc.constant((label: string) => `t("${label}", Date.now())`),
    small.map((count) => (label: string) => `hop(${count}, 1).then(() => t("${label}"))`),
    small.map((ms) => (label: string) => `nap(${ms}, "${label}")`),
    small.map((ms) => (label: string) => `nap(${ms}, "${label}").then(() => t("${label}"))`),
    fc.constant(() => `mcp["${INNER.ref}"]({ log }, "n2")`),
    small.map(
      (ms) => (label: string) =>
        `new Promise((wake) => { const timer = setTimeout(() => { note("late${label}"); wake(0); }, ${ms}); t("${label}").then(() => { clearTimeout(timer); wake(1); }); })`,
    ),
  ),
  one: fc.oneof(
    { maxDepth: 3, depthIdentifier: "expression" },
    tie("leaf"),
    ...(["all", "race", "allSettled", "any"] as const).map((way) =>
      fc.array(tie("one"), { minLength: 1, maxLength: 3 }).map(
        (parts): Made =>
          (label) =>
            `Promise.${way}([${parts.map((part, at) => part(`${label}.${at}`)).join(", ")}])`,
      ),
    ),
    fc.tuple(small, tie("one"), tie("one")).map(
      ([count, first, then]): Made =>
        (label) =>
          `(async () => { const value = await ${first(`${label}f`)}; await hop(${count}); note("${label}"); return [value, await ${then(`${label}t`)}]; })()`,
    ),
    fc.tuple(fc.integer({ min: 1, max: 3 }), tie("one"), tie("one")).map(
      ([count, body, other]): Made =>
        (label) =>
          `(async () => { for (let i = 0; i < ${count}; i += 1) { await Promise.all([${body(`${label}b`)}, ${other(`${label}o`)}]); note("${label}" + i); } })()`,
    ),
  ),
})).one;

/** Programs; some of their promises are awaited only at the end. */
export const program: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.boolean(), expression), { minLength: 1, maxLength: 4 })
  .map((statements) => {
    const body = statements.map(([isLater, made], at) =>
      isLater ? `later.push(${made(`s${at}`)});` : `note(JSON.stringify(await ${made(`s${at}`)}));`,
    );
    return `${PRELUDE}${body.join("\n")}\nawait Promise.allSettled(later);\nreturn [log, Math.random(), Date.now()];`;
  });
