/**
 * How a version of a capability earns trust, and loses it.
 *
 * It is unproven until it has succeeded, provisional after its first success, verified once it has succeeded again with
 * other arguments, and suspect after three failures in a row. A success ends that: the version is provisional again,
 * and earns the rest anew.
 *
 * Tools affect trust too: a version that uses a changed tool is suspect, one that uses a missing tool is degraded. This
 * overrides the earned trust, which counts again when the tool is as before. If a person accepts the changed tool, the
 * version stays suspect until it has succeeded with the tool, or a person vouches for it.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { ToolTrouble, TrustState } from "./capability.js";

export interface EarnedTrust {
  readonly state: TrustState;
  /** The arguments of the success that made it provisional. */
  readonly firstArgsHash: string | undefined;
  readonly failuresInARow: number;
  /** A tool that it uses was changed and accepted, and it has not succeeded since. */
  readonly awaitsProof: boolean;
}

/** A version that has not run yet. */
export const NO_TRUST_YET: EarnedTrust = {
  state: "unproven",
  firstArgsHash: undefined,
  failuresInARow: 0,
  awaitsProof: false,
};

export function trustAfter(
  trust: EarnedTrust,
  run: { readonly success: boolean; readonly argsHash: string },
): EarnedTrust {
  if (!run.success) {
    const failuresInARow = trust.failuresInARow + 1;
    const fails = failuresInARow >= LIMITS.failuresInARow;
    return { ...trust, failuresInARow, state: fails ? "suspect" : trust.state };
  }
  const succeeded = { ...trust, failuresInARow: 0, awaitsProof: false };
  const { state, firstArgsHash, awaitsProof } = trust;
  const isFirst =
    awaitsProof ||
    state === "unproven" ||
    state === "suspect" ||
    (state === "provisional" && firstArgsHash === undefined);
  if (isFirst) return { ...succeeded, state: "provisional", firstArgsHash: run.argsHash };
  if (state !== "provisional") return succeeded;
  return run.argsHash === firstArgsHash ? succeeded : { ...succeeded, state: "verified" };
}

/** The trust of a version while tools that it uses have changed or are missing. */
export function trustWith(earned: TrustState, troubles: readonly ToolTrouble[]): TrustState {
  if (troubles.some(({ kind }) => kind === "gone")) return "degraded";
  return troubles.length === 0 ? earned : "suspect";
}

/** Why a capability has lost trust because of tools; undefined if no tool is the reason. */
export function troubleText(troubles: readonly ToolTrouble[] | undefined): string | undefined {
  if (troubles === undefined || troubles.length === 0) return undefined;
  return troubles.map(reasonOf).join("; ");
}

function reasonOf({ tool, kind, since, accepted }: ToolTrouble): string {
  const day = since.slice(0, "2025-12-22".length);
  if (kind === "gone") return `the tool ${tool} has been missing since ${day}`;
  return `the tool ${tool} changed on ${day}${accepted ? ", was accepted, and has not been used successfully since" : ""}`;
}
