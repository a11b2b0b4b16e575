/**
 * Verbs of developers' work, by their effect on the world, with the word that a name would use for each.
 *
 * `word=name` if names use another verb: `grab` and `retrieve` become `get`.
 *
 * @module
 */
import { wordSet } from "../../base/word-set.js";
import { wordMap } from "./words.js";

/**
 * The effect of a verb: asks (`find`), computes (`count`), judges (`check`), makes something from existing data
 * (`convert`), changes the world (`create`), removes (`delete`), tells other people (`send`), starts something (`run`).
 */
export type VerbKind = "ask" | "compute" | "check" | "make" | "change" | "remove" | "tell" | "run";

export interface Verb {
  /** The form in a name. */
  readonly name: string;
  readonly kind: VerbKind;
  /** Too vague, so that any word from the code is better: `do`, `give`, `handle`. */
  readonly isVague: boolean;
}

const TABLE: Readonly<Record<VerbKind, string>> = {
  ask: `
get fetch retrieve=get obtain=get grab=get find locate discover=find look=find hunt=find track spot=find seek=find dig=find
list enumerate=list show search query lookup read view=show display=show browse=list explore=list scan inspect collect
gather harvest=collect load pull=get poll select=find pick=find choose=find identify recall=get watch monitor
observe=monitor trace follow=track describe resolve download receive=get scrape crawl peek=read consult=read research
investigate=find diagnose determine=find open print blame bisect tail=read preview unearth=find uncover=find source=find
screen=filter shortlist=find peruse=read glance=read present=show expose=show surface=find map`,
  compute: `
count compute calculate measure sum total=sum average rank sort order=sort group aggregate tally estimate forecast predict
score rate compare diff contrast summarize summarise=summarize recap=summarize digest=summarize analyze analyse=analyze
profile benchmark evaluate classify categorize categorise=classify cluster bucket=group quantify=measure correlate reconcile
match pair=match break=group condense median percentile=compute deduct=compute subtract=compute multiply=compute
histogram=count chart=plot plot graph=plot time=measure weigh=measure prioritize=rank prioritise=rank grade=score
tabulate=group subtotal=sum extrapolate=forecast project=forecast settle`,
  check: `
check verify validate ensure=check confirm test audit lint detect assert=check review examine guarantee=check probe=check
ping assess control=check prove=check vet=check certify=check qualify=check enforce throttle limit authenticate authorize`,
  make: `
generate build convert transform parse format extract render export translate encode decode encrypt decrypt hash compress
decompress minify flatten normalize normalise=normalize clean sanitize sanitise=sanitize redact mask hide anonymize
anonymise=anonymize scrub censor=redact pseudonymize=anonymize slugify truncate shorten trim pad split cut=split merge join
combine concatenate concat=merge zip unzip filter dedupe deduplicate uniq=dedupe reformat=format prettify=format
beautify=format pretty=format serialize serialise=serialize deserialize=parse stringify=serialize template=render produce
prepare draft compose derive=compute invert reverse rotate crop resize thumbnail=resize transcribe transcode=convert rewrite
rephrase=rewrite paraphrase=rewrite simplify explain infer label annotate tag pivot transpose unpivot unflatten=nest nest
chunk batch paginate interpolate escape unescape highlight colorize=color capitalize lowercase uppercase camelize=convert
randomize=generate shuffle sample mock=generate fake=generate expand wrap strip tokenize embed vectorize=embed index
visualize=plot visualise=plot illustrate=draw draw sketch=draw paint=draw design turn=convert change=convert cast=convert
unify blend=merge humanize=format localize=translate rename assemble=build bundle pack package unpack=extract
distill=extract isolate=extract capture screenshot=capture dump=export snapshot archive suggest propose=suggest recommend
brainstorm=suggest proofread moderate caption critique=review round clamp interleave=merge tokenise=tokenize
lemmatize=normalize obfuscate=mask unmask watermark stitch=merge outline elaborate=expand digitize=convert vectorise=embed
romanize=convert transliterate=convert spell unwrap dedent indent singularize pluralize unfold=expand downsample=sample
resample=sample geocode transpile=convert hydrate=fill unroll=expand smooth denoise=clean binarize=convert quantize=convert
mosaic=build regenerate=generate blur=mask shrink=compress unhide=show reshape=transform prefix`,
  change: `
create add acquire associate make insert write save store=save update set edit modify=update alter=update adjust=update bump
increment decrement upload put patch replace substitute=replace swap rename move copy duplicate clone sync synchronize=sync
synchronise=sync mirror replicate=copy backup migrate upsert append prepend import ingest=import seed fill populate=fill
assign reassign label close reopen lock unlock enable disable activate=enable deactivate=disable toggle switch configure
setup register unregister enroll=register subscribe unsubscribe book reserve=book schedule reschedule plan approve reject
accept decline commit push rebase cherry release publish unpublish pin unpin star bookmark=save link unlink attach record
log remember=save memorize=save note=save grant revoke invite ban mute promote demote transfer pay charge refund
bill=invoice invoice buy cache warm refresh reload=refresh reset restore recover=restore rollback revert undo=revert
repair=fix fix correct=fix mark flag sign stamp increase decrease raise lower extend reduce scale provision allocate touch
mkdir=create chmod=set upgrade downgrade install uninstall bind mount unmount organize organise=organize tidy=clean file
triage submit complete finish=complete checkin=register dim=set arm disarm water feed squash fork whitelist=allow allow
block unblock acknowledge ack=acknowledge silence snooze rsvp=reply redeem credit debit void rebalance distribute renew
retag=tag untag onboard offboard denormalize checkout stash bootstrap=create scaffold=create initialize=create
initialise=create init=create spawn=create reallocate=assign reprice=update relabel=label restock optimize optimise=optimize
shift=move shuttle=move place replenish=restock reorder exchange nominate admit prescribe quote insure claim lease evict
pledge foster improve refactor solve=fix tune=optimize mend=fix postpone=reschedule delay=reschedule reimburse=refund
blacklist=block unban=unblock quarantine reindex=index rebuild purchase=buy finalize=complete overwrite=replace
transition=move deregister=unregister disassociate=unlink persist=save establish=create enrich preload=warm`,
  remove: `
delete remove drop purge clear erase wipe discard=delete eliminate=remove prune evict expire invalidate flush empty
destroy=delete kill terminate cancel abort=cancel unassign exclude=filter uninstall trash=delete unset=remove detach
vacuum=clean dispose=delete throw=delete drain unstar forget=delete dismiss unfollow unfriend=remove unshare
decommission=delete sweep=clean scrap=delete rid=remove retire=delete`,
  tell: `
send notify alert warn inform tell=notify email=send mail=send post announce message=send dm=send reply respond=reply
answer=reply comment forward share remind broadcast report escalate page=notify tweet=post toot=post nudge=remind
congratulate welcome greet thank ask request say speak call text=send mention prompt=ask deliver=send chase=remind
apologize=send apologise=send brief=notify advise=notify relay=forward pitch=send`,
  run: `
run execute start stop restart launch deploy reboot trigger invoke=run boot=start spin=start pause resume suspend halt=stop
shut=stop compile retry rerun replay dispatch queue enqueue click login navigate=open visit=open play skip wait sleep=wait
simulate train serve connect disconnect wake heal=restart drive bench=benchmark process rehearse=simulate warmup=warm
crank=run calibrate dispense brew mow irrigate ventilate preheat dock park dose inject mix stir heat cool spray harvest
plant sow weld engrave slice home tune=optimize remix stream dub ship vaccinate discharge vote donate adopt fire=trigger`,
};
const VAGUE = wordSet(`
do give take have want need know see use handle manage work go come help try let put perform deal provide return output tell
show get make keep process say present expose ask request call follow like love think wonder wish hope bring carry support
involve apply consider include contain become seem look leave hold happen allow mean die live grow appear exist lie sit
stand stay belong fall owe own paste prefer care bother hate expect turn change control open pull decide collide complain
matter fit lag drag hang arrive feel spend`);
/** Verbs of several words, and their form in a name. */
export const VERB_PHRASES: ReadonlyMap<string, string> = new Map(
  `
add: top up; approve: sign off; assign: take over; backup: back up, keep a copy of, keep copies of, make a backup of;
benchmark: load test, stress test; build: put together; cancel: call off;
capture: take a screenshot of, take a picture of, take screenshots of;
check: look at, make sure, see if, see whether, tell whether, tell if, double check, dry run, spell check, sanity check,
run through;
checkout: check out; classify: sort into; clean: clean up, free up; clear: clear out; compare: cross check;
complete: tick off, check off; compute: work out; consume: use up; convert: turn into, convert to, make into, turn to;
copy: make a copy of, put a copy of; create: file a, open a, open an, raise a, raise an;
delete: throw out, throw away, wipe out, tear down, blow away; deploy: roll out; disable: turn off, switch off;
download: pull down; enable: turn on, switch on; exclude: rule out; extract: pull out; filter: narrow down, keep only;
find: look for, figure out, pin down, point out, get to know, zero in on; format: lay out; forward: pass on; generate: come up with;
get: tell me, give me, ask for, want to know; grant: give access; group: break down, group by;
list: map out, make a list of; login: log in, sign in; logout: log out, sign out; lookup: look up;
match: pair up, line up with, match up, cross reference; merge: tie together, piece together, stitch together;
monitor: keep an eye on; normalize: even out;
notify: let know, tell the, tell everyone, tell me when, tell me if, reach out to, ping me, ping us, let me know, let us know, let them know; optimize: speed up;
pause: hold off, put on hold; publish: put up; read: read through, read out; redact: black out, blank out, cross out;
register: sign up, check in; remind: follow up, follow up on;
remove: get rid of, take out, do away with, weed out, take away; reschedule: put off, push back;
restore: bring back, put back; retry: fall back; return: give back; rollback: roll back;
save: write down, take notes, make a note of; search: sift through, comb through; send: hand over; setup: set up;
share: hand out; smooth: smooth out; snapshot: take a snapshot of; sort: put in order, line up, sort out, sort by;
speak: read aloud; split: split up, chop up, cut up, cut into, break into, break up, divide into;
start: spin up, start up, bring up, kick off, fire up; stop: take down, shut down, cut off;
strip: strip out, strip away, strip off; sum: add up;
summarize: sum up, boil down, catch up, make a summary of, give an overview of, get an overview of, wrap up;
sync: keep in sync; test: smoke test, test whether; track: keep track of; truncate: cut down; verify: fact check`
    .split(";")
    .map((line) => line.trim().split(/:\s/))
    .flatMap(([name = "", phrases = ""]) => phrases.split(/,\s/).map((phrase) => [phrase, name] as const)),
);

