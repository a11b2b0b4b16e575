/**
 * Builds what finds tools and capabilities for an intent, and what counts how well.
 *
 * @module
 */
import type { EventStream } from "../base/event-stream.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { Embedder, EmbedderStatus, WordVectors } from "../discovery/embedder.js";
import { HybridMatcher } from "../discovery/hybrid-matcher.js";
import { Meaning } from "../discovery/meaning.js";
import type { OutsideVectors, VectorStore } from "../discovery/vector-index.js";
import { createEmbedder, type EmbedderSettings } from "../embedding/create-embedder.js";
import type { ToolBox } from "../execution/ports/tool-box.js";
import type { IntentOptions } from "../execution/suggest/intent-execution.js";
import { SuggestionStats } from "../execution/suggest/suggestion-stats.js";
import type { WireNameOf } from "../execution/suggest/suggestions.js";
import type { DiscoverParts } from "../gateway/own/discover.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import type { RealServers } from "../mcp/real-servers.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { TraceStore } from "../registry/trace-store.js";
import type { Graph } from "./compose-graph.js";
import { PastIntentReader } from "./past-intent-reader.js";

export interface DiscoveryParts {
  readonly directory: CapabilityDirectory;
  readonly tools: Pick<ToolBox, "tools">;
  readonly vectors: VectorStore;
  /** Where vectors are searched that memory should not hold. */
  readonly outside?: OutsideVectors;
  readonly traces: Pick<TraceStore, "succeededIntents">;
  /** What servers say of themselves. */
  readonly servers: Pick<RealServers, "statuses">;
  readonly embedder: EmbedderSettings;
  /** What is likely after something. */
  readonly graph: Pick<Graph, "context" | "follows">;
  readonly events: Pick<EventStream<PmlEvents>, "on">;
  readonly log: Log;
}

export interface Discovery {
  /** What the executor needs of it. */
  readonly intents: IntentOptions & { readonly suggestionStats: SuggestionStats };
  /** What `pml_discover` needs of it. */
  readonly discover: Omit<DiscoverParts, "registry" | "tools" | "isCallable">;
  /** Tells what clients call tools by, once there is a list of them. */
  nameTools(wireNameOf: WireNameOf): void;
  /** Vectors of words by the bundled model; nothing where another one is configured, or none. */
  embedWords(words: readonly string[], signal: AbortSignal): Promise<WordVectors | undefined>;
  /** How the model is, where there is one. */
  status(): Promise<EmbedderStatus | undefined>;
  /** Looks for the model, and lets it read what there is. Nobody waits for it. */
  start(): void;
  stop(): Promise<void>;
}

export function composeDiscovery(parts: DiscoveryParts): Discovery {
  const { directory, tools, servers, vectors, outside, traces, embedder, graph, events, log } = parts;
  const matcher = new HybridMatcher({
    directory,
    tools: () => tools.tools(),
    follows: (context) => graph.follows(context),
  });
  const pastIntents = new PastIntentReader({ traces, remember: (past) => matcher.remember(past), log });
  const suggestionStats = new SuggestionStats();
  events.on("tool.answered", ({ entry, connection }) => suggestionStats.used(connection, entry.id));
  events.on("run.ended", ({ ran: { request, of }, ended, caller }) => {
    if (ended.error === undefined && of !== undefined)
      matcher.remember({ fqdn: of.capability.fqdn, intent: request.intent, scope: caller.scope });
  });
  for (const kind of ["offers.changed", "tools.shown"] as const) events.on(kind, () => matcher.prepareSoon());
  let names: WireNameOf | undefined;
  let starting: Promise<void> | undefined;
  let bundled: Embedder | undefined;
  let isStopped = false;
  const wireNameOf: WireNameOf = async (id) => names?.(id);
  return {
    intents: { matcher, suggestionStats, wireNameOf },
    discover: {
      matcher,
      wireNameOf,
      stats: suggestionStats,
      context: ({ connection }) => graph.context(connection),
      silent: () =>
        servers
          .statuses()
          .filter(({ state, tools: offered }) => state !== "ready" && offered === 0)
          .map(({ name }) => name),
    },
    nameTools(given) {
      names = given;
    },
    async embedWords(words, signal) {
      await starting;
      return bundled?.embedWords?.(words, signal);
    },
    async status() {
      const { status } = matcher;
      if (status === undefined || status.state === "none" || outside === undefined) return status;
      const problem = await outside.problem().catch(messageOf);
      return problem === undefined ? status : { ...status, noOutside: problem };
    },
    start() {
      pastIntents.start();
      starting = createEmbedder(embedder, log).then((created) => {
        if (embedder === "bundled") bundled = created;
        const meaning = new Meaning({
          embedder: created,
          store: vectors,
          log,
          ...(outside ? { outside } : {}),
        });
        if (isStopped) return meaning.stop();
        matcher.useMeaning(meaning);
        return undefined;
      });
    },
    async stop() {
      isStopped = true;
      pastIntents.stop();
      await starting;
      await matcher.stop();
    },
  };
}
