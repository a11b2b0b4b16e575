/**
 * `pml_discover`: finds the tools and capabilities that match an intent, ranked together.
 *
 * @module
 */
import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { nearest } from "../../base/nearest.js";
import { messageOf } from "../../base/pml-error.js";
import type { RelatedItem } from "../../execution/ports/execute-answer.js";
import { type KnownTool, sessionOf, type ToolBox, toolsById } from "../../execution/ports/tool-box.js";
import type { SuggestionStats } from "../../execution/suggest/suggestion-stats.js";
import type { WireNameOf } from "../../execution/suggest/suggestions.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { currentParts } from "../../registry/display-name.js";
import type { Fqdn } from "../../registry/fqdn.js";
import {
  aboveFloor,
  type Match,
  type Matcher,
  type MatchOptions,
  NO_FLOOR,
  type Ranking,
} from "../../registry/matcher.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import { codeName } from "../../registry/type-signature.js";
import { canSee } from "../../registry/visibility.js";
import { toolWireForm } from "../../registry/wire-name.js";
import { BRIEF, operation, UNLISTED } from "../operation.js";
import { namedFrom, warned } from "./capability-view.js";
import { type DiscoverAnswer, discoverAnswer } from "./discover-answer.js";
import { compactViews, type FoundItem, fullViews } from "./discover-view.js";
import type { Parts } from "./parts.js";
import { cutAtWord, plainLine } from "./plain-line.js";
import { relatedViews } from "./related-view.js";
import { serversBehind } from "./servers-behind.js";

/** The caller of a search. */
interface Asker {
  readonly scope: Scope;
  readonly connection: string;
  readonly client?: string | undefined;
  /** The caller's list has no tools of servers. */
  readonly isLean?: boolean;
}

export interface DiscoverParts {
  readonly matcher: Matcher;
  readonly registry: Pick<CapabilityRegistry, "directory" | "loaded" | "store">;
  readonly tools: Pick<ToolBox, "tools" | "settled">;
  /** Whether a tool can be called at all; default: every tool. */
  readonly isCallable?: (tool: KnownTool) => boolean;
  readonly wireNameOf?: WireNameOf | undefined;
  /** What the caller used just before. */
  readonly context?: (asker: Asker) => readonly (ToolId | Fqdn)[];
  /** Servers whose tools cannot be found because they do not answer. */
  readonly silent?: () => readonly string[];
  /** Finds items related to the results. */
  readonly related?: (found: readonly Match[], asker: Asker) => Promise<readonly RelatedItem[]>;
  readonly stats?: SuggestionStats | undefined;
}

const PAGE = 10;
const PAGE_MOST = 50;
const OFFSET_MOST = 10_000;
const SILENT_SHOWN = 5;
/**
 * Results after the first three are shown if they have at least this share of the best score: of those below, one in a
 * hundred is right.
 */
const NEAR_BEST = 0.1;
const ALWAYS_SHOWN = 3;
const SERVERS_SHOWN = 20;
const STEPS_NOTED = 2;
const STEP_CHARS = 40;
const NOTHING_FITS = "Nothing matches this intent.";
/** Some result is always the best: below this score, at most one in ten best results is right. */
const FITS_WELL = 0.1;
const POOR =
  "No good match: there may be no tool for this. Rephrase the intent, in English, or do without: pml_execute runs code that needs no tool.";

const schema = z.strictObject({
  intent: z.string().trim().min(1).max(LIMITS.intentChars).describe("What to do, in English"),
  filter: z
    .strictObject({
      type: z.enum(["tool", "capability", "all"]).optional(),
      minScore: z.number().min(0).optional().describe("0 to 1"),
      namespace: z.string().min(1).max(200).optional().describe("Server or namespace"),
    })
    .optional()
    .meta({ ...BRIEF, description: "{type: 'tool' or 'capability', namespace (or server), minScore}" }),
  limit: z.int().min(1).max(PAGE_MOST).optional().describe(`Default ${PAGE}`),
  offset: z.int().min(0).max(OFFSET_MOST).optional().meta(UNLISTED),
  detail: z.enum(["compact", "full"]).optional().describe("full adds schemas and code"),
  include_suggestions: z.boolean().optional().meta(UNLISTED),
});

type Wanted = z.infer<typeof schema>;

type OwnParts = Pick<DiscoverParts, "registry" | "tools"> &
  Pick<Parts, "servers"> & { readonly discover: Omit<DiscoverParts, "registry" | "tools"> };

const SUMMARY =
  "Start here, before you call a tool: finds the tools of all servers and the capabilities (code that worked before) for an intent, best first, with TypeScript signatures and scores.";

