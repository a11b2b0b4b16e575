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
import { hasStore, openStore } from "../postgres/open-store.js";
import { ServerPool } from "../upstream/server-pool.js";
import { checkConfig } from "./config-schema.js";
import { serverEntries } from "./server-entries.js";
import type { Settings } from "./settings.js";

export interface StoreStatus {
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

export function compose(settings: Settings, log: Log): ComposedGateway {
  const config = checkConfig(settings.config.file, settings.config.value);
  const url = config.store?.url;
  const isNew = url === undefined && !hasStore(settings.dataDir);
  const opening = openStore({ dataDir: settings.dataDir, log, ...(url === undefined ? {} : { url }) });
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
  const history = opening.then((open) => open.wireNames.load()).catch(() => []);
  const pool = new ServerPool(serverEntries(config, settings.config.directory, process.env), log);
  const gateway = new Gateway({
    servers: pool,
    own: [],
    usage: opening.then(({ usage }) => usage),
    wireNames: opening.then(({ wireNames }) => wireNames),
    // A new store has no names to wait for.
    nameHistory: isNew ? Promise.resolve([]) : history,
    log,
    firstListWaitMs: LIMITS.firstListWaitMs,
  });
  const pins = new ToolPins(
    pool,
    opening.then(({ tools }) => tools),
    log,
  );
  pool.listen({
    offerChanged: (server, kinds) => void (kinds.includes("tools") && pins.observe(server)),
    resourceUpdated() {},
    logged() {},
  });
  const pruning = opening.then(({ usage }) =>
    usage.prune(new Date(Date.now() - LIMITS.usageKeepDays * 86_400_000)),
  );
  pruning.catch(() => {});
  pool.start();
  // A server that is slow to start is listed as it was the last time.
  opening
    .then(({ tools }) => tools.list())
    .then((known) => pool.remember(known))
    .catch(() => {});
  return {
    gateway,
    async status() {
      await Promise.all([gateway.firstServers(), opened]);
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
      await pool.stop();
      await opened;
      if (store.state === "open") await gateway.stop();
      await opening.then((open) => open.close()).catch(() => {});
    },
  };
}
