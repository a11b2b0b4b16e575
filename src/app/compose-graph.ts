/**
 * Builds the graph of tools and capabilities, its suggestions, and the thresholds for them.
 *
 * @module
 */
import { ProvidesIndex } from "../analysis/data/provides-index.js";
import { contextBonuses } from "../discovery/graph/context-bonus.js";
import { periodOf } from "../discovery/graph/edge-weights.js";
import { GraphInsights } from "../discovery/graph/graph-insights.js";
import { GraphKeeper } from "../discovery/graph/graph-keeper.js";
import { GraphMaps } from "../discovery/graph/graph-map.js";
import { GraphSuggester } from "../discovery/graph/graph-suggester.js";
import { AdaptiveThresholds } from "../discovery/thresholds/adaptive-thresholds.js";
import { UseLearning } from "../execution/learn/use-learning.js";
import { outputSchemaOf, type ToolBox } from "../execution/ports/tool-box.js";
import { storedLinks } from "../execution/prepare/stored-structure.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { GraphNode } from "../registry/tool-graph.js";
import type { MemoryParts } from "./compose-memory.js";
import { analyseInThread, drawInThread } from "./threads.js";

export type Graph = ReturnType<typeof composeGraph>;

/** How old other gateways' data may be. */
const EXCHANGE_MS = 30_000;

export function composeGraph(
  { store, events, tenants, log }: MemoryParts,
  directory: CapabilityDirectory,
  tools: Pick<ToolBox, "tools">,
) {
  const keeper = new GraphKeeper({
    directory,
    tools: () => tools.tools(),
    outputSchemaOf,
    codeOf: async (capabilities) => {
      const kept = await store.graph.structures(capabilities.map(({ fqdn }) => fqdn));
      return new Map(
        Array.from(kept, ([fqdn, structure]) => [fqdn, storedLinks(structure)] as const).flatMap(
          ([fqdn, links]) => (links === undefined ? [] : [[fqdn, links] as const]),
        ),
      );
    },
    schemas: new ProvidesIndex(),
    store: store.graph,
    log,
  });
  const insights = new GraphInsights(keeper.graph, { analyse: analyseInThread });
  const thresholds = new AdaptiveThresholds(store.thresholds, log);
  const learning = new UseLearning((pairs) => keeper.followed(pairs));
  events.on("run.ended", ({ ran, ended, caller }) => {
    if (!tenants.has(caller.scope)) learning.ran(ran, ended, caller);
  });
  events.on("tool.answered", ({ entry, session, scope, by }) => {
    if (tenants.has(scope)) return;
    keeper.answered(entry.id);
    if (by === "client") learning.called(session, entry.id);
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    /** The parts for the executor. */
    execution: {
      suggester: new GraphSuggester({ graph: keeper.graph, insights, catchUp: () => void keeper.catchUp() }),
      thresholds,
    },
    /** The graph in the form for people. */
    maps: new GraphMaps(keeper.graph, drawInThread, () => keeper.catchUp()),
    /** The last uses of a session. */
    context: (session: string) => learning.recent(session),
    /** What is likely to follow this context. */
    follows: (context: readonly GraphNode[]) => contextBonuses(keeper.graph, context, periodOf(Date.now())),
    prune: () => keeper.prune(),
    start() {
      void keeper.exchange();
      timer = setInterval(() => void keeper.exchange(), EXCHANGE_MS);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await keeper.stop();
      await thresholds.settled();
    },
  };
}
