/**
 * Words that hold a request together, in English: what introduces verbs and things, what says nothing, and what changes
 * everything.
 *
 * @module
 */
import { wordSet } from "../../base/word-set.js";
import { foldText } from "../words.js";

/** What is said in several words, and in one. Texts are folded, with a space at both ends. */
const PHRASES: readonly (readonly [RegExp, string])[] = (
  [
    ["how many|number of|how much", "count"],
    ["get rid of|throw away|throw out|do away with|rm", "delete"],
    ["add up|sum up|add together|tot up", "sum"],
    ["set up|come up with", "create"],
    ["call off", "cancel"],
    ["look up|look for|search for|find out|work out|figure out|(?:want|like|have|need) to know", "get"],
    ["for each|grouped by|broken down by|by each", "per"],
    ["quantity of", "count"],
    ["open (the|this|that)", "view $1"],
    ["back up|backing up", "backup"],
    ["bring back|put back|roll back", "restore"],
    ["write down|keep in mind|take note", "remember"],
    ["shut down|turn off|switch off", "stop"],
    ["turn on|switch on", "enable"],
    ["(?:give|show|tell) (?:me|us)|let me (?:see|know)", "get"],
    [
      "any ?more|any longer|right now|at the moment|as well|at once|of course|for good|looks? like|would like",
      "",
    ],
    ["most recent|most recently|up to date", "latest"],
    ["what s new", "get latest"],
    ["what will|how will", "get forecast"],
    ["each other|one another|in full", ""],
    ["(?:over|more than) ([a-z0-9]+ [a-z]+) old", "older than $1"],
    [
      "(?:past|after) (?:their|its|the) due date|past due|due date (?:has|have) (?:already )?passed",
      "overdue",
    ],
    ["waiting for|awaiting", "pending"],
    ["virtual machines?", "vm"],
    ["time off", "leave"],
    ["search ((?:(?!for)[a-z0-9]+ ){1,5})for ((?:[a-z]+ ){0,2}[a-z]+)", "find $2 in $1"],
    ["not (?:been |yet |again |still )*(?:pay|paid|settled?|rule)(?: yet)?", "unpaid"],
    ["e mails?", "email"],
    ["web pages?", "webpage"],
    ["pull requests|prs|p rs", "pullrequests"],
    ["pull request|pr", "pullrequest"],
    ["email address", "email"],
    ["email addresses", "emails"],
    ["change (?:the )?name (?:of|for)", "rename"],
    ["give ((?:[a-z]+ ){1,3})an? (?:new|other|different) name", "rename $1"],
  ] as const
).map(([from, to]) => [new RegExp(`(?<= )(?:${from})(?= )`, "gu"), to]);

/** Folded, with one word for what is said in several. */
export function phrased(text: string): string {
  let folded = ` ${foldText(text)} `;
  for (const [from, to] of PHRASES) folded = folded.replace(from, to);
  return folded;
}

/** Words that change what is asked for, and what they have in common. What both sides say is no difference. */
export const LIMITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    all: "everything whole entire",
    only: "only except but",
    not: "not no never without nothing neither",
    if: "if unless whenever whether",
    until: "until before till",
    since: "since after",
    than: "than",
    more: "more larger bigger greater longer higher above exceeding exceed exceeds",
    less: "less fewer smaller shorter below",
    per: "per",
    older: "older",
    newer: "newer",
    why: "why",
    who: "who",
    again: "again twice",
    other: "other others else different",
  }).flatMap(([limit, words]) => words.split(" ").map((word) => [word, limit] as const)),
);

export const WORDS = {
  /** They say nothing. */
  fillers: wordSet(
    "please hi hello hey thanks thank just quick quickly now currently simply kindly actually really exactly like wanted ought " +
      "stp svp one ones take lets go got gets getting inside ok okay right called whatever stands say such looks done being " +
      "fully completely entirely totally several various according used use everybody anybody somebody still yet together full many back another over up out away between",
  ),
  /** They always count little. */
  weak: wordSet(
    "degree degrees piece copy content contents thing things item items data info information result " +
      "matching matched exist exists existing given specific particular own format kind contain contains containing mention mentions placed available single two",
  ),
  /** Where only a capability says them, they say nothing beside what an argument says: `over the last hours`. */
  implied: wordSet("last next past other several two one single"),
  /** Where only a capability says them, they count little. */
  usual: wordSet("number count amount figure value values current own accessible available name address"),
  /** They count little where they are not what is asked for. */
  amounts: wordSet("number count amount figure value values"),
  /** After them comes a thing, and no verb. */
  beforeThings: wordSet(
    "a an the this that these those my your our his her its their some of in on for with from at by as about",
  ),
  /** After them comes a verb, as a rule. */
  beforeVerbs: wordSet("please can could should would must will you i we me us may might let and then be"),
  /** A clause with one of them asks for something. */
  asking: wordSet(
    "please can could should would may must need want like what which how count get when where",
  ),
  /** What something lives in; an intent need not say it. */
  systems: wordSet(
    "kubernetes k8s docker git github gitlab bitbucket jira linear trello asana slack teams discord telegram whatsapp stripe paypal " +
      "hubspot salesforce zendesk notion confluence google gmail outlook microsoft office excel word aws s3 azure gcp postgres postgresql mysql sqlite sql " +
      "redis mongodb elasticsearch kafka grafana prometheus datadog sentry jenkins crm erp cms rss dns smtp ftp ssh api web online",
  ),
  joining: wordSet("and then but or also plus so"),
  markers: wordSet("to into onto from of in as"),
  prepositions: wordSet(
    "to into onto of in from for on with at by as about under after before since over between within during per",
  ),
  /** What follows narrows down what was named. */
  restricting: wordSet("that which who whose where than"),
  /** Nouns that say what is done. */
  nominal: wordSet(
    "quantity count sum total average mean screenshot capture translation conversion hash checksum fingerprint backup transcript transcription summary",
  ),
  /** With these verbs a noun says what is done: `add a comment`, `take a screenshot`, `make a copy`. */
  light: wordSet("add make take do give leave put create write post send"),
  /** Beside these verbs they do. */
  vague: wordSet("do get give show tell compute calculate find make create see know grab fetch display"),
} as const;

/** Forms of verbs that no rule tells. */
const IRREGULAR = new Map(
  (
    "paid:pay sent:send made:make written:write wrote:write found:find built:build held:hold kept:keep bought:buy sold:sell chosen:choose " +
    "taken:take given:give shown:show spent:spend drawn:draw hidden:hide stolen:steal thrown:throw forgotten:forget frozen:freeze"
  )
    .split(" ")
    .map((entry) => entry.split(":") as [string, string]),
);

/** `pay` for `paid`. */
export function plainForm(word: string): string {
  return IRREGULAR.get(word) ?? word;
}

const DATE_WORDS = wordSet(
  "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october " +
    "november december today yesterday date day",
);

/** Says when, as the value of an argument does. */
export function isDateWord(word: string): boolean {
  return DATE_WORDS.has(word) || /^\d{1,2}$/u.test(word);
}
