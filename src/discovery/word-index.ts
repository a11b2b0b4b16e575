/**
 * Texts by their words (BM25F): several fields, each with its own weight; rare words count most.
 *
 * A score is the share of the query that a text explains, so it has the same scale for all queries and does not change
 * with other texts, except for words that become common. Repeating a word soon adds nothing, and in a long text each
 * word counts less: stuffing a description with words does not pay.
 *
 * @module
 */
import { sortedSlice } from "../registry/sorted-slice.js";
import { lexicalScore } from "./calibration.js";
import { alikeness, NEARLY, type Phrase, phraseOf } from "./phrase.js";
import { type Word, wordsOf } from "./words.js";

/** The weight of a word in a field; how much the field's length matters; and its usual number of words. */
const FIELDS = {
  name: { weight: 2, lengthMatters: 0.3, usual: 3 },
  owner: { weight: 1, lengthMatters: 0.3, usual: 1 },
  /** The description of the owner. */
  about: { weight: 0.5, lengthMatters: 0.6, usual: 12 },
  intent: { weight: 1.5, lengthMatters: 0.6, usual: 8 },
  description: { weight: 1, lengthMatters: 0.6, usual: 8 },
  parameters: { weight: 0.4, lengthMatters: 0.6, usual: 4 },
  /** The descriptions of the parameters. */
  details: { weight: 0.3, lengthMatters: 0.8, usual: 20 },
  tags: { weight: 1, lengthMatters: 0.6, usual: 2 },
  tools: { weight: 0.3, lengthMatters: 0.6, usual: 4 },
} as const;
type Field = keyof typeof FIELDS;

export interface IndexedText {
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** Each is a complete description: an intent that equals one is exactly what is meant. */
  readonly phrases: readonly string[];
  /** Ids: a query that equals one, ignoring case, matches only this document. */
  readonly names?: readonly string[];
}

export interface Found<K> {
  readonly key: K;
  /** Between 0 and 1. */
  readonly score: number;
  /** The share of the query that its words explain, between 0 and 1. */
  readonly share: number;
  /** How similar one of its phrases is to the query, between 0 and 1. */
  readonly said: number;
  /** Words of the query, as written there. */
  readonly words: readonly string[];
  /** One of its phrases says nearly the same as the query. */
  readonly isSaid: boolean;
  /** The query is one of its names, and so also counts as said. */
  readonly isCalled: boolean;
}

/** The results for one query; further results can be requested while the index changes. */
export interface WordSearch<K> {
  /** How many have at least one of the words; if there are very many, those with a rare one. */
  readonly matching: number;
  /** The usual share among them: the root mean square. */
  readonly usual: number;
  /** Best first; equal results are ordered by key. */
  best(limit: number): readonly Found<K>[];
  /**
   * The same for keys that were found by other means, in this order, without unknown keys. Does not call
   * `accepts`.
   */
  of(keys: Iterable<K>): readonly Found<K>[];
}

export interface SearchOptions<K> {
  readonly limit: number;
  /** Entries that are not accepted are treated as missing. */
  readonly accepts: (key: K) => boolean;
}

const FIELD_WORDS = 300;
/** A word that is repeated more often than this, relative to the other words of its field, counts no more. */
const REPEATS = 2;
const QUERY_WORDS = 64;
/** Nothing has a longer name. */
const NAME_CHARS = 1_000;
/** Texts whose phrases are compared with the query, in addition to the requested ones. */
const COMPARED = 40;
/** How soon repeating a word adds nothing. */
const SATURATION = 1.2;
/** Scales the contribution of a word: a name that contains it explains it completely. */
const STRETCH = 1.25;
/**
 * The number of texts that the rarity of a word is relative to; fixed, so that scores do not depend on the
 * real number.
 */
const AMONG = 1_000;
/**
 * A word with more entries than this is looked up only in entries that also have a rarer word, if there are enough of
 * these.
 */
const COMMON = 1_000;
const ENOUGH = 500;

interface Entry<K> {
  readonly key: K;
  /** Its index in lists with one item per entry. */
  readonly slot: number;
  readonly words: readonly string[];
  readonly texts: readonly string[];
  readonly names: readonly string[];
  phrases?: readonly Phrase[];
}

