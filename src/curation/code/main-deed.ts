/**
 * Of all that code does, what it is for: changes outweigh questions, and messages outweigh changes.
 *
 * @module
 */
import { type VerbKind, verbOf } from "../lexicon/verbs.js";
import type { CodeFacts } from "./code-facts.js";
import type { Deed } from "./deeds.js";

const WORTH: Readonly<Record<VerbKind, number>> = {
  tell: 5,
  remove: 4.5,
  change: 4,
  run: 3.5,
  make: 3,
  check: 1.2,
  compute: 1.2,
  ask: 1,
};

export function isBrowsing({ tool, server }: Deed): boolean {
  return /browser|playwright|puppeteer|selenium|chrome/i.test(`${server} ${tool}`);
}

/** Buttons may do anything. */
export function interacts({ tool }: Deed): boolean {
  return /(?:^|_)(?:click|tap|type|fill|press|submit|select)(?:_|$)/i.test(tool);
}

const STARTING = /^(?:start|run|launch|deploy|restart|execute|trigger|up|recreate|play)$/;

/** What ends something that was begun for the sake of what is between. */
const CLOSING =
  /(?:^|_)(?:stop|close|end|finish|release|unlock|disconnect|logout|log_out|sign_out|quit|dispose|shutdown|sleep|cleanup|teardown|unmount|destroy|delete|terminate|kill|down|off|remove)(?:_|$)/i;
const OPENING =
  /(?:^|_)(?:start|open|create|new|begin|acquire|lock|connect|login|log_in|sign_in|launch|wake|boot|mount|setup|init|up|on|record|spawn|add)(?:_|$)/i;
/** They last as long as the code does. */
const PASSING =
  /(?:^|_)(?:session|sessions|trace|tracing|connection|transaction|browser|tab|context|cursor|lock|lease|sandbox|tunnel|recording|profiler|capture|search|scan|process)(?:_|$)/i;
/** What others are put into. */
const HOLDERS =
  /^(?:channel|room|group|team|project|repo|repository|board|list|playlist|album|page|document|doc|spreadsheet|sheet|database|table|user|account|customer|contact|event|meeting|ticket|issue|order|cart|invoice|campaign|workspace|space|folder_share|epic|milestone|release|deck|presentation|form|survey|poll|vm|instance|cluster|namespace|environment|incident|deal|company|organization|thread|conversation|course|class|booking|trip)s?$/;
/** What is done to a thing that was just made, to finish it. */
const FINISHING =
  /^(?:add|send|post|pin|append|insert|invite|assign|set|update|attach|tag|label|notify|share|comment|link|write|mark|star|subscribe|grant|welcome|put|upload)$/;

/** It opens or closes what the rest is done in. */
export function isFrame(deed: Deed, index: number, deeds: readonly Deed[]): boolean {
  const others = deeds.filter((other, at) => at !== index && other.server === deed.server);
  const before = deeds.slice(0, index).filter(({ server }) => server === deed.server);
  const after = deeds.slice(index + 1).filter(({ server }) => server === deed.server);
  const shares = (other: Deed) => other.objects.some((word) => deed.objects.includes(word));
  const isPassing = PASSING.test(deed.tool) || deed.objects.length === 0;
  // What the code made itself, it takes away again.
  const made = deed.tool.replace(/remove|delete|destroy/i, "create");
  if (deed.kind === "remove" && others.length > 1 && before.some(({ tool }) => tool === made)) return true;
  if (CLOSING.test(deed.tool) && others.length > 1)
    return isPassing && before.some((other) => OPENING.test(other.tool) || PASSING.test(other.tool));
  if (!OPENING.test(deed.tool) || after.length === 0) return false;
  if (/^(?:wake|boot|mount|connect|login)/i.test(deed.tool)) return true;
  return (
    (isPassing && after.some((other) => CLOSING.test(other.tool))) ||
    (/(?:^|_)(?:start|begin)(?:_|$)/i.test(deed.tool) &&
      after.every(({ kind }) => kind === "ask") &&
      after.some(shares)) ||
    (PASSING.test(deed.tool) && !/recording/.test(deed.tool))
  );
}

/** A channel is made, people are added, a message is pinned: a channel is made. */
export function isFinishing(deed: Deed, deeds: readonly Deed[]): boolean {
  if (!FINISHING.test(deed.verb)) return false;
  return deeds
    .slice(0, deeds.indexOf(deed))
    .some(
      (other) =>
        /^(?:create|open|start|register|save|book|schedule)$/.test(other.verb) &&
        other.kind === "change" &&
        (other.server === deed.server || deed.kind === "tell") &&
        other.objects.some((word) => HOLDERS.test(word)) &&
        other.step !== "leading",
    );
}

