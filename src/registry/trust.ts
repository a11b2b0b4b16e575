/**
 * How a version of a capability earns trust, and loses it.
 *
 * It is unproven until it has succeeded, provisional after its first success, verified once it has succeeded again with other arguments, and suspect
 * after three failures in a row. A success ends that: the version is provisional again, and earns the rest anew.
 * What is suspect or degraded for another reason, such as a tool that changed, stays so whatever its runs do.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { TrustState } from "./capability.js";

export interface EarnedTrust {
  readonly state: TrustState;
  /** Of the success that it became provisional with. */
  readonly firstArgsHash: string | undefined;
  readonly failuresInARow: number;
}

/** A version that has not run yet. */
export const NO_TRUST_YET: EarnedTrust = {
  state: "unproven",
  firstArgsHash: undefined,
  failuresInARow: 0,
};

export function trustAfter(
  trust: EarnedTrust,
  run: { readonly success: boolean; readonly argsHash: string },
): EarnedTrust {
  if (!run.success) {
    const failuresInARow = trust.failuresInARow + 1;
    const fails = trust.state !== "degraded" && failuresInARow >= LIMITS.failuresInARow;
    return { ...trust, failuresInARow, state: fails ? "suspect" : trust.state };
  }
  const succeeded = { ...trust, failuresInARow: 0 };
  if (trust.state === "suspect" && trust.failuresInARow >= LIMITS.failuresInARow)
    return { ...succeeded, state: "provisional", firstArgsHash: run.argsHash };
  if (trust.state === "unproven" || (trust.state === "provisional" && trust.firstArgsHash === undefined))
    return { ...succeeded, state: "provisional", firstArgsHash: run.argsHash };
  if (trust.state !== "provisional") return succeeded;
  return run.argsHash === trust.firstArgsHash ? succeeded : { ...succeeded, state: "verified" };
}
