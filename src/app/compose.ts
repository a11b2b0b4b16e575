/**
 * Builds the gateway: the one place that names concrete classes.
 *
 * Servers start and the store opens in parallel, and clients are answered before either is ready.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import { derived } from "../base/derived.js";
import { EventStream } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { VERSION } from "../base/version.js";
import { Dashboard } from "../dashboard/dashboard.js";
import type { EmbedderStatus } from "../discovery/embedder.js";
import type { SandboxStatus } from "../execution/ports/sandbox.js";
import { GivenValues } from "../execution/run/given-values.js";
import { AppViews } from "../gateway/app-views.js";
import type { DecisionGate } from "../gateway/decision-gate.js";
import { Gateway } from "../gateway/gateway.js";
import { pmlDecide, pmlView } from "../gateway/own/app.js";
import type { ConfigurationView } from "../gateway/own/servers.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import { ListedTokens } from "../gateway/token-count.js";
import { ToolListing } from "../gateway/tool-listing.js";
import { ToolPins } from "../gateway/tool-pins.js";
import type { ServerStatus } from "../mcp/real-servers.js";
import { PostgresCapabilityStore } from "../postgres/capability-store.js";
import { LazyDatabase, type StoreStatus } from "../postgres/lazy-database.js";
import { hasStore, openDatabase, pendingRows, type Store, storeOn } from "../postgres/open-store.js";
import type { PendingRows } from "../postgres/pending-rows.js";
import type { AccessTokens } from "../registry/access-tokens.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import { fingerprintOf } from "../registry/key-ring.js";
import { Tenants } from "../registry/tenants.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ToolListStore } from "../registry/tool-list.js";
import type { WireNameEntry } from "../registry/wire-table.js";
import { createSandbox } from "../sandbox/create-sandbox.js";
import { ServerPool } from "../upstream/server-pool.js";
import {
  CatalogueWriter,
  CopiedLists,
  type RememberedCatalogue,
  readCatalogue,
  toolsOf,
} from "./catalogue-file.js";
import type { CurationStatus } from "./compose-curation.js";
import type { TrustedKeysStatus } from "./compose-keys.js";
import { composeMemory, type MemoryParts } from "./compose-memory.js";
import { composeSignIn, signInDesk } from "./compose-sign-in.js";
import { type Config, LEAN_TOKENS, LIST_TOKENS } from "./config-schema.js";
import type { Installation } from "./data-directory.js";
import { serverLogs } from "./file-log.js";
import type { GaveWayStatus } from "./gave-way.js";
import { type ConfigChange, LiveConfig, type LiveState, loadState } from "./live-config.js";
import { type ExposedFiles, exposedFiles } from "./own-files.js";
import { gateSettings, PersonGate } from "./person-gate.js";
import { rolloutRules } from "./promotion-schema.js";
import { resignOnce } from "./resign-once.js";
import { namedRoots } from "./server-roots.js";
import type { Settings } from "./settings.js";
import { startTelemetry } from "./telemetry.js";
import { countTokensInThread } from "./threads.js";

/** The status of a running gateway for `pml doctor`. */
export interface GatewayStatus {
  readonly version: string;
  readonly pid: number;
  readonly node: string;
  readonly uptimeSeconds: number;
  readonly memoryMb: number;
  readonly store: StoreStatus;
  readonly sandbox: SandboxStatus;
  /** Absent before the model was looked for. */
  readonly embedder?: EmbedderStatus;
  /** Absent in gateways of earlier versions. */
  readonly curation?: CurationStatus;
  readonly servers: readonly ServerStatus[];
  /** Servers that were given a directory with PML's own files in it. Absent in gateways of earlier versions. */
  readonly exposed?: readonly ExposedFiles[];
  /** Absent in gateways of earlier versions. */
  readonly configuration?: ConfigurationView;
  /** Ids of tools that have changed since they were first seen. */
  readonly changedTools: readonly string[];
  /** Absent in gateways of earlier versions. */
  readonly trustedKeys?: TrustedKeysStatus;
  /** Capabilities that gave way to existing tools. Absent in gateways of earlier versions. */
  readonly gaveWay?: readonly GaveWayStatus[];
  /** Absent in gateways of earlier versions. */
  readonly key?: KeyStatus;
}

interface KeyStatus {
  readonly directory: string;
  /** The installation key, or `store.signingKey`. */
  readonly fingerprint: string;
}