export function mainDeed(deeds: readonly Deed[]): Deed | undefined {
  let best: Deed | undefined;
  let worth = 0;
  for (const [index, deed] of deeds.entries()) {
    // What is brought there to be started is brought on the way.
    const isBrought =
      /^(?:upload|pull|push|copy|download)$/.test(deed.verb) &&
      deeds.slice(index + 1).some(({ server, verb }) => server === deed.server && STARTING.test(verb));
    if (WORTH[deed.kind] > 3 && isFrame(deed, index, deeds)) continue;
    const isLess = deed.step === "leading" || isBrought || isFinishing(deed, deeds);
    // To search says more than to list what is searched.
    const isAnything = /^(?:run|execute|call|evaluate)$/.test(deed.verb) && deed.kind === "run";
    const own =
      WORTH[deed.kind] - (isAnything ? 1 : 0) - (isLess ? 3 : 0) + (deed.verb === "search" ? 0.1 : 0);
    // Of questions the first says what is asked; of changes the last is what it comes to.
    if (own > worth || (own === worth && own >= 3)) {
      best = deed;
      worth = own;
    }
  }
  return best ?? deeds[0];
}

/** What the code does, in one verb. */
export function codeVerb(facts: CodeFacts, deeds: readonly Deed[], main: Deed | undefined): string {
  if (main === undefined) return pureVerb(facts);
  const isStep = main.step === "leading" && main.kind !== "ask";
  if (isStep && deeds.some(({ tool }) => /(?:^|_)(?:fill|submit)/i.test(tool))) return "fill";
  if (facts.returns === "boolean" && /^(?:increment|decrement|expire)$/.test(main.verb)) return "check";
  // What comes from elsewhere is saved in a file, not written.
  if (main.verb === "write" && deeds.some(({ kind, server }) => kind === "ask" && server !== main.server))
    return "save";
  if (main.kind !== "ask" && !isStep) return ownWord(facts, main) ?? main.verb;
  const { methods, returns } = facts;
  if (returns === "boolean") return "check";
  if (isComparison(facts)) return "compare";
  if (methods.has("/") && facts.returned.some((name) => MEASURE.test(name))) return "compute";
  if ((methods.has("filter") || methods.has("push if")) && returns === "list") return "find";
  if (methods.has("count by")) return "count";
  if (returns === "number" && /^(?:Number|parseFloat|parseInt)$/.test(facts.answer)) return "get";
  if (returns === "number")
    return methods.has("reduce") || methods.has("+=") || methods.has("/") ? "compute" : "count";
  if (main.verb === "diff" || main.verb === "read" || main.verb === "download") return main.verb;
  if (methods.has("filter") || methods.has("find")) return "find";
  if (main.verb === "search") return "find";
  // What is got of each is got, whatever is listed first.
  const last = deeds.at(-1);
  if (
    returns === "list" &&
    facts.hasLoop &&
    last !== undefined &&
    last !== main &&
    last.kind === "ask" &&
    /^(?:get|fetch|read|download)$/.test(last.verb)
  )
    return "get";
  if (returns === "list") return "list";
  return main.verb === "list" || main.verb === "scan" ? "list" : "get";
}

/** Words for a change that fit any. */
const ANY_CHANGE =
  /^(?:update|create|set|add|write|publish|send|insert|post|put|save|edit|submit|execute|run|call|upload)$/;
const STATES =
  /^(?:touched|created|updated|added|written|published|sent|inserted|posted|saved|skipped|failed|checked|found|matched|expected|used|limited|ordered|sorted|filtered|grouped|read|set|put|split|cut|started|stopped|paid|scheduled|blocked|locked|changed|needed|wanted|done|made|kept|given|taken|left|seen|known|processed|completed|finished|named|tested|tried|total|limit|linked|shared|closed|opened|moved|deleted|removed|ran|built|got|uploaded|submitted|queued|returned|received|requested|scanned|listed|estimated|merged|detected|validated|verified|parsed|converted|generated|extracted|formatted|computed|counted|measured)$/;

/** `return { replayed: n }`: what the code itself calls it, where the tool says no more than that something changes. */
function ownWord({ returned }: CodeFacts, { verb }: Deed): string | undefined {
  if (!ANY_CHANGE.test(verb)) return undefined;
  for (const name of returned) {
    const found = STATES.test(name) ? undefined : verbOf(name);
    if (
      found?.form === "past" &&
      !found.isVague &&
      found.kind !== "ask" &&
      found.kind !== "check" &&
      found.kind !== "compute"
    )
      return found.name;
  }
  return undefined;
}

