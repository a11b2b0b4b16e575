/**
 * Earlier intents, and the capabilities that answered them. A user who repeats an intent, in nearly the same words or
 * with nearly the same meaning, most likely wants the same capability.
 *
 * An intent may be confidential, so it counts only for its user, in the same project, and affects nothing for others.
 * It is a hint, not a name: `go on` means something else each time. So a capability that is found only by an earlier
 * intent is shown, and never run without being asked for.
 *
 * Only successful runs and similar intents count: a small bonus for everything with a history would push new
 * capabilities down. (With all past intents in the text of a tool, one public data set gained 8 points and another lost
 * 10; as a bonus from a cosine of 0.5 on, 1.5 and 0.3.)
 *
 * @module
 */
import type { Fqdn } from "../registry/fqdn.js";
import { formatScope, type Scope } from "../registry/scope.js";
import { alikeness, NEARLY, type Phrase, phraseOf } from "./phrase.js";
import { foldText } from "./words.js";

export interface PastIntent {
  readonly fqdn: Fqdn;
  readonly intent: string;
  /** The owner of the run. */
  readonly scope: Scope;
}

export interface PastIntentsOptions {
  /** The maximum of stored intents; the oldest are dropped. */
  readonly perOwner?: number;
  readonly most?: number;
  /** Called when this intent is no longer stored. */
  readonly onGone?: (key: string) => void;
}

/** Per owner, because each is compared with the owner's next intents. */
export const OWNERS_INTENTS = 500;
export const ALL_INTENTS = 20_000;
/** The maximum of capabilities for one intent. */
const CAPABILITIES = 8;
/** A longer intent is a task of its own, which is not repeated. */
const CHARS = 500;

/** The minimum similarity that counts, and the weight of each point above, in points of the fused rank. */
const NEAR = 0.5;
const WORTH = 2;
/** Extra points for a repeated intent: only a capability with the same text itself is then ranked higher. */
const AGAIN = 4;
/** Highest similarity of an intent that is not repeated in the same words. */
const NOT_AGAIN = 0.99;

interface Past {
  readonly key: string;
  readonly text: string;
  /** Newest first. */
  fqdns: readonly Fqdn[];
  phrase?: Phrase;
}

export class PastIntents {
  /** By owner, then by text; both in the order of their last use. */
  readonly #owners = new Map<string, Map<string, Past>>();
  readonly #perOwner: number;
  readonly #most: number;
  readonly #onGone: (key: string) => void;
  #size = 0;

  constructor({ perOwner = OWNERS_INTENTS, most = ALL_INTENTS, onGone = () => {} }: PastIntentsOptions = {}) {
    this.#perOwner = perOwner;
    this.#most = most;
    this.#onGone = onGone;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns its key and text if it is stored; texts that differ only in punctuation and case are equal. */
  add({ fqdn, intent, scope }: PastIntent): Pick<Past, "key" | "text"> | undefined {
    if (intent.length > CHARS) return undefined;
    const text = foldText(intent);
    if (text === "") return undefined;
    const owner = formatScope(scope);
    const texts = this.#owners.get(owner) ?? new Map<string, Past>();
    const past = texts.get(text) ?? { key: `${owner} ${text}`, text, fqdns: [] };
    past.fqdns = [fqdn, ...past.fqdns.filter((one) => one !== fqdn)].slice(0, CAPABILITIES);
    if (!texts.delete(text)) this.#size += 1;
    texts.set(text, past);
    this.#owners.delete(owner);
    this.#owners.set(owner, texts);
    if (texts.size > this.#perOwner) this.#forgetOldest(owner, texts);
    const [oldest] = this.#owners;
    if (this.#size > this.#most && oldest !== undefined) this.#forgetOldest(...oldest);
    return past;
  }

  /** All stored intents of all owners, for embedding. */
  *all(): Iterable<Pick<Past, "key" | "text">> {
    for (const texts of this.#owners.values()) yield* texts.values();
  }

  /** Of one owner. */
  keysOf(scope: Scope): readonly string[] {
    return [...this.#of(scope)].map(({ key }) => key);
  }

  /**
   * For each capability, the similarity of the query to the intents that it was used for, if it is high enough to
   * count: between 0 and 1, where 1 means a repeated intent. `texts` are forms of the query; `cosines` are those of the
   * owner's keys.
   */
  alike(
    texts: readonly string[],
    scope: Scope,
    cosines: ReadonlyMap<string, number> = new Map(),
  ): ReadonlyMap<Fqdn, number> {
    // In the stored form: equality without punctuation is still a hint.
    const asked = texts.map((text) => phraseOf(foldText(text)));
    const found = new Map<Fqdn, number>();
    for (const past of this.#of(scope)) {
      past.phrase ??= phraseOf(past.text);
      const { phrase, key, fqdns } = past;
      const alike = asked.reduce((most, one) => Math.max(most, alikeness(one, phrase)), 0);
      const near = alike >= NEARLY ? 1 : Math.min(NOT_AGAIN, Math.max(alike, cosines.get(key) ?? 0));
      if (near > NEAR) for (const fqdn of fqdns) found.set(fqdn, Math.max(near, found.get(fqdn) ?? 0));
    }
    return found;
  }

  #of(scope: Scope): Iterable<Past> {
    return this.#owners.get(formatScope(scope))?.values() ?? [];
  }

  #forgetOldest(owner: string, texts: Map<string, Past>): void {
    const [oldest] = texts.values();
    if (oldest === undefined) return;
    texts.delete(oldest.text);
    this.#size -= 1;
    if (texts.size === 0) this.#owners.delete(owner);
    this.#onGone(oldest.key);
  }
}

/** The bonus of a capability for an earlier intent, in points of the fused rank. */
export function pastBonus(nearness: number): number {
  return WORTH * Math.max(0, nearness - NEAR) + (nearness >= 1 ? AGAIN : 0);
}

/** The explained share of a query, if only words are used. */
export function pastShare(nearness: number): number {
  return Math.max(0, nearness - NEAR) / (1 - NEAR);
}
