/**
 * The namespace of a name: what the most telling of the code's tools is for.
 *
 * Most telling is not most frequent: code that reads three files and posts one message is about the message. A server
 * says what it is for by its name, by what it says of itself, by the names of its tools and by what they are called with;
 * one that is for nothing that we know keeps its name.
 *
 * @module
 */
import { serverNamespace } from "../registry/namespace.js";
import type { CodeFacts } from "./code/code-facts.js";
import type { Deed } from "./code/deeds.js";
import { isFinishing } from "./code/main-deed.js";
import { nameWords } from "./code/name-words.js";
import { type NamedTool, splitId } from "./naming-subject.js";

export interface NamespaceFound {
  readonly namespace: string;
  readonly server: string | undefined;
  /** 0 to 1: how well it follows. */
  readonly certainty: number;
  readonly reason: string;
}

const NOISE = new Set("mcp server servers client tool tools service my local the".split(" "));
const KNOWN = new Set(["fs", "api", "db", "git", "shell", "ai"]);
/** What servers say of themselves when they are of a family; more telling ones first. */
const ABOUT: readonly (readonly [string, RegExp])[] = [
  [
    "git",
    /\b(?:github|gitlab|bitbucket|gitea|forgejo|azure devops repos|git repositor(?:y|ies)|pull requests?|merge requests?|git (?:history|commits?|hosting))\b/i,
  ],
  [
    "db",
    /\b(?:postgres(?:ql)?|mysql|mariadb|sqlite|sql server|duckdb|clickhouse|snowflake|bigquery|redshift|sql (?:database|quer(?:y|ies))|relational database|data ?warehouse|run sql|execute sql)\b/i,
  ],
  [
    "ai",
    /\b(?:large language models?|language models?|llms?|chat completions?|text generation|generative ai|openai|anthropic|hugging ?face|inference api|image generation)\b/i,
  ],
  [
    "shell",
    /\b(?:shell commands?|run(?:s|ning)? commands?|execute commands?|terminal sessions?|command[- ]line)\b/i,
  ],
  ["fs", /\b(?:file ?system|local files|read and write files|files? and director(?:y|ies))\b/i],
  [
    "api",
    /\b(?:http requests?|rest client|fetch(?:es|ing)? (?:a |web )?(?:urls?|pages?)|http client|web requests?)\b/i,
  ],
];
/** Tools that only servers of a family have. */
const TOOLS: readonly (readonly [string, RegExp])[] = [
  [
    "db",
    /^(?:run_?(?:sql|query)|execute_?(?:sql|query)|sql_?query|query_?(?:sql|database|db)|list_?tables|describe_?table|list_?schemas|get_?schema|sql)$/,
  ],
  [
    "git",
    /^(?:(?:list|get|create|merge|search|review)_(?:pull_requests?|merge_requests?|prs?|commits?|branch(?:es)?|repos(?:itor(?:y|ies))?)|git_\w+|commit|checkout|rebase|cherry_pick)$/,
  ],
  [
    "fs",
    /^(?:read_(?:text_)?files?|read_multiple_files|write_files?|list_(?:directory|dir)|directory_tree|move_file|edit_file|create_directory|delete_file|glob|stat)$/,
  ],
  ["shell", /^(?:(?:run|exec|execute)(?:_?(?:shell|command|cmd|bash|script))?|bash|shell|terminal)$/],
  [
    "ai",
    /^(?:chat|complete|completion|chat_?completions?|generate_?text|create_?(?:completion|message|embedding)s?|embed(?:dings?)?|messages_create|generate_image|classify_text)$/,
  ],
  [
    "api",
    /^(?:https?_?(?:get|post|put|delete|patch|request)|fetch(?:_url|_page|_json)?|request|get_url|curl|graphql)$/,
  ],
];
/** Servers of these say little about what is done with them. */
const GENERIC: Readonly<Record<string, number>> = {
  transform: -0.5,
  data: -0.5,
  util: -0.5,
  fs: 0,
  api: 0.2,
  shell: 0.2,
  db: 1,
  ai: 0.8,
  git: 1.6,
};
const OWN_GENERIC =
  /^(?:time|memory|thinking|sequential_?thinking|everything|utils?|helpers?|math|calculator|json|text|datetime|clock|uuid|crypto|cache|kv|s3|storage)$/;

export function familyOf(
  server: string,
  tools: readonly NamedTool[],
  deeds: readonly Deed[],
): { readonly namespace: string; readonly certainty: number; readonly how: string } {
  const byName = serverNamespace(server);
  if (KNOWN.has(byName)) return { namespace: byName, certainty: 1, how: `server ${server} is for ${byName}` };
  const about = tools
    .map(({ about = "", description = "" }) => `${about} ${description}`)
    .join(" ")
    .slice(0, 8_000);
  const own = ownName(server);
  const abouts = tools
    .map(({ about = "" }) => about)
    .join(" ")
    .slice(0, 4_000);
  for (const [family, pattern] of ABOUT)
    if (pattern.test(abouts))
      return { namespace: family, certainty: 0.9, how: `server ${server} says that it is for ${family}` };
  const names = tools.map(({ id }) =>
    splitId(id)
      .tool.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
      .replaceAll("-", "_")
      .toLowerCase(),
  );
  for (const [family, pattern] of TOOLS) {
    const hits = names.filter((name) => pattern.test(name)).length;
    if (hits > 0 && 2 * hits >= names.length && isPlausible(family, own, deeds, names))
      return { namespace: family, certainty: 0.8, how: `tools of ${server} are those of ${family}` };
  }
  if (about.trim() !== "")
    for (const [family, pattern] of ABOUT)
      if (pattern.test(about))
        return {
          namespace: family,
          certainty: 0.7,
          how: `tools of ${server} say that they are for ${family}`,
        };
  return { namespace: own, certainty: 0.95, how: `server ${server} keeps its name` };
}