const MEASURE =
  /^(?:avg|average|mean|median|ratio|rate|percent(?:age)?|share)(?:$|[A-Z_])|(?:Avg|Average|Rate|Ratio|Percent|Pct)$/;
const PAIRS = [
  /^(?:current|previous|prev)$/i,
  /^(?:before|after)$/i,
  /^(?:expected|actual)$/i,
  /^(?:left|right)$/i,
  /^(?:base|head)$/i,
  /^(?:ours|theirs)$/i,
  /^(?:baseline|candidate)$/i,
  /^(?:today|yesterday)$/i,
];

/** It returns one beside the other. */
function isComparison({ returned, returns }: CodeFacts): boolean {
  if (returns !== "object") return false;
  return PAIRS.some(
    (pair) => new Set(returned.filter((name) => pair.test(name)).map((name) => name.toLowerCase())).size > 1,
  );
}

const OWN_VERB =
  /^(?:merge|flatten|parse|format|convert|normalize|encode|decode|hash|escape|slugify|transform|render|serialize|dedupe|mask|redact|compress|reverse|shuffle|unflatten|validate|tokenize)$/;

/** Two of a kind go in, and what is not the same comes out. */
function isDifference(names: readonly string[], methods: ReadonlySet<string>): boolean {
  if (!methods.has("!==") && !methods.has("!=") && !methods.has("===")) return false;
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  return (
    has(/^(?:changes|changed|added|removed|diffs?|differences)$/i) &&
    [...PAIRS, /^(?:old|new)(?:er)?$/i, /^[ab]$/].some(
      (pair) => new Set(names.filter((name) => pair.test(name)).map((name) => name.toLowerCase())).size > 1,
    )
  );
}

function pureVerb({
  methods,
  returns,
  names,
  answer,
  hasLoop,
  declared,
  returned,
  texts,
}: CodeFacts): string {
  const has = (...some: readonly string[]) => some.some((method) => methods.has(method));
  if (has("createHash", "digest", "crypto.subtle", "subtle")) return "hash";
  if (has("btoa", "encodeURIComponent", "encode")) return "encode";
  if (has("atob", "decodeURIComponent", "decode")) return "decode";
  if (has("Math.random", "randomUUID", "getRandomValues", "randomBytes", "randomInt")) return "generate";
  if (returns === "boolean") return "validate";
  // A function of the code's own says what it does.
  const own = declared.find((name) => OWN_VERB.test(name));
  if (own !== undefined) return own;
  if (has("replace", "replaceAll") && texts.some((text) => /\*{3,}|•{3,}|x{4,}|#{4,}/i.test(text)))
    return "mask";
  if (has("delete") && !has("new Set", "new Map")) return "remove";
  if (has("count by")) return "count";
  if (isDifference(names, methods)) return "diff";
  if (returned.length === 1 && /^(?:order|ordered|sorted)$/.test(returned[0] ?? "") && answer === "")
    return "sort";
  if (has("matchAll") && returns === "list") return "extract";
  if (has("JSON.parse", "exec", "matchAll", "new URL")) return "parse";
  if (has("match")) return "extract";
  if (has("new Set") && names.some((name) => /seen|uniq|dedup/i.test(name))) return "dedupe";
  if (returns === "number") return has("++") ? "count" : "compute";
  if (answer === "filter") return "filter";
  if (returns === "object" && has("filter")) return "split";
  if (has("new Date") && has("toISOString") && answer === "map" && !hasLoop) return "convert";
  if (has("??= push")) return "group";
  const sorts = has("sort", "toSorted");
  if (sorts && has("Object.entries") && has("-")) return "rank";
  // What is put in order and then gone through is looked for something.
  if (sorts && hasLoop && has("push") && answer === "") return "find";
  if (sorts) return "sort";
  if (has("flat")) return "flatten";
  if (has("filter") && returns !== "text") return "filter";
  if (has("replace by nothing")) return "clean";
  if (has("toLocaleString", "format", "toFixed", "padStart", "JSON.stringify")) return "format";
  if (has("reduce")) return "compute";
  if (has("split") && returns !== "text") return "split";
  if (has("join")) return "format";
  if (returns === "text") return "format";
  const figures = has("*", "/", "**");
  return (returns !== "object" && (figures || has("-"))) || (figures && (hasLoop || has("**", "Math.round")))
    ? "compute"
    : "convert";
}
