/**
 * The ledger in the form of operations' answers.
 *
 * @module
 */
import { z } from "zod";
import type { Saved, SavedByCapability } from "../../registry/savings.js";
import type { SavedInProject } from "../ledger.js";
import { list } from "../operation.js";

const figures = {
  runs: z.int(),
  /** Measured and estimated together. */
  tokens: z.int(),
  tokens_measured: z.int(),
  tokens_estimated: z.int(),
  /** Measured. */
  ms: z.int(),
};

const byCapability = list(
  z.strictObject({ name: z.string(), deleted: z.literal(true).exactOptional(), ...figures }),
);

/** The savings of one capability. */
export const savedAnswer = z.strictObject(figures);

/** The savings of all capabilities of a project. */
export const projectSavedAnswer = z.strictObject({
  ...figures,
  /** Days are UTC. */
  by_day: list(z.strictObject({ day: z.string(), ...figures })),
  by_capability: byCapability,
  /** Today and the six days before. */
  week: z.strictObject({ since: z.string(), ...figures, by_capability: byCapability }),
  measured: list(z.string()),
  estimated: list(z.string()),
});

type SavedAnswer = z.infer<typeof savedAnswer>;

export function savedOf({ runs, tokensMeasured, tokensEstimated, ms }: Saved): SavedAnswer {
  return {
    runs,
    tokens: tokensMeasured + tokensEstimated,
    tokens_measured: tokensMeasured,
    tokens_estimated: tokensEstimated,
    ms,
  };
}

export function projectSavedOf({
  total,
  byDay,
  byCapability: capabilities,
  week,
}: SavedInProject): z.infer<typeof projectSavedAnswer> {
  return {
    ...savedOf(total),
    by_day: byDay.map(({ day, ...saved }) => ({ day, ...savedOf(saved) })),
    by_capability: capabilities.map(capabilitySavedOf),
    week: {
      since: week.since,
      ...savedOf(week.total),
      by_capability: week.best.map(capabilitySavedOf),
    },
    measured: ["runs", "tokens_measured", "ms"],
    estimated: ["tokens_estimated"],
  };
}

function capabilitySavedOf({ name, isDeleted, ...saved }: SavedByCapability) {
  return { name, ...(isDeleted ? { deleted: true as const } : {}), ...savedOf(saved) };
}
