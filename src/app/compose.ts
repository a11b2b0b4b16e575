/**
 * Builds the gateway: the one place that names concrete classes.
 *
 * Servers start and the store opens side by side, and clients are answered before either is done.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { Gateway } from "../gateway/gateway.js";
import { ToolPins } from "../gateway/tool-pins.js";
import type { ServerStatus } from "../mcp/real-servers.js";
import { hasStore, openStore, type Store } from "../postgres/open-store.js";
import type { ServerName } from "../registry/tool-id.js";
import type { WireNameEntry } from "../registry/wire-name-store.js";
import { ServerPool } from "../upstream/server-pool.js";
import { CatalogueWriter, type RememberedCatalogue, readCatalogue, toolsOf } from "./catalogue-file.js";
import { checkConfig } from "./config-schema.js";
import { serverEntries } from "./server-entries.js";
import type { Settings } from "./settings.js";

interface StoreStatus {
  readonly kind: "pglite" | "postgres";
  readonly state: "opening" | "open" | "failed";
  readonly problem?: string;
}

/** What `pml doctor` shows of a gateway that runs. */
export interface GatewayStatus {
  readonly version: string;
  readonly pid: number;
  readonly node: string;
  readonly uptimeSeconds: number;
  readonly memoryMb: number;
  readonly store: StoreStatus;
  readonly servers: readonly ServerStatus[];
  /** Ids of tools that have changed since they were first seen. */
  readonly changedTools: readonly string[];
}

export interface ComposedGateway {
  readonly gateway: Gateway;
  status(): Promise<GatewayStatus>;
  stop(): Promise<void>;
}

/** How long a status waits for servers that are still starting. */
const STATUS_WAIT_MS = 10_000;

export function compose(settings: Settings, log: Log): ComposedGateway {
  const config = checkConfig(settings.config.file, settings.config.value);
  const url = config.store?.url;
  const isNew = url === undefined && !hasStore(settings.dataDir);
  const opening = openStore({
    checksNesting: false,
    dataDir: settings.dataDir,
    log,
    ...(url === undefined ? {} : { url }),
  });
  let store: StoreStatus = { kind: url === undefined ? "pglite" : "postgres", state: "opening" };
  const opened = opening.then(
    () => {
      store = { ...store, state: "open" };
    },
    (error: unknown) => {
      store = { ...store, state: "failed", problem: messageOf(error) };
      log.error("store.failed", { message: messageOf(error) });
    },
  );
  const remembered = readCatalogue(settings.dataDir);
  const pool = new ServerPool(serverEntries(config, settings.config.directory, process.env), log);
  const gateway = new Gateway({
    servers: pool,
    own: [],
    usage: part(opening, ({ usage }) => usage),
    wireNames: part(opening, ({ wireNames }) => wireNames),
    nameHistory: nameHistory(opening, isNew, remembered),
    log,
    firstListWaitMs: LIMITS.firstListWaitMs,
  });
  const pins = new ToolPins(
    pool,
    part(opening, ({ tools }) => tools),
    log,
  );
  const catalogue = new CatalogueWriter(settings.dataDir, log, () => ({
    names: gateway.tools.names(),
    tools: toolsOf(pool.offers()),
  }));
  pool.listen({
    offerChanged(server, kinds) {
      if (!kinds.includes("tools")) return;
      void pins.observe(server);
      catalogue.changed();
    },
    resourceUpdated() {},
    logged() {},
  });
  const pruning = opening.then(({ usage }) =>
    usage.prune(new Date(Date.now() - LIMITS.usageKeepDays * 86_400_000)),
  );
  pruning.catch(() => {});
  pool.start();
  for (const [server, tools] of Object.entries(remembered?.tools ?? {}))
    pool.remember(server as ServerName, tools);
  return {
    gateway,
    async status() {
      await Promise.all([pool.settled("resources", STATUS_WAIT_MS), opened]);
      return {
        version: VERSION,
        pid: process.pid,
        node: process.version,
        uptimeSeconds: Math.round(process.uptime()),
        memoryMb: Math.round(process.memoryUsage.rss() / 1_048_576),
        store,
        servers: pool.statuses(),
        changedTools: pins.changed(),
      };
    },
    async stop() {
      catalogue.flush();
      await pool.stop();
      await opened;
      if (store.state === "open") await gateway.stop();
      await opening.then((open) => open.close()).catch(() => {});
    },
  };
}

/** Names that were given before: none where the store is new, those of the file where there is one, else the store's. */
function nameHistory(
  opening: Promise<Store>,
  isNew: boolean,
  remembered: RememberedCatalogue | undefined,
): Promise<readonly WireNameEntry[]> {
  if (remembered !== undefined) return Promise.resolve(remembered.names);
  if (isNew) return Promise.resolve([]);
  return opening.then(({ wireNames }) => wireNames.load()).catch(() => []);
}

/** A part of the store for those who will want it. When it fails, it may be that nobody has asked for it yet. */
function part<T>(opening: Promise<Store>, take: (store: Store) => T): Promise<T> {
  const taken = opening.then(take);
  taken.catch(() => {});
  return taken;
}