export const pmlDiscover = operation({
  id: "pml:discover",
  who: "reader",
  title: "Find tools and capabilities",
  summary: SUMMARY,
  shown: (parts: OwnParts) => ({ description: `${SUMMARY} ${serversBehind(parts)}` }),
  input: schema,
  output: discoverAnswer,
  isAlwaysLoaded: true,
  run: ({ discover, registry, tools }) => {
    const parts = { ...discover, registry, tools };
    return async (wanted, scope, { connection, client, isLean = false }) => {
      const { limit = PAGE, offset = 0 } = wanted;
      const asker = { scope, connection, client, isLean };
      const warnings = await ready(parts, wanted);
      const searched = await search(parts, wanted, asker);
      const { found: all, ranking, leftOut } = searched;
      const page = all.slice(offset, offset + limit);
      const said = { ...noted(searched, wanted), ...hinted(parts, page, leftOut, wanted, scope) };
      const { results, warning } = await viewsOf(parts, page, wanted, Object.values(said).join(" "));
      const end = offset + results.length;
      const found = all.slice(offset, end);
      count(parts, found, asker);
      return {
        results,
        ...(found.length > 0 && all.length > end ? { next_offset: end } : {}),
        ...(ranking === "words" ? { ranking } : {}),
        ...(leftOut > 0 ? { left_out: leftOut } : {}),
        ...said,
        ...(await relatedOf(parts, found, wanted, asker)),
        ...warned([...warnings, ...warning]),
      };
    };
  },
});

/** The right tool may belong to a server that is still starting. Tools are found even if the store cannot be read. */
async function ready(
  { registry, tools, silent }: DiscoverParts,
  { filter }: Wanted,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  if (filter?.type !== "capability") {
    await tools.settled();
    const servers = silent?.() ?? [];
    if (servers.length > 0)
      warnings.push(
        `Tools of ${listed(servers)} are missing, because ${servers.length === 1 ? "it does" : "they do"} not answer: see \`pml doctor\``,
      );
  }
  if (filter?.type !== "tool")
    await registry.loaded().catch((error: unknown) => {
      warnings.push(`Some capabilities are missing: ${messageOf(error)}`);
    });
  return warnings;
}

