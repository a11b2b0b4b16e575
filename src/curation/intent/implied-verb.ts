/**
 * What is to be done where no verb says it: a question is answered, a `parser` parses.
 *
 * @module
 */
import type { CodeFacts } from "../code/code-facts.js";
import { verbOf } from "../lexicon/verbs.js";
import { FILLERS, TELLING } from "../lexicon/words.js";
import type { Clause } from "./clauses.js";

export function questionVerb(clause: Clause, facts: CodeFacts): string {
  const text = clause.words.join(" ");
  if (/^(?:which|who)\b/.test(text)) return "find";
  if (/^(?:by )?when\b/.test(text))
    return /\b(?:expir\w*|run out|lapse|end|ends|due)\b/.test(text) ? "check" : "get";
  if (/\bhow many\b/.test(text)) return countsAnything(facts) ? "count" : "get";
  if (/\bhow (?:similar|alike|different|close)\b/.test(text)) return "compare";
  if (/\bhow (?:healthy|well|good|bad|safe|full|busy|ready|reliable|secure|stable)\b/.test(text))
    return "check";
  if (/\bhow (?:fast|slow|long|much duration)\b/.test(text)) return "measure";
  if (/\bhow (?:much|long|big|often|far|old)\b/.test(text))
    return facts.methods.has("reduce") || facts.methods.has("+=") ? "compute" : "get";
  if (
    /^(?:so |and |but |ok )?(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b/.test(text)
  )
    return "check";
  if (/^(?:which|who|whose|any|anything|anyone)\b/.test(text) || /\bwhere\b/.test(text)) return "find";
  if (/\bwhat changed\b|\bwhat s new\b|\bwhats new\b/.test(text)) return "list";
  if (facts.methods.has("filter") && facts.returns === "list") return "find";
  return facts.returns === "list" ||
    (facts.hasLoop && facts.returns !== "number" && facts.returns !== "object")
    ? "list"
    : "get";
}

function countsAnything({ returns, methods, names, calls }: CodeFacts): boolean {
  if (
    returns === "number" ||
    methods.has("count by") ||
    methods.has("++") ||
    methods.has("+=") ||
    methods.has("reduce")
  )
    return true;
  return (
    names.some((name) => /count|total|^n$|num|left|remaining/i.test(name)) ||
    calls.some(({ texts }) => texts.some(([, text]) => /\bcount\s*\(/i.test(text)))
  );
}

/** Things that come of doing something. */
export const NOUN_VERBS: ReadonlyMap<string, string> = new Map(
  (
    "parser=parse parsing=parse converter=convert conversion=convert formatter=format formatting=format generator=generate generation=generate validator=validate " +
    "validation=validate checker=check check=check checks=check verification=verify comparison=compare summary=summarize recap=summarize digest=summarize count=count total=sum " +
    "sum=sum average=compute mean=compute median=compute ranking=rank list=list listing=list overview=summarize backup=backup export=export import=import extraction=extract " +
    "extractor=extract translation=translate cleanup=clean cleaning=clean search=search lookup=lookup detection=detect detector=detect audit=audit report=report calculation=compute " +
    "calculator=compute statistics=compute stats=compute percentage=compute ratio=compute diff=diff difference=compare differences=compare migration=migrate " +
    "sync=sync synchronization=sync deduplication=dedupe removal=remove deletion=delete creation=create update=update merge=merge merging=merge sorting=sort sort=sort grouping=group split=split " +
    "encoder=encode encoding=encode decoder=decode decoding=decode hash=hash hashing=hash counter=count scraper=scrape scraping=scrape monitor=monitor monitoring=monitor finder=find reader=read writer=write loader=load " +
    "builder=build renderer=render rendering=render forecast=forecast estimate=estimate histogram=count distribution=count breakdown=group percentile=compute distance=compute similarity=compute score=compute checksum=compute age=compute duration=compute days=count tax=compute interest=compute correlation=compute variance=compute deviation=compute " +
    "mode=compute range=compute spread=compute regression=compute slope=compute intercept=compute frequency=count frequencies=count balance=compute rate=compute percent=compute cost=compute costs=compute margin=compute discount=compute fee=compute fees=compute payment=compute payments=compute volume=compute perimeter=compute speed=compute pace=compute angle=compute bearing=compute overlap=compute intersection=compute union=merge entropy=compute trend=compute yield=compute return=compute eta=compute countdown=compute bmi=compute usage=measure latency=measure throughput=measure size=measure weight=measure uptime=measure coverage=measure velocity=compute workload=compute occupancy=compute utilization=compute runway=compute revenue=compute profit=compute turnover=compute shares=compute commission=compute " +
    "combinations=generate permutations=generate sequence=generate fixtures=generate schedule=generate timetable=generate pairings=generate passwords=generate password=generate uuid=generate ids=generate slug=generate slugs=generate itinerary=plan route=plan bracket=generate matrix=build grid=build invoice=generate letter=generate badge=generate barcode=generate leaderboard=rank standings=rank changelog=generate sitemap=generate " +
    "sentiment=classify sentiments=classify tone=classify topics=classify language=detect keywords=extract entities=extract ingredients=extract ideas=suggest suggestions=suggest tags=suggest burndown=compute tally=count headcount=count lookup=lookup inventory=list roster=list timeline=list agenda=list history=list duplicates=find outliers=detect anomalies=detect anomaly=detect gaps=find conflicts=find mismatches=find typos=find leaks=find " +
    "growth=compute churn=compute strength=score quality=score readability=score complexity=score similarity=compare number=count screenshot=capture screenshots=capture transcription=transcribe classification=classify renaming=rename csv=export " +
    "spreadsheet=export xlsx=export masking=mask redaction=redact anonymization=anonymize compression=compress pagination=paginate rounding=round " +
    "normalization=normalize normalisation=normalize flattening=flatten chunking=chunk splitting=split slugifier=slugify pivot=pivot rollup=aggregate aggregation=aggregate"
  )
    .split(" ")
    .map((entry) => entry.split("=") as [string, string]),
);
const AFTER = new Set("of for by per from between in on with across over as to".split(" "));

/** Only the head of the first thing tells: `the number of commits` is counted, `a phone number` is not. */
export function nounVerb(clause: Clause): string | undefined {
  const words = clause.words.slice(clause.objectAt);
  if (words[0] === "from" && words.includes("to")) return "convert";
  const first = words.find((word) => !FILLERS.has(word)) ?? "";
  if (/^(?:average|mean|median|cumulative|percentage)$/.test(first)) return "compute";
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    const isHead = next === undefined || AFTER.has(next);
    if (!isHead) continue;
    if (word === "number" && next !== "of") return undefined;
    if (word === "total" && next !== "of") return next === undefined ? undefined : "compute";
    return (
      NOUN_VERBS.get(word) ??
      agentVerb(word) ??
      (next === "of" || next === "for" ? deedNoun(word) : undefined)
    );
  }
  return undefined;
}

/** Periods and measures are no states that things are found by. */
const NO_STATES =
  /^(?:latest|newest|recent|daily|weekly|monthly|quarterly|yearly|hourly|annual|average|total|median|maximum|minimum|max|min|random|unique|distinct|local|remote|global|public|private|internal|external|nested|recursive|personal|shared|partial|scheduled|available)$/;

/** `closest passages to a question`: which of the things, before the things; they are found. */
export function statedFirst({ words, objectAt }: Clause, isPure = false): boolean {
  const first = words.slice(objectAt).filter((word) => !FILLERS.has(word));
  return first
    .slice(0, 2)
    .some(
      (word) => TELLING.has(word) && (!NO_STATES.test(word) || (isPure && /^(?:latest|newest)$/.test(word))),
    );
}

/** People and things that end like agents, and do nothing. */
const NO_AGENTS =
  /^(?:number|order|user|server|folder|paper|letter|header|footer|computer|customer|member|owner|printer|player|container|newsletter|calendar|parameter|character|layer|border|corner|power|tower|water|weather|sensor|error|color|vendor|author|editor|contributor|worker|docker|browser|router|router|driver|manager|partner|supplier|consumer|producer|buyer|seller|answer|chapter|quarter|semester|register|cluster|buffer|pointer|integer|filter|master|monitor|visitor|actor|factor|vector|counter|meter|timer|transfer|offer|reminder|pager|cover|paper|poster|folder|order|leader|reader|subscriber|follower|sender|receiver|employer|teacher|trader|dealer|winner|loser|ticker|holder|placeholder|tracker|planner|banner|scanner|compressor|processor|operator|administrator|director|doctor|tutor|mentor|investor|creditor|debtor|competitor|reviewer|approver|assigner|maintainer|committer|publisher|provider|adapter|connector|selector|iterator|cursor|mirror|minor|major|prior|floor|door|motor|rotor|junior|senior|interior|exterior|other|another|either|whether|together|later|after|never|ever|over|under|per|her|lower|upper|higher|older|newer|bigger|smaller|larger|longer|shorter|faster|slower|better|former|latter|proper|super|hyper|inner|outer|summer|winter|september|october|november|december)$/;

/** `exporter`, `link checker`. */
function agentVerb(word: string): string | undefined {
  if (!/(?:er|or)$/.test(word) || NO_AGENTS.test(word)) return undefined;
  const rest = word.slice(0, -2);
  for (const base of [
    rest,
    `${rest}e`,
    /(.)\1$/.test(rest) ? rest.slice(0, -1) : "",
    rest.endsWith("i") ? `${rest.slice(0, -1)}y` : "",
  ]) {
    const verb = base === "" ? undefined : verbOf(base);
    // A parser parses, but a starter is somebody new.
    if (verb?.form === "base" && !verb.isVague && /^(?:ask|compute|check|make)$/.test(verb.kind))
      return verb.name;
  }
  return undefined;
}

/** `rotation of the keys`, `removal of dead links`. */
function deedNoun(word: string): string | undefined {
  const [, rest = ""] = /^(\w{3,})(?:ation|tion|ion|al|ment)$/.exec(word) ?? [];
  for (const base of [rest, `${rest}e`, `${rest}ate`, `${rest}t`, `${rest}te`]) {
    const verb = rest === "" ? undefined : verbOf(base);
    if (verb?.form === "base" && !verb.isVague) return verb.name;
  }
  return undefined;
}