/** Words that are usually nouns, and verbs only with an object after them: `rate this`, but `rate limits`. */
export const ALSO_THINGS = wordSet(`
rate page file text time index process queue call record note score log plan match sample cache map order mail email message
profile cluster batch bundle package patch stamp star pin link mirror seed change release table picture value sort paint water
feed play snapshot digest thumbnail histogram graph chart book bill invoice total average median back screenshot template bench
request cherry comment report mock design control permit access estimate test study group step trash review track credit debit
shift claim quote lease exchange empty home heat mix plant stream vote fire slice dose park harvest pledge welcome alert post
reply answer archive round`);

/** Nouns that are results of actions. */
export const NOUN_VERBS: ReadonlyMap<string, string> = new Map(
  `
aggregate: aggregation; anonymize: anonymization; audit: audit; backup: backup; build: builder;
capture: screenshot screenshots; check: checker check checks; classify: sentiment sentiments tone topics classification;
clean: cleanup cleaning; compare: comparison difference differences similarity; compress: compression;
compute: average mean median calculation calculator statistics stats percentage ratio percentile distance score checksum age
duration correlation variance deviation rate velocity revenue growth churn;
convert: converter conversion; count: count counter histogram distribution days frequency frequencies tally number;
create: creation; decode: decoder decoding; dedupe: deduplication; delete: deletion;
detect: detection detector language outliers anomalies anomaly; diff: diff; encode: encoder encoding; estimate: estimate;
export: export csv spreadsheet xlsx; extract: extraction extractor keywords entities;
find: finder duplicates gaps conflicts mismatches; flatten: flattening; forecast: forecast; format: formatter formatting;
generate: generator generation fixtures schedule password slug; group: grouping breakdown; hash: hash hashing;
import: import; list: list listing inventory timeline history; load: loader; lookup: lookup; mask: masking;
measure: usage latency throughput size weight uptime coverage; merge: merge merging; migrate: migration;
monitor: monitor monitoring; normalize: normalization normalisation; parse: parser parsing; pivot: pivot; plan: route;
rank: ranking leaderboard; read: reader; redact: redaction; remove: removal; rename: renaming; render: renderer rendering;
report: report; score: strength quality readability complexity; scrape: scraper scraping; search: search;
sort: sorting sort; split: split splitting; suggest: ideas suggestions tags; sum: total sum;
summarize: summary recap digest overview; sync: sync synchronization; transcribe: transcription; translate: translation;
update: update; validate: validator validation; verify: verification; write: writer`
    .split(";")
    .map((line) => line.trim().split(/[:\s]+/))
    .flatMap(([verb = "", ...nouns]) => nouns.map((noun) => [noun, verb] as const)),
);

