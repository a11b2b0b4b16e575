/**
 * What a verb of an intent asks for. Two intents ask for the same where their verbs share an action: `get`, `show` and
 * `list` do, `open` and `close` do not. A verb that is not here counts as any other word.
 *
 * Some verbs have several actions: to open a file is to read it, to open a ticket is to create one.
 *
 * @module
 */
import { stem } from "../vocabulary.js";

export type Action = string;

/** Harmless: it only says that an answer is wanted. What is computed or read on the way has this action too. */
export const ASK = "ask";
/** The answer is a number. These say more than `get`, with which they are often said: `get the number of rows`. */
export const MEASURES: ReadonlySet<Action> = new Set(["count", "sum", "average"]);

const VERBS = `
ask: get fetch retrieve obtain grab show display view read see list enumerate give load find search query locate identify
ask: lookup look browse inspect consult check compute calculate determine know output describe extract cat discover detect spot
ask: parse deserialize collect gather recall need want wonder hear learn scan peek preview examine review pick select choose
ask: pull estimate measure evaluate dump track forecast predict trace lookup scrape crawl provide supply return
count: count tally quantity
sum: sum total
average: average mean
median: median
create: create make new open raise generate register add insert file submit start build setup prepare schedule book arrange plan
create: organize organise compose draft write initialize initialise init launch establish place put log enter produce reserve block
add: add append insert put attach log enter include place leave drop
write: write save store record note remember memorize memorise keep log put dump persist
send: send dispatch post publish write tell notify message mail email share announce text dm ping shoot deliver inform transmit drop
delete: delete remove erase drop rm discard destroy trash wipe forget unlearn purge eliminate kill scrap
clear: clear empty truncate
close: close resolve finish complete shut end
reopen: reopen
restore: restore undelete recover unarchive
start: start launch run boot begin execute trigger
stop: stop halt kill terminate end
rerun: rerun retry
restart: restart reboot relaunch bounce
pause: pause suspend
resume: resume unpause continue
cancel: cancel abort
update: update modify edit change set adjust alter revise amend correct fix
set: set scale put bump configure assign define change
assign: assign allocate delegate give
unassign: unassign
replace: replace overwrite substitute swap
rename: rename
convert: convert turn transform change express conversion make
translate: translate translation render
move: move transfer relocate shift put place drag mv
copy: copy duplicate clone replicate cp
upload: upload
download: download
import: import ingest load
forward: forward
export: export save dump write
merge: merge combine join integrate land
split: split divide break
sort: sort reorder order rank arrange
filter: filter
compress: compress zip shrink pack
decompress: decompress unzip extract unpack
encrypt: encrypt
decrypt: decrypt
encode: encode
decode: decode
hash: hash checksum fingerprint
parse: parse deserialize
format: format prettify beautify
book: book reserve
reschedule: reschedule postpone delay move shift push
schedule: schedule plan arrange
invite: invite
approve: approve accept
reject: reject decline refuse deny
confirm: confirm
verify: verify validate check
subscribe: subscribe
unsubscribe: unsubscribe
lock: lock
unlock: unlock
enable: enable activate
disable: disable deactivate
install: install
uninstall: uninstall
archive: archive
pin: pin
unpin: unpin
star: star
unfollow: unfollow
mute: mute silence snooze
unmute: unmute
block: block ban
unblock: unblock unban
tag: tag label
untag: untag
comment: comment remark
reply: reply answer respond
draft: draft
remind: remind
sign: sign
pay: pay settle
refund: refund reimburse
charge: charge invoice bill
buy: buy order purchase
ship: ship deliver
resize: resize rescale scale
crop: crop
rotate: rotate
capture: capture screenshot grab snap shoot
summarize: summarize summarise recap summary condense
compare: compare diff contrast
deploy: deploy release ship
revert: revert undo rollback restore
commit: commit
push: push
backup: backup dump
request: request demand
transcribe: transcribe transcript transcription
sync: sync synchronize
ping: ping
mark: mark flag
explain: explain
warn: warn alert
link: link connect
unlink: unlink disconnect
increase: increase raise
decrease: decrease reduce lower
play: play
record: record
trim: trim strip
reverse: reverse invert
round: round
shorten: shorten truncate
randomize: randomize shuffle
`;

/** Verbs that are as often the name of a thing: they are verbs only where a verb is expected. */
const THINGS_TOO =
  "count sum total average mean median list view file record note log post message mail email share end start run set change turn transfer copy " +
  "clone import export merge split sort filter hash checksum fingerprint book plan lock star follow block tag label comment remark reply " +
  "answer draft sign order ship screenshot capture commit backup sync watch mark flag build display print search query check load report " +
  "open close empty archive schedule purchase forward drop delay stop conversion translation monitor output link raise new install push " +
  "look pin store resume prepare setup enter cat cancel refund increase decrease lower complete update edit need want review measure " +
  "estimate forecast trace scan dump place leave text ping fix order rank shift pack release charge invoice bill play trim strip " +
  "return supply quantity include pull request transcript transcription duplicate replicate reverse round swap diff contrast pick select break land format delegate alert warn shoot snap subscribe track follow preview track " +
  "transform express pay kill bounce silence ban push approve block design separate clear present";

const ACTIONS = new Map<string, Set<Action>>();
for (const line of VERBS.trim().split("\n")) {
  const [action = "", words = ""] = line.split(": ");
  for (const word of words.split(" "))
    ACTIONS.set(stem(word), (ACTIONS.get(stem(word)) ?? new Set()).add(action));
}
const AMBIGUOUS: ReadonlySet<string> = new Set(THINGS_TOO.split(" ").map(stem));

/** What a word asks for where it is a verb; by its stem. */
export function actionsOf(word: string): ReadonlySet<Action> | undefined {
  return ACTIONS.get(stem(word));
}

/** It may as well be the name of a thing. */
export function isThingToo(word: string): boolean {
  return AMBIGUOUS.has(stem(word));
}
