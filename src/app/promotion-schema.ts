import { z } from "zod";
import { ROLLOUT_RULES, type RolloutRules } from "../registry/rollout.js";

const whole = (most: number) => z.int().min(1).max(most).optional();

/** `promotion` of the configuration. */
export const promotionSchema = z.strictObject({
  successes: whole(1_000).describe(
    `Successful runs that a new version needs before other users get it; ${ROLLOUT_RULES.successes} by default`,
  ),
  window: whole(10_000).describe(
    `A new version can be rolled back within this many runs; ${ROLLOUT_RULES.window} by default`,
  ),
  failuresInARow: whole(1_000).describe(
    `Failures in a row after which it is rolled back; ${ROLLOUT_RULES.failuresInARow} by default`,
  ),
  margin: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      `It is rolled back if its success rate is lower than that of the version before by more than this; ${ROLLOUT_RULES.margin} by default`,
    ),
  leastRuns: whole(1_000).describe(
    `Runs before success rates are compared; ${ROLLOUT_RULES.leastRuns} by default`,
  ),
});

/** The configured values, else the defaults. */
export function rolloutRules({
  promotion = {},
}: {
  readonly promotion?: z.infer<typeof promotionSchema> | undefined;
}): RolloutRules {
  const given = Object.entries(promotion).filter(([, value]) => value !== undefined);
  return { ...ROLLOUT_RULES, ...Object.fromEntries(given) };
}
