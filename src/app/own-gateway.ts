/**
 * A process that owns a data directory: the gateway, its local socket, and a clean shutdown.
 *
 * Start: check the installation id, take the lock, compose, listen. Servers connect while the store opens; clients are
 * answered before either is ready. The shutdown is the reverse; counters are written before the store is closed.
 *
 * @module
 */
import type { Socket } from "node:net";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { isNewerVersion, VERSION } from "../base/version.js";
import { type HttpRequest, type LocalRequest, STOPPED } from "../daemon/handshake.js";
import { listenLocally } from "../daemon/local-socket.js";
import { ownDirectory } from "../daemon/own-directory.js";
import type { Dashboard } from "../dashboard/dashboard.js";
import type { Gateway } from "../gateway/gateway.js";
import type { Session } from "../gateway/session.js";
import { serveConnection } from "../gateway/transports/connection.js";
import { type BoundHttp, bindHttp, type HttpEndpoint } from "../gateway/transports/http.js";
import type { HttpDoor } from "../gateway/transports/http-door.js";
import { hasStore } from "../postgres/open-store.js";
import { checkedScope } from "../registry/scope.js";
import { type ComposedGateway, type ComposeOptions, compose, type GatewayStatus } from "./compose.js";
import { loadConfig } from "./config-schema.js";
import { claimDataDirectory, installationKeyOf, prepareDataDirectory } from "./data-directory.js";
import { httpDoor } from "./http-door.js";
import { httpGuards, warnOfNoTokens } from "./http-guards.js";
import type { LiveConfig } from "./live-config.js";
import { earlierNote } from "./other-data.js";
import { exposureOf, fingerprintDifference, type Settings, settingsFingerprint } from "./settings.js";
import { acceptNamed } from "./trust.js";

export interface OwnGateway {
  readonly gateway: Gateway;
  readonly dashboard: Dashboard;
  status(): Promise<GatewayStatus>;
  /** The gateway's metrics for Prometheus. */
  metrics(): Promise<string>;
  /** The options for serving HTTP at an address with this door. */
  httpOptions(door: HttpDoor, url: string): HttpServing;
  /**
   * A session for a connection that this process serves itself; `client` identifies the client, if one endpoint serves
   * many.
   */
  session(client?: string): Session;
  /** Resolves when a command asked the gateway to stop, over its socket. */
  readonly stopRequested: Promise<void>;
  /**
   * Resolves when this process no longer owns the data directory. A clean shutdown would write into another gateway's
   * files.
   */
  readonly lost: Promise<void>;
  stop(): Promise<void>;
}

type HttpServing = Parameters<BoundHttp["serve"]>[1];

type Join = Extract<LocalRequest, { op: "join" }>;

