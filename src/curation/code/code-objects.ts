/**
 * What code works on, in its own words: for when the intent does not say.
 *
 * @module
 */
import { stem } from "../../discovery/stem.js";
import { verbOf } from "../lexicon/verbs.js";
import { FILLERS, TELLING, WEAK_NOUNS } from "../lexicon/words.js";
import type { CodeFacts } from "./code-facts.js";
import type { Deed } from "./deeds.js";
import { nameWords } from "./name-words.js";

const MOST = 3;
/** Names that programs give to anything. */
export const ANY_NAME: ReadonlySet<string> = new Set(
  (
    "res result results response resp data item items row rows value values out output obj tmp i j k x y z e el entry entries list arr cb fn acc cur prev " +
    "err error ok body payload json content contents text str key keys id ids name type path url page index idx count total n limit offset cursor query " +
    "root base sql params options opts config message status state metadata spec fields properties command stdout stderr token next done success true false null " +
    "method headers prompt model role user_id title label labels input username user password login submit button element selector target source from to at by of with updated created removed deleted sent old new"
  ).split(" "),
);

/** Words that only variables are called, half a word each. */
const FRAGMENTS = new Set(
  (
    "res arr obj tmp str num cnt idx val vals buf err msg msgs ctx req resp cfg opts opt params param args fns acc cur prev elem elems evt ret len ext dir dirs desc attr attrs " +
    "cmd btn img doc docs el ref refs src dst dest env conf info meta init util utils helper pos neg addr auth perm stat stats fmt lang loc max min sum avg uid uuid guid sha iso " +
    "utc ymd iid pid sid nid px url urls uri href html dom css xml csv tsv sql jql gql regex regexp html async await const let var map set raw day0 snap rec recs pct qty amt"
  ).split(" "),
);

interface Scored {
  readonly word: string;
  worth: number;
  readonly order: number;
}

export function codeObjects(
  facts: CodeFacts,
  deeds: readonly Deed[],
  deed: Deed | undefined,
  parameters: readonly string[],
): readonly string[] {
  const found = new Map<string, Scored>();
  // The namespace says already where it is done.
  const servers = new Set(deeds.flatMap(({ server }) => nameWords(server)));
  const add = (given: string, worth: number) => {
    const word = STATES.get(given) ?? given;
    if (
      !/^[a-z]{3,}[0-9]?$/.test(word) ||
      word.length > 20 ||
      FRAGMENTS.has(word) ||
      FILLERS.has(word) ||
      servers.has(word) ||
      word === deed?.verb
    )
      return;
    const key = stem(word);
    const known = found.get(key);
    const own = worth * (TELLING.has(word) ? 1.3 : ANY_NAME.has(word) ? 0.2 : WEAK_NOUNS.has(word) ? 0.4 : 1);
    if (known === undefined) found.set(key, { word, worth: own, order: found.size });
    else known.worth += own * 0.5;
  };
  for (const word of deed?.objects ?? []) add(word, 2);
  for (const other of deeds)
    if (other !== deed && other.step === undefined) for (const word of other.objects) add(word, 1);
  for (const call of facts.calls)
    for (const [field, text] of call.texts) {
      if (
        /path|file|dir|folder|table|collection|bucket|key|label|state|status|name|query|^q$|[jc]ql|filter|type|channel|match|pattern/i.test(
          field,
        ) &&
        text.length < 120 &&
        !/^\s*(?:select|with|insert|update|delete)\s/i.test(text)
      )
        for (const word of textWords(text)) add(word, 0.9);
    }
  for (const name of facts.returned)
    for (const word of nameWords(name)) add(word, verbOf(word)?.form === "base" ? 0.4 : 0.8);
  for (const text of facts.texts)
    if (text.length < 24 && /^[a-z][a-z _-]+$/i.test(text))
      for (const word of textWords(text)) add(word, TELLING.has(word) ? 1 : 0.4);
  for (const name of parameters) for (const word of nameWords(name)) add(word, 0.7);
  for (const name of facts.names.slice(0, 60))
    for (const word of nameWords(name))
      add(word, verbOf(word)?.form === "base" ? 0.2 : TELLING.has(word) ? 0.8 : 0.35);
  const best = [...found.values()].sort((a, b) => b.worth - a.worth || a.order - b.order).slice(0, MOST);
  const [first] = best;
  const kept = best.filter(({ worth }) => first !== undefined && worth >= Math.max(0.5, first.worth * 0.3));
  const chosen = kept.length > 0 ? kept : best.slice(0, 1);
  if (chosen.length === 0) return [];
  return chosen
    .sort((a, b) => Number(TELLING.has(b.word)) - Number(TELLING.has(a.word)) || a.order - b.order)
    .map(({ word }) => word);
}

