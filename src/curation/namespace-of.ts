/**
 * The namespace of a name: the subject of the most significant tool of the code.
 *
 * The most significant tool is not the most frequent: code that reads three files and posts one message is about the
 * message. The subject of a server follows from its name, its description and the names of its tools; a server with an
 * unknown subject keeps its own name. Code without tools is `data` (rows and figures), `transform` (one form into
 * another) or `util`.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import { serverNamespace } from "../registry/namespace.js";
import type { CodeFacts } from "./code/code-facts.js";
import type { Deed } from "./code/deeds.js";
import { isFinishing, KIND_WORTH } from "./code/main-deed.js";
import { nameWords } from "./code/name-words.js";
import { FAMILY_PHRASES, FAMILY_TOOLS } from "./lexicon/families.js";
import { verbNamed } from "./lexicon/verbs.js";
import { type NamedTool, splitId } from "./naming-subject.js";

export interface NamespaceFound {
  readonly namespace: string;
  /** 0 to 1: how well it follows from the tools. */
  readonly certainty: number;
  readonly reason: string;
}

const NOISE = wordSet("mcp server servers client tool tools service my local the");
const RESERVED = wordSet("mcp cap pml");
const KNOWN = wordSet("fs api db git shell ai");
/** Servers with these subjects say little about the purpose; any other server has weight 2. */
const WORTH: ReadonlyMap<string, number> = new Map([
  ["fs", 0],
  ["api", 0.2],
  ["shell", 0.2],
  ["ai", 0.8],
  ["db", 1],
  ["git", 1.6],
  ...[
    ...wordSet("time memory thinking util utils math json text datetime clock uuid cache kv s3 storage"),
  ].map((name) => [name, 0.3] as const),
]);
const ABOUT_CHARS = 8_000;

export function familyOf(
  server: string,
  tools: readonly NamedTool[],
): { readonly namespace: string; readonly certainty: number; readonly how: string } {
  const byName = serverNamespace(server);
  if (KNOWN.has(byName)) return { namespace: byName, certainty: 1, how: `server ${server} is for ${byName}` };
  const saying = (text: string) =>
    FAMILY_PHRASES.find(([, words]) => words.test(text.slice(0, ABOUT_CHARS)))?.[0];
  const bySelf = saying(tools.map(({ about = "" }) => about).join(" "));
  if (bySelf !== undefined)
    return { namespace: bySelf, certainty: 0.9, how: `server ${server} says that it is for ${bySelf}` };
  const names = tools.map(({ id }) => nameWords(splitId(id).tool).join("_"));
  const isOf = (family: string) =>
    2 * names.filter((name) => FAMILY_TOOLS[family]?.has(name)).length >= names.length;
  const byTools = Object.keys(FAMILY_TOOLS).find(isOf);
  if (byTools !== undefined && names.length > 0)
    return { namespace: byTools, certainty: 0.8, how: `tools of ${server} are those of ${byTools}` };
  const byTexts = saying(tools.map(({ description = "" }) => description).join(" "));
  if (byTexts !== undefined)
    return { namespace: byTexts, certainty: 0.7, how: `tools of ${server} say that they are for ${byTexts}` };
  return { namespace: ownName(server), certainty: 0.95, how: `server ${server} keeps its name` };
}

function ownName(server: string): string {
  const plain = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "");
  const words = plain.split(/[_-]+/);
  const kept = words.filter((word) => !NOISE.has(word));
  if (kept.length === 0) return plain === "" || RESERVED.has(plain) ? "util" : plain;
  if (kept.length === words.length) return RESERVED.has(plain) ? "util" : plain;
  return kept.join(/[_-]/.exec(plain)?.[0] ?? "_");
}

export function namespaceOf(
  tools: readonly NamedTool[],
  deeds: readonly Deed[],
  facts: CodeFacts,
  intentWords: ReadonlySet<string>,
): NamespaceFound | undefined {
  const called = facts.calls.filter(({ server }) => server !== "");
  const all = tools.length > 0 ? tools : called.map(({ server, tool }) => ({ id: `${server}:${tool}` }));
  const servers = [...new Set(all.map(({ id }) => splitId(id).server))];
  let best: NamespaceFound | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const server of servers) {
    const own = deeds.filter(
      (deed) => nameWords(deed.server).join() === nameWords(server).join() && !isFinishing(deed, deeds),
    );
    const { namespace, certainty, how } = familyOf(
      server,
      all.filter(({ id }) => splitId(id).server === server),
    );
    const worth =
      (WORTH.get(namespace) ?? 2) +
      Math.max(0, ...own.map(({ kind }) => 0.4 * (KIND_WORTH[kind] - 1))) +
      (nameWords(server).some((word) => intentWords.has(word)) ? 0.6 : 0);
    if (worth <= most) continue;
    most = worth;
    best = { namespace, certainty: servers.length > 1 ? certainty * 0.9 : certainty, reason: how };
  }
  return best;
}

const DATA = wordSet(`
row record table column csv tsv dataset spreadsheet series statistic average median percentile outlier`);

/** For code that calls no tools. */
export function pureNamespace(verb: string, intentWords: ReadonlySet<string>): NamespaceFound {
  const kind = verbNamed(verb)?.kind;
  const isData =
    kind === "compute" ||
    (kind === "ask" && [...intentWords].some((word) => DATA.has(word.replace(/s$/, ""))));
  const namespace = isData ? "data" : kind === "make" || kind === undefined ? "transform" : "util";
  return { namespace, certainty: 0.85, reason: `it calls no tools, so it is ${namespace}` };
}
