/**
 * Texts by the words in them (BM25F): several fields, each with its own weight, words that few texts have first.
 *
 * A score is the share of the query that a text explains, so it means the same from one query to the next and does not
 * change when others come and go, but for words that become common. Repeating a word soon adds nothing, and a long text
 * is worth less for each of its words: stuffing a description with words does not pay.
 *
 * @module
 */
import { sortedSlice } from "../registry/sorted-slice.js";
import { alikeness, type Phrase, phraseOf } from "./phrase.js";
import { worthOf } from "./vocabulary.js";
import { type Word, wordsOf } from "./words.js";

/** What a word in a field counts; how much the field's length matters; and how many words it has as a rule. */
const FIELDS = {
  name: { weight: 2, lengthMatters: 0.3, usual: 3 },
  owner: { weight: 1, lengthMatters: 0.3, usual: 1 },
  intent: { weight: 1.5, lengthMatters: 0.6, usual: 8 },
  description: { weight: 1, lengthMatters: 0.6, usual: 12 },
  parameters: { weight: 0.5, lengthMatters: 0.6, usual: 4 },
  /** What is said of the parameters. */
  details: { weight: 0.2, lengthMatters: 0.8, usual: 20 },
  tags: { weight: 1, lengthMatters: 0.6, usual: 2 },
  tools: { weight: 0.3, lengthMatters: 0.6, usual: 4 },
} as const;
type Field = keyof typeof FIELDS;

export interface IndexedText {
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** Each says all of it: an intent that is one of these is exactly what is meant. */
  readonly phrases: readonly string[];
}

export interface Found<K> {
  readonly key: K;
  /** Between 0 and 1. */
  readonly score: number;
  /** Of the query, as they are written there. */
  readonly words: readonly string[];
  /** A phrase of it says nearly the same as the query. */
  readonly isSaid: boolean;
}

export interface SearchOptions<K> {
  readonly limit: number;
  /** What is not accepted is as if it were not there. */
  readonly accepts: (key: K) => boolean;
}

const FIELD_WORDS = 300;
/** A word that is repeated more often in one field is not more what it is about. */
const REPEATS = 3;
const QUERY_WORDS = 64;
/** Texts whose phrases are compared with the query, beside those that are asked for. */
const COMPARED = 40;
/** How soon repeating a word adds nothing. */
const SATURATION = 1.2;
/** Stretches what a word can explain: a name that has it explains it. */
const STRETCH = 1.25;
/** What has all words of a query, and says something else perhaps. */
const WORDS_ALONE = 0.84;
/** Of that many texts a word must be rare in; fixed, so that scores do not depend on how many there are. */
const AMONG = 1_000;
const NEARLY = 0.85;
/** A word that more have than this is looked up only in what has another word too, where that is enough. */
const COMMON = 1_000;
const ENOUGH = 500;

interface Entry<K> {
  readonly key: K;
  /** Its place in lists that are as long as there are entries. */
  readonly slot: number;
  readonly words: readonly string[];
  readonly texts: readonly string[];
  phrases?: readonly Phrase[];
}

export class WordIndex<K> {
  readonly #entries = new Map<K, Entry<K>>();
  readonly #slots: (Entry<K> | undefined)[] = [];
  readonly #free: number[] = [];
  /** For each word the entries that have it, and how much of it, weighed. */
  readonly #postings = new Map<string, Map<number, number>>();

  get size(): number {
    return this.#entries.size;
  }

  /** Adds it, or takes the place of what had the key. */
  put(key: K, { fields, phrases }: IndexedText): void {
    this.remove(key);
    const weighed = weigh(fields);
    const slot = this.#free.pop() ?? this.#slots.length;
    const entry: Entry<K> = { key, slot, words: [...weighed.keys()], texts: phrases };
    this.#entries.set(key, entry);
    this.#slots[slot] = entry;
    for (const [word, weight] of weighed) {
      const posting = this.#postings.get(word) ?? new Map<number, number>();
      this.#postings.set(word, posting.set(slot, weight));
    }
  }

  remove(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#slots[entry.slot] = undefined;
    this.#free.push(entry.slot);
    for (const word of entry.words) {
      const posting = this.#postings.get(word);
      if (posting?.delete(entry.slot) === true && posting.size === 0) this.#postings.delete(word);
    }
  }

  /** Best first; what is as good stands in the order of its keys. */
  search(query: string, { limit, accepts }: SearchOptions<K>): readonly Found<K>[] {
    const words = [...new Map(wordsOf(query, QUERY_WORDS).map((word) => [word.key, word])).values()];
    const asked = phraseOf(query);
    const explained = this.#explained(words, accepts);
    return sortedSlice(explained, 0, limit + COMPARED, byScore)
      .map(({ key, entry, score }): Found<K> => {
        entry.phrases ??= entry.texts.map(phraseOf);
        const said = entry.phrases.reduce((most, phrase) => Math.max(most, alikeness(asked, phrase)), 0);
        return {
          key,
          score: Math.max(said, WORDS_ALONE * score),
          words: words
            .filter((word) => this.#postings.get(word.key)?.has(entry.slot))
            .map(({ text }) => text),
          isSaid: said >= NEARLY,
        };
      })
      .sort(byScore)
      .slice(0, limit);
  }

  /** Every entry with one of the words, and which share of them it explains. */
  #explained(words: readonly Word[], accepts: (key: K) => boolean): Explained<K>[] {
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
    let all = 0;
    // The rarest first: what has nothing but common words need not be gone through where there is enough else.
    const postings = words.map(({ key }) => ({ key, posting: this.#postings.get(key) ?? NONE }));
    for (const { key, posting } of postings.sort((a, b) => a.posting.size - b.posting.size)) {
      const isCommon = posting.size > COMMON && accepted.length >= ENOUGH;
      let having = isCommon ? posting.size : 0;
      if (!isCommon) for (const slot of posting.keys()) if (isAccepted(slot)) having += 1;
      const rarity = worthOf(key) * Math.log(1 + AMONG / (1 + having));
      all += rarity;
      for (const { slot } of accepted) {
        const weight = posting.get(slot);
        if (weight !== undefined) shares[slot] = (shares[slot] ?? 0) + rarity * explains(weight);
      }
    }
    return accepted.map((entry) => ({ key: entry.key, entry, score: (shares[entry.slot] ?? 0) / all }));
  }
}

const NONE: ReadonlyMap<number, number> = new Map();
/** Whether an entry is accepted is asked once. */
const UNKNOWN = 0;
const YES = 1;
const NO = 2;

interface Explained<K> {
  readonly key: K;
  readonly entry: Entry<K>;
  readonly score: number;
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

/** How much of each word there is in all fields together. */
function weigh(fields: IndexedText["fields"]): ReadonlyMap<string, number> {
  const weighed = new Map<string, number>();
  for (const [name, text] of Object.entries(fields) as [Field, string][]) {
    const { weight, lengthMatters, usual } = FIELDS[name];
    const words = wordsOf(text, FIELD_WORDS);
    const share = weight / (1 - lengthMatters + (lengthMatters * words.length) / usual);
    const counts = new Map<string, number>();
    for (const { key } of words) counts.set(key, Math.min(REPEATS, (counts.get(key) ?? 0) + 1));
    for (const [key, count] of counts) weighed.set(key, (weighed.get(key) ?? 0) + count * share);
  }
  return weighed;
}
