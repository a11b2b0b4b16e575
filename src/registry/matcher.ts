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
  /** The step of the request that it fits best, where it was searched step by step. */
  readonly step?: string;
};

export interface MatchOptions {
  /** Both when left out. */
  readonly kind?: Match["kind"];
  readonly limit: number;
  /** Skips this many of the best. */
  readonly offset?: number;
  /** Only tools of this server, and capabilities of this namespace. */
  readonly namespace?: string;
  /** What was used just before. */
  readonly context?: readonly (ToolId | Fqdn)[];
  /** Each step of a request with several is searched too: `read the report, then send it`. Needs the model. */
  readonly isByStep?: boolean;
  /**
   * Called with the ranking method (`words` if the embedding model should have helped, but could not or not
   * yet), with the scores below which results are not shown, and with the steps for which nothing scores
   * enough. Scores by words alone have another scale and another floor.
   */
  readonly onRanked?: (by: Ranking, floor: Floor, unmatched?: readonly string[]) => void;
}

export interface Floor {
  /** Where the best scores less, nothing fits. */
  readonly first: number;
  /** What scores less is left out. */
  readonly each: number;
}

export const NO_FLOOR: Floor = { first: 0, each: 0 };

/** What is left of a list, best first. */
export function aboveFloor<T>(
  found: readonly T[],
  { first, each }: Floor,
  scoreOf: (one: T) => number,
): readonly T[] {
  const [best] = found;
  return best === undefined || scoreOf(best) < first ? [] : found.filter((one) => scoreOf(one) >= each);
}

export type Ranking = "words" | "all";

/** How sure it is that an intent means a capability. */
export interface Certainty {
  /** Between 0 and 1; 1 is the same text. */
  readonly score: number;
  /** What speaks against it, where something does. */
  readonly doubt?: string;
  /** The capability was never asked for with these words. */
  readonly isInOtherWords?: true;
}

/** The port to the judge of whether a capability is what an intent with its arguments asks for. */
export interface IntentJudge {
  certainty(intent: string, args: Readonly<Record<string, Json>>, capability: Capability): Certainty;
}

export interface Matcher {
  /** Best first. A score is between 0 and 1, and means the same from one intent to the next. */
  match(intent: string, scope: Scope, options: MatchOptions): Promise<readonly Match[]>;
  /** How alike two intents are, between 0 and 1. */
  similarity(one: string, other: string): number;
}
