/**
 * What each call of code does, in the words of names: a verb, and what it is done to.
 *
 * @module
 */

import { frenchVerb } from "../../discovery/french/glossary.js";
import { ONLY_DONE, VERB_PHRASES, type VerbKind, verbNamed, verbOf } from "../lexicon/verbs.js";
import { type NamedTool, splitId } from "../naming-subject.js";
import type { CallFact } from "./call-fact.js";
import type { CodeFacts } from "./code-facts.js";
import { commandDeed } from "./command-deed.js";
import { nameWords } from "./name-words.js";
import { sqlDeed } from "./sql-deed.js";
import { EFFECTS, withSteps } from "./steps.js";

export interface Deed {
  readonly verb: string;
  readonly kind: VerbKind;
  readonly objects: readonly string[];
  readonly server: string;
  readonly tool: string;
  /** It leads to another deed, or keeps something for one by a key; undefined where it is done for its own sake. */
  readonly step: "leading" | "helping" | undefined;
}

/** Words of tools that are verbs there, whatever they are elsewhere. */
const TOOL_VERBS: Readonly<Record<string, readonly [string, VerbKind]>> = {
  archive: ["archive", "change"],
  merge: ["merge", "change"],
  tag: ["tag", "change"],
  label: ["label", "change"],
  annotate: ["annotate", "change"],
  snapshot: ["snapshot", "change"],
  request: ["get", "ask"],
  ask: ["ask", "ask"],
  call: ["call", "run"],
  log: ["list", "ask"],
  logs: ["get", "ask"],
  history: ["list", "ask"],
  status: ["check", "ask"],
  state: ["get", "ask"],
  info: ["get", "ask"],
  diff: ["diff", "ask"],
  blame: ["blame", "ask"],
  tree: ["list", "ask"],
  stat: ["get", "ask"],
  stats: ["get", "ask"],
  ls: ["list", "ask"],
  cat: ["read", "ask"],
  tail: ["read", "ask"],
  test: ["test", "run"],
  up: ["start", "run"],
  down: ["stop", "run"],
  redeploy: ["redeploy", "run"],
  show: ["show", "ask"],
  scan: ["scan", "ask"],
  map: ["list", "ask"],
  track: ["track", "ask"],
  match: ["match", "ask"],
  report: ["report", "ask"],
  order: ["order", "change"],
  file: ["get", "ask"],
  files: ["list", "ask"],
  page: ["get", "ask"],
  evaluate: ["get", "ask"],
  extract: ["extract", "ask"],
  index: ["index", "change"],
  bulk: ["index", "change"],
  rate: ["get", "ask"],
  order_by: ["sort", "compute"],
  message: ["send", "tell"],
  comment: ["comment", "tell"],
  del: ["delete", "remove"],
  rm: ["delete", "remove"],
  hdel: ["delete", "remove"],
  incr: ["increment", "change"],
  decr: ["decrement", "change"],
  hset: ["set", "change"],
  put: ["upload", "change"],
  patch: ["update", "change"],
  query: ["list", "ask"],
  head: ["get", "ask"],
  retrieve: ["get", "ask"],
  hget: ["get", "ask"],
  mget: ["get", "ask"],
  lpush: ["push", "change"],
  rpush: ["push", "change"],
  mkdir: ["create", "change"],
  mv: ["move", "change"],
  cp: ["copy", "change"],
  completion: ["generate", "make"],
  completions: ["generate", "make"],
  chat: ["generate", "make"],
  embeddings: ["embed", "make"],
  forecast: ["get", "ask"],
  screenshot: ["capture", "make"],
  expire: ["expire", "change"],
  pdf: ["export", "make"],
  presign: ["create", "make"],
  zincrby: ["increment", "change"],
  incrby: ["increment", "change"],
  sadd: ["add", "change"],
  zadd: ["add", "change"],
  xadd: ["add", "change"],
  publish: ["publish", "tell"],
  record: ["record", "change"],
  transition: ["move", "change"],
  apply: ["apply", "change"],
  zrange: ["list", "ask"],
  zrevrange: ["list", "ask"],
  lrange: ["list", "ask"],
  smembers: ["list", "ask"],
  hgetall: ["get", "ask"],
  keys: ["list", "ask"],
};
/** What tools are called by those who sell them, and what they do. */
const CANONICAL: ReadonlyMap<string, string> = new Map(
  "edit=update modify=update alter=update adjust=update manage=update patch=update produce=publish text=send upsert=update"
    .split(" ")
    .map((entry) => entry.split("=") as [string, string]),
);
const CANONICAL_KINDS: ReadonlyMap<string, VerbKind> = new Map<string, VerbKind>([
  ["manage", "change"],
  ["produce", "tell"],
]);
const NOT_OBJECTS = new Set(
  "by with for from to of and or in on at the a an all many bulk batch async v1 v2 v3 kubectl gh api tool mcp new text data browser playwright puppeteer".split(
    " ",
  ),
);
const SQL_TOOL = /(?:^|_)(?:sql|query|statement|execute|select)(?:_|$)/;
const COMMAND_FIELD = /^(?:command|cmd|script|commandline|line|bash|args)$/i;
const SQL_TEXT =
  /^\s*(?:select|insert|update|delete|with|create|alter|drop|truncate|refresh|vacuum|merge|copy|explain|grant|replace|analyze)\b/i;