const STATES: ReadonlyMap<string, string> = new Map([
  ["failure", "failed"],
  ["failures", "failed"],
  ["fail", "failed"],
  ["crash", "crashed"],
  ["expires", "expiring"],
  ["dup", "duplicate"],
  ["dups", "duplicate"],
  ["dupes", "duplicate"],
  ["uniq", "unique"],
  // Half a word says nothing in a name.
  ["freq", "frequency"],
  ["freqs", "frequencies"],
  ["qty", "quantity"],
  ["amt", "amount"],
  ["msg", "message"],
  ["msgs", "messages"],
  ["addr", "address"],
  ["img", "image"],
  ["imgs", "images"],
  ["pct", "percent"],
  ["cfg", "config"],
  ["dept", "department"],
  ["acct", "account"],
  ["txn", "transaction"],
  ["txns", "transactions"],
  ["attachs", "attachments"],
  ["dist", "distance"],
]);

/** Which of the things are meant, where variables say it: `const stale = issues.filter(…)`. */
export function codeStates(facts: CodeFacts): readonly string[] {
  const states: string[] = [];
  for (const name of [...facts.declared, ...facts.returned])
    for (const word of nameWords(name)) {
      const state = STATES.get(word) ?? word;
      if (
        TELLING.has(state) &&
        !/^(?:total|max|min|first|last|top|average|unique|new|open|active|local|public|high|low|free|valid|recent|big|best|random|daily|removed|deleted|changed|modified|busy|skipped|nested|major|minor|partial|shared|common)$/.test(
          state,
        ) &&
        !states.includes(state)
      )
        states.push(state);
    }
  return states.length > 0 ? states : testedStates(facts);
}

/** Which rows a query asks for, where it says so without a word for it. */
export function queriedStates({ calls }: CodeFacts): readonly string[] {
  const sql = calls.flatMap(({ texts }) => texts.map(([, text]) => text)).join("\n");
  if (/\bhaving\s+count\s*\([^)]*\)\s*>\s*1\b/i.test(sql)) return ["duplicate"];
  return /\b\w*(?:scans?|uses|usage|hits|reads)\s*=\s*0\b/i.test(sql) ? ["unused"] : [];
}

/** What the code tests says it too: when something was last changed, when it ends. */
function testedStates({ methods, names, tested }: CodeFacts): readonly string[] {
  const isPicked = methods.has("filter") || methods.has("push if");
  const isSized = (side: RegExp) => tested.some((test) => side.test(test));
  if (isPicked && isSized(/^(?:\w*size|\w*bytes|mb|kb) >$/i)) return ["large"];
  if ((methods.has("sort") || methods.has("toSorted")) && isSized(/^(?:\w*size|\w*bytes) -$/i))
    return ["largest"];
  const isTimed = methods.has("Date.now") || methods.has("new Date") || methods.has("Date.parse");
  if (!isPicked || !isTimed || !(methods.has("<") || methods.has(">"))) return [];
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (has(/^(?:last_?(?:used|accessed|opened|seen|login|sign_?in)\w*)$/i)) return ["unused"];
  if (has(/expir|not_?after|valid_?(?:until|to)$|renew/i)) return ["expiring"];
  if (isSized(/^(?:\w*due\w*|\w*deadline) <$/i)) return ["overdue"];
  return has(
    /^(?:updated|modified|pushed|touched|changed|last_?(?:activity|update|modified|commit|change|push))/i,
  )
    ? ["stale"]
    : [];
}

function textWords(text: string): readonly string[] {
  if (/@|:\/\//.test(text)) return [];
  return text
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap(nameWords)
    .filter((word) => word.length > 2);
}
