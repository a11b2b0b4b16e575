/**
 * The port to the matcher that finds tools and capabilities for an intent.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Capability } from "./capability.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";
import type { ToolId } from "./tool-id.js";

export type Match = (
  | { readonly kind: "tool"; readonly id: ToolId }
  | { readonly kind: "capability"; readonly id: Fqdn }
) & {
  readonly score: number;
  readonly reason: string;
  /** The step of the request that it matches best, if the request was searched step by step. */
  readonly step?: string;
};

export interface MatchOptions {
  /** Default: both kinds. */
  readonly kind?: Match["kind"];
  readonly limit: number;
  /** Skips this many of the best results. */
  readonly offset?: number;
  /** Only tools of this server, and capabilities of this namespace. */
  readonly namespace?: string;
  /** What was used just before. */
  readonly context?: readonly (ToolId | Fqdn)[];
  /** Also searches each step of a request with several steps: `read the report, then send it`. Needs the model. */
  readonly isByStep?: boolean;
  /**
   * Called with the ranking method (`words` if the embedding model should have helped, but could not or not yet), with
   * the minimum scores for showing results, and with the steps for which nothing scores enough. Scores by words alone
   * have another scale and other minimums.
   */
  readonly onRanked?: (by: Ranking, floor: Floor, unmatched?: readonly string[]) => void;
}

export interface Floor {
  /** If the best score is lower, nothing matches. */
  readonly first: number;
  /** Results with a lower score are omitted. */
  readonly each: number;
}

export const NO_FLOOR: Floor = { first: 0, each: 0 };

/** The rest of a list, best first. */
export function aboveFloor<T>(
  found: readonly T[],
  { first, each }: Floor,
  scoreOf: (one: T) => number,
): readonly T[] {
  const [best] = found;
  return best === undefined || scoreOf(best) < first ? [] : found.filter((one) => scoreOf(one) >= each);
}

export type Ranking = "words" | "all";

/** How certain it is that an intent means a capability. */
export interface Certainty {
  /** Between 0 and 1; 1 is the same text. */
  readonly score: number;
  /** A reason against it, if there is one. */
  readonly doubt?: string;
  /** The capability was never requested with these words. */
  readonly isInOtherWords?: true;
}

/** The port to the judge of whether a capability is what an intent with its arguments asks for. */
export interface IntentJudge {
  certainty(intent: string, args: Readonly<Record<string, Json>>, capability: Capability): Certainty;
}

export interface Matcher {
  /** Best first. A score is between 0 and 1, on the same scale for all intents. */
  match(intent: string, scope: Scope, options: MatchOptions): Promise<readonly Match[]>;
  /** The similarity of two intents, between 0 and 1. */
  similarity(one: string, other: string): number;
}
