/**
 * The port to the storage of undecided suggestions, and of the gateway that is computing them.
 *
 * @module
 */
import type { Fqdn } from "../registry/fqdn.js";
import type { Scope } from "../registry/scope.js";
import type { NameSuggestion } from "./name-suggestion.js";

export interface KeptSuggestion {
  readonly fqdn: Fqdn;
  /** The basis of the suggestion, which is valid as long as that is the same. */
  readonly basis: string;
  /** Its id is the FQDN. */
  readonly suggestion: NameSuggestion;
}

/** How long a gateway may curate before others consider it dead. */
export interface CurationLease {
  /** The id of the gateway. */
  readonly owner: string;
  readonly ms: number;
}

export type CurationClaim =
  /** `wasOpen`: a gateway started and did not finish. */
  | { readonly kind: "claimed"; readonly wasOpen: boolean }
  /** Another gateway has it, for at most this long unless it renews it. */
  | { readonly kind: "held"; readonly forMs: number };

export interface SuggestionStore {
  /** The existing suggestions. */
  kept(fqdns: readonly Fqdn[]): Promise<readonly KeptSuggestion[]>;
  /** Each replaces the previous one; permanently deleted or unknown capabilities are skipped. */
  keep(suggestions: readonly KeptSuggestion[]): Promise<void>;
  forget(fqdns: readonly Fqdn[]): Promise<void>;
  /** The newest code of each, as written. */
  codes(fqdns: readonly Fqdn[]): Promise<ReadonlyMap<Fqdn, string>>;
  /** Claims the lease for curating the user's capabilities in a project: one gateway at a time. */
  claim(scope: Scope, lease: CurationLease): Promise<CurationClaim>;
  /** False if another gateway has taken it over. */
  renew(scope: Scope, lease: CurationLease): Promise<boolean>;
  /** Curation is done, or was not needed. */
  finish(scope: Scope, owner: string): Promise<void>;
  /** Whether a gateway has started and not finished. */
  isOpen(scope: Scope): Promise<boolean>;
}
