/**
 * Stores suggestions until they are decided, and which gateway is computing them.
 *
 * @module
 */
import type { Fqdn } from "../registry/fqdn.js";
import type { Scope } from "../registry/scope.js";
import type { NameSuggestion } from "./name-suggestion.js";

export interface KeptSuggestion {
  readonly fqdn: Fqdn;
  /** What it was made from; it counts for as long as that is the same. */
  readonly basis: string;
  /** Its id is the FQDN. */
  readonly suggestion: NameSuggestion;
}

/** For how long a gateway may curate before others take it for dead. */
export interface CurationLease {
  /** Which gateway, to the store. */
  readonly owner: string;
  readonly ms: number;
}

export type CurationClaim =
  /** `wasOpen`: a gateway started and did not finish. */
  | { readonly kind: "claimed"; readonly wasOpen: boolean }
  /** Another gateway has it, for so long at most unless it says more. */
  | { readonly kind: "held"; readonly forMs: number };

export interface SuggestionStore {
  /** Those that there are. */
  kept(fqdns: readonly Fqdn[]): Promise<readonly KeptSuggestion[]>;
  /** Each instead of the one before it; what is deleted for good or never was is left out. */
  keep(suggestions: readonly KeptSuggestion[]): Promise<void>;
  forget(fqdns: readonly Fqdn[]): Promise<void>;
  /** The newest code of each, as it was written. */
  codes(fqdns: readonly Fqdn[]): Promise<ReadonlyMap<Fqdn, string>>;
  /** What the user's capabilities in a project are curated under: one gateway at a time. */
  claim(scope: Scope, lease: CurationLease): Promise<CurationClaim>;
  /** False if another gateway has taken it over. */
  renew(scope: Scope, lease: CurationLease): Promise<boolean>;
  /** It is done, or nothing was to do. */
  finish(scope: Scope, owner: string): Promise<void>;
  /** Whether a gateway has started and not finished. */
  isOpen(scope: Scope): Promise<boolean>;
}