const VERBS: ReadonlyMap<string, Verb> = new Map(
  (Object.keys(TABLE) as VerbKind[]).flatMap((kind) =>
    [...wordSet(TABLE[kind])].map((entry) => {
      const [word = "", name = word] = entry.split("=");
      return [word, { name, kind, isVague: VAGUE.has(word) }] as const;
    }),
  ),
);

const IRREGULAR = wordMap(`
sent=send wrote=write written=write found=find got=get gotten=get made=make built=build ran=run read=read set=set put=put
kept=keep gave=give given=give took=take taken=take did=do done=do went=go gone=go saw=see seen=see knew=know known=know
told=tell said=say thrown=throw threw=throw drew=draw drawn=draw hid=hide hidden=hide chose=choose chosen=choose
froze=freeze split=split cut=cut shut=shut sold=sell bought=buy paid=pay brought=bring left=leave lost=lose held=hold
spoke=speak spoken=speak broke=break broken=break fed=feed dug=dig swept=sweep woke=wake reset=reset undid=undo undone=undo
rewrote=rewrite rewritten=rewrite`);

type VerbForm = "base" | "third" | "past" | "ing";
export interface FoundVerb extends Verb {
  readonly form: VerbForm;
  readonly base: string;
}

/** The verb that a word is a form of. */
export function verbOf(word: string): FoundVerb | undefined {
  for (const { base, form } of basesOf(word)) {
    const verb = VERBS.get(base);
    if (verb !== undefined) return { ...verb, form, base };
    if (VAGUE.has(base)) return { name: base, kind: "ask", isVague: true, form, base };
  }
  return undefined;
}

/** The verb that a name may use; undefined for words that are not verbs. */
export function verbNamed(name: string): Verb | undefined {
  return VERBS.get(name);
}

function* basesOf(word: string): Iterable<{ readonly base: string; readonly form: VerbForm }> {
  yield { base: word, form: "base" };
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) yield { base: irregular, form: "past" };
  if (word.endsWith("ies")) yield { base: `${word.slice(0, -3)}y`, form: "third" };
  if (/(?:s|x|ch|sh|z|o)es$/.test(word)) yield { base: word.slice(0, -2), form: "third" };
  if (/[^s]s$/.test(word)) yield { base: word.slice(0, -1), form: "third" };
  for (const [ending, form] of [
    ["ed", "past"],
    ["ing", "ing"],
  ] as const) {
    if (!word.endsWith(ending) || word.length < ending.length + 2) continue;
    const rest = word.slice(0, -ending.length);
    yield { base: `${rest}e`, form };
    yield { base: rest, form };
    if (/([a-z])\1$/.test(rest)) yield { base: rest.slice(0, -1), form };
    if (rest.endsWith("i")) yield { base: `${rest.slice(0, -1)}y`, form };
  }
}
