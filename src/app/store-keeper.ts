/**
 * The store as the rest of the gateway has it: ports that wait until it is open, and open it again when it was lost.
 *
 * A database that is down when the gateway starts, or a thread that dies, costs what was to be written meanwhile at
 * most; it is tried again by the next one who needs it.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { SuggestionStore } from "../curation/suggestion-store.js";
import type { OutsideVectors } from "../discovery/vector-index.js";
import type { VectorStore } from "../discovery/vector-store.js";
import type { CapabilityCacheStore } from "../execution/cache/cache-store.js";
import type { TaskResultStore } from "../execution/run/task-results.js";
import type { WorkflowStore } from "../execution/wait/workflow-store.js";
import type { Store } from "../postgres/open-store.js";
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

export interface StoreStatus {
  readonly kind: "pglite" | "postgres";
  readonly state: "open" | "failed";
  readonly problem?: string;
}

export class StoreKeeper {
  readonly usage: UsageStore = {
    add: (rows) => this.#use(({ usage }) => usage.add(rows)),
    totals: (of) => this.#use(({ usage }) => usage.totals(of)),
    prune: (before) => this.#use(({ usage }) => usage.prune(before)),
  };
  readonly tools: ToolStore = {
    observe: (server, sightings) => this.#use(({ tools }) => tools.observe(server, sightings)),
    accept: (acceptance) => this.#use(({ tools }) => tools.accept(acceptance)),
    list: () => this.#use(({ tools }) => tools.list()),
    learnOutput: (server, tool, seen) => this.#use(({ tools }) => tools.learnOutput(server, tool, seen)),
  };
  readonly wireNames: WireNameStore = {
    load: () => this.#use(({ wireNames }) => wireNames.load()),
    keep: (entries) => this.#use(({ wireNames }) => wireNames.keep(entries)),
  };
  readonly capabilities: CapabilityStore = {
    load: () => this.#use(({ capabilities }) => capabilities.load()),
    get: (fqdn) => this.#use(({ capabilities }) => capabilities.get(fqdn)),
    getAll: (fqdns) => this.#use(({ capabilities }) => capabilities.getAll(fqdns)),
    find: (key) => this.#use(({ capabilities }) => capabilities.find(key)),
    version: (fqdn, version) => this.#use(({ capabilities }) => capabilities.version(fqdn, version)),
    versions: (fqdn) => this.#use(({ capabilities }) => capabilities.versions(fqdn)),
    dominantPath: (fqdn, version) =>
      this.#use(({ capabilities }) => capabilities.dominantPath(fqdn, version)),
    findByCode: (org, project, codeHash) =>
      this.#use(({ capabilities }) => capabilities.findByCode(org, project, codeHash)),
    dependents: (fqdn, most) => this.#use(({ capabilities }) => capabilities.dependents(fqdn, most)),
    upgradeAnalysis: (upgrade) => this.#use(({ capabilities }) => capabilities.upgradeAnalysis(upgrade)),
    learn: (capability, sign) => this.#use(({ capabilities }) => capabilities.learn(capability, sign)),
    addUses: (uses) => this.#use(({ capabilities }) => capabilities.addUses(uses)),
    addServed: (uses) => this.#use(({ capabilities }) => capabilities.addServed(uses)),
    addTraces: (traces) => this.#use(({ capabilities }) => capabilities.addTraces(traces)),
    rename: (request) => this.#use(({ capabilities }) => capabilities.rename(request)),
    giveWay: (request) => this.#use(({ capabilities }) => capabilities.giveWay(request)),
    givenWay: (most) => this.#use(({ capabilities }) => capabilities.givenWay(most)),
    renames: (fqdn, most) => this.#use(({ capabilities }) => capabilities.renames(fqdn, most)),
    delete: (request) => this.#use(({ capabilities }) => capabilities.delete(request)),
    undelete: (request) => this.#use(({ capabilities }) => capabilities.undelete(request)),
    history: (fqdn) => this.#use(({ capabilities }) => capabilities.history(fqdn)),
    signAgain: (request) => this.#use(({ capabilities }) => capabilities.signAgain(request)),
    signers: () => this.#use(({ capabilities }) => capabilities.signers()),
    importRecord: (imported) => this.#use(({ capabilities }) => capabilities.importRecord(imported)),
    verify: (fqdn, version, scope) =>
      this.#use(({ capabilities }) => capabilities.verify(fqdn, version, scope)),
  };
  readonly keys: TrustedKeyRows = {
    list: () => this.#use(({ keys }) => keys.list()),
    keep: (row) => this.#use(({ keys }) => keys.keep(row)),
    remove: (publicKey) => this.#use(({ keys }) => keys.remove(publicKey)),
  };
  readonly servers: ServerRecordStore = {
    load: () => this.#use(({ servers }) => servers.load()),
    sight: (sightings) => this.#use(({ servers }) => servers.sight(sightings)),
    versions: (fqdn) => this.#use(({ servers }) => servers.versions(fqdn)),
  };
  readonly cache: CapabilityCacheStore = {
    find: (key) => this.#use(({ cache }) => cache.find(key)),
    keep: (results) => this.#use(({ cache }) => cache.keep(results)),
    forget: (key) => this.#use(({ cache }) => cache.forget(key)),
    countHits: (hits) => this.#use(({ cache }) => cache.countHits(hits)),
    invalidate: (invalidation, inMemory) =>
      this.#use(({ cache }) => cache.invalidate(invalidation, inMemory)),
    log: (most) => this.#use(({ cache }) => cache.log(most)),
    droppedElsewhere: (ids) => this.#use(({ cache }) => cache.droppedElsewhere(ids)),
    totals: () => this.#use(({ cache }) => cache.totals()),
    prune: (loggedBefore) => this.#use(({ cache }) => cache.prune(loggedBefore)),
  };
  readonly workflows: WorkflowStore = {
    create: (workflow) => this.#use(({ workflows }) => workflows.create(workflow)),
    get: (workflowId) => this.#use(({ workflows }) => workflows.get(workflowId)),
    findOpen: (scope, fingerprint) => this.#use(({ workflows }) => workflows.findOpen(scope, fingerprint)),
    countWaiting: (scope) => this.#use(({ workflows }) => workflows.countWaiting(scope)),
    waiting: (org, project, most) => this.#use(({ workflows }) => workflows.waiting(org, project, most)),
    decide: (decision) => this.#use(({ workflows }) => workflows.decide(decision)),
    claim: (workflowId, lease, ignoresLeases) =>
      this.#use(({ workflows }) => workflows.claim(workflowId, lease, ignoresLeases)),
    renew: (workflowIds, lease) => this.#use(({ workflows }) => workflows.renew(workflowIds, lease)),
    calls: (workflowId) => this.#use(({ workflows }) => workflows.calls(workflowId)),
    record: (workflowId, owner, entries) =>
      this.#use(({ workflows }) => workflows.record(workflowId, owner, entries)),
    wait: (workflowId, owner, asks) => this.#use(({ workflows }) => workflows.wait(workflowId, owner, asks)),
    release: (workflowId, owner, expiresAt) =>
      this.#use(({ workflows }) => workflows.release(workflowId, owner, expiresAt)),
    end: (workflowId, owner, answer, keptUntil) =>
      this.#use(({ workflows }) => workflows.end(workflowId, owner, answer, keptUntil)),
    prune: (now) => this.#use(({ workflows }) => workflows.prune(now)),
    approveAlways: (approvals) => this.#use(({ workflows }) => workflows.approveAlways(approvals)),
    standingApprovals: () => this.#use(({ workflows }) => workflows.standingApprovals()),
    revoke: (org, project, tool) => this.#use(({ workflows }) => workflows.revoke(org, project, tool)),
  };
  readonly taskResults: TaskResultStore = {
    add: (results) => this.#use(({ taskResults }) => taskResults.add(results)),
    page: (key, offset, limit) => this.#use(({ taskResults }) => taskResults.page(key, offset, limit)),
    whole: (key) => this.#use(({ taskResults }) => taskResults.whole(key)),
    run: (workflowId) => this.#use(({ taskResults }) => taskResults.run(workflowId)),
    prune: (now, forget) => this.#use(({ taskResults }) => taskResults.prune(now, forget)),
  };
  readonly resultShapes: ResultShapeStore = {
    of: (fqdn) => this.#use(({ resultShapes }) => resultShapes.of(fqdn)),
    learn: (fqdn, version, seen) => this.#use(({ resultShapes }) => resultShapes.learn(fqdn, version, seen)),
  };
  readonly runCounts: RunCounts = {
    since: (of, time) => this.#use(({ runCounts }) => runCounts.since(of, time)),
  };
  readonly vectors: VectorStore = {
    get: (modelId, hashes) => this.#use(({ vectors }) => vectors.get(modelId, hashes)),
    put: (modelId, made) => this.#use(({ vectors }) => vectors.put(modelId, made)),
    prune: (unusedSince) => this.#use(({ vectors }) => vectors.prune(unusedSince)),
  };
  readonly graph: GraphStore = {
    add: (observed) => this.#use(({ graph }) => graph.add(observed)),
    load: (most) => this.#use(({ graph }) => graph.load(most)),
    since: (mark, most) => this.#use(({ graph }) => graph.since(mark, most)),
    structures: (fqdns) => this.#use(({ graph }) => graph.structures(fqdns)),
    prune: (period, least) => this.#use(({ graph }) => graph.prune(period, least)),
  };
  readonly thresholds: ThresholdStore = {
    load: (scope) => this.#use(({ thresholds }) => thresholds.load(scope)),
    move: (kind, scope, move) => this.#use(({ thresholds }) => thresholds.move(kind, scope, move)),
  };
  readonly suggestions: SuggestionStore = {
    kept: (fqdns) => this.#use(({ suggestions }) => suggestions.kept(fqdns)),
    keep: (made) => this.#use(({ suggestions }) => suggestions.keep(made)),
    forget: (fqdns) => this.#use(({ suggestions }) => suggestions.forget(fqdns)),
    codes: (fqdns) => this.#use(({ suggestions }) => suggestions.codes(fqdns)),
    claim: (scope, lease) => this.#use(({ suggestions }) => suggestions.claim(scope, lease)),
    renew: (scope, lease) => this.#use(({ suggestions }) => suggestions.renew(scope, lease)),
    finish: (scope, owner) => this.#use(({ suggestions }) => suggestions.finish(scope, owner)),
    isOpen: (scope) => this.#use(({ suggestions }) => suggestions.isOpen(scope)),
  };
  readonly traces: TraceStore = {
    learning: (fqdn, version, most) => this.#use(({ traces }) => traces.learning(fqdn, version, most)),
    runsOf: (fqdn, whose, most) => this.#use(({ traces }) => traces.runsOf(fqdn, whose, most)),
    ofWorkflow: (workflowId, whose, most) =>
      this.#use(({ traces }) => traces.ofWorkflow(workflowId, whose, most)),
    latest: (whose, most) => this.#use(({ traces }) => traces.latest(whose, most)),
    succeededIntents: (most, perUser) => this.#use(({ traces }) => traces.succeededIntents(most, perUser)),
    prune: (options) => this.#use(({ traces }) => traces.prune(options)),
  };
  /** What other gateways change, once the store is open; nothing where it is embedded. */
  readonly changes: ChangeFeed = {
    start: async (listener) => {
      this.#feed = (await this.#store()).changes;
      await this.#feed?.start(listener);
    },
    fresh: () => this.#feed?.fresh(),
    stop: async () => await this.#feed?.stop(),
  };
  /** Nothing where the store is embedded. */
  readonly outsideVectors: OutsideVectors | undefined;
  readonly #kind: StoreStatus["kind"];
  readonly #open: () => Promise<Store>;
  readonly #log: Log;
  #opened: Promise<Store> | undefined;
  #feed: ChangeFeed | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #isClosed = false;

  constructor(kind: StoreStatus["kind"], open: () => Promise<Store>, log: Log) {
    this.#kind = kind;
    this.outsideVectors = kind === "postgres" ? this.#outsideVectors() : undefined;
    this.#open = open;
    this.#log = log;
  }

  /** Begins to open the store, so that the first one who needs it waits less. */
  start(): void {
    this.#store().catch(() => {});
  }

  /** Asks the database itself. */
  async status(): Promise<StoreStatus> {
    try {
      const { database } = await this.#store();
      await database.query("select 1");
      return { kind: this.#kind, state: "open" };
    } catch (error) {
      return { kind: this.#kind, state: "failed", problem: messageOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.then((store) => store.close()).catch(() => {});
  }

  #outsideVectors(): OutsideVectors {
    const problem = "this store has none";
    return {
      name: "pgvector",
      problem: () => this.#use(async ({ outsideVectors }) => await outsideVectors?.problem()),
      open: (space) =>
        this.#use(async ({ outsideVectors }) => (await outsideVectors?.open(space)) ?? { problem }),
    };
  }

  async #use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const opened = this.#opened;
    const store = await this.#store();
    try {
      return await work(store);
    } catch (error) {
      // Anything else is an answer of a store that works.
      const hasFailed = error instanceof PmlError && error.code === "STORE_FAILED";
      if (hasFailed && opened === this.#opened) await this.#reopenIfDead(store);
      throw error;
    }
  }

  #store(): Promise<Store> {
    if (this.#isClosed)
      return Promise.reject(new PmlError("STORE_FAILED", "Cannot use the store: it is closed"));
    if (this.#opened !== undefined) return this.#opened;
    if (this.#failure !== undefined && Date.now() - this.#failure.at < LIMITS.storeRetryMs)
      return Promise.reject(this.#failure.error);
    this.#opened = this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      this.#failure = { error, at: Date.now() };
      this.#log.error("store.failed", { message: messageOf(error) });
      throw error;
    });
    return this.#opened;
  }

  /** A pool of connections heals itself; an embedded database whose thread has died does not. */
  async #reopenIfDead({ database, close }: Store): Promise<void> {
    if (this.#kind !== "pglite") return;
    try {
      await database.query("select 1");
    } catch {
      this.#log.error("store.lost", {});
      this.#opened = undefined;
      await close().catch(() => {});
    }
  }
}
