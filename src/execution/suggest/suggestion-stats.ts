/**
 * Counts the outcomes of intents: how many were searched, had matches, and were used.
 *
 * @module
 */
import { keepNewest } from "../../base/keep-newest.js";

export interface IntentCounts {
  /** Intents without code. */
  readonly searched: number;
  /** Intents with at least one match. */
  readonly matched: number;
  readonly suggested: number;
  /** Matches that the same client used soon after. */
  readonly accepted: number;
}

/** A use later than this does not count as a use of the suggestion. */
const SOON_MS = 600_000;
const SESSIONS_KEPT = 1_000;
const PER_SESSION = 100;

interface Suggested {
  readonly at: number;
  readonly onUsed: (() => void) | undefined;
}

export class SuggestionStats {
  readonly #now: () => number;
  readonly #open = new Map<string, Map<string, Suggested>>();
  #searched = 0;
  #matched = 0;
  #suggested = 0;
  #accepted = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  searched(isMatched: boolean): void {
    this.#searched += 1;
    if (isMatched) this.#matched += 1;
  }

  /** The id of a tool, or the FQDN of a capability. `onUsed` is called when it is accepted. */
  suggested(session: string, id: string, onUsed?: () => void): void {
    this.#suggested += 1;
    const open = this.#open.get(session) ?? new Map<string, Suggested>();
    keepNewest(this.#open, session, open, SESSIONS_KEPT);
    keepNewest(open, id, { at: this.#now(), onUsed }, PER_SESSION);
  }

  used(session: string, id: string): void {
    const open = this.#open.get(session);
    const suggested = open?.get(id);
    if (suggested === undefined) return;
    open?.delete(id);
    if (this.#now() - suggested.at > SOON_MS) return;
    this.#accepted += 1;
    suggested.onUsed?.();
  }

  stats(): IntentCounts {
    return {
      searched: this.#searched,
      matched: this.#matched,
      suggested: this.#suggested,
      accepted: this.#accepted,
    };
  }
}
