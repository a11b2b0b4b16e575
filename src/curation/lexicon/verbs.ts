/**
 * Verbs of developers' work, by what they do to the world, and the word a name would use for each.
 *
 * `word=name` where a name says it otherwise: whoever writes `grab` or `retrieve` means `get`.
 *
 * @module
 */

/**
 * What a verb does: asks (`find`), computes (`count`), judges (`check`), makes something of what it has (`convert`),
 * changes the world (`create`), takes away (`delete`), tells somebody (`send`), sets something going (`run`).
 */
export type VerbKind = "ask" | "compute" | "check" | "make" | "change" | "remove" | "tell" | "run";

export interface Verb {
  /** As a name has it. */
  readonly name: string;
  readonly kind: VerbKind;
  /** It says so little that anything the code says is better: `do`, `give`, `handle`. */
  readonly isVague: boolean;
}

const TABLE: Readonly<Record<VerbKind, string>> = {
  ask:
    "get fetch retrieve=get obtain=get grab=get find locate discover=find look=find hunt=find track spot=find seek=find " +
    "dig=find list enumerate=list show search query lookup read view=show display=show browse=list explore=list scan inspect " +
    "collect gather harvest=collect load pull=get poll select=find pick=find choose=find identify recall=get " +
    "watch monitor observe=monitor trace follow=track track describe resolve download receive=get scrape crawl peek=read " +
    "consult=read research=research investigate=find diagnose determine=find open print blame bisect tail=read count_down=get preview=preview audit_trail=list subscribe_to=monitor unearth=find uncover=find source=find screen=filter shortlist=find peruse=read glance=read present=show expose=show surface=find map=map",
  compute:
    "count compute calculate measure sum total=sum average rank sort order=sort group aggregate tally estimate " +
    "forecast predict score rate=rate compare diff contrast summarize summarise=summarize recap=summarize " +
    "digest=summarize analyze analyse=analyze profile benchmark evaluate=evaluate classify categorize categorise=classify " +
    "cluster bucket=group quantify=measure correlate reconcile match=match pair=match break=group condense median percentile=compute " +
    "deduct=compute subtract=compute multiply=compute histogram=count chart=plot plot graph=plot time=measure weigh=measure prioritize=rank prioritise=rank grade=score tabulate=group profile_query=profile subtotal=sum extrapolate=forecast project=forecast settle",
  check:
    "check verify validate ensure=check confirm test audit lint detect assert=check review=review examine " +
    "guarantee=check probe=check ping assess control=check prove=check vet=check certify=check qualify=check enforce throttle limit sanity_check=check fact_check=verify authenticate=authenticate authorize=authorize inspect_types=check",
  make:
    "generate build convert transform parse format extract render export translate encode decode encrypt decrypt hash " +
    "compress decompress minify flatten normalize normalise=normalize clean sanitize sanitise=sanitize redact mask hide " +
    "anonymize anonymise=anonymize scrub censor=redact pseudonymize=anonymize slugify truncate shorten trim pad " +
    "split cut=split merge join combine concatenate concat=merge zip unzip filter dedupe deduplicate uniq=dedupe " +
    "reformat=format prettify=format beautify=format pretty=format serialize serialise=serialize deserialize=parse stringify=serialize " +
    "template=render produce prepare draft compose derive=compute invert reverse rotate crop resize thumbnail=resize " +
    "transcribe transcode=convert rewrite rephrase=rewrite paraphrase=rewrite simplify explain infer label annotate tag pivot " +
    "transpose unpivot unflatten=nest nest chunk batch=batch paginate interpolate escape unescape highlight colorize=color " +
    "capitalize lowercase uppercase camelize=convert randomize=generate shuffle sample mock=generate fake=generate expand wrap " +
    "strip=strip tokenize embed=embed vectorize=embed index visualize=plot visualise=plot illustrate=draw draw sketch=draw paint=draw " +
    "design=design turn=convert change=convert cast=convert unify blend=merge humanize=format localize=translate rename=rename " +
    "assemble=build bundle=bundle pack=pack package=package unpack=extract distill=extract isolate=extract capture screenshot=capture " +
    "print_pdf=export dump=export snapshot archive suggest propose=suggest recommend brainstorm=suggest proofread moderate caption critique=review " +
    "round clamp interleave=merge tokenise=tokenize lemmatize=normalize obfuscate=mask unmask watermark stitch=merge outline=outline elaborate=expand " +
    "fill_template=render digitize=convert vectorise=embed romanize=convert transliterate=convert spell=spell unwrap dedent indent singularize pluralize " +
    "sanitise_html=sanitize beautify_json=format unfold=expand downsample=sample resample=sample geocode transpile=convert hydrate=fill unroll=expand vectorise_image=convert smooth denoise=clean binarize=convert quantize=convert mosaic=build regenerate=generate blur=mask shrink=compress unhide=show reshape=transform prefix",
  change:
    "create add acquire associate make=make insert write save store=save update set edit modify=update alter=update adjust=update bump increment " +
    "decrement upload put patch=patch replace substitute=replace swap rename move copy duplicate clone sync synchronize=sync " +
    "synchronise=sync mirror replicate=copy backup migrate upsert append prepend import ingest=import seed=seed fill=fill " +
    "populate=fill assign reassign=reassign label=label close reopen=reopen resolve_issue=close lock unlock enable disable activate=enable " +
    "deactivate=disable toggle switch=switch configure=configure setup register unregister=unregister enroll=register subscribe " +
    "unsubscribe book reserve=book schedule reschedule plan=plan approve reject accept=accept decline=decline merge_pr=merge commit push " +
    "rebase cherry pick_commit=pick tag_release=tag release publish unpublish pin unpin star bookmark=save link=link unlink attach=attach " +
    "record=record log=log track_time=log remember=save memorize=save note=save grant=grant revoke invite=invite ban=ban mute=mute " +
    "promote=promote demote=demote transfer=transfer pay=pay charge=charge refund=refund bill=invoice invoice=invoice order_item=order buy=buy " +
    "cache=cache warm=warm refresh reload=refresh reset restore recover=restore rollback revert undo=revert repair=fix fix correct=fix " +
    "patch_up=fix mark=mark flag=flag annotate_issue=label sign stamp=stamp increase=increase decrease=decrease raise=raise lower=lower " +
    "extend=extend reduce=reduce rotate_key=rotate resize_volume=resize scale provision=provision allocate=allocate touch=touch mkdir=create " +
    "chmod=set pin_version=pin upgrade downgrade install uninstall=uninstall bind=bind mount=mount unmount=unmount sort_files=organize " +
    "organize organise=organize tidy=clean file=file triage translate_file=translate submit fill_in=fill complete=complete finish=complete " +
    "checkin=register check_in=register turn_on=enable turn_off=disable dim=set arm=arm disarm=disarm water=water feed=feed squash fork whitelist=allow allow block unblock acknowledge=acknowledge ack=acknowledge silence=silence snooze=snooze rsvp=reply redeem=redeem credit=credit debit=debit void=void rebalance=rebalance distribute=distribute renew=renew extend_lease=renew retag=tag untag=untag onboard=onboard offboard=offboard anonymise_rows=anonymize denormalize=denormalize checkout=checkout stash=stash bootstrap=create scaffold=create initialize=create initialise=create init=create spawn=create reserve_slot=book convert_lead=convert reallocate=assign reprice=update relabel=label restock=restock optimize=optimize optimise=optimize retry_payment=retry shift=move shuttle=move place=place submit_order=submit replenish=restock reorder exchange nominate admit prescribe quote insure claim lease evict pledge foster enroll improve=improve refactor=refactor solve=fix tune=optimize mend=fix postpone=reschedule delay=reschedule reimburse=refund blacklist=block unban=unblock quarantine reindex=index rebuild purchase=buy finalize=complete overwrite=replace transition=move deregister=unregister disassociate=unlink persist=save establish=create enrich settle_debt=settle preload=warm",
  remove:
    "delete remove drop=drop purge clear erase wipe discard=delete eliminate=remove prune evict=evict expire invalidate " +
    "flush empty=empty truncate_table=truncate destroy=delete kill terminate=terminate cancel abort=cancel unassign=unassign exclude=filter " +
    "uninstall trash=delete unset=remove detach vacuum=clean dispose=delete throw=delete drain=drain unstar=unstar forget=delete dismiss=dismiss unfollow=unfollow unfriend=remove unshare=unshare decommission=delete sweep=clean scrap=delete rid=remove retire=delete",
  tell:
    "send notify alert warn=warn inform tell=notify email=send mail=send post announce message=send dm=send reply respond=reply " +
    "answer=reply comment forward share remind broadcast=broadcast report escalate=escalate page=notify ping_user=notify tweet=post " +
    "toot=post nudge=remind congratulate=congratulate welcome=welcome greet=greet thank=thank ask=ask request=request say=say speak=speak " +
    "call=call text=send text_message=send mention=mention prompt=ask submit_feedback=send deliver=send chase=remind follow_up=remind congratulate_user=congratulate publish_post=publish invite_people=invite apologize=send apologise=send brief=notify advise=notify relay=forward pitch=send",
  run:
    "run execute start stop restart launch deploy reboot trigger=trigger invoke=run boot=start spin=start pause " +
    "resume suspend=suspend halt=stop shut=stop compile install_deps=install retry=retry rerun=rerun replay=replay dispatch=dispatch " +
    "queue=queue enqueue=enqueue crawl_site=crawl click login=login log_in=login sign_in=login navigate=open visit=open fill_form=fill play " +
    "skip=skip wait=wait sleep=wait simulate=simulate train=train fine_tune=train serve=serve connect=connect disconnect=disconnect wake=wake " +
    "heal=restart drive=drive bench=benchmark process=process rehearse=simulate poll_until=wait warmup=warm crank=run calibrate dispense brew mow irrigate ventilate preheat dock park dose inject mix stir heat cool spray harvest plant sow weld engrave slice home tune=optimize remix stream dub ship vaccinate discharge vote donate adopt fire=trigger arm_job=start scan_virus=scan",
};
const VAGUE =
  "do give take have want need know see use handle manage work go come help try let put perform deal provide return output " +
  "tell show get make keep process say present expose ask request call follow like love think wonder wish hope bring carry " +
  "support involve apply consider include contain become seem look leave hold happen allow mean die live grow appear exist " +
  "lie sit stand stay belong fall owe own paste prefer care bother hate expect turn change control open pull put decide collide complain matter fit lag drag hang arrive start_over feel spend";