export interface ComposedGateway {
  readonly gateway: Gateway;
  readonly dashboard: Dashboard;
  readonly live: LiveConfig;
  /** Who may connect over HTTP. */
  readonly accessTokens: AccessTokens;
  readonly tenants: Tenants;
  status(): Promise<GatewayStatus>;
  /** The gateway's metrics for Prometheus. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** The tools of the page that a client shows next to an answer. */
const APP_TOOLS: readonly string[] = [pmlView.id, pmlDecide.id];

/** How long a status waits for servers that are still starting. */
const STATUS_WAIT_MS = 10_000;

export interface ComposeOptions {
  /** False if only the store is needed. */
  readonly startsServers?: boolean;
  /** Tests that start many gateways share one sandbox. */
  readonly makeSandbox?: MemoryParts["makeSandbox"];
}

/** Nothing is started before everything is built, so an error leaves nothing behind. */
export async function compose(
  settings: Settings,
  installation: Installation,
  whole: Log,
  { startsServers = true, makeSandbox = createSandbox }: ComposeOptions = {},
): Promise<ComposedGateway> {
  const secrets = [...settings.config.secrets];
  const hidden = new GivenValues().note(secrets);
  const log = logWithout(hidden, whole);
  const first = await loadState(settings, log);
  const printed = first.secrets.filter((secret) => !secrets.includes(secret));
  secrets.push(...printed);
  hidden.note(printed);
  const { config } = first;
  const remembered = readCatalogue(settings.dataDir);
  const pending = config.store?.url === undefined ? pendingRows(settings.dataDir) : undefined;
  const database = lazyDatabase(config.store?.url, settings, installation, log, pending);
  const store = storeOn(database, log, { rules: rolloutRules(config), pending });
  const { vault, signIns } = composeSignIn({ settings, store, secrets, hidden, log });
  const pool = new ServerPool(first.entries, log, (text) => hidden.in(text), {
    signIns,
    scope: settings.scope,
  });
  const tenants = new Tenants(settings.scope);
  const signIn = signInDesk(signIns, pool);
  const take = async ({ now, changed }: ConfigChange) => {
    const given = now.secrets.filter((secret) => !secrets.includes(secret));
    secrets.push(...given);
    hidden.note(given);
    warnOfExposed(now);
    const replaced = pool.replace(now.entries, changed);
    memory.configured();
    gateway.rulesChanged(replaced);
    await replaced;
  };
  // The files may contain another master key.
  const live = new LiveConfig(first, log, take, () => void vault.sealAgain());
  const exposedOf = derived(({ settings: { config: file, ownPlaces } }: LiveState) =>
    exposedFiles(namedRoots(file), ownPlaces),
  );
  const warnOfExposed = (now: LiveState) => {
    for (const one of exposedOf(now)) log.warn("server.reaches_own_files", { ...one });
  };
  warnOfExposed(first);
  const isEmbedded = config.store?.url === undefined;
  const isNewStore = isEmbedded && !hasStore(settings.dataDir);
  const events = new EventStream<PmlEvents>(log);
  const telemetry = await startTelemetry(config.telemetry?.otlp, process.env, events, log);
  const pins = new ToolPins({ servers: pool, store: store.tools, events, log, isNew: isNewStore });
  const gate = liveGate(live);
  const memory = composeMemory({
    settings,
    config,
    secrets,
    hidden,
    servers: pool,
    signIn,
    live,
    store,
    installation: installation.key,
    pins,
    gate,
    events,
    tenants,
    // Only called when the gateway exists.
    wireNameOf: (id) => gateway.tools.nameOf(id),
    openDashboard: (scope) => dashboard.link(scope),
    makeSandbox,
    log,
  });
  // Only called when the lists are loaded, which is after the catalogue exists.
  const lists = new CopiedLists(store.toolLists, isEmbedded ? remembered?.lists : undefined, () =>
    catalogue.changed(),
  );
  const listing = composeListing(config, lists, memory.registry, log);
  const gateway: Gateway = new Gateway({
    gate,
    invoker: memory.invoker,
    registry: memory.registry,
    own: memory.own,
    isListed: memory.isListed,
    inventory: memory.inventory,
    listing,
    wireNames: store.wireNames,
    nameHistory: nameHistory(store, isNewStore, remembered),
    log,
    spans: telemetry && events,
    views: new AppViews({
      html: () => dashboard.html(),
      secret: () => memory.questionSecret,
      tools: () => memory.own.filter(({ id }) => APP_TOOLS.includes(id)).map(({ tool }) => tool),
    }),
    firstListWaitMs: LIMITS.firstListWaitMs,
  });
  const { live: runs, registry } = memory;
  const dashboard: Dashboard = new Dashboard({ gateway, events, directory: registry.directory, live: runs });
  const catalogue = new CatalogueWriter(settings.dataDir, log, () => ({
    names: gateway.tools.names(),
    tools: toolsOf(pool.offers(), (id, offered) => pins.shown(id, offered).offered),
    ...(isEmbedded ? { lists: lists.remembered() } : {}),
  }));
  pool.listen({
    offerChanged(server, kinds) {
      if (!kinds.includes("tools")) return;
      void pins.observe(server);
      events.emit("offers.changed", undefined);
    },
    resourceUpdated() {},
    logged() {},
    said: serverLogs(settings.dataDir),
  });
  for (const [server, tools] of Object.entries(remembered?.tools ?? {}))
    pool.remember(server as ServerName, tools);
  memory.onListed(() => gateway.listingChanged());
  events.on("tools.shown", () => gateway.listingChanged());
  for (const kind of ["offers.changed", "tools.shown"] as const) events.on(kind, () => catalogue.changed());
  database.start();
  memory.start();
  if (startsServers) pool.start();
  live.watch();
  void vault.sealAgain();
  store.usage.prune(new Date(Date.now() - LIMITS.usageKeepDays * 86_400_000)).catch(() => {});
  return {
    gateway,
    dashboard,
    live,
    accessTokens: memory.accessTokens,
    tenants,
    metrics: () => memory.metrics(),
    async status() {
      const [storeStatus, sandbox] = await Promise.all([
        database.status(),
        memory.sandbox.status(),
        pool.settled("resources", STATUS_WAIT_MS),
        memory.registry.loaded().catch(() => {}),
      ]);
      const embedder = await memory.discovery.status();
      return {
        version: VERSION,
        pid: process.pid,
        node: process.version,
        uptimeSeconds: Math.round(process.uptime()),
        memoryMb: Math.round(process.memoryUsage.rss() / 1_048_576),
        store: storeStatus,
        sandbox,
        ...defined({ embedder }),
        curation: memory.curationStatus(),
        servers: pool.statuses().map((server) => ({
          ...server,
          refused: [...server.refused, ...gateway.offers.refused(server.name)],
        })),
        exposed: exposedOf(live.now),
        configuration: live.status(),
        changedTools: pins.changed(),
        trustedKeys: await memory.trustedKeys(),
        gaveWay: await memory.gaveWay(),
        key: { directory: settings.keyDir, fingerprint: await fingerprintOf(installation.key.publicKey) },
      };
    },
    async stop() {
      dashboard.close();
      catalogue.flush();
      await live.stop();
      await memory.stop();
      await pool.stop();
      await gateway.stop();
      await store.close();
      await telemetry?.stop();
    },
  };
}

/** Uses the current configuration at each decision. */
function liveGate(live: Pick<LiveConfig, "now">): DecisionGate {
  const gateOf = derived(({ settings }: LiveState) => new PersonGate(gateSettings(settings)));
  return {
    admit: (asked) => gateOf(live.now).admit(asked),
    takesAnswers: () => gateOf(live.now).takesAnswers(),
    isScripted: () => gateOf(live.now).isScripted(),
  };
}

/** A log without the secrets given to servers, because it may contain texts of servers. */
function logWithout(hidden: GivenValues, log: Log): Log {
  const at =
    (level: keyof Log): Log[typeof level] =>
    (event, fields) =>
      log[level](
        event,
        fields &&
          Object.fromEntries(
            Object.entries(fields).map(([key, value]) => [
              key,
              typeof value === "string" ? hidden.in(value) : value,
            ]),
          ),
      );
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function lazyDatabase(
  url: string | undefined,
  { dataDir, keyDir }: Settings,
  installation: Installation,
  log: Log,
  pending: PendingRows | undefined,
): LazyDatabase {
  const open = async () => {
    const opened = await openDatabase({ checksNesting: false, dataDir, log, ...defined({ url, pending }) });
    try {
      // Before anything runs: until then, versions with signatures of the old form are refused.
      const signed = await resignOnce(
        new PostgresCapabilityStore(opened),
        installation,
        url === undefined ? keyDir : undefined,
      );
      if (signed > 0) log.info("store.signed_again", { versions: signed });
      return opened;
    } catch (error) {
      await opened.close().catch(() => {});
      throw error;
    }
  };
  return new LazyDatabase(url === undefined ? "pglite" : "postgres", open, log);
}

/** Chooses what is listed; capabilities that get a name are listed at once. */
function composeListing(
  { listing: { tokens = LIST_TOKENS, leanTokens = LEAN_TOKENS } = {} }: Config,
  store: ToolListStore,
  { directory }: CapabilityRegistry,
  log: Log,
): ToolListing {
  const startedAt = Date.now();
  const listing = new ToolListing({
    store,
    budget: { tokens, leanTokens },
    tokens: new ListedTokens(countTokensInThread),
    now: Date.now,
    log,
  });
  directory.onChange(({ before, after }) => {
    if (after?.isNamed !== true || before?.isNamed === true) return;
    // Capabilities that are loaded at the start were named earlier.
    if (before !== undefined || after.createdAt.getTime() >= startedAt) listing.named(after);
  });
  return listing;
}

/** Names that were given earlier: none if the store is new, those of the file if it exists, else the store's. */
function nameHistory(
  store: Store,
  isNew: boolean,
  remembered: RememberedCatalogue | undefined,
): Promise<readonly WireNameEntry[]> {
  if (remembered !== undefined) return Promise.resolve(remembered.names);
  return isNew ? Promise.resolve([]) : store.wireNames.load().catch(() => []);
}
