/**
 * What the results of the steps of a merged capability are called in its code.
 *
 * @module
 */
import { insteadOf, isKnownGlobal } from "../../analysis/names/globals.js";

/** Verbs that give what they are followed by: what `read_json` gives is a `json`. */
const GIVING: ReadonlySet<string> = new Set(
  (
    "get read fetch list load find search query lookup show open download scan collect create make build generate " +
    "compute calculate parse extract convert render summarize summarise"
  ).split(" "),
);
/** Before these, the name has said what it gives. */
const LINKS: ReadonlySet<string> = new Set("by from of in with for at on to into as and".split(" "));
/** Unless it is said behind them: `convert_to_csv`. */
const LEADING_LINKS: ReadonlySet<string> = new Set("to into as".split(" "));

const RESERVED: ReadonlySet<string> = new Set(
  (
    "arguments async await break case catch class const continue debugger default delete do else enum export extends " +
    "false finally for function if implements import in instanceof interface let new null of package private " +
    "protected public return static super switch this throw true try typeof using var void while with yield"
  ).split(" "),
);

/** A new name for every action that is asked for: an identifier that means nothing else, in `taken` or to the language. */
export function variableNames(taken: Iterable<string>): (action: string) => string {
  const meant = new Set(taken);
  const used = new Set<string>();
  const isTaken = (name: string): boolean =>
    meant.has(name) || RESERVED.has(name) || isKnownGlobal(name) || insteadOf(name) !== undefined;
  return (action) => {
    const wanted = nameFor(wordsOf(action));
    const base = isTaken(wanted) && !wanted.endsWith(RESULT) ? wanted + RESULT : wanted;
    let name = base;
    for (let count = 2; isTaken(name) || used.has(name); count += 1) name = `${base}${count}`;
    used.add(name);
    return name;
  };
}

const RESULT = "Result";

function wordsOf(action: string): readonly string[] {
  return action
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function nameFor(words: readonly string[]): string {
  const [verb = "", ...rest] = words;
  const given = GIVING.has(verb) ? givenIn(rest) : [];
  if (given.length > 0) return identifier(given);
  return words.length === 0 ? "result" : identifier(words) + RESULT;
}

function givenIn(words: readonly string[]): readonly string[] {
  const named = LEADING_LINKS.has(words[0] ?? "") ? words.slice(1) : words;
  const end = named.findIndex((word) => LINKS.has(word));
  return end === -1 ? named : named.slice(0, end);
}

/** `camelCase`, with a letter first. */
function identifier(words: readonly string[]): string {
  const [first = "", ...rest] = /^[0-9]/.test(words[0] ?? "") ? ["result", ...words] : words;
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