function listed(servers: readonly string[], most = SILENT_SHOWN): string {
  const more = servers.length - most;
  return servers.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

interface Searched {
  readonly found: readonly FoundItem[];
  readonly ranking: Ranking;
  /** How many results of this page had too low a score. */
  readonly leftOut: number;
  /** Steps for which no result has a sufficient score. */
  readonly unmatched: readonly string[];
}

/** Results from the first one on, plus one more than the page needs, if it exists. */
async function search(
  parts: DiscoverParts,
  { intent, filter = {}, limit = PAGE, offset = 0 }: Wanted,
  asker: Asker,
): Promise<Searched> {
  const { type, namespace, minScore } = filter;
  const context = parts.context?.(asker) ?? [];
  let ranking: Ranking = "all";
  let floor = NO_FLOOR;
  let unmatched: readonly string[] = [];
  const options: Omit<MatchOptions, "limit"> = {
    isByStep: true,
    onRanked(by, usual, steps = []) {
      ranking = by;
      floor = usual;
      unmatched = steps;
    },
    ...(type === undefined || type === "all" ? {} : { kind: type }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(context.length === 0 ? {} : { context }),
  };
  const enough = offset + limit + 1;
  // Tools that cannot be called are not shown and must not use up the limit, so more matches are requested then.
  for (let most = enough; ; most *= 4) {
    const matches = await parts.matcher.match(intent, asker.scope, { ...options, limit: most });
    const items = await Promise.all(matches.map((match) => itemOf(parts, match, asker)));
    const all = items.filter((item) => item !== undefined);
    const least = minScore === undefined ? floor : { first: minScore, each: minScore };
    const fitting = aboveFloor(all, least, ({ match }) => match.score);
    const shown = minScore === undefined ? nearBest(fitting) : fitting;
    if (shown.length < enough && shown.length === all.length && matches.length === most) continue;
    const leftOut = minScore === undefined ? Math.min(all.length, enough) - shown.length : 0;
    return { found: shown.slice(0, enough), ranking, leftOut: Math.max(0, leftOut), unmatched };
  }
}

/**
 * If one result is much better than the others, readers need few of the others. Each step of a request has its own
 * best.
 */
function nearBest(found: readonly FoundItem[]): readonly FoundItem[] {
  if (found.some(({ match }) => match.step !== undefined)) return found;
  const least = (found[0]?.match.score ?? 0) * NEAR_BEST;
  return found.filter(({ match }, place) => place < ALWAYS_SHOWN || match.score >= least);
}

async function itemOf(
  { registry, tools, isCallable, wireNameOf }: DiscoverParts,
  match: Match,
  { scope, isLean }: Asker,
): Promise<FoundItem | undefined> {
  if (match.kind === "capability") {
    const capability = registry.directory.getFor(match.id, scope);
    if (capability === undefined || !canSee(capability, scope)) return undefined;
    return { match, capability, ...namedFrom(capability, scope) };
  }
  const tool = toolsById(tools.tools()).get(match.id);
  if (tool === undefined || tool.quarantined !== undefined || isCallable?.(tool) === false) return undefined;
  if (isLean === true) return { match, tool, name: codeName(tool.id) };
  return { match, tool, name: (await wireNameOf?.(tool.id)) ?? toolWireForm(tool.server, tool.name) };
}

/** Results are shown even if the store can no longer be read. */
async function viewsOf(
  { registry }: DiscoverParts,
  found: readonly FoundItem[],
  { detail }: Wanted,
  beside: string,
) {
  if (detail !== "full") return { results: compactViews(found, beside), warning: [] };
  let warning: readonly string[] = [];
  const versions = await Promise.all(
    found.map((item) =>
      "tool" in item
        ? undefined
        : registry.store.version(item.capability.fqdn, item.capability.version).catch((error: unknown) => {
            warning = [`Cannot read the source of capabilities: ${messageOf(error)}`];
            return undefined;
          }),
    ),
  );
  return { results: fullViews(found, versions, beside), warning };
}

async function relatedOf(
  { related }: DiscoverParts,
  found: readonly FoundItem[],
  { include_suggestions: isWanted }: Wanted,
  asker: Asker,
): Promise<Pick<DiscoverAnswer, "related">> {
  if (isWanted !== true || related === undefined) return {};
  const matches = found.map(({ match }) => match);
  return { related: relatedViews(await related(matches, asker), asker.isLean) };
}

function count({ stats }: DiscoverParts, found: readonly FoundItem[], asker: Asker): void {
  stats?.searched(found.length > 0);
  for (const { match } of found) stats?.suggested(sessionOf(asker), match.id);
}

/** A note if nothing matches the intent or some of its steps. */
function noted({ found, unmatched }: Searched, { offset = 0 }: Wanted): Pick<DiscoverAnswer, "note"> {
  if (offset > 0) return {};
  if (found.length === 0) return { note: NOTHING_FITS };
  const steps = unmatched
    .slice(0, STEPS_NOTED)
    .map((step) => JSON.stringify(cutAtWord(plainLine(step), STEP_CHARS, () => true)));
  return steps.length === 0 ? {} : { note: `Nothing matches ${steps.join(" or ")}.` };
}

function hinted(
  parts: DiscoverParts,
  found: readonly FoundItem[],
  leftOut: number,
  wanted: Wanted,
  scope: Scope,
): Pick<DiscoverAnswer, "hint"> {
  const [first] = found;
  if (first === undefined) return { hint: emptyHint(parts, wanted, scope) };
  if (first.match.score < FITS_WELL && (wanted.offset ?? 0) === 0) return { hint: POOR };
  const many = leftOut === 1 ? "1 weaker match" : `${leftOut} weaker matches`;
  return leftOut === 0 ? {} : { hint: `${many} left out: filter.minScore 0 shows them.` };
}

function emptyHint(parts: DiscoverParts, { filter = {}, offset = 0 }: Wanted, scope: Scope): string {
  if (offset > 0) return "There are no results at this offset: start without offset.";
  const { namespace } = filter;
  const known = namespace === undefined ? [] : namespacesOf(parts, scope);
  if (namespace !== undefined && !known.includes(namespace)) {
    const [like] = nearest(namespace, known, 1);
    const offer = like === undefined ? "" : `; did you mean "${like}"?`;
    return `No server or namespace is called ${JSON.stringify(namespace)}${offer}`;
  }
  const filters = Object.keys(filter).map((key) => `filter.${key}`);
  return filters.length > 0
    ? `No match with ${filters.join(" and ")}: remove that filter, or rephrase the intent.`
    : `No match: rephrase the intent, in English; filter.minScore 0 shows the nearest.${serversOf(parts)} pml_execute runs code that needs no tool.`;
}

/** The names of the servers to search. */
function serversOf({ tools }: DiscoverParts): string {
  const servers = [...new Set(tools.tools().map(({ server }) => server))];
  return servers.length === 0 ? "" : ` Servers: ${listed(servers, SERVERS_SHOWN)}.`;
}

function namespacesOf({ registry, tools }: DiscoverParts, scope: Scope): readonly string[] {
  const all = new Set<string>(tools.tools().map(({ server }) => server));
  for (const capability of registry.directory.listed(scope)) all.add(currentParts(capability).namespace);
  return [...all];
}