export class WordIndex<K> {
  readonly #entries = new Map<K, Entry<K>>();
  readonly #slots: (Entry<K> | undefined)[] = [];
  readonly #free: number[] = [];
  /** For each word the entries that have it, with its weighted frequency. */
  readonly #postings = new Map<string, Map<number, number>>();
  /** The entries of each name. */
  readonly #called = new Map<string, Set<Entry<K>>>();

  get size(): number {
    return this.#entries.size;
  }

  /** Adds an entry, or replaces the one with the same key. */
  put(key: K, { fields, phrases, names = [] }: IndexedText): void {
    this.remove(key);
    const weighed = weigh(fields);
    const slot = this.#free.pop() ?? this.#slots.length;
    const called = [...new Set(names.map(asName))];
    const entry: Entry<K> = { key, slot, words: [...weighed.keys()], texts: phrases, names: called };
    for (const name of called) this.#called.set(name, (this.#called.get(name) ?? new Set()).add(entry));
    this.#entries.set(key, entry);
    this.#slots[slot] = entry;
    for (const [word, weight] of weighed) {
      const posting = this.#postings.get(word);
      if (posting === undefined) this.#postings.set(word, new Map([[slot, weight]]));
      else posting.set(slot, weight);
    }
  }

  remove(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#slots[entry.slot] = undefined;
    this.#free.push(entry.slot);
    for (const name of entry.names) {
      const called = this.#called.get(name);
      if (called?.delete(entry) === true && called.size === 0) this.#called.delete(name);
    }
    for (const word of entry.words) {
      const posting = this.#postings.get(word);
      if (posting?.delete(entry.slot) === true && posting.size === 0) this.#postings.delete(word);
    }
  }

  /** Best first; equal results are ordered by key. */
  search(query: string, { limit, accepts }: SearchOptions<K>): readonly Found<K>[] {
    return this.ask([query], accepts).best(limit);
  }

