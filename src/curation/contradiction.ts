/**
 * Whether the code can do what the intent says. An intent for something else gives no name: a misleading name that
 * hides a deletion or a message is worse than no name.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import { type Deed, EFFECTS } from "./code/deeds.js";
import { interacts } from "./code/main-deed.js";
import { nameWords } from "./code/name-words.js";
import type { Verb } from "./lexicon/verbs.js";

/** Verbs with lasting effects: code that only asks cannot do them. */
const LASTING = wordSet(`
update set save upload move rename close publish fix assign restart deploy install push commit enable disable schedule book
import sync copy backup migrate upgrade bump approve reject pin archive restore reset insert start stop pause revert rollback
clean optimize improve refactor edit change mark flag unlock lock subscribe unsubscribe register invite label append replace
patch duplicate tag release provision grant revoke`);
/** Verbs of change that may only mean an answer. */
const HARMLESS = wordSet(`
plan cache track log record note acquire improve optimize triage configure quote complete organize fill sign checkout scale
reduce extend distribute rebalance`);
/** Actions that are requested from others by a message. */
const ASKED_BY_TELLING = wordSet(`
subscribe unsubscribe invite publish share schedule reschedule order register approve reject accept decline submit grant assign
welcome onboard import sync release log save transfer`);
/** Verbs whose purpose may include deletions. */
const CLEANING = wordSet(`
clean dedupe deduplicate merge rotate reset replace organize close free expire revoke rename update refresh trim strip process
enforce limit fix mark unsubscribe block exclude filter consume redact anonymize rebuild regenerate cancel disable uninstall stop
evict throttle move migrate restore archive copy backup sync export import transfer`);
const BEGINNING = wordSet(`
create add insert open make upload start enable publish install grant subscribe approve lock push register invite assign book
schedule reopen restore pin`);
const ENDING = wordSet(`
delete remove close stop disable unpublish cancel uninstall revoke reject unlock revert archive unassign unsubscribe unpin drop
purge expire kill terminate`);
const DELETING = wordSet("delete erase wipe purge drop destroy");
const SENDING = wordSet("send notify alert warn inform remind forward reply email escalate message");
/** Things that are sent when they are created. */
const SENT = wordSet(`
comment draft message reply issue notification event invite invitation ticket incident alert mail email post reminder task sms
call push http webhook request`);
/** Verbs that may need to run something, or may run nothing. */
const TRYING = wordSet(`
run simulate benchmark process wait play click retry replay measure profile compare evaluate score`);

/** Why the code cannot do what the intent says; undefined if it can. */
export function contradictionOf(
  verb: Verb & { readonly base: string },
  deeds: readonly Deed[],
  main: Deed | undefined,
): string | undefined {
  if (main === undefined) return undefined;
  const does = EFFECTS.has(main.kind) && main.step === undefined;
  if (does && (verb.kind === "ask" || verb.kind === "check")) return "it changes something";
  const isSaid = deeds.some((deed) => deed.verb === verb.name || deed.verb === verb.base);
  if (isSaid || deeds.some(interacts) || (EFFECTS.has(verb.kind) && deeds.some(isAnything))) return undefined;
  const isLasting = main.kind === "run" ? !TRYING.has(verb.name) : LASTING.has(main.verb);
  if (does && verb.kind === "compute" && (isLasting || main.kind === "remove")) return "it changes something";
  const effects = deeds.filter(({ kind, step }) => EFFECTS.has(kind) && step === undefined);
  if (effects.length > 0) return againstEffects(verb, effects, main);
  // Data stored by a key is a change, although it serves something else.
  const isKept = deeds.some(({ kind, step }) => EFFECTS.has(kind) && step === "helping");
  return isKept ? undefined : againstReading(verb, deeds);
}

function againstReading(verb: Verb, deeds: readonly Deed[]): string | undefined {
  // A model cleans and edits the text that it gets.
  const isMade = deeds.some(({ kind }) => kind === "make");
  if (verb.kind === "remove" || SENDING.has(verb.name)) return "it changes nothing";
  if (LASTING.has(verb.name) && !(isMade && verb.kind === "make")) return "it changes nothing";
  if (verb.kind === "change" && !HARMLESS.has(verb.name) && !isMade) return "it changes nothing";
  if (verb.kind === "run" && !TRYING.has(verb.name)) return "it starts nothing";
  const isSearch = verb.name === "search" || verb.name === "crawl" || verb.name === "browse";
  return isSearch && deeds.every((deed) => deed.verb === "read") ? "it searches nothing" : undefined;
}

function againstEffects(verb: Verb, effects: readonly Deed[], main: Deed): string | undefined {
  const isRun = verb.kind === "run" && !TRYING.has(verb.name);
  const isAsked = ASKED_BY_TELLING.has(verb.name);
  // Code that only sends messages does not book or restart anything.
  if (effects.every(({ kind }) => kind === "tell") && (isRun || (verb.kind === "change" && !isAsked)))
    return "it only sends a message";
  const isReplaced = verb.kind === "change" && effects.some(({ kind }) => kind === "change");
  if (main.kind === "remove" && verb.kind !== "remove" && !CLEANING.has(verb.name) && !isReplaced)
    return "it removes something";
  if (BEGINNING.has(verb.name) && effects.every((deed) => ENDING.has(deed.verb)))
    return "it does the opposite";
  if (ENDING.has(verb.name) && effects.every((deed) => BEGINNING.has(deed.verb) && deed.kind === "change"))
    return "it does the opposite";
  if (DELETING.has(verb.name) && effects.every(({ kind }) => kind === "change" || kind === "tell"))
    return "it deletes nothing";
  return SENDING.has(verb.name) && !effects.some(isSent) ? "it sends nothing" : undefined;
}

function isSent({ kind, server, tool }: Deed): boolean {
  return kind === "tell" || nameWords(`${server} ${tool}`).some((word) => SENT.has(word.replace(/s$/, "")));
}

/** An unknown command may do anything. */
function isAnything({ kind, verb }: Deed): boolean {
  return kind === "run" && (verb === "run" || verb === "execute" || verb === "exec");
}
