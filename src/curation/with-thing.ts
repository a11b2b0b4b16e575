/**
 * The thing that the tools themselves are for: an intent may say it in pictures (`what is on my plate`), the tool does not
 * (`get_tasks`). A name has room for both.
 *
 * @module
 */
import { stem } from "../discovery/stem.js";
import { wordKey } from "../discovery/vocabulary.js";
import type { CodeFacts } from "./code/code-facts.js";
import { ANY_NAME } from "./code/code-objects.js";
import type { Deed } from "./code/deeds.js";
import { nameWords } from "./code/name-words.js";
import { verbOf } from "./lexicon/verbs.js";
import { FILLERS, TELLING, WEAK_NOUNS } from "./lexicon/words.js";

/** Words of a name after its verb. */
export const OBJECTS = 4;

/** What a tool is called after: `create_page` may be anything, `create_refund` is a refund. */
export const GENERIC: ReadonlySet<string> = new Set(
  "message messages page pages row rows file files object objects item items record records event events document documents content block blocks node nodes range cell cells entity entities query task tasks issue issues email mail draft user directory request resource observations values".split(
    " ",
  ),
);

export interface ThingClues {
  readonly deed: Deed | undefined;
  readonly deeds: readonly Deed[];
  readonly facts: CodeFacts;
  /** What the code works on, best first. */
  readonly fallback: readonly string[];
  readonly codeKeys: ReadonlySet<string>;
  readonly serverKeys: ReadonlySet<string>;
  readonly verb: string;
}

/** With the tools' own thing, where no word of the intent is one; for it the word goes that the code knows least of. */
export function withThing(objects: readonly string[], clues: ThingClues): readonly string[] {
  const things = thingsOf(clues);
  const keys = new Set(objects.map(stem));
  const said = objects.filter(
    (word) => clues.codeKeys.has(wordKey(word)) && !TELLING.has(word) && !WEAK_NOUNS.has(word),
  );
  // Where the intent says enough in the code's own words, the name is long enough.
  if (said.length > 1 && (objects.length > 2 || clues.deed === undefined)) return objects;
  if (said.length > 0 && clues.deed === undefined && objects.length > 2) return objects;
  if (things.some((word) => keys.has(stem(word)) || objects.some((other) => isSame(other, word))))
    return objects;
  const best = things.find((word) => !GENERIC.has(word)) ?? (said.length === 0 ? things.at(0) : undefined);
  if (best === undefined) return objects;
  const kept = objects.filter((word) => word !== "result");
  if (kept.length < OBJECTS) return [...kept, best];
  if (said.length > 0) return kept;
  const weakest = kept.findLastIndex((word) => !TELLING.has(word) && !clues.codeKeys.has(wordKey(word)));
  return weakest < 0 ? kept : [...kept.filter((_, index) => index !== weakest), best];
}

/** What people and tools call the same thing. */
const SAME: readonly RegExp[] = [
  /^(?:ticket|issue|bug|task|card|story|todo)s?$|^stories$/,
  /^(?:mail|email|message|letter)s?$/,
  /^(?:picture|photo|image|screenshot)s?$/,
  /^(?:doc|document|page|note|article)s?$/,
  /^(?:appointment|meeting|event|slot)s?$/,
  /^(?:customer|client|user|account|contact|member|person|employee)s?$|^people$/,
  /^(?:file|folder|directory|dir|path)s?$|^directories$/,
  /^(?:bill|invoice)s?$/,
  /^(?:machine|server|instance|vm|host|node)s?$/,
  /^(?:track|song)s?$/,
  /^(?:url|link|bookmark)s?$/,
  /^(?:service|app|application|unit)s?$/,
];

/** `app` is an `application`, and a ticket is an issue. */
function isSame(left: string, right: string): boolean {
  const short = left.replace(/s$/, "");
  return (
    (short.length > 2 && right.startsWith(short)) || SAME.some((same) => same.test(left) && same.test(right))
  );
}

/** Nouns of the calls, of the main one first; without calls, what the code gives and takes. */
function thingsOf({ deed, deeds, facts, fallback, serverKeys, verb }: ThingClues): readonly string[] {
  const isThing = (word: string) =>
    /^[a-z]{3,18}$/.test(word) &&
    !FILLERS.has(word) &&
    !TELLING.has(word) &&
    word !== verb &&
    stem(word) !== stem(verb) &&
    !serverKeys.has(stem(word)) &&
    !NO_THINGS.test(word) &&
    !(verbOf(word)?.form === "base" && verbOf(word)?.isVague === true);
  if (deed === undefined) {
    // `return changes` says best what comes out.
    const [only = "", ...rest] = facts.answer === "" ? facts.returned : [];
    const given = rest.length > 0 ? [] : nameWords(only).slice(-1);
    const known = given.filter((word) => word.length > 3).concat(fallback);
    return known.filter((word) => isThing(word) && !WEAK_NOUNS.has(word) && !ANY_NAME.has(word)).slice(0, 1);
  }
  // Who fetches any page names none of them.
  if (/fetch|http|request|axios|curl/i.test(`${deed.server} ${deed.tool}`)) return [];
  // Of a tool's words the last is the thing itself.
  const own = deed.objects.filter(isThing).toReversed();
  const others = deeds.filter((one) => one !== deed && one.server === deed.server);
  const [only = "", ...rest] = facts.answer === "" ? facts.returned : [];
  const given =
    rest.length > 0 || own.length > 0
      ? []
      : nameWords(only).filter((word) => isThing(word) && !ANY_NAME.has(word));
  return [
    ...own,
    ...given,
    ...(own.length > 0 ? [] : others.flatMap(({ objects }) => objects.filter(isThing).toReversed())),
  ];
}

/** Words of tools' names that say how, not what. */
const NO_THINGS =
  /^(?:command|commands|cmd|tool|tools|api|call|code|script|sql|list|details?|info|data|batch|bulk|many|one|more|results?|result|html|json|raw|markdown|everything|all|advanced|simple|basic|core|by|id|ids|name|exa|web|stagehand|act|service|action|completion|completions|chat|response|responses|prompt|method|function|url|contents?|text|statement|expression|range|values?|body|path|key|keys|field|fields|property|properties|incr|decr|ttl|goto|type|exec|emulate|tree|element|elements|session|search|crawling|save|log|status|first|nodes|freebusy|browser|snapshot|complete|completion|default|current|new|multiple|single)$/;
