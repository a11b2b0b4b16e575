/**
 * Builds the parts that learn and recall: the registry, the sandbox, the executor, and the tools through which agents
 * reach them.
 *
 * @module
 */
import { derived } from "../base/derived.js";
import type { EventStream } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { Executor } from "../execution/executor.js";
import { CapabilityImporter } from "../execution/learn/import-capabilities.js";
import type { SchemaCheck } from "../execution/prepare/merge-arguments.js";
import type { OwnFileCheck } from "../execution/prepare/own-files.js";
import { Evidence } from "../execution/replay/evidence.js";
import type { GivenValues } from "../execution/run/given-values.js";
import { TaskResults } from "../execution/run/task-results.js";
import type { WireNameOf } from "../execution/suggest/suggestions.js";
import { toolAdmission } from "../gateway/admit-tool.js";
import { ArgumentCheck } from "../gateway/argument-check.js";
import type { SignInAsker } from "../gateway/ask-sign-in.js";
import { Audit } from "../gateway/audit.js";
import { capabilityCaller } from "../gateway/call-capability.js";
import type { DecisionGate } from "../gateway/decision-gate.js";
import { gatewayToolBox, withOperations } from "../gateway/gateway-tool-box.js";
import { QuestionClock, type ToolInvoker } from "../gateway/invoke-tool.js";
import { Ledger } from "../gateway/ledger.js";
import { LiveRuns } from "../gateway/live-runs.js";
import type { OpenDashboard } from "../gateway/own/open.js";
import type { SignInDesk } from "../gateway/own/sign-in.js";
import { tokenCost } from "../gateway/own/token-cost.js";
import { PlainCalls } from "../gateway/plain-calls.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import { serverToolNames, ToolInventory } from "../gateway/tool-inventory.js";
import { ToolObservations } from "../gateway/tool-observations.js";
import type { ToolPins } from "../gateway/tool-pins.js";
import { UsageRecorder } from "../gateway/usage-recorder.js";
import { keyedHash } from "../observation/keyed-hash.js";
import { hasStore, type Store } from "../postgres/open-store.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Tenants } from "../registry/tenants.js";
import type { ToolNames } from "../registry/tool-names.js";
import type { createSandbox } from "../sandbox/create-sandbox.js";
import type { ServerPool } from "../upstream/server-pool.js";
import { approver } from "./approval-rules.js";
import { auditHeads, pendingFacts } from "./audit-files.js";
import { writeBackup } from "./backup-file.js";
import { CapabilityFile, readCapabilities } from "./capability-file.js";
import { composeCache, readOnlyJudge } from "./compose-cache.js";
import { composeCuration } from "./compose-curation.js";
import { composeDiscovery } from "./compose-discovery.js";
import { composeGraph } from "./compose-graph.js";
import { composeKeys } from "./compose-keys.js";
import { composeNumbers } from "./compose-numbers.js";
import type { Config } from "./config-schema.js";
import { gaveWayStatus } from "./gave-way.js";
import { Housekeeping } from "./housekeeping.js";
import type { InstallationKey } from "./installation-key.js";
import type { LiveConfig, LiveState } from "./live-config.js";
import { allOperations, OPERATIONS } from "./operations.js";
import { ownFileCheck } from "./own-files.js";
import { rolloutRules } from "./promotion-schema.js";
import { readLogs } from "./read-logs.js";
import { runsAtOnce } from "./runs-at-once.js";
import { keptSecrets } from "./secret-uses.js";
import { ServerRecords } from "./server-records.js";
import { serverRoots } from "./server-roots.js";
import type { Settings } from "./settings.js";
import { approveCommand } from "./shell-command.js";
import { countTokensInThread } from "./threads.js";

