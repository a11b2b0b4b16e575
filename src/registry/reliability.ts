/**
 * How well a capability has done so far.
 *
 * @module
 */
import type { Capability } from "./capability.js";

const SUCCESS_SHARE = 0.6;
const USAGE_SHARE = 0.4;
/** So many uses are half of all that usage can tell. */
const HALFWAY_USES = 5;

/** Between 0 and 1: its success rate, and how often it was used. What was never used is nowhere. */
export function reliabilityOf({
  usageCount,
  successCount,
}: Pick<Capability, "usageCount" | "successCount">): number {
  if (usageCount <= 0) return 0;
  return (
    SUCCESS_SHARE * (successCount / usageCount) + USAGE_SHARE * (usageCount / (usageCount + HALFWAY_USES))
  );
}
