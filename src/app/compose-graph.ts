/**
 * Builds what knows what goes together: the graph, what is suggested by it, and how sure that must be.
 *
 * @module
 */
import { ProvidesIndex } from "../analysis/data/provides-index.js";
import type { EventStream } from "../base/event-stream.js";
import type { Log } from "../base/log.js";
import { contextBonuses } from "../discovery/graph/context-bonus.js";
import { periodOf } from "../discovery/graph/edge-weights.js";
import { GraphInsights } from "../discovery/graph/graph-insights.js";
import { GraphKeeper } from "../discovery/graph/graph-keeper.js";
import { GraphSuggester } from "../discovery/graph/graph-suggester.js";
import { AdaptiveThresholds } from "../discovery/thresholds/adaptive-thresholds.js";
import { RecentUse, UseLearning } from "../execution/learn/use-learning.js";
import { outputSchemaOf, type ToolBox } from "../execution/ports/tool-box.js";
import { storedLinks } from "../execution/prepare/stored-structure.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import type { Store } from "../postgres/open-store.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Thresholds } from "../registry/thresholds.js";
import type { GraphNode, Suggester } from "../registry/tool-graph.js";
import { analyseInThread } from "./graph-thread.js";

export interface GraphParts {
  readonly directory: CapabilityDirectory;
  readonly tools: Pick<ToolBox, "tools">;
  readonly store: Pick<Store, "graph" | "thresholds">;
  readonly events: Pick<EventStream<PmlEvents>, "on">;
  readonly log: Log;
}

export interface Graph {
  /** What the executor needs of it. */
  readonly execution: {
    readonly suggester: Suggester;
    readonly thresholds: Thresholds;
  };
  /** What a connection has used just before. */
  context(connection: string): readonly GraphNode[];
  /** What is likely after this. */
  follows(context: readonly GraphNode[]): ReadonlyMap<GraphNode, number>;
  prune(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** What other gateways have learnt may be this old. */
const EXCHANGE_MS = 30_000;

export function composeGraph({ directory, tools, store, events, log }: GraphParts): Graph {
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
  const recent = new RecentUse();
  const learning = new UseLearning({ recent, followed: (pairs) => keeper.followed(pairs) });
  events.on("run.ended", ({ ran, ended, caller }) => learning.ran(ran, ended, caller));
  events.on("tool.answered", ({ entry, connection, by }) => {
    keeper.answered(entry.id);
    if (by === "client") learning.called(connection, entry.id);
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    execution: {
      suggester: new GraphSuggester({ graph: keeper.graph, insights, catchUp: () => keeper.catchUp() }),
      thresholds,
    },
    context: (connection) => recent.of(connection),
    follows: (context) => contextBonuses(keeper.graph, context, periodOf(Date.now())),
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
