import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.js";
import type { OutsideVectors } from "../discovery/vector-index.js";
import type { RolloutRules } from "../registry/rollout.js";
import { PostgresAccessTokenRows } from "./access-token-store.js";
import { PostgresAuditRows } from "./audit-store.js";
import { PostgresCacheStore } from "./cache-store.js";
import { PostgresCandidateStore } from "./candidate-store.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import { PostgresChangeFeed } from "./change-feed.js";
import type { Database } from "./database.js";
import { PostgresGraphStore } from "./graph-store.js";
import { PostgresKeyRows } from "./key-store.js";
import { LearnAhead } from "./learn-ahead.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PendingRows } from "./pending-rows.js";
import { openPglite } from "./pglite-driver.js";
import { openPgVectorIndex } from "./pgvector-index.js";
import { extensionProblem } from "./pgvector-space.js";
import { type PruneBounds, prunable } from "./prunable-rows.js";
import { PostgresRecordingStore } from "./recording-store.js";
import { PostgresResultShapeStore } from "./result-shape-store.js";
import { PostgresSavingsStore } from "./savings-store.js";
import { PostgresServerRecordStore } from "./server-record-store.js";
import { PostgresSignInStore } from "./sign-in-store.js";
import { storeAction, storeFailed } from "./sql-error.js";
import { PostgresSuggestionStore } from "./suggestion-store.js";
import { PostgresTaskResultStore } from "./task-result-store.js";
import { PostgresThresholdStore } from "./threshold-store.js";
import { PostgresToolListStore } from "./tool-list-store.js";
import { PostgresToolStore } from "./tool-store.js";
import { PostgresTraceStore } from "./trace-store.js";
import { PostgresRunCounts, PostgresUsageStore } from "./usage-store.js";
import { PostgresVectorStore } from "./vector-store.js";
import { PostgresWireNameStore } from "./wire-name-store.js";
import { PostgresWorkflowStore } from "./workflow-store.js";

export type Store = ReturnType<typeof storeOn>;

export interface StoreOptions {
  /** `postgres://…` for a server; without it the store is embedded, in `<dataDir>/pgdata`. */
  readonly url?: string;
  /** The caller owns it: nothing here keeps a second process from opening the same directory. */
  readonly dataDir: string;
  readonly log: Log;
  /** Whether to refuse queries from inside a transaction beside its handle; true by default. */
  readonly checksNesting?: boolean;
  /** Of an embedded store; default: its own. One process must use one object for it. */
  readonly pending?: PendingRows;
}

/** Opens the store and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return storeOn(await openDatabase(options), options.log);
}

interface PortOptions {
  readonly rules?: RolloutRules;
  /** With it, `learn` answers before the store has the capability; for an embedded store alone. */
  readonly pending?: PendingRows | undefined;
}

/** The ports of the store, on a database that has its schema by the first query. */
export function storeOn(given: Database, log: Log, { rules, pending }: PortOptions = {}) {
  const ahead = pending && new LearnAhead(given, pending, log);
  const database = ahead?.database ?? given;
  return {
    database,
    tools: new PostgresToolStore(database, ahead),
    wireNames: new PostgresWireNameStore(database),
    toolLists: new PostgresToolListStore(database),
    usage: new PostgresUsageStore(database),
    capabilities: new PostgresCapabilityStore(database, rules, ahead),
    /** Rows of trusted keys, for gateways that share the store. */
    keys: new PostgresKeyRows(database),
    accessTokens: new PostgresAccessTokenRows(database),
    audit: new PostgresAuditRows(database),
    servers: new PostgresServerRecordStore(database),
    signIns: new PostgresSignInStore(database),
    cache: new PostgresCacheStore(database, { isAlone: database.kind === "pglite" }),
    traces: new PostgresTraceStore(database),
    workflows: new PostgresWorkflowStore(database),
    taskResults: new PostgresTaskResultStore(database, pending),
    runCounts: new PostgresRunCounts(database),
    savings: new PostgresSavingsStore(database),
    recordings: new PostgresRecordingStore(database),
    resultShapes: new PostgresResultShapeStore(database),
    vectors: new PostgresVectorStore(database),
    graph: new PostgresGraphStore(database),
    thresholds: new PostgresThresholdStore(database),
    suggestions: new PostgresSuggestionStore(database),
    candidates: new PostgresCandidateStore(database),
    prunable: (bounds: PruneBounds) => prunable(database, bounds),
    ...(database.kind === "postgres" ? sharedPorts(database, log) : {}),
    close: async () => {
      await database.close();
      ahead?.stop();
    },
  };
}

interface SharedPorts {
  /** What other gateways on the same server change. */
  readonly changes?: PostgresChangeFeed;
  /** pgvector: where vectors are searched that memory should not hold. */
  readonly outsideVectors?: OutsideVectors;
}

/** An embedded store has none of these: it has one gateway, and its vectors would be in the same memory. */
function sharedPorts(database: Database, log: Log): SharedPorts {
  return {
    changes: new PostgresChangeFeed({ database, log }),
    outsideVectors: {
      name: "pgvector",
      problem: () => storeAction("look for pgvector", () => extensionProblem(database)),
      open: (space) => openPgVectorIndex({ ...space, database, log }),
    },
  };
}

/** A database whose schema is up to date. */
export async function openDatabase(options: StoreOptions): Promise<Database> {
  const database = await connect(options);
  try {
    const applied = await migrate(database, MIGRATIONS);
    if (applied.length > 0) options.log.info("store.migrated", { applied: applied.join(" ") });
    if (options.url === undefined) await replay(database, options);
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}

async function replay(database: Database, { pending, dataDir, log }: StoreOptions): Promise<void> {
  const used = pending ?? pendingRows(dataDir);
  await used.replay(database, log);
  if (pending === undefined) used.close();
}

/** What waits to be written to the embedded store in `dataDir`. */
export function pendingRows(dataDir: string): PendingRows {
  return new PendingRows(embeddedDirectory(dataDir));
}

/** Whether an embedded store was made in `dataDir` before: a new one has no data to wait for. */
export function hasStore(dataDir: string): boolean {
  return existsSync(embeddedDirectory(dataDir));
}

function embeddedDirectory(dataDir: string): string {
  return join(dataDir, "pgdata");
}

async function connect({ url, dataDir, log, checksNesting = true }: StoreOptions): Promise<Database> {
  if (url === undefined)
    return await openPglite({ directory: embeddedDirectory(dataDir), log, checksNesting });
  if (!/^postgres(ql)?:\/\//i.test(url)) {
    throw storeFailed("open the store", "store.url does not begin with postgres://", {
      hint: "Write it as postgres://user:password@host:5432/database, or remove it to use the embedded store.",
    });
  }
  // Loaded only for a server: most stores are embedded.
  const { openPostgres } = await import("./pg-driver.js");
  return await openPostgres(url, log, checksNesting);
}