/** Verbs of more than one word, as they are said, and what the name says. */
const PHRASES =
  "pair up=match|line up with=match|throw out=delete|throw away=delete|get rid of=remove|clean up=clean|tidy up=clean|clear out=clear|wipe out=delete|take down=stop|take out=remove|" +
  "look up=lookup|look for=find|search for=search|look at=check|check for=check|keep an eye on=monitor|find out=find|figure out=find|work out=compute|" +
  "sum up=summarize|add up=sum|boil down=summarize|break down=group|back up=backup|set up=setup|sign up=register|log in=login|sign in=login|" +
  "turn into=convert|turn on=enable|turn off=disable|switch on=enable|switch off=disable|shut down=stop|spin up=start|start up=start|" +
  "bring up=start|tear down=delete|roll back=rollback|roll out=deploy|fill in=fill|fill out=fill|write down=save|write to=write|put together=build|" +
  "put in order=sort|come up with=generate|make sure=check|see if=check|see whether=check|tell whether=check|tell if=check|" +
  "let know=notify|reach out to=notify|tell me=get|give me=get|ping me=notify|ping us=notify|tell me when=notify|tell me if=notify|tell the=notify|tell everyone=notify|let me know=notify|let us know=notify|let them know=notify|show me=show|hand over=send|send out=send|pass on=forward|file a=create|" +
  "open a=create|open an=create|raise a=create|raise an=create|keep in sync=sync|catch up=summarize|pin down=find|point out=find|cut off=stop|" +
  "cut down=truncate|strip out=strip|pull out=extract|pick out=find|dig out=find|pull down=download|line up=sort|match up=match|cross check=compare|" +
  "double check=check|dry run=check|check in=register|mark as=mark|do away with=remove|bring back=restore|kick off=start|fire up=start|" +
  "get to know=find|lay out=format|move over=move|map out=list|check out=checkout|fall back=retry|warm up=warm|speed up=optimize|blow away=delete|" +
  "write up=write|set to=set|convert to=convert|split up=split|chop up=split|cut up=split|even out=normalize|smooth out=smooth|ask for=get|" +
  "take a screenshot of=capture|take a picture of=capture|take screenshots of=capture|take a snapshot of=snapshot|take notes=save|make a list of=list|make a note of=save|make a copy of=copy|keep a copy of=backup|keep copies of=backup|put a copy of=copy|make a backup of=backup|make a summary of=summarize|" +
  "give an overview of=summarize|get an overview of=summarize|keep track of=track|send a message to=send|send an email to=send|send a mail to=send|follow up=remind|follow up on=remind|top up=add|hold off=pause|put on hold=pause|put off=reschedule|push back=reschedule|call off=cancel|zero in on=find|narrow down=filter|weed out=remove|sift through=search|comb through=search|read through=read|read aloud=speak|read out=read|spell check=check|fact check=verify|sanity check=check|smoke test=test|load test=benchmark|stress test=benchmark|bump up=bump|hand out=share|give access=grant|take over=assign|wrap up=summarize|tie together=merge|piece together=merge|stitch together=merge|put back=restore|put up=publish|take away=remove|strip away=strip|strip off=strip|cross reference=match|cross-check=compare|fill up=fill|use up=consume|free up=clean|sort out=sort|rule out=exclude|block off=block|black out=redact|blank out=redact|cross out=redact|write back=write|run through=check|test whether=test|check whether=check|check if=check|check that=check|verify that=verify|find all=find|list all=list|keep only=filter|want to know=get|give back=return|make into=convert|turn to=convert|log out=logout|sign off=approve|sign out=logout|tick off=complete|check off=complete|sort into=classify|cut into=split|break into=split|break up=split|divide into=split|group by=group|sort by=sort";