export function deedsOf(facts: CodeFacts, tools: readonly NamedTool[]): readonly Deed[] {
  const calls: readonly CallFact[] =
    facts.calls.length > 0
      ? facts.calls
      : tools.map(({ id }) => ({ ...splitId(id), texts: [], fields: [], switches: [] }));
  return withSteps(calls.slice(0, 200).map(deedOf));
}

function deedOf(call: CallFact): Omit<Deed, "step"> {
  const deed = plainDeed(call);
  // What is only tried is asked for.
  return EFFECTS.has(deed.kind) && call.switches.some((name) => TRIED.test(name))
    ? { ...deed, verb: "estimate", kind: "compute" }
    : deed;
}

const TRIED = /^(?:dry_?run|preview|simulate|validate_?only|what_?if|check_?only)$/i;

function plainDeed(call: CallFact): Omit<Deed, "step"> {
  const { server, tool } = call;
  const named = toolDeed(server, tool);
  const sql = call.texts.find(
    ([field, text]) =>
      SQL_TEXT.test(text) && (/sql|query|statement|text/i.test(field) || SQL_TOOL.test(tool)),
  )?.[1];
  if (sql !== undefined) return { server, tool, ...sqlDeed(sql) };
  const command = call.texts.find(([field]) => COMMAND_FIELD.test(field))?.[1];
  if (command !== undefined) {
    const deed = commandDeed(command);
    if (deed !== undefined) return { server, tool, ...deed };
  }
  const called = calledByName(call);
  if (called !== undefined) return { server, tool, ...called };
  if (isModelCall(call))
    return {
      server,
      tool,
      verb: promptVerb(call) ?? "generate",
      kind: "make",
      objects: named.objects.filter(
        (word) =>
          !/^(?:message|messages|completion|completions|chat|response|responses|prompt|model|text)$/.test(
            word,
          ),
      ),
    };
  const method = call.texts.find(([field]) => /^method$/i.test(field))?.[1]?.toUpperCase();
  const url = call.texts.find(
    ([field, text]) => /^(?:url|uri|endpoint|href|path)$/i.test(field) && /^https?:|^…?\//.test(text),
  )?.[1];
  const isHttp = url !== undefined || /http|fetch|request|api|rest|curl|axios/i.test(`${server} ${tool}`);
  if (named.kind === "ask" && isHttp && (method !== undefined || url !== undefined)) {
    const objects = url === undefined ? named.objects : [...new Set([...named.objects, ...urlWords(url)])];
    if (method === "DELETE") return { server, tool, verb: "delete", kind: "remove", objects };
    if (method === "PUT" || method === "PATCH")
      return { server, tool, verb: "update", kind: "change", objects };
    if (method === "POST") return { server, tool, verb: "create", kind: "change", objects };
    return { server, tool, ...named, objects };
  }
  return { server, tool, ...named };
}