  /** Each text is one form of the whole query; the one that explains more counts. */
  ask(texts: readonly string[], accepts: (key: K) => boolean): WordSearch<K> {
    const wordings = [...new Set(texts)].map((text) => this.#wording(text, accepts));
    const [only, ...others] = wordings.map(({ explained }) => explained);
    const all = others.length === 0 ? [...(only ?? [])] : bestOf(wordings);
    const called = this.#calledSo(texts);
    const shareOf = (entry: Entry<K>) =>
      wordings.reduce((best, one) => Math.max(best, this.#shareOf(entry, one)), 0);
    const squares = all.reduce((sum, { score }) => sum + score ** 2, 0);
    return {
      matching: all.length,
      usual: all.length === 0 ? 0 : Math.sqrt(squares / all.length),
      best: (limit) => {
        const compared = new Map(
          sortedSlice(all, 0, limit + COMPARED, byScore).map(({ entry, score }) => [entry, score]),
        );
        for (const entry of called)
          if (!compared.has(entry) && accepts(entry.key)) compared.set(entry, shareOf(entry));
        return Array.from(compared, ([entry, share]) =>
          this.#found(entry, share, wordings, called.has(entry)),
        )
          .sort(byScore)
          .slice(0, limit);
      },
      of: (keys) =>
        [...keys].flatMap((key) => {
          const entry = this.#entries.get(key);
          if (entry === undefined) return [];
          return [this.#found(entry, shareOf(entry), wordings, called.has(entry))];
        }),
    };
  }

  #calledSo(texts: readonly string[]): ReadonlySet<Entry<K>> {
    return new Set(texts.flatMap((text) => [...(this.#called.get(asName(text)) ?? [])]));
  }

  #found(entry: Entry<K>, share: number, wordings: readonly Wording<K>[], isCalled: boolean): Found<K> {
    entry.phrases ??= entry.texts.map(phraseOf);
    let said = isCalled ? 1 : 0;
    for (const { phrase } of wordings)
      for (const one of entry.phrases) said = Math.max(said, alikeness(phrase, one));
    const words = wordings.flatMap(({ asked }) => asked).filter(({ key }) => this.#has(entry, key));
    return {
      key: entry.key,
      score: Math.max(said, lexicalScore(share)),
      share,
      said,
      words: [...new Set(words.map(({ text }) => text))],
      isSaid: said >= NEARLY,
      isCalled,
    };
  }

  #has(entry: Entry<K>, word: string): boolean {
    return this.#postings.get(word)?.has(entry.slot) === true;
  }

  #shareOf(entry: Entry<K>, { asked, all }: Wording<K>): number {
    let share = 0;
    for (const { key, rarity } of asked) {
      const weight = this.#postings.get(key)?.get(entry.slot);
      if (weight !== undefined) share += rarity * explains(weight);
    }
    return all === 0 ? 0 : share / all;
  }

  /** Every entry with one of the words, and the share of them that it explains. */
  #wording(text: string, accepts: (key: K) => boolean): Wording<K> {
    const words = [...new Map(wordsOf(text, QUERY_WORDS).map((word) => [word.key, word])).values()];
    const shares = new Float64Array(this.#slots.length);
    const verdicts = new Uint8Array(this.#slots.length);
    const accepted: Entry<K>[] = [];
    const isAccepted = (slot: number) => {
      if (verdicts[slot] !== UNKNOWN) return verdicts[slot] === YES;
      const entry = this.#slots[slot];
      const isIn = entry !== undefined && accepts(entry.key);
      verdicts[slot] = isIn ? YES : NO;
      if (isIn) accepted.push(entry);
      return isIn;
    };
    const rarities = new Map<string, number>();
    let all = 0;
    // The rarest first: entries with only common words can be skipped if there are enough others.
    const postings = words.map(({ key }) => ({ key, posting: this.#postings.get(key) ?? NONE }));
    for (const { key, posting } of postings.sort((a, b) => a.posting.size - b.posting.size)) {
      const isCommon = posting.size > COMMON && accepted.length >= ENOUGH;
      let having = isCommon ? posting.size : 0;
      if (!isCommon) for (const slot of posting.keys()) if (isAccepted(slot)) having += 1;
      const rarity = Math.log(1 + AMONG / (1 + having));
      rarities.set(key, rarity);
      all += rarity;
      for (const { slot } of accepted) {
        const weight = posting.get(slot);
        if (weight !== undefined) shares[slot] = (shares[slot] ?? 0) + rarity * explains(weight);
      }
    }
    return {
      phrase: phraseOf(text),
      asked: words.map((word) => ({ ...word, rarity: rarities.get(word.key) ?? 0 })),
      all,
      explained: accepted.map((entry) => ({
        key: entry.key,
        entry,
        score: (shares[entry.slot] ?? 0) / all,
      })),
    };
  }
}

/** One form of the query. */
interface Wording<K> {
  readonly phrase: Phrase;
  /** Its words in order, each with its weight. */
  readonly asked: readonly (Word & { readonly rarity: number })[];
  /** The sum of their weights. */
  readonly all: number;
  readonly explained: readonly Explained<K>[];
}

const NONE: ReadonlyMap<number, number> = new Map();
/** Acceptance of an entry is checked once. */
const UNKNOWN = 0;
const YES = 1;
const NO = 2;

interface Explained<K> {
  readonly key: K;
  readonly entry: Entry<K>;
  readonly score: number;
}

/** For each entry, the score of the wording that explains it best. */
function bestOf<K>(wordings: readonly Wording<K>[]): Explained<K>[] {
  const shares = new Map<Entry<K>, number>();
  for (const { explained } of wordings)
    for (const { entry, score } of explained) shares.set(entry, Math.max(shares.get(entry) ?? 0, score));
  return Array.from(shares, ([entry, score]) => ({ key: entry.key, entry, score }));
}

function asName(text: string): string {
  return text.length > NAME_CHARS ? "" : text.trim().toLowerCase();
}

type Scored = Pick<Found<unknown>, "key" | "score">;

function byScore(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score;
  const [one, other] = [String(a.key), String(b.key)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function explains(weight: number): number {
  return Math.min(1, (STRETCH * weight) / (SATURATION + weight));
}

/** The weight of each word over all fields. */
function weigh(fields: IndexedText["fields"]): ReadonlyMap<string, number> {
  const weighed = new Map<string, number>();
  for (const [name, text] of Object.entries(fields) as [Field, string][]) {
    const { weight, lengthMatters, usual } = FIELDS[name];
    const words = wordsOf(text, FIELD_WORDS);
    const share = weight / (1 - lengthMatters + (lengthMatters * words.length) / usual);
    const counts = new Map<string, number>();
    for (const { key } of words) counts.set(key, (counts.get(key) ?? 0) + 1);
    // Relative to the repetition of the others: a text that says everything twice counts as a longer text that says it
    // once.
    const usually = words.length / counts.size;
    for (const [key, count] of counts)
      weighed.set(key, (weighed.get(key) ?? 0) + Math.min(REPEATS, count / usually) * share);
  }
  return weighed;
}