/** The parts that everything in a gateway is built from. */
export interface MemoryParts {
  readonly settings: Settings;
  /** The configuration at the start. Servers, approvals and rules are those of `live`. */
  readonly config: Config;
  readonly live: Pick<LiveConfig, "now" | "status">;
  readonly servers: ServerPool;
  /** Sign-ins to servers. */
  readonly signIn: SignInDesk & SignInAsker;
  readonly store: Store;
  readonly installation: InstallationKey;
  readonly pins: ToolPins;
  readonly gate: DecisionGate;
  readonly events: EventStream<PmlEvents>;
  readonly tenants: Tenants;
  /** Secrets given to servers; a reload adds to them. */
  readonly secrets: readonly string[];
  /** The same secrets, for removing them from texts. */
  readonly hidden: GivenValues;
  /** The names that clients call tools by. */
  readonly wireNameOf: WireNameOf;
  readonly openDashboard: OpenDashboard;
  readonly makeSandbox: typeof createSandbox;
  readonly log: Log;
}

export function composeMemory(parts: MemoryParts) {
  const { settings, config, live, servers, signIn, store, installation, pins, gate, events } = parts;
  const { secrets, hidden, tenants, log } = parts;
  const { scope } = settings;
  const keys = composeKeys(parts);
  const { ring, signer, accessTokens } = keys;
  const serverRecords = new ServerRecords({
    store: store.servers,
    live,
    scope,
    servers,
    log,
    isSecret: (text) => hidden.isIn(text),
  });
  const observations = new ToolObservations(store.tools, log);
  const inventory = new ToolInventory({
    servers,
    isTrusted: (server) => live.now.config.mcpServers?.[server]?.trusted !== false,
    observedOutput: (id, hash) => observations.outputOf(id, hash),
    pins,
  });
  const toolNames = serverToolNames(inventory, servers, LIMITS.firstListWaitMs);
  const { registry, copy } = composeRegistry(parts, toolNames);
  registry.toolNames.serve(scope);
  events.on("trust.changed", (fqdns) => {
    registry.refresh(fqdns).catch((error: unknown) => {
      log.warn("capabilities.not_loaded", { message: messageOf(error) });
    });
  });
  events.on("tool.pinned", ({ id, pin }) => observations.know(id, pin));
  events.on("tool.answered", ({ entry, result, scope: of }) => {
    if (!tenants.has(of)) observations.see(entry, result);
  });
  const usage = new UsageRecorder(store.usage, log, (row) => events.emit("call.counted", row));
  const audit = new Audit({
    rows: store.audit,
    heads: auditHeads(settings, installation),
    pending: pendingFacts(settings),
    log,
  });
  const door: ToolInvoker = {
    audit,
    servers,
    usage,
    questionClock: new QuestionClock(),
    argumentCheck: new ArgumentCheck(),
    gate,
    isOwnProject: (of) => tenants.isOwn(of),
    events,
    by: "code",
    pins,
  };
  const tools = gatewayToolBox(inventory, door, LIMITS.firstListWaitMs);
  const graph = composeGraph(parts, registry.directory, tools);
  const discovery = composeDiscovery({ ...parts, registry, tools, graph });
  const curation = composeCuration({ ...parts, registry, tools, encode: discovery.embedWords });
  const { matcher, suggestionStats: intents } = discovery.intents;
  const cache = composeCache({ ...parts, tools: inventory, registry, matcher });
  registry.listenElsewhere({
    serversChanged: () => serverRecords.registry.refresh(),
    keysChanged: () => keys.reload(),
    cachesDropped: async (ids) => cache?.droppedElsewhere(ids),
    // Not awaited: a call of a tool that is not compared yet waits for the comparison.
    toolsChanged: async (changed) => pins.observeAgain(changed),
    watchedChanged: (what, projects) => events.emit("watched.changed", { what, projects }),
  });
  const limits = {
    timeMs: config.sandbox?.timeoutMs ?? LIMITS.runTimeMs,
    memoryMb: config.sandbox?.memoryMb ?? LIMITS.runMemoryMb,
    toolCalls: config.sandbox?.toolCalls ?? LIMITS.runToolCalls,
  };
  const sandbox = parts.makeSandbox({
    engine: config.sandbox?.engine ?? "auto",
    memoryMb: limits.memoryMb,
    timeMs: limits.timeMs,
    log,
  });
  const resultSeconds = config.results?.ttlSeconds ?? LIMITS.resultSeconds;
  const results = new TaskResults({ store: store.taskResults, ttlSeconds: resultSeconds, hidden, log });
  const approvals = {
    code: approver("code", live),
    client: approver("client", live),
    remote: approver("remote", live),
  };
  const ownFilesOf = derived((now: LiveState) =>
    ownFileCheck(now.settings.ownPlaces, serverRoots(now.entries)),
  );
  const ownFiles: OwnFileCheck = (server, value) => ownFilesOf(live.now)(server, value);
  events.on("run.event", ({ kind, workflowId }) => log.debug("run.event", { kind, workflowId }));
  const checkSchema: SchemaCheck = (schema, key, value) => door.argumentCheck.problem(schema, key, value);
  const evidence = new Evidence({ registry, signer, sandbox, store: store.recordings, checkSchema });
  const executor = new Executor({
    ...discovery.intents,
    ...graph.execution,
    isTenant: (of) => tenants.has(of),
    events,
    isReadOnly: readOnlyJudge(config, live),
    cache,
    results,
    secrets,
    resultShapes: store.resultShapes,
    recordings: store.recordings,
    toolStore: store.tools,
    rules: rolloutRules(config),
    sandbox,
    tools: withOperations(tools, OPERATIONS, door, (id) => own.find((one) => one.id === id)),
    registry,
    signer,
    limits,
    runsAtOnce: runsAtOnce(config.sandbox, limits.memoryMb),
    role: settings.role,
    log,
    approvalOf: approvals.code,
    ownFiles,
    approvals: {
      workflows: store.workflows,
      approveCommand: (workflowId, of) => approveCommand(settings, workflowId, of),
      get expiresMs() {
        return (live.now.config.approvals?.expiresSeconds ?? LIMITS.approvalExpiresSeconds) * 1_000;
      },
      keptMs: resultSeconds * 1_000,
      isOnlyGateway: config.store?.url === undefined,
    },
    checkSchema,
    usage: (row) => usage.record(row),
    tokenCost,
    usual: (fqdn, asker) => plainCalls.usual(fqdn, asker),
    offers: (used, asker) => plainCalls.offersFor(used, asker),
  });
  const plainCalls = new PlainCalls({
    registry,
    saver: executor.saver,
    curator: curation.parts.curator,
    tools,
    store: store.candidates,
    // Gateways that share a store share the key, so they count together. Without the key the hashes cannot be computed.
    hash: keyedHash(installation.sign("pml-observation-v1").signature),
    isSecret: (text) => hidden.isIn(text),
    log,
  });
  if (config.learning?.observe !== false) events.on("tool.answered", (call) => plainCalls.note(call));
  const ledger = new Ledger({ store: store.savings, count: countTokensInThread, log });
  const numbers = { ...parts, registry, sandbox, executor, usage, cache, intents, ledger };
  const { metrics, stats } = composeNumbers(numbers);
  const housekeeping = new Housekeeping({
    traces: store.traces,
    usage: store.usage,
    savings: store.savings,
    workflows: store.workflows,
    results: store.taskResults,
    prunable: store.prunable,
    vectors: store.vectors,
    graph,
    traceDays: config.results?.traceDays ?? LIMITS.traceDays,
    log,
  });
  const runs = new LiveRuns(events);
  const own = allOperations({
    pins,
    maps: graph.maps,
    serverLog: (server, most) => readLogs(settings.dataDir, server, most).map(({ raw }) => raw),
    secrets: () => keptSecrets(settings.config.file, settings.valueEnv),
    openDashboard: parts.openDashboard,
    live: runs,
    stats,
    ledger,
    registry,
    executor,
    saver: executor.saver,
    importer: new CapabilityImporter({ registry, signer, tools: executor.tools, evidence }),
    evidence,
    tools,
    ring,
    accessTokens,
    audit,
    servers,
    signIn,
    configuration: () => live.status(),
    serverRecords: serverRecords.registry,
    reserveDays: config.registry?.reserveDays ?? LIMITS.reserveDays,
    cache,
    traces: store.traces,
    results,
    plainCalls,
    curate: curation.parts,
    discover: {
      ...discovery.discover,
      related: async (found, asker) =>
        // The best match counts as the last use.
        await executor.related.to(found.map(({ id }) => id).toReversed(), asker),
      isCallable: (tool) => Object.values(approvals).some((of) => of(tool).mode !== "deny"),
    },
    gate,
    upkeep: {
      prune: (request) => housekeeping.prune(request),
      async backup(file) {
        await Promise.all([executor.written(), usage.flush()]);
        return await writeBackup(store.database, file, installation.publicKey);
      },
    },
  });
  return {
    registry,
    live: runs,
    questionSecret: executor.desk.questionSecret,
    inventory,
    sandbox,
    observations,
    discovery,
    /** The number of unnamed capabilities. */
    curationStatus: () => curation.status(),
    /** Trusted keys besides this installation's own. */
    trustedKeys: () => keys.status(),
    /** Who may connect over HTTP. */
    accessTokens,
    /** Capabilities that gave way to existing tools. */
    gaveWay: () => gaveWayStatus(store.capabilities, scope, toolNames),
    /** Calls tools for clients. */
    invoker: {
      ...door,
      by: "client" as const,
      signIn,
      callCapability: capabilityCaller(registry, executor),
      admit: toolAdmission({
        executor,
        known: (id) => inventory.known(id),
        approvalOf: (tool, isRemote) => approvals[isRemote ? "remote" : "client"](tool),
        ownFiles,
      }),
    },
    /** The gateway's metrics for Prometheus. */
    metrics: () => metrics.text(),
    own,
    /** Whether a visible capability is listed: capabilities that this installation would not run are not. */
    isListed: ({ signedBy, org, source, visibility }: Capability) =>
      ring.isTrusted(signedBy, org) && !(source === "observed" && visibility === "private"),
    /** Calls the listener when that has changed. */
    onListed: (listener: () => void) => void ring.onChange(listener),
    /** Must be called when other servers or rules are configured. */
    configured: () => serverRecords.configured(),
    /** Called once the store is being opened. */
    start() {
      serverRecords.start();
      housekeeping.start();
      results.start();
      metrics.start();
      discovery.start();
      curation.start();
      graph.start();
      keys.start(log);
    },
    async stop() {
      // Running programs end with the sandbox, and are then written like all others.
      await plainCalls.stop();
      await curation.stop();
      await discovery.stop();
      await sandbox.close();
      await executor.stop();
      await graph.stop();
      await cache?.stop();
      await results.stop();
      await housekeeping.stop();
      await observations.flush();
      await registry.stop();
      await serverRecords.stop();
      copy?.stop();
      await keys.stop();
    },
  };
}

/** An embedded store has one gateway, so its copy of the names is never outdated. */
function composeRegistry({ settings: { dataDir }, config, store, log }: MemoryParts, tools: ToolNames) {
  const isEmbedded = config.store?.url === undefined;
  const copy = isEmbedded ? new CapabilityFile(dataDir, log, named) : undefined;
  const registry = new CapabilityRegistry({
    store: store.capabilities,
    log,
    named: isEmbedded ? (hasStore(dataDir) ? readCapabilities(dataDir) : []) : undefined,
    onChanging: () => copy?.changing() ?? (() => {}),
    feed: isEmbedded ? undefined : store.changes,
    tools,
  });
  function named(): readonly Capability[] {
    return [...registry.directory.all()].filter(({ isNamed }) => isNamed);
  }
  registry.loaded().then(
    () => copy?.changed(),
    () => {},
  );
  return { registry, copy };
}
