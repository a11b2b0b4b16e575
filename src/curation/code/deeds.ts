/**
 * The action of each call in code, in the words of names: a verb and its kind, read from the name of the tool, or from
 * its arguments: SQL, a command line, an HTTP method, a prompt.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import { frenchVerb } from "../../discovery/french/glossary.js";
import { ALSO_THINGS, VERB_PHRASES, type VerbKind, verbNamed, verbOf } from "../lexicon/verbs.js";
import { type NamedTool, splitId } from "../naming-subject.js";
import type { CallFact, CodeFacts } from "./code-facts.js";
import { nameWords } from "./name-words.js";

export interface Deed {
  readonly verb: string;
  readonly kind: VerbKind;
  readonly server: string;
  readonly tool: string;
  /**
   * Set if this action only prepares another one, or stores something by a key for one; undefined if it is an end in
   * itself.
   */
  readonly step: "leading" | "helping" | undefined;
}

type Done = Pick<Deed, "verb" | "kind">;

/** Kinds that change something outside the code. */
export const EFFECTS: ReadonlySet<VerbKind> = new Set<VerbKind>(["change", "remove", "tell", "run"]);

/** Words that are verbs in names of tools, even if not elsewhere: `word=verb/kind`. */
const TOOL_VERBS = doneBy(`
archive=archive/change merge=merge/change tag=tag/change annotate=annotate/change snapshot=snapshot/change request=get/ask
ask=ask/ask call=call/run log=list/ask logs=get/ask history=list/ask status=check/ask state=get/ask info=get/ask
diff=diff/ask tree=list/ask stat=get/ask stats=get/ask ls=list/ask cat=read/ask tail=read/ask test=test/run up=start/run
down=stop/run redeploy=redeploy/run show=show/ask map=list/ask match=match/ask report=report/ask order=order/change
file=get/ask files=list/ask page=get/ask evaluate=get/ask extract=extract/ask index=index/change bulk=index/change
rate=get/ask message=send/tell del=delete/remove rm=delete/remove hdel=delete/remove incr=increment/change
decr=decrement/change hset=set/change put=upload/change patch=update/change query=list/ask head=get/ask retrieve=get/ask
hget=get/ask mget=get/ask lpush=push/change rpush=push/change mkdir=create/change mv=move/change cp=copy/change
completion=generate/make completions=generate/make chat=generate/make embeddings=embed/make forecast=get/ask
screenshot=capture/make expire=expire/change pdf=export/make presign=create/make zincrby=increment/change
incrby=increment/change sadd=add/change zadd=add/change xadd=add/change publish=publish/tell transition=move/change
apply=apply/change zrange=list/ask zrevrange=list/ask lrange=list/ask smembers=list/ask hgetall=get/ask keys=list/ask
edit=update/change modify=update/change alter=update/change manage=update/change upsert=update/change produce=publish/tell
text=send/tell`);
const NOISE = wordSet("kubectl gh api tool mcp browser playwright puppeteer page");
const TROUBLES = wordSet(
  "issue incident alert thread conversation error ticket case conflict discussion alarm",
);
/** Documents are opened to be read; these things stay open. */
const STAYS_OPEN = wordSet(`
valve door gate window blind shutter vent lock tap relay position account poll request pr ${[...TROUBLES].join(" ")}`);

export function deedsOf(facts: CodeFacts, tools: readonly NamedTool[]): readonly Deed[] {
  const calls: readonly CallFact[] =
    facts.calls.length > 0
      ? facts.calls
      : tools.map(({ id }) => ({ ...splitId(id), texts: [], fields: [], switches: [] }));
  return withSteps(calls.slice(0, 200).map((call) => ({ ...call, ...doneByCall(call) })));
}

const TRIED = wordSet("dryrun preview simulate validateonly whatif checkonly");
const CALLING = wordSet("call invoke run execute perform do dispatch action");
const CALLED = wordSet("service action operation tool method function task name");
const PROMPTS = wordSet("prompt system instructions");
const MODEL_INPUTS = wordSet("messages input image contents");

