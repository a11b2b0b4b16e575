/**
 * Builds the search for tools and capabilities, and the statistics of its quality.
 *
 * @module
 */
import { resolve } from "node:path";
import { messageOf } from "../base/pml-error.js";
import type { Embedder, EmbedderStatus } from "../discovery/embedder.js";
import { HybridMatcher } from "../discovery/hybrid-matcher.js";
import { Meaning } from "../discovery/meaning.js";
import { createEmbedder, type EmbedderSettings } from "../embedding/create-embedder.js";
import { sessionOf, type ToolBox } from "../execution/ports/tool-box.js";
import { SuggestionStats } from "../execution/suggest/suggestion-stats.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Graph } from "./compose-graph.js";
import type { MemoryParts } from "./compose-memory.js";
import type { Config } from "./config-schema.js";
import { PastIntentReader } from "./past-intent-reader.js";

interface Parts extends MemoryParts {
  readonly registry: Pick<CapabilityRegistry, "directory">;
  readonly tools: Pick<ToolBox, "tools">;
  /** Predicts what is likely to follow. */
  readonly graph: Graph;
}

export function composeDiscovery(parts: Parts) {
  const { settings, config, registry, tools, servers, store, graph, events, log, wireNameOf } = parts;
  const { directory } = registry;
  const { outsideVectors: outside } = store;
  const embedder = embedderSettings(config, settings.config.directory);
  const matcher = new HybridMatcher({
    directory,
    tools: () => tools.tools(),
    follows: (context) => graph.follows(context),
  });
  const pastIntents = new PastIntentReader({
    traces: store.traces,
    remember: (past) => matcher.remember(past),
    log,
  });
  const suggestionStats = new SuggestionStats();
  events.on("tool.answered", ({ entry, session }) => suggestionStats.used(session, entry.id));
  events.on("run.ended", ({ ran: { request, of }, ended, caller }) => {
    if (ended.error !== undefined || of === undefined) return;
    const past = { fqdn: of.capability.fqdn, intent: request.intent, scope: caller.scope };
    // The answer is sent first. The next request is read after this.
    setImmediate(() => matcher.remember(past));
  });
  for (const kind of ["offers.changed", "tools.shown"] as const) events.on(kind, () => matcher.prepareSoon());
  let starting: Promise<void> | undefined;
  let bundled: Embedder | undefined;
  let isStopped = false;
  return {
    /** The parts for the executor. */
    intents: { matcher, suggestionStats, wireNameOf },
    /** The parts for `pml_discover`. */
    discover: {
      matcher,
      wireNameOf,
      stats: suggestionStats,
      context: (asker: Parameters<typeof sessionOf>[0]) => graph.context(sessionOf(asker)),
      silent: () =>
        servers
          .statuses()
          .filter(({ state, tools: offered }) => state !== "ready" && offered === 0)
          .map(({ name }) => name),
    },
    /** Vectors of words by the bundled model; undefined if another model, or none, is configured. */
    async embedWords(words: readonly string[], signal: AbortSignal) {
      await starting;
      return bundled?.embedWords?.(words, signal);
    },
    /** The status of the model, if there is one. */
    async status(): Promise<EmbedderStatus | undefined> {
      const { status } = matcher;
      if (status === undefined || status.state === "none" || outside === undefined) return status;
      const problem = await outside.problem().catch(messageOf);
      return problem === undefined ? status : { ...status, noOutside: problem };
    },
    /** Loads the model and indexes what exists, in the background. */
    start() {
      pastIntents.start();
      starting = createEmbedder(embedder, log).then((created) => {
        if (embedder === "bundled") bundled = created;
        const meaning = new Meaning({
          embedder: created,
          store: store.vectors,
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

/** @param directory of the configuration, the base of its relative paths */
export function embedderSettings({ discovery }: Config, directory: string): EmbedderSettings {
  const embedder = discovery?.embedder ?? "bundled";
  if (typeof embedder === "string" || embedder.type !== "directory") return embedder;
  return { ...embedder, path: resolve(directory, embedder.path) };
}
