import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.js";
import type { SuggestionStore } from "../curation/suggestion-store.js";
import type { OutsideVectors } from "../discovery/vector-index.js";
import type { VectorStore } from "../discovery/vector-store.js";
import type { CapabilityCacheStore } from "../execution/cache/cache-store.js";
import type { TaskResultStore } from "../execution/task-result-store.js";
import type { WorkflowStore } from "../execution/workflow-store.js";
import type { CapabilityStore } from "../registry/capability-store.js";
import type { ChangeFeed } from "../registry/change-feed.js";
import type { ResultShapeStore } from "../registry/result-shape-store.js";
import type { RunCounts } from "../registry/run-counts.js";
import type { ServerRecordStore } from "../registry/server-record.js";
import type { TrustedKeyRows } from "../registry/signed-keys.js";
import type { ThresholdStore } from "../registry/thresholds.js";
import type { GraphStore } from "../registry/tool-graph.js";
import type { ToolStore } from "../registry/tool-store.js";
import type { TraceStore } from "../registry/trace-store.js";
import type { UsageStore } from "../registry/usage.js";
import type { WireNameStore } from "../registry/wire-name-store.js";
import { PostgresCacheStore } from "./cache-store.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import { PostgresChangeFeed } from "./change-feed.js";
import type { Database } from "./database.js";
import { PostgresGraphStore } from "./graph-store.js";
import { PostgresKeyRows } from "./key-store.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { openPostgres } from "./pg-driver.js";
import { openPglite } from "./pglite-driver.js";
import { openPgVectorIndex } from "./pgvector-index.js";
import { extensionProblem } from "./pgvector-space.js";
import { PostgresResultShapeStore } from "./result-shape-store.js";
import { PostgresRunCounts } from "./run-counts.js";
import { PostgresServerRecordStore } from "./server-record-store.js";
import { storeAction, storeFailed } from "./sql-error.js";
import { PostgresSuggestionStore } from "./suggestion-store.js";
import { PostgresTaskResultStore } from "./task-result-store.js";
import { PostgresThresholdStore } from "./threshold-store.js";
import { PostgresToolStore } from "./tool-store.js";
import { PostgresTraceStore } from "./trace-store.js";
import { PostgresUsageStore } from "./usage-store.js";
import { PostgresVectorStore } from "./vector-store.js";
import { PostgresWireNameStore } from "./wire-name-store.js";
import { PostgresWorkflowStore } from "./workflow-store.js";

export interface Store {
  readonly database: Database;
  readonly tools: ToolStore;
  readonly wireNames: WireNameStore;
  readonly usage: UsageStore;
  readonly capabilities: CapabilityStore;
  /** Rows of trusted keys, for gateways that share the store. */
  readonly keys: TrustedKeyRows;
  readonly servers: ServerRecordStore;
  readonly cache: CapabilityCacheStore;
  readonly traces: TraceStore;
  readonly workflows: WorkflowStore;
  readonly taskResults: TaskResultStore;
  readonly runCounts: RunCounts;
  readonly resultShapes: ResultShapeStore;
  readonly vectors: VectorStore;
  /** Where vectors are searched that memory should not hold, on a server. */
  readonly outsideVectors?: OutsideVectors;
  readonly graph: GraphStore;
  readonly thresholds: ThresholdStore;
  readonly suggestions: SuggestionStore;
  /** What other gateways on the same server change; an embedded store has one gateway, and none. */
  readonly changes?: ChangeFeed;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** `postgres://…` for a server; without it the store is embedded, in `<dataDir>/pgdata`. */
  readonly url?: string;
  /** The caller owns it: nothing here keeps a second process from opening the same directory. */
  readonly dataDir: string;
  readonly log: Log;
  /** Whether to refuse queries from inside a transaction beside its handle; true by default. */
  readonly checksNesting?: boolean;
}

/** Opens the store and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = await openDatabase(options);
  try {
    const applied = await migrate(database, MIGRATIONS);
    if (applied.length > 0) options.log.info("store.migrated", { applied: applied.join(" ") });
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
  return {
    database,
    tools: new PostgresToolStore(database),
    wireNames: new PostgresWireNameStore(database),
    usage: new PostgresUsageStore(database),
    capabilities: new PostgresCapabilityStore(database),
    keys: new PostgresKeyRows(database),
    servers: new PostgresServerRecordStore(database),
    cache: new PostgresCacheStore(database, { isAlone: database.kind === "pglite" }),
    traces: new PostgresTraceStore(database),
    workflows: new PostgresWorkflowStore(database),
    taskResults: new PostgresTaskResultStore(database),
    runCounts: new PostgresRunCounts(database),
    resultShapes: new PostgresResultShapeStore(database),
    vectors: new PostgresVectorStore(database),
    graph: new PostgresGraphStore(database),
    thresholds: new PostgresThresholdStore(database),
    suggestions: new PostgresSuggestionStore(database),
    ...(database.kind === "postgres"
      ? {
          changes: new PostgresChangeFeed({ database, log: options.log }),
          outsideVectors: postgresVectors(database, options.log),
        }
      : {}),
    close: () => database.close(),
  };
}

/** Whether an embedded store was made in `dataDir` before: a new one has nothing that anybody would wait for. */
export function hasStore(dataDir: string): boolean {
  return existsSync(embeddedDirectory(dataDir));
}

function embeddedDirectory(dataDir: string): string {
  return join(dataDir, "pgdata");
}

async function openDatabase({ url, dataDir, log, checksNesting = true }: StoreOptions): Promise<Database> {
  if (url === undefined)
    return await openPglite({ directory: embeddedDirectory(dataDir), log, checksNesting });
  if (!/^postgres(ql)?:\/\//i.test(url)) {
    throw storeFailed("open the store", "store.url does not begin with postgres://", {
      hint: "Write it as postgres://user:password@host:5432/database, or remove it to use the embedded store.",
    });
  }
  return await openPostgres(url, log, checksNesting);
}

/** pgvector on a server. The embedded store has none: its vectors would be in the same memory. */
function postgresVectors(database: Database, log: Log): OutsideVectors {
  return {
    name: "pgvector",
    problem: () => storeAction("look for pgvector", () => extensionProblem(database)),
    open: (space) => openPgVectorIndex({ ...space, database, log }),
  };
}