/** Verbs that are nobody's name for a thing. */
export const ONLY_DONE: ReadonlySet<string> = new Set(
  (
    "get fetch retrieve obtain grab find locate discover hunt seek dig enumerate read browse explore inspect collect gather " +
    "select choose identify observe describe resolve receive scrape crawl consult investigate diagnose determine compute " +
    "calculate aggregate predict compare summarize analyze evaluate classify categorize quantify correlate reconcile deduct " +
    "subtract multiply verify validate ensure confirm detect assert examine guarantee assess prove enforce generate convert " +
    "transform parse render translate encode decode encrypt decrypt compress flatten normalize sanitize redact hide anonymize " +
    "shorten combine concatenate dedupe serialize produce prepare compose derive invert crop resize transcribe rewrite " +
    "simplify explain infer annotate expand embed visualize unify assemble distill isolate suggest propose recommend create " +
    "add insert write save update edit modify alter adjust upload replace substitute rename move duplicate migrate append " +
    "import assign close reopen lock enable disable activate deactivate configure register subscribe reserve approve reject " +
    "accept decline publish attach remember memorize grant revoke invite promote demote extend reduce restore recover revert " +
    "delete remove purge erase wipe discard eliminate evict expire invalidate destroy terminate abort send notify inform tell " +
    "announce remind respond greet thank speak say execute restart deploy reboot invoke resume suspend enqueue connect " +
    "disconnect put keep give take"
  ).split(" "),
);

