/**
 * What a short text asks for: its actions, the things that it names, and the words that narrow it down.
 *
 * It is read word by word in English, clause by clause. There is no grammar: a word is a verb where a verb is expected,
 * or where it can be nothing else.
 *
 * @module
 */
import { isEnglishWord, lookUp } from "../french/glossary.js";
import { STOP_WORDS, wordKey } from "../vocabulary.js";
import { foldText } from "../words.js";
import { type Action, ASK, actionsOf, isThingToo, MEASURES } from "./actions.js";
import { isDateWord, LIMITS, phrased, plainForm, WORDS } from "./request-words.js";
import { isGrouped } from "./same-words.js";
import { meantBy } from "./value-kinds.js";

export interface StatedWord {
  readonly key: string;
  readonly text: string;
  /** What it counts, between 0 and 1. */
  readonly worth: number;
  /** All words of what it stands in, if that begins with a preposition: `of the last days`. */
  readonly complement?: readonly string[] | undefined;
}

/** `A to B`, `B from A`, `A in B` and `A of B`: which of the words stand on which side. */
export interface Link {
  readonly kind: "to" | "in" | "of";
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface Statement {
  /** In order. Those that only ask are left out where there are others. */
  readonly actions: readonly ReadonlySet<Action>[];
  /** The things, without values of arguments. */
  readonly words: readonly StatedWord[];
  /** `not`, `if`, `every`: they change what is asked for. */
  readonly limits: readonly string[];
  /** `all invoices`: the things that all of are meant, where they are in the plural, else an empty text. */
  readonly quantified: readonly string[];
  /** Things in the plural. */
  readonly plurals: ReadonlySet<string>;
  readonly links: readonly Link[];
  /** The first things, up to a preposition: what something is done with, or what is asked for. */
  readonly objects: readonly string[];
  /** The first thing with the words that stand right before it: `open pull requests`. */
  readonly first: readonly string[];
  /** Every word, values of arguments too. */
  readonly keys: ReadonlySet<string>;
}

/** What is known beside the text. */
export interface Reading {
  /** The words of the values of arguments. */
  readonly values?: ReadonlySet<string>;
  /** A value is a date. */
  readonly hasDate?: boolean;
  /** Words that may be meant by misspelt ones. */
  readonly spelling?: ReadonlySet<string>;
}

/** The value of an argument may be any thing. */
export const ANY = "*";
const CLAUSE_END = /[,;:!?.…]+(?=\s|$)|\s[–—-]+\s|[()«»"“”]/u;
const ARROW = /\s*(?:→|->|=>)\s*/gu;
/**
 * The weight of a word that comes before the request itself; and its weight if the request says `it` instead of naming
 * a thing.
 */
const BACKGROUND = 0.1;
const MEANT_BY_IT = 0.4;
/** `the customer's invoices`, as it is read. */
const POSSESSIVE = "s";
/** Of a word that says little. */
const WEAK = 0.2;
const NEAR_WORDS = 2;
/** More is not read, and counts as something else: an intent is a sentence or two. */
const TEXT_WORDS = 60;
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
/** Shorter ones are too often words of their own. */
const SPELT_LETTERS = 5;

export function statementOf(english: string, reading: Reading = {}): Statement {
  const clauses: Clause[] = [];
  let left = TEXT_WORDS;
  let isTold = false;
  for (const text of english.replace(ARROW, " to ").split(CLAUSE_END)) {
    const clause = new Clause(reading, isTold);
    left = Math.max(0, left - clause.read(text, left));
    isTold ||= clause.actions.some(isTelling);
    clauses.push(clause);
  }
  const request = Math.max(
    0,
    clauses.findIndex(({ isRequest, actions, words }) => isRequest && actions.length + words.length > 0),
  );
  const asking = clauses.slice(request);
  const background = asking.some(({ words }) => words.length > 0) ? BACKGROUND : MEANT_BY_IT;
  const actions = asking.flatMap((clause) => clause.actions);
  const telling = actions.filter(isTelling);
  return {
    actions: telling.length > 0 ? telling : [new Set([ASK])],
    words: clauses.flatMap(({ words }, at) =>
      at >= request ? words : words.map((word) => ({ ...word, worth: background * word.worth })),
    ),
    limits: asking.flatMap(({ limits }) => limits),
    quantified: asking.flatMap(({ quantified }) => quantified),
    plurals: new Set(clauses.flatMap(({ plurals }) => plurals)),
    links: clauses.flatMap(({ links }) => links),
    objects: asking.find(({ objects }) => objects.length > 0)?.objects ?? [],
    first: asking.find(({ first }) => first.length > 0)?.first ?? [],
    keys: new Set(clauses.flatMap(({ keys }) => keys)),
  };
}

/** The words of the values of arguments, as they may stand in an intent. */
export function valueWords(values: readonly unknown[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const value of values) {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    for (const word of foldText(text).split(" "))
      for (const one of [word, meantBy(word) ?? word, ...(lookUp(word)?.toLowerCase().split(" ") ?? [])])
        words.add(one);
    if (typeof value === "number") words.add(NUMBERS[value] ?? "");
  }
  return words;
}

export function isTelling(actions: ReadonlySet<Action>): boolean {
  return actions.size > 1 || !actions.has(ASK);
}

interface Step {
  readonly key: string;
  /** A preposition, with no key. */
  readonly marker: string;
}

class Clause {
  readonly actions: ReadonlySet<Action>[] = [];
  readonly words: StatedWord[] = [];
  readonly limits: string[] = [];
  readonly quantified: string[] = [];
  readonly plurals: string[] = [];
  readonly objects: string[] = [];
  readonly keys: string[] = [];
  readonly first: string[] = [];
  isRequest = false;
  readonly #reading: Reading;
  readonly #steps: Step[] = [];
  /** An action was told before this clause. */
  readonly #isTold: boolean;
  #isStart = true;
  #before = "";
  #verb = "";
  /** The things that follow are what is asked for. */
  #isObject = true;
  /** `all` or `every`, until the thing that all of are meant is read. */
  #all = "";
  #complement: string[] | undefined;
  #isFirst = true;

  constructor(reading: Reading, isTold: boolean) {
    this.#reading = reading;
    this.#isTold = isTold;
  }

  /** Answers how many words it has. */
  read(text: string, most: number): number {
    const words = phrased(text)
      .split(" ")
      .filter((word) => word !== "");
    for (const word of words.slice(0, most)) {
      this.#read(word, this.#isVerbPlace());
      this.#before = word;
    }
    if (this.#all !== "") this.#quantify("");
    const [unread, ...others] = words.slice(most);
    if (unread !== undefined) this.words.push({ key: [unread, ...others].join(" "), text: unread, worth: 1 });
    return words.length;
  }

  get links(): readonly Link[] {
    return this.#steps.flatMap(({ marker }, at): Link[] => {
      if (marker === "") return [];
      const before = namesOf(this.#steps.slice(0, at).toReversed());
      const after = namesOf(this.#steps.slice(at + 1));
      if (marker === "of") return [{ kind: "of", from: before, to: after }];
      if (marker === "from") return [{ kind: "to", from: after, to: before }];
      return [{ kind: marker === "in" || marker === "as" ? "in" : "to", from: before, to: after }];
    });
  }

  #isVerbPlace(): boolean {
    const before = this.#before;
    if (WORDS.beforeThings.has(before)) return false;
    return this.#isStart || WORDS.beforeVerbs.has(before) || (before === "to" && this.#verb === "");
  }

  #read(word: string, isVerbPlace: boolean): void {
    const things = this.words.length;
    // `which customer placed the order`
    if (word.endsWith("ed") && this.first.length > 0) this.#isFirst = false;
    this.#readAny(word, isVerbPlace);
    const isThing = this.words.length > things;
    if (isThing && this.#isFirst && this.#complement === undefined)
      this.first.push(this.words.at(-1)?.key ?? "");
    else if (word !== POSSESSIVE && this.first.length > 0) this.#isFirst = false;
  }

  #readAny(word: string, isVerbPlace: boolean): void {
    if (WORDS.asking.has(word)) this.isRequest = true;
    if (WORDS.beforeThings.has(word)) this.#isStart = false;
    if (WORDS.restricting.has(word)) this.#complement = undefined;
    if (WORDS.joining.has(word)) this.#isStart = true;
    if (WORDS.prepositions.has(word) || WORDS.joining.has(word)) {
      this.#isObject = false;
      this.#complement = WORDS.joining.has(word) ? this.#complement : [];
      if (this.#all !== "" && word !== "of") this.#quantify("");
    }
    if (WORDS.markers.has(word)) this.#steps.push({ key: "", marker: word });
    else if (this.#reading.values?.has(word) === true) this.#readValue(word);
    else if (word === "all" || word === "every" || word === "each") this.#all = word;
    else if (word === "who" && this.objects.length > 0) return;
    else if (LIMITS.has(word)) {
      this.limits.push(LIMITS.get(word) ?? word);
      this.keys.push(wordKey(word));
    } else if (!STOP_WORDS.has(word) && !WORDS.fillers.has(word))
      this.#readTelling(plainForm(this.#spelt(word)), isVerbPlace);
  }

  #readValue(word: string): void {
    this.keys.push(wordKey(word));
    this.#steps.push({ key: wordKey(word), marker: "" });
    if (this.#isObject) this.objects.push(ANY);
    this.#isStart = false;
  }

  #readTelling(word: string, isVerbPlace: boolean): void {
    const key = wordKey(word);
    const isMany = /[^su]s$/u.test(word);
    this.keys.push(key);
    if (isMany) this.plurals.push(key);
    if (this.#all !== "" && (isMany || this.#all !== "all")) this.#quantify(key);
    this.#isStart = false;
    const actions = actionsOf(word);
    const isNoun = actions !== undefined && this.#isNominal(word);
    if (actions !== undefined && (isNoun || !isThingToo(word) || (isVerbPlace && !this.#isForm(word)))) {
      this.#readAction(word, actions, isNoun);
      if (isVerbPlace || isNoun) this.isRequest = true;
      return;
    }
    if (this.#isObject) this.objects.push(key);
    if (this.#isObject && actions !== undefined && WORDS.light.has(this.#verb)) this.#widen(actions);
    this.#steps.push({ key, marker: "" });
    if (this.#reading.hasDate === true && isDateWord(word)) return;
    this.#complement?.push(key);
    const complement = this.#complement;
    // `the amount of an invoice` is not the invoice.
    const isAsked = this.first.length === 0 && complement === undefined && !this.actions.some(isTelling);
    const isWeak = WORDS.weak.has(word) || (WORDS.amounts.has(word) && !isAsked);
    this.words.push({ key, text: word, worth: isWeak ? WEAK : 1, complement });
  }

  #readAction(word: string, actions: ReadonlySet<Action>, isNoun: boolean): void {
    if (isNoun && this.#verb !== "") this.actions.pop();
    this.actions.push(actions);
    this.#verb = word;
    this.#isObject = this.objects.length === 0;
  }

  /** To add a comment is to comment. */
  #widen(actions: ReadonlySet<Action>): void {
    const last = this.actions.pop();
    if (last !== undefined)
      this.actions.push(
        new Set([...last, ...[...actions].filter((one) => one !== ASK && !MEASURES.has(one))]),
      );
  }

  #quantify(key: string): void {
    this.quantified.push(key);
    this.#all = "";
  }

  /** `commits` and `committed` are no orders. */
  #isForm(word: string): boolean {
    return /[^su]s$/u.test(word) || (word.endsWith("ed") && this.#before !== "be");
  }

  /** A noun that says what is done: `line count`, `get the sum`. Beside a verb that says more it is a thing. */
  #isNominal(word: string): boolean {
    if (!WORDS.nominal.has(word)) return false;
    if (WORDS.vague.has(this.#verb)) return true;
    return this.#verb === "" && !this.#isTold;
  }

  #spelt(word: string): string {
    const { spelling } = this.#reading;
    if (spelling === undefined || spelling.has(word) || !/^[a-z]{4,}$/u.test(word)) return word;
    if (isEnglishWord(word) || actionsOf(word) !== undefined || isGrouped(word)) return word;
    for (const known of spelling)
      if (Math.max(known.length, word.length) >= SPELT_LETTERS && isOneSlip(word, known)) return known;
    return word;
  }
}

/** The next words, up to the next marker. */
function namesOf(steps: readonly Step[]): readonly string[] {
  const end = steps.findIndex(({ marker }) => marker !== "");
  return (end === -1 ? steps : steps.slice(0, end)).slice(0, NEAR_WORDS).map(({ key }) => key);
}

/** One letter is missing, too many, another one, or two are exchanged; the first is right. */
function isOneSlip(one: string, other: string): boolean {
  if (one[0] !== other[0] || Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [rest, otherRest] = [one.slice(at), other.slice(at)];
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0])
  );
}