function doneByCall(call: CallFact): Done {
  const done = doneByArguments(call) ?? doneByTool(call.server, call.tool);
  // A dry run only asks.
  const isTried = call.switches.some((name) => TRIED.has(nameWords(name).join("")));
  return EFFECTS.has(done.kind) && isTried ? { verb: "estimate", kind: "compute" } : done;
}

function doneByArguments({ server, tool, texts, fields }: CallFact): Done | undefined {
  const textOf = (names: RegExp) => texts.find(([field]) => names.test(field))?.[1];
  const sql = texts.map(([, text]) => text).find((text) => SQL.test(text));
  if (sql !== undefined && !fields.includes("prompt")) return doneBySql(sql);
  const command = textOf(/^(?:command|cmd|script|commandline|line|bash|args)$/i);
  const done = command === undefined ? undefined : doneByCommand(command);
  if (done !== undefined) return done;
  // `call_service({ service: "turn_off" })`: the real action is in an argument.
  const named = CALLING.has(nameWords(tool)[0] ?? "") && texts.find(([field]) => CALLED.has(field))?.[1];
  if (named) return doneByTool(server, named);
  const method = textOf(/^method$/i)?.toUpperCase() ?? "";
  if (Object.hasOwn(METHODS, method)) return METHODS[method];
  const isModel = fields.includes("model") && fields.some((field) => MODEL_INPUTS.has(field));
  return isModel || fields.some((field) => PROMPTS.has(field)) ? doneByPrompt(texts) : undefined;
}

const METHODS: Readonly<Record<string, Done>> = {
  DELETE: { verb: "delete", kind: "remove" },
  PUT: { verb: "update", kind: "change" },
  PATCH: { verb: "update", kind: "change" },
  POST: { verb: "create", kind: "change" },
};

/** A call of a model does what its prompt requests. */
function doneByPrompt(texts: CallFact["texts"]): Done {
  const words = texts.flatMap(
    ([, text]) =>
      text
        .slice(0, 300)
        .toLowerCase()
        .match(/\p{L}+/gu) ?? [],
  );
  const verbs = words.flatMap((word) => verbOf(word) ?? verbOf(frenchVerb(word) ?? "") ?? []);
  const asked = verbs.find(
    ({ form, kind, base, isVague }) =>
      form === "base" && !isVague && (kind === "make" || kind === "compute") && !ALSO_THINGS.has(base),
  );
  return { verb: asked?.name ?? "generate", kind: "make" };
}

/** From its name alone: `brave_web_search` means to search the web. */
function doneByTool(server: string, tool: string): Done {
  const own = new Set([...nameWords(server), ...NOISE]);
  const all = nameWords(tool);
  const rest = all.filter((word) => !own.has(word));
  const words = rest.length > 0 ? rest : all;
  const phrase = VERB_PHRASES.get(words.slice(0, 2).join(" "));
  if (phrase !== undefined) return { verb: phrase, kind: verbNamed(phrase)?.kind ?? "change" };
  for (const word of words) {
    const done = TOOL_VERBS.get(word) ?? plainVerb(word);
    if (done !== undefined) return ofThings(done, words);
  }
  return { verb: "get", kind: "ask" };
}

function plainVerb(word: string): Done | undefined {
  const found = verbOf(word);
  if (found?.form !== "base") return undefined;
  return { verb: found.isVague ? found.name : word, kind: found.kind };
}

function ofThings(done: Done, words: readonly string[]): Done {
  const isOf = (things: ReadonlySet<string>) => words.some((word) => things.has(word.replace(/s$/, "")));
  if (done.verb === "resolve" && isOf(TROUBLES)) return { verb: "resolve", kind: "change" };
  if (done.verb === "open" && isOf(STAYS_OPEN)) return { verb: "open", kind: "change" };
  // A comment is a message to other people.
  const isComment = words.includes("comment") && (done.verb === "create" || done.verb === "add");
  return isComment ? { verb: done.verb, kind: "tell" } : done;
}

const SQL =
  /^\s*(?:select|insert|update|delete|with|create|alter|drop|truncate|refresh|vacuum|merge|explain|grant)\s/i;