/** `call_service({ service: "turn_off" })`: what is called is an argument of what is called. */
function calledByName({
  server,
  tool,
  texts,
}: CallFact): Pick<Deed, "verb" | "kind" | "objects"> | undefined {
  if (
    !/^(?:call|invoke|run|execute|perform|do)_?(?:service|action|operation|tool|method|function|task)$|^(?:call|invoke|dispatch|action)$/i.test(
      tool,
    )
  )
    return undefined;
  const name = texts.find(
    ([field, text]) =>
      /^(?:service|action|operation|tool|method|function|task|name)$/i.test(field) &&
      /^[a-z][\w.-]{2,40}$/i.test(text),
  )?.[1];
  if (name === undefined) return undefined;
  const about = texts.find(
    ([field, text]) => /^(?:domain|resource|entity|type)$/i.test(field) && /^[a-z_]{3,20}$/.test(text),
  )?.[1];
  const phrase = VERB_PHRASES.get(nameWords(name).join(" "));
  const deed = toolDeed(server, name);
  const objects = [
    ...(about === undefined ? [] : nameWords(about)),
    ...(phrase === undefined ? deed.objects : []),
  ];
  const verb = phrase ?? deed.verb;
  return { verb, kind: verbNamed(verb)?.kind ?? "change", objects };
}

function isModelCall({ tool, fields }: CallFact): boolean {
  const has = (pattern: RegExp) => fields.some((field) => pattern.test(field));
  return (
    (has(/^model$/) && has(/^(?:prompt|messages|input|image_url|image|contents)$/)) ||
    (has(/^(?:prompt|system)$/) && /chat|complet|generat|ask|prompt|vision|message/i.test(tool))
  );
}

const PROMPT_FIELD = /^(?:prompt|content|system|instructions?|input|messages?|text|user|query)$/i;

/** What a model is asked to do is what the call does. */
function promptVerb(call: CallFact): string | undefined {
  for (const [field, text] of call.texts) {
    if (!PROMPT_FIELD.test(field)) continue;
    const words =
      text
        .slice(0, 300)
        .normalize("NFKD")
        .replace(/\p{M}+/gu, "")
        .toLowerCase()
        .match(/[a-z]+/g) ?? [];
    for (const word of words) {
      const verb = verbOf(word) ?? verbOf(frenchVerb(word) ?? "");
      if (
        verb?.form === "base" &&
        !verb.isVague &&
        (verb.kind === "make" || verb.kind === "compute") &&
        !/^(?:time|project|sample|index|label|design|sort|order|total|average|rate|match|score|pack|package|tag|summary|template|text)$/.test(
          word,
        )
      )
        return verb.name;
    }
  }
  return undefined;
}

/** From its name alone: `brave_web_search` is to search the web. */
function toolDeed(server: string, tool: string): Pick<Deed, "verb" | "kind" | "objects"> {
  const own = new Set(nameWords(server));
  const words = nameWords(tool);
  const rest = words.filter((word) => !own.has(word));
  const some = rest.length > 0 ? rest : words;
  const shaped = shapedBy(some) ?? switchedBy(some);
  if (shaped !== undefined) return shaped;
  let at = -1;
  let verb = "get";
  let kind: VerbKind = "ask";
  // `session_create`, `silence_remove`: some begin with the thing.
  const ends = some.length > 1 && ONLY_DONE.has(some.at(-1) ?? "") && !ONLY_DONE.has(some[0] ?? "");
  for (const index of [ends ? some.length - 1 : 0, ...some.keys()].filter((index) => index < some.length)) {
    const word = some[index] ?? "";
    const special = Object.hasOwn(TOOL_VERBS, word) ? TOOL_VERBS[word] : undefined;
    const found = verbOf(word);
    if (special !== undefined) [verb, kind] = special;
    else if (found !== undefined && found.form === "base") {
      verb = CANONICAL.get(word) ?? (found.isVague ? (verbNamed(word)?.name ?? word) : word);
      kind = CANONICAL_KINDS.get(word) ?? found.kind;
    } else continue;
    at = index;
    break;
  }
  const objects = some.filter(
    (word, index) => (index !== at || (some.length === 1 && !verbOf(word))) && !NOT_OBJECTS.has(word),
  );
  // Files are put somewhere; a policy is set.
  if (
    some[at] === "put" &&
    objects.length > 0 &&
    !objects.some((word) => /^(?:object|file|blob|image|content|media)s?$/.test(word))
  )
    return { verb: "set", kind, objects };
  // Names are resolved by asking; what has gone wrong, by ending it.
  if (verb === "resolve" && objects.some((word) => TROUBLES.test(word)))
    return { verb, kind: "change", objects };
  if (
    verb === "open" &&
    objects.some((word) => TROUBLES.test(word) || /^(?:pull|merge|pr|request)$/.test(word))
  )
    return { verb: "create", kind: "change", objects };
  // Whoever comments on something tells others.
  if (/^(?:create|add)$/.test(verb) && objects.some((word) => /^comments?$/.test(word)))
    return { verb, kind: "tell", objects };
  // Documents are opened to be read; a valve stays open.
  if (verb === "open" && objects.some((word) => OPENED.test(word))) return { verb, kind: "change", objects };
  // What is created is that one thing belongs to another.
  if (
    /^(?:create|add)$/.test(verb) &&
    some.some((word) => /^(?:associations?|relations?|relationships?|links?)$/.test(word)) &&
    !/^(?:payment|shared?|short|magic|invite|public|download|temporary|presigned|checkout|meeting|view|sharing)$/.test(
      objects[0] ?? "",
    )
  )
    return {
      verb: "link",
      kind,
      objects: objects.filter((word) => !/^(?:associations?|relations?|relationships?|links?)$/.test(word)),
    };
  return { verb, kind, objects };
}