/** `onClients` is called with the number of joined clients whenever it changes. */
export async function startOwnGateway(
  settings: Settings,
  mode: string,
  log: Log,
  onClients: (count: number) => void = () => {},
  options: ComposeOptions = {},
): Promise<OwnGateway> {
  loadConfig(settings.config);
  const key = installationKeyOf(settings);
  await prepareDataDirectory(settings, key);
  const directory = await ownDirectory(settings.dataDir, mode);
  const clients = new Set<Socket>();
  const { startsServers = true } = options;
  let requestStop: () => void = () => {};
  const stopRequested = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  let composed: ComposedGateway;
  try {
    const installation = await claimDataDirectory(settings, key);
    if (settings.earlierData !== undefined && !hasStore(settings.dataDir))
      log.warn("data.earlier_not_used", { message: earlierNote(settings.earlierData) });
    acceptNamed(settings, log);
    composed = await compose(settings, installation, log, options);
  } catch (error) {
    directory.release();
    throw error;
  }
  const { gateway, dashboard, live } = composed;
  /** An open page keeps the gateway running like a client. */
  const told = () => onClients(clients.size + dashboard.users);
  dashboard.onUse(told);

  function joined(request: Join, socket: Socket): void {
    const session: Session = {
      id: crypto.randomUUID(),
      scope: request.scope,
      exposure: exposureOf(request.exposure),
      role: "local",
      ...(request.byPerson === true ? { byPerson: true } : {}),
    };
    clients.add(socket);
    told();
    socket.once("close", () => {
      clients.delete(socket);
      told();
    });
    serveConnection(gateway, session, { input: socket, output: socket, endsOutput: true });
  }

  const endpoints = new Map<Socket, HttpEndpoint>();

  const ownSession = (client?: string): Session => ({
    id: crypto.randomUUID(),
    scope: settings.scope,
    exposure: settings.exposure,
    role: "local",
    ...(client === undefined ? {} : { client }),
  });

  const httpOptions = (door: HttpDoor, url: string): HttpServing => {
    if (door.needsToken) warnOfNoTokens(composed, log);
    return {
      metrics: () => composed.metrics(),
      dashboard,
      session: ownSession,
      guards: httpGuards({ door, url, composed, scope: settings.scope }),
    };
  };

  /** Serves HTTP for a `pml serve --http` that found this gateway running; it counts as a client. */
  async function http({ host, port, join }: HttpRequest, socket: Socket): Promise<string> {
    if (!startsServers) throw noServers();
    await admit(join, live);
    const door = httpDoor(host, live.now.settings);
    const bound = await bindHttp({ host, port }, door);
    const endpoint = bound.serve(gateway, {
      ...httpOptions(door, bound.url),
      session: (client) => ({
        id: crypto.randomUUID(),
        scope: join.scope,
        exposure: exposureOf(join.exposure),
        ...(client === undefined ? {} : { client }),
      }),
    });
    const gone = () => {
      clients.delete(socket);
      endpoints.delete(socket);
      told();
      void endpoint.close();
    };
    if (socket.destroyed) await endpoint.close();
    else {
      clients.add(socket);
      endpoints.set(socket, endpoint);
      told();
      socket.once("close", gone);
      socket.once("end", () => socket.destroy());
      log.info("http.served", { url: endpoint.url });
    }
    return endpoint.url;
  }

  let alone: HttpEndpoint | undefined;
  // For `pml open` without HTTP: serves the dashboard on this machine only, without MCP.
  dashboard.startWith(async () => {
    const bound = await bindHttp({ host: "127.0.0.1", port: 0 });
    alone = bound.serve(gateway, { session: ownSession, dashboard, isDashboardOnly: true });
    return new URL(alone.url).origin;
  });

  const local = await listenLocally(directory.socket, {
    async admit(request) {
      await admit(request, live);
      refuseOver(clients.size);
    },
    // An upgrade needs no `pml stop` if no client is connected.
    givesWay: ({ version, byPerson }) =>
      // A gateway without servers is useless to a client: it disconnects the client, which retries until this
      // gateway has ended.
      (!startsServers && byPerson !== true) ||
      (mode === "background" && clients.size === 0 && isNewerVersion(version, VERSION)),
    joined,
    http,
    status: () => composed.status(),
    stop: requestStop,
  }).catch(async (error: unknown) => {
    await composed.stop();
    directory.release();
    throw error;
  });
  told();
  return {
    gateway,
    dashboard,
    status: () => composed.status(),
    metrics: () => composed.metrics(),
    httpOptions,
    session: ownSession,
    stopRequested,
    lost: directory.lost,
    async stop() {
      // Clients that asked for HTTP are told that this is a normal end.
      for (const socket of endpoints.keys()) socket.write(`${STOPPED}\n`);
      await alone?.close();
      await local.close();
      await composed.stop();
      directory.release();
    },
  };
}

function noServers(): PmlError {
  return new PmlError(
    "STORE_LOCKED",
    "Cannot serve HTTP: `pml test` uses the data directory at this moment",
    {
      hint: "Try again when it has ended.",
    },
  );
}

function refuseOver(count: number): void {
  if (count < LIMITS.localConnections) return;
  throw new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot join the gateway: ${count} clients are connected, the limit of localConnections`,
    { hint: "Close clients that are not needed." },
  );
}

/** If a client's files differ, it has read them later: they are read again before it is refused. */
async function admit(request: Join, live: LiveConfig): Promise<void> {
  if (request.version !== VERSION) {
    throw new PmlError(
      "CONFIG_MISMATCH",
      `Cannot join the gateway: it is PML ${VERSION}, this is PML ${request.version}`,
      {
        hint: "Run `pml stop`; the next `pml serve` starts the new version. Connected clients then use the new version.",
      },
    );
  }
  checkedScope(request.scope);
  const differences = () => fingerprintDifference(request.print, settingsFingerprint(live.now.settings));
  if (differences().length === 0) return;
  await live.reload(request.variables);
  const different = differences();
  if (different.length === 0) return;
  const why = live.problem;
  throw new PmlError(
    "CONFIG_MISMATCH",
    `Cannot join the gateway of this data directory: it runs with different settings: ${different.join(", ")}`,
    {
      hint:
        why === undefined
          ? "Use the same configuration and variables, another --data-dir, or run `pml stop` to restart the gateway."
          : `The gateway did not load the changed files. ${why.message}. ${why.hint ?? ""}`.trim(),
      data: { different },
    },
  );
}