/** In order: the first match counts. */
const SQL_DEEDS: readonly (readonly [RegExp, Done])[] = [
  [/\bdelete\s+from\b/, { verb: "delete", kind: "remove" }],
  [/^\s*truncate\b/, { verb: "clear", kind: "remove" }],
  [/\bpg_(?:terminate|cancel)_backend\s*\(/, { verb: "kill", kind: "remove" }],
  [/^\s*drop\b/, { verb: "drop", kind: "remove" }],
  [/\binsert\s+(?:\w+\s+){0,2}?into\b/, { verb: "insert", kind: "change" }],
  [/(?:^|\)|;)\s*update\s+[\w."]+\s+(?:\w+\s+){0,2}?set\b/, { verb: "update", kind: "change" }],
  [/^\s*merge\s+into\b/, { verb: "upsert", kind: "change" }],
  [/^\s*create\b/, { verb: "create", kind: "change" }],
  [/^\s*alter\b/, { verb: "alter", kind: "change" }],
  [/^\s*refresh\b/, { verb: "refresh", kind: "change" }],
  [/^\s*grant\b/, { verb: "grant", kind: "change" }],
  [/^\s*vacuum\b/, { verb: "vacuum", kind: "run" }],
  [/^\s*explain\b/, { verb: "explain", kind: "ask" }],
  [/^\s*select\s+count\s*\(/, { verb: "count", kind: "compute" }],
  [/^\s*select\s+(?:\w+\(\s*)?(?:sum|avg|min|max)\s*\(/, { verb: "compute", kind: "compute" }],
];

/** Reliable about reading or writing. */
function doneBySql(given: string): Done {
  const sql = given
    .slice(0, 4_000)
    .replace(/--[^\n]*/g, " ")
    .replace(/\/\*[^*]*\*\//g, " ")
    .toLowerCase();
  return SQL_DEEDS.find(([pattern]) => pattern.test(sql))?.[1] ?? { verb: "list", kind: "ask" };
}

/** Programs, and subcommands of `git`, `docker` and the like that are not plain verbs. Tests run and change nothing. */
const PROGRAMS = doneBy(`
lsof=find/ask ps=list/ask pgrep=find/ask netstat=list/ask ss=list/ask top=list/ask df=check/ask du=measure/ask
free=check/ask grep=search/ask rg=search/ask ls=list/ask cat=read/ask tail=read/ask head=read/ask wc=count/compute
pkill=kill/remove killall=kill/remove rm=delete/remove rmdir=delete/remove rmi=delete/remove shred=delete/remove
cp=copy/change mv=move/change mkdir=create/change touch=create/change ln=link/change chmod=set/change chown=set/change
tar=archive/make unzip=extract/make gzip=compress/make rsync=sync/change scp=copy/change curl=fetch/ask wget=download/ask
dig=lookup/ask nslookup=lookup/ask openssl=check/ask psql=query/ask mysql=query/ask sqlite3=query/ask pg_dump=backup/make
mysqldump=backup/make pg_restore=restore/change crontab=list/ask journalctl=read/ask dmesg=read/ask pytest=run/check
vitest=run/check jest=run/check mocha=run/check test=run/check eslint=lint/check biome=lint/check ruff=lint/check
tsc=check/check mypy=check/check prettier=format/make black=format/make ffmpeg=convert/make pandoc=convert/make
make=build/run date=get/ask diff=diff/ask sed=replace/change awk=extract/make jq=extract/make nmap=scan/ask
shutdown=stop/run reboot=restart/run log=list/ask status=check/ask branch=list/ask tag=list/ask pull=pull/change
merge=merge/change images=list/ask logs=get/ask stats=get/ask outdated=list/ask ci=install/change exec=run/run
build=build/run apply=apply/change plan=plan/run get=get/ask rollout=restart/run gc=clean/run clean=clean/remove
show=show/ask up=start/run down=stop/run init=create/change info=get/ask purge=remove/remove destroy=delete/remove`);
/** Programs whose next words are the verb. */
const WITH_VERBS = wordSet(`
git gh docker podman kubectl npm pnpm yarn cargo go systemctl service pip pip3 apt apt-get brew conda aws gcloud az terraform
helm supervisorctl pm2 composer poetry uv snap dnf yum restic borg rclone certbot ufw vercel wrangler flyctl heroku npx`);
const BEFORE_PROGRAMS = wordSet("sudo nice time env nohup npx exec command bash sh");
const NOTHING_DONE = /^\s*(?:echo|printf|yes|true|set|cd|export)\b/;

function doneByCommand(line: string): Done | undefined {
  let best: Done | undefined;
  // The last command counts, unless it only formats the output: `ps aux | sort | head`.
  for (const part of line.slice(0, 2_000).split(/&&|\|\||;|\n/)) {
    const done = doneByProgram(part.split("|").find((one) => !NOTHING_DONE.test(one)) ?? "");
    if (done !== undefined && (best === undefined || best.kind === "ask" || done.kind !== "ask")) best = done;
  }
  return best;
}

function doneByProgram(part: string): Done | undefined {
  const words = part
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !BEFORE_PROGRAMS.has(word) && /^[a-z./][\w./-]*$/.test(word));
  const name = words[0]?.split("/").at(-1) ?? "";
  if (!WITH_VERBS.has(name)) return PROGRAMS.get(name);
  const verbs = words.slice(1, 3).flatMap((word) => PROGRAMS.get(word) ?? plainVerb(word) ?? []);
  return verbs[0] ?? { verb: "run", kind: "run" };
}

/** Actions in a browser that lead to the final page. */
const BROWSING = wordSet(`
navigate goto visit open evaluate run create new select close launch click tap type press hover wait scroll resize set focus back
fill check uncheck drag snapshot handle submit`);
const LEADING = wordSet("login authenticate connect open wait sleep navigate goto expire signin");
const FOLDERS = wordSet("mkdir createdirectory createfolder createdir makedirectory");
const HELPING = wordSet("increment decrement expire wait login navigate set cache checkout");
const KEPT = /key|cache|kv|context|variable|viewport/i;

export function isBrowsing({ tool, server }: Pick<Deed, "tool" | "server">): boolean {
  return /browser|playwright|puppeteer|selenium|chrome/i.test(`${server} ${tool}`);
}

type Plain = Omit<Deed, "step">;

/**
 * Each action with its relation to the others: a folder for the file that is written, a login for the page that is
 * read. Code without other actions has its steps as purpose.
 */
function withSteps(deeds: readonly Plain[]): readonly Deed[] {
  const steps = deeds.map(stepOf);
  const hasEffect = deeds.some(({ kind }, index) => steps[index] === undefined && EFFECTS.has(kind));
  const isOneThing = new Set(deeds.map(({ verb }) => verb)).size === 1;
  return deeds.map(({ verb, kind, server, tool }, index) => {
    const isOwn = isFolder(tool)
      ? !hasEffect
      : isOneThing && !isBrowsing({ tool, server }) && EFFECTS.has(kind);
    return { verb, kind, server, tool, step: isOwn ? undefined : steps[index] };
  });
}

function stepOf(deed: Plain): Deed["step"] {
  const words = nameWords(deed.tool).filter((word) => !NOISE.has(word));
  const [first = ""] = words;
  if (isFolder(deed.tool) || LEADING.has(words.join(""))) return "leading";
  if (isBrowsing(deed) && BROWSING.has(first)) return "leading";
  // Counting and storing by a key serves something else; setting a light is done for its own sake.
  const isOfKeys = deed.verb !== "set" || words.length === 1 || KEPT.test(deed.tool);
  return HELPING.has(deed.verb) && isOfKeys ? "helping" : undefined;
}

function isFolder(tool: string): boolean {
  return FOLDERS.has(nameWords(tool).join(""));
}

function doneBy(text: string): ReadonlyMap<string, Done> {
  return new Map(
    [...wordSet(text)].map((entry) => {
      const [word = "", verb = "", kind = ""] = entry.split(/[=/]/);
      return [word, { verb, kind: kind as VerbKind }] as const;
    }),
  );
}