/** `text_to_speech`, `html2pdf`, `take_screenshot`: what comes out says what is done. */
function shapedBy(words: readonly string[]): Pick<Deed, "verb" | "kind" | "objects"> | undefined {
  const parts = words.flatMap((word) => /^([a-z]{2,})2([a-z]{2,})$/.exec(word)?.slice(1) ?? [word]);
  const middle = words.length < parts.length ? 0 : words.indexOf("to");
  const from = parts[words.length < parts.length ? 0 : middle - 1];
  const to = parts[middle + 1];
  if (from !== undefined && to !== undefined && MEDIA.test(from) && MEDIA.test(to)) {
    const verb =
      to === "text" && /^(?:speech|audio|voice|video)$/.test(from)
        ? "transcribe"
        : from === "text" && /^(?:speech|audio|voice|image|video|music)$/.test(to)
          ? "generate"
          : "convert";
    return { verb, kind: "make", objects: [verb === "transcribe" ? from : to] };
  }
  const own = words.filter((word) => !NOT_OBJECTS.has(word));
  const shot = own.find((word) => /^(?:screenshots?|screen|snapshot_image)$/.test(word));
  return shot !== undefined && /^(?:take|get|make|create|capture)$/.test(own[0] ?? "")
    ? { verb: "capture", kind: "make", objects: own.slice(1) }
    : undefined;
}

/** `turn_off_light`, `shut_down`: a verb of two words. */
function switchedBy(words: readonly string[]): Pick<Deed, "verb" | "kind" | "objects"> | undefined {
  const at = words.findIndex((word) => /^(?:turn|switch|power|shut|roll)$/.test(word));
  const phrase = VERB_PHRASES.get(`${words[at]?.replace("power", "switch")} ${words[at + 1]}`);
  if (phrase === undefined) return undefined;
  const objects = words.filter((word, index) => index !== at && index !== at + 1 && !NOT_OBJECTS.has(word));
  return { verb: phrase, kind: verbNamed(phrase)?.kind ?? "change", objects };
}

const OPENED =
  /^(?:valve|door|gate|window|blind|shutter|vent|garage|lock|tap|relay|curtain|hatch|bridge|position|trade|account|case|poll)s?$/;
const TROUBLES =
  /^(?:issue|incident|alert|thread|conversation|comment|error|ticket|case|conflict|discussion|problem|complaint|alarm)s?$/;
const MEDIA =
  /^(?:text|speech|audio|voice|image|images|video|music|pdf|html|markdown|md|docx?|csv|json|xml|yaml|xlsx|svg|png|jpe?g|mp3|mp4|epub)$/;

function urlWords(url: string): readonly string[] {
  const plain = url.replace(/^https?:\/\//, "").split(/[?#]/)[0] ?? "";
  const [host = "", ...path] = plain.split("/");
  const names = host
    .split(".")
    .slice(0, -1)
    .filter((part) => !/^(?:www|api|app|v\d+|…)$/.test(part));
  const words = path
    .flatMap((part) => (part.includes("…") ? [] : nameWords(part.replace(/\.\w+$/, ""))))
    .filter((word) => !/^(?:v\d+|api|rest|json|public|latest|\d+)$/.test(word));
  return [...words.slice(-3), ...names.slice(-1)].filter((word) => /^[a-z]{2,20}$/.test(word));
}