/** Servers that say by their own names that they are of a family, where their tools could be anybody's. */
const LIKELY: Readonly<Record<string, RegExp>> = {
  shell:
    /shell|bash|zsh|term|tty|cmd|command|cli|exec|ssh|desktop|process|console|^os$|system|host|sandbox|local|machine|runner|^dev|box/,
  api: /http|fetch|api|web|curl|rest|request|url|client|net|download/,
  git: /git|repo|vcs|scm|forge|code|hub|svn|bucket|source/,
};
/** Servers that are something else, whatever their tools are called. */
const UNLIKELY: Readonly<Record<string, RegExp>> = {
  fs: /drive|dropbox|box|s3|bucket|ftp|cloud|share|storage|docs?|notes?|vault|obsidian|blob|gist|git|repo|azure|gcs|minio|hdfs|container|docker|kube/,
  db: /notion|airtable|coda|sheet|jira|prometheus|loki|grafana|elastic|opensearch|splunk|datadog|newrelic|honeycomb|mongo|firestore|dynamo|cosmos|neo4j|graph|redis|vector|pinecone|weaviate|qdrant|chroma|memory|knowledge|salesforce|hubspot|crm|posthog|amplitude|mixpanel|analytics_api|sentry|log|search|drive|docs/,
  git: /docker|registry|npm|maven|pypi|helm|package|artifact|shop|store|cart|commerce|payment/,
  shell: /workflow|job|query|test|browser|python|code|notebook|kube|k8s|docker|podman|container|redis/,
};

/** A tool called `query` or `run` is that of many servers; what it is given tells, and what the server is called. */
function isPlausible(family: string, own: string, deeds: readonly Deed[], names: readonly string[]): boolean {
  if (UNLIKELY[family]?.test(own) === true) return false;
  if (family === "shell")
    return (
      LIKELY.shell?.test(own) === true &&
      deeds.some(({ kind, tool }) => kind !== "ask" || /cmd|command|shell|bash|exec/.test(tool))
    );
  if (family === "api")
    return LIKELY.api?.test(own) === true || names.some((name) => /http|url|fetch|curl/.test(name));
  if (family === "git")
    return (
      LIKELY.git?.test(own) === true ||
      names.some((name) => /git|pull_request|merge_request|commit|branch|rebase/.test(name))
    );
  // A model is asked for something; what else is complete is done.
  return family !== "ai" || deeds.some(({ kind }) => kind === "make" || kind === "compute");
}

function ownName(server: string): string {
  const plain = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "");
  const parts = plain.split(/([_-]+)/);
  const words = parts.filter((_, index) => index % 2 === 0);
  const kept = words.filter((word) => !NOISE.has(word));
  if (kept.length === 0)
    return plain === "" || plain === "mcp" || plain === "cap" || plain === "pml" ? "util" : plain;
  if (kept.length === words.length) return plain;
  return kept.join(parts[1] ?? "_");
}

export function namespaceOf(
  tools: readonly NamedTool[],
  deeds: readonly Deed[],
  facts: CodeFacts,
  intentWords: ReadonlySet<string>,
): NamespaceFound | undefined {
  const servers = new Map<string, NamedTool[]>();
  for (const tool of tools) {
    const { server } = splitId(tool.id);
    const known = servers.get(server);
    if (known === undefined) servers.set(server, [tool]);
    else known.push(tool);
  }
  if (servers.size === 0)
    for (const { server, tool } of facts.calls)
      if (server !== "") servers.set(server, [{ id: `${server}:${tool}` }]);
  let best: (NamespaceFound & { readonly worth: number }) | undefined;
  for (const [server, ofServer] of servers) {
    const own = deeds.filter((deed) => sameServer(deed.server, server));
    const { namespace, certainty, how } = familyOf(server, ofServer, own);
    const worth =
      (GENERIC[namespace] ?? (OWN_GENERIC.test(namespace) ? 0.3 : 2)) +
      effectOf(own.filter((deed) => !isFinishing(deed, deeds))) +
      (nameWords(server).some((word) => intentWords.has(word)) ? 0.6 : 0);
    if (best === undefined || worth > best.worth)
      best = {
        namespace,
        server,
        certainty: servers.size > 1 ? certainty * 0.9 : certainty,
        reason: how,
        worth,
      };
  }
  return best;
}

function sameServer(left: string, right: string): boolean {
  return left === right || nameWords(left).join() === nameWords(right).join();
}

function effectOf(deeds: readonly Deed[]): number {
  const worths = { tell: 1.6, change: 1.2, remove: 1.3, run: 1, make: 0.5, compute: 0.1, check: 0.1, ask: 0 };
  return Math.max(0, ...deeds.map(({ kind }) => worths[kind]));
}
