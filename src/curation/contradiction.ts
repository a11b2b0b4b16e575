/**
 * Where intent and code say different things, the code is right: it is what will run.
 *
 * An intent may say it in its own way, so these rules look for what cannot be: something is wanted that no call does.
 *
 * @module
 */
import type { CodeFacts } from "./code/code-facts.js";
import type { Deed } from "./code/deeds.js";
import { interacts } from "./code/main-deed.js";
import { EFFECTS } from "./code/steps.js";
import type { Verb } from "./lexicon/verbs.js";

/** Verbs that leave something changed: code that only asks cannot be for them. */
const LASTING = verbs(
  "update set save upload move rename close publish fix assign restart deploy install push commit enable disable schedule book import sync copy " +
    "backup migrate upgrade bump approve reject pin archive restore reset insert start stop pause revert rollback clean optimize improve refactor edit " +
    "change mark flag unlock lock subscribe unsubscribe register invite label append replace patch duplicate tag release provision grant revoke",
);
/** Verbs of changes that may be no more than an answer. */
const HARMLESS = verbs(
  "plan cache track log record note acquire improve optimize triage configure quote complete organize fill sign checkout scale reduce extend distribute rebalance",
);
/** What is asked of others by telling them. */
const ASKED_BY_TELLING = verbs(
  "subscribe unsubscribe invite publish share schedule reschedule order register approve reject accept decline submit grant assign welcome onboard import sync release log save transfer",
);
/** Verbs that something may be deleted for. */
const CLEANING = verbs(
  "clean dedupe deduplicate merge rotate reset replace organize close free expire revoke rename update refresh trim strip process enforce limit fix mark " +
    "unsubscribe block exclude filter consume redact anonymize rebuild regenerate cancel disable uninstall stop evict throttle",
);
/** The same, where it is kept elsewhere. */
const MOVING = verbs("move migrate restore archive copy backup sync export import transfer rotate");
const BEGINNING = verbs(
  "create add insert open make upload start enable publish install grant subscribe approve lock push register invite assign book schedule reopen restore pin",
);
const ENDING = verbs(
  "delete remove close stop disable unpublish cancel uninstall revoke reject unlock revert archive unassign unsubscribe unpin drop purge expire kill terminate",
);
const CHANGING = verbs("update set edit modify patch rename replace label assign close");
const SENDING = verbs("send notify alert warn inform remind forward reply email escalate message");
/** What is sent, where it is created. */
const SENT =
  /^(?:comments?|drafts?|messages?|reply|replies|issues?|notifications?|events?|invites?|invitations?|tickets?|incidents?|alerts?|mails?|emails?|posts?|reminders?|tasks?|sms|calls?|push)$/;
const TRYING = verbs("run simulate benchmark process wait play click retry replay");
/** These take more than asking. */
const SHAPING = verbs(
  "translate transcribe encrypt decrypt compress resize crop zip embed train proofread rewrite watermark thumbnail",
);
/** What is run may be run for these. */
const MEASURING = verbs("measure benchmark profile compare evaluate score");
const DELETING = verbs("delete erase wipe purge drop destroy");
const LISTING = verbs("list show search browse enumerate display read");