const VERBS: ReadonlyMap<string, Verb> = new Map(
  (Object.keys(TABLE) as VerbKind[]).flatMap((kind) =>
    TABLE[kind].split(" ").map((entry) => {
      const [word = "", name = word] = entry.split("=");
      return [word, { name, kind, isVague: false }] as const;
    }),
  ),
);
const VAGUE_WORDS: ReadonlySet<string> = new Set(VAGUE.split(" "));
export const VERB_PHRASES: ReadonlyMap<string, string> = new Map(
  PHRASES.split("|").map((entry) => entry.split("=") as [string, string]),
);

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "sent=send wrote=write written=write found=find got=get gotten=get made=make built=build ran=run read=read set=set put=put " +
    "kept=keep gave=give given=give took=take taken=take did=do done=do went=go gone=go saw=see seen=see knew=know known=know " +
    "told=tell said=say thrown=throw threw=throw drew=draw drawn=draw hid=hide hidden=hide chose=choose chosen=choose froze=freeze " +
    "split=split cut=cut shut=shut sold=sell bought=buy paid=pay brought=bring left=leave lost=lose held=hold spoke=speak spoken=speak " +
    "broke=break broken=break fed=feed dug=dig swept=sweep woke=wake reset=reset undid=undo undone=undo rewrote=rewrite rewritten=rewrite"
  )
    .split(" ")
    .map((entry) => entry.split("=") as [string, string]),
);

type VerbForm = "base" | "third" | "past" | "ing";
export interface FoundVerb extends Verb {
  /** It stands in this lexicon. */
  readonly isKnown: boolean;
  readonly form: VerbForm;
  readonly base: string;
}

/** The verb that a word is a form of. */
export function verbOf(word: string): FoundVerb | undefined {
  for (const { base, form } of basesOf(word)) {
    const verb = VERBS.get(base);
    if (verb !== undefined) return { ...verb, isVague: VAGUE_WORDS.has(base), isKnown: true, form, base };
    if (VAGUE_WORDS.has(base)) return { name: base, kind: "ask", isVague: true, isKnown: true, form, base };
  }
  return undefined;
}

/** The verb that a name may be given; undefined for words that are none. */
export function verbNamed(name: string): Verb | undefined {
  const verb = VERBS.get(name);
  return verb === undefined ? undefined : { ...verb, isVague: VAGUE_WORDS.has(name) };
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
