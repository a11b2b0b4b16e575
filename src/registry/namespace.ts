/**
 * The default namespace of a capability: derived from the servers whose tools it uses.
 *
 * An FQDN keeps its namespace for ever, so this rule must never change: the same tools give the same namespace in every
 * release.
 *
 * @module
 */
import { isOperationId, splitToolId, type ToolId } from "./tool-id.js";

export interface NamespaceClues {
  /** Distinct, in the order of their first call. */
  readonly tools: readonly ToolId[];
  /** Namespaces of the capabilities that it calls, in the order of their first call. */
  readonly called?: readonly string[];
  readonly intent?: string;
  readonly code?: string;
}

/** Words in server names, by the purpose of the server. A word that ends in `sql` is a database too. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  fs: words("fs file files filesystem filesystems fileserver folder folders"),
  api: words("http https httpx fetch fetcher rest restful curl axios graphql openapi swagger"),
  db: words(
    "db database databases pg psql sqlite sqlite3 mariadb oracle duckdb motherduck cockroach cockroachdb clickhouse " +
      "snowflake bigquery redshift trino presto turso timescale timescaledb planetscale supabase postgres",
  ),
  git: words("git github gitlab bitbucket gitea gitee forgejo codeberg sourcehut gerrit"),
  shell: words("shell shells bash zsh sh terminal cmd powershell pwsh command commands exec"),
  ai: words(
    "openai anthropic claude gpt chatgpt llm llms ollama mistral gemini cohere huggingface groq grok openrouter " +
      "deepseek llama llamacpp lmstudio vllm replicate bedrock",
  ),
};
/** These words only count if the name has no others: `weather-api` is about the weather. */
const WEAK: Readonly<Record<string, string>> = { api: "api", apis: "api", web: "api", ai: "ai", sql: "db" };
const NOISE: ReadonlySet<string> = new Set(
  words("mcp server servers client clients tool tools service my local"),
);

const FAMILY_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(FAMILIES).flatMap(([family, names]) => names.map((name) => [name, family] as const)),
);

/** An intent with these words is about data, not about the shape of one value. */
const DATA =
  /\b(?:rows?|records?|tables?|columns?|csv|tsv|datasets?|spreadsheets?|lignes?|enregistrements?|tableaux?|colonnes?)\b/i;
const READS_ARGUMENTS = /\bargs\b/;

/** Always `[a-z0-9_-]+`. */
export function inferNamespace({ tools, called = [], intent = "", code = "" }: NamespaceClues): string {
  const server = mainServer(tools);
  if (server !== undefined) return serverNamespace(server);
  const [namespace] = called;
  if (namespace !== undefined) return namespace;
  if (DATA.test(intent)) return "data";
  return READS_ARGUMENTS.test(code) ? "transform" : "util";
}

/** The namespace for the tools of a server. */
export function serverNamespace(server: string): string {
  const parts = server
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "" && !NOISE.has(part));
  const family = parts.map(familyOf).find((found) => found !== undefined);
  if (family !== undefined) return family;
  const [only, ...more] = parts;
  const weak = only === undefined || more.length > 0 ? undefined : WEAK[only];
  return weak ?? (server.toLowerCase().replace(/[^a-z0-9_-]+/g, "_") || "util");
}

/** The server with the most tools; with several, the one that is called first. */
function mainServer(tools: readonly ToolId[]): string | undefined {
  const counts = new Map<string, number>();
  for (const tool of tools) {
    if (isOperationId(tool)) continue;
    const { server } = splitToolId(tool);
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  let main: string | undefined;
  for (const [server, count] of counts)
    if (main === undefined || count > (counts.get(main) ?? 0)) main = server;
  return main;
}

function familyOf(word: string): string | undefined {
  const isSql = word.length > 3 && word.endsWith("sql") && word !== "nosql";
  return FAMILY_OF.get(word) ?? (isSql ? "db" : undefined);
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