/** Why it cannot be as the intent says, or undefined where it can. */
export function contradictionOf(
  verb: Verb & { readonly base: string },
  deeds: readonly Deed[],
  main: Deed | undefined,
  facts: CodeFacts,
): string | undefined {
  if (main === undefined) return undefined;
  const effects = deeds.filter((deed) => EFFECTS.has(deed.kind) && deed.step === undefined && !isTrial(deed));
  const names = new Set(deeds.map((deed) => deed.verb));
  const isSaid = names.has(verb.name) || names.has(verb.base);
  const does = EFFECTS.has(main.kind) && main.step === undefined;
  if (does && !isTrial(main) && (verb.kind === "ask" || verb.kind === "check")) return "it changes something";
  if (isSaid || deeds.some(interacts)) return undefined;
  // A command that nobody knows may do anything.
  if (EFFECTS.has(verb.kind) && deeds.some(isAnything)) return undefined;
  if (
    does &&
    verb.kind === "compute" &&
    !(main.kind === "run" && MEASURING.has(verb.name)) &&
    (main.kind === "run" || main.kind === "remove" || LASTING.has(main.verb))
  )
    return "it changes something";
  // What is kept by a key is changed, though for the sake of something else.
  const isKept = deeds.some(({ kind, step }) => EFFECTS.has(kind) && step === "helping");
  if (effects.length === 0 && isKept) return undefined;
  if (effects.length === 0) {
    // A model cleans and edits the text that it is given.
    const isMade = verb.kind === "make" && deeds.some(({ kind }) => kind === "make");
    if ((LASTING.has(verb.name) && !isMade) || verb.kind === "remove" || SENDING.has(verb.name))
      return "it changes nothing";
    if (verb.kind === "change" && !HARMLESS.has(verb.name) && deeds.every(({ kind }) => kind !== "make"))
      return "it changes nothing";
    if (verb.kind === "run" && !TRYING.has(verb.name) && !deeds.some(({ kind }) => kind === "run"))
      return "it starts nothing";
    if (
      /^(?:search|crawl|browse)$/.test(verb.name) &&
      deeds.every((deed) => deed.kind === "ask" && deed.verb === "read")
    )
      return "it searches nothing";
    if (verb.name === "sort" && !isSorted(facts)) return "it sorts nothing";
    if (SHAPING.has(verb.name) && deeds.every(({ kind }) => kind === "ask")) return "it makes nothing of it";
    if (verb.kind === "make" && (facts.returns === "number" || facts.returns === "boolean"))
      return "it makes nothing";
    return LISTING.has(verb.name) && facts.returns === "number" ? "it answers a number" : undefined;
  }
  // Whoever only sends a message books and restarts nothing.
  if (
    effects.every(({ kind }) => kind === "tell") &&
    ((verb.kind === "change" && !ASKED_BY_TELLING.has(verb.name)) ||
      (verb.kind === "run" && !TRYING.has(verb.name)))
  )
    return "it only sends a message";
  if (
    main.kind === "remove" &&
    verb.kind !== "remove" &&
    !CLEANING.has(verb.name) &&
    !((MOVING.has(verb.name) || verb.kind === "change") && effects.some(({ kind }) => kind === "change"))
  )
    return "it removes something";
  if (BEGINNING.has(verb.name) && effects.every((deed) => ENDING.has(deed.verb)))
    return "it does the opposite";
  if (ENDING.has(verb.name) && effects.every((deed) => BEGINNING.has(deed.verb) && deed.kind === "change"))
    return "it does the opposite";
  if (/^(?:create|add|open)$/.test(verb.name) && effects.every((deed) => CHANGING.has(deed.verb)))
    return "it creates nothing";
  if (DELETING.has(verb.name) && effects.every(({ kind }) => kind === "change" || kind === "tell"))
    return "it deletes nothing";
  if (
    SENDING.has(verb.name) &&
    !effects.some(
      (deed) => deed.kind === "tell" || isPosted(deed) || deed.objects.some((word) => SENT.test(word)),
    )
  )
    return "it sends nothing";
  return undefined;
}

function isSorted({ methods, calls }: CodeFacts): boolean {
  return (
    methods.has("sort") ||
    methods.has("toSorted") ||
    calls.some(({ fields, texts }) =>
      [...fields, ...texts.map(([, text]) => text)].some((text) => /order|sort|\btop\b|latest/i.test(text)),
    )
  );
}

/** Over HTTP, to create something at somebody's is how to tell them. */
function isPosted({ verb, server, tool }: Deed): boolean {
  return verb === "create" && /http|fetch|webhook|request|axios|rest/i.test(`${server} ${tool}`);
}

function isAnything({ kind, verb, objects }: Deed): boolean {
  return (
    kind === "run" &&
    /^(?:run|execute|exec)$/.test(verb) &&
    objects.every((word) => /^(?:command|code|script|process)$/.test(word))
  );
}

/** Tests and the like run, and leave all as it was. */
function isTrial({ kind, objects }: Deed): boolean {
  return kind === "run" && objects.some((word) => /^(?:tests?|types|code|load|lint|command)$/.test(word));
}

function verbs(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
