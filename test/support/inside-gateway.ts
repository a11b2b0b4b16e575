/**
 * Runs gateways in the process of the test: the built files with their real store, sandbox, servers and socket, but
 * without the processes of `pml serve` and of the gateway, which take most of the time of a test.
 *
 * @module
 */
import type { Transport } from "@modelcontextprotocol/client";
import { keepPglite } from "./kept-pglite.js";
import { makeSandbox } from "./shared-sandbox.js";

/** What `pml serve` knows about a client. */
export interface ServedAs {
  readonly scope?: string | undefined;
  readonly role?: "local" | "cloud" | undefined;
}

/** Loads the built files as the programs do. */
async function built() {
  const load = <T>(file: string) => import(new URL(`../../dist/${file}`, import.meta.url).href) as Promise<T>;
  const [
    { startOwnGateway },
    { readSettings, logLevel },
    { sectionOf },
    { joinGateway },
    { LineTransport },
    { bindHttp },
    { httpDoor },
    log,
  ] = await Promise.all([
    load<typeof import("../../src/app/own-gateway.js")>("app/own-gateway.js"),
    load<typeof import("../../src/app/settings.js")>("app/settings.js"),
    load<typeof import("../../src/app/config-file.js")>("app/config-file.js"),
    load<typeof import("../../src/app/join-gateway.js")>("app/join-gateway.js"),
    load<typeof import("../../src/mcp/line-transport.js")>("mcp/line-transport.js"),
    load<typeof import("../../src/gateway/transports/http.js")>("gateway/transports/http.js"),
    load<typeof import("../../src/app/http-door.js")>("app/http-door.js"),
    load<typeof import("../../src/app/json-log.js")>("app/json-log.js"),
  ]);
  const gateway = { startOwnGateway, readSettings, logLevel, sectionOf };
  return { ...gateway, joinGateway, LineTransport, bindHttp, httpDoor, ...log };
}

export interface InsideGateway {
  /** The MCP endpoint, if HTTP is served. */
  readonly url: string | undefined;
  /** Connects as `pml serve` does. */
  connect(as?: ServedAs): Promise<Transport>;
  stop(): Promise<void>;
}

export async function startInside(
  where: { readonly config: string; readonly dataDir: string } & ServedAs,
  env: NodeJS.ProcessEnv,
  mode: "background" | "serve --http" | "serve --no-daemon",
): Promise<InsideGateway> {
  const {
    startOwnGateway,
    readSettings,
    logLevel,
    sectionOf,
    joinGateway,
    LineTransport,
    bindHttp,
    httpDoor,
    stderrLog,
  } = await built();
  await keepPglite();
  const settings = readSettings(where, env);
  const { host: named } = sectionOf(settings.config, "http");
  const host = typeof named === "string" ? named : "127.0.0.1";
  const own = await startOwnGateway(settings, mode, stderrLog(logLevel(settings)), undefined, {
    makeSandbox,
  });
  const serve = async () => {
    const door = httpDoor(host, settings);
    const bound = await bindHttp({ host, port: 0 }, door);
    return bound.serve(own.gateway, own.httpOptions(door, bound.url));
  };
  const http = mode === "serve --http" ? await serve() : undefined;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      await http?.close();
      await own.stop();
    })();
    return stopping;
  };
  void own.stopRequested.then(stop);
  return {
    url: http?.url,
    async connect(as = {}) {
      const socket = await joinGateway(readSettings({ ...where, ...as }, env));
      return new LineTransport(socket, socket, { endsOutput: true }) as Transport;
    },
    stop,
  };
}
