/**
 * Gateways that own their data directory in the foreground: over HTTP, or over the stdio of this very process.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { serveConnection } from "../gateway/transports/connection.js";
import { serveHttp } from "../gateway/transports/http.js";
import { optimizeLater } from "../postgres/pglite-driver.js";
import { collectWhenIdle } from "./collect-when-idle.js";
import { exitWhenLost, guardFaults, onEndSignal } from "./fault-guard.js";
import { stderrLog } from "./json-log.js";
import { type OwnGateway, startOwnGateway } from "./own-gateway.js";
import { logLevel, type Settings } from "./settings.js";

/** Serves stdin and stdout until the client has gone; answers the exit code. */
export async function serveStdioForeground(settings: Settings): Promise<number> {
  optimizeLater();
  collectWhenIdle();
  const log = stderrLog(logLevel(settings));
  const own = await startOwnGateway(settings, "serve --no-daemon", log);
  const served = serveConnection(own.gateway, own.session(), {
    input: process.stdin,
    output: process.stdout,
    endsOutput: false,
  });
  await Promise.race([served.closed, endRequested(own, log)]);
  await own.stop();
  process.stdin.destroy();
  return Number(process.exitCode ?? 0);
}

/** Serves HTTP until it is asked to end; `ready` is called with the endpoint. */
export async function serveHttpForeground(
  settings: Settings,
  address: { readonly host: string; readonly port: number },
  ready: (url: string) => void,
): Promise<number> {
  optimizeLater();
  collectWhenIdle();
  const log = stderrLog(logLevel(settings));
  const own = await startOwnGateway({ ...settings, httpHost: address.host }, "serve --http", log);
  try {
    const http = await serveHttp(own.gateway, { ...address, session: own.session, metrics: own.metrics });
    ready(http.url);
    await endRequested(own, log);
    await http.close();
  } finally {
    await own.stop();
  }
  return Number(process.exitCode ?? 0);
}

function endRequested(own: OwnGateway, log: Log): Promise<void> {
  exitWhenLost(own.lost, log);
  const asked = new Promise<void>((resolve) => {
    onEndSignal(() => resolve());
    guardFaults(log, () => resolve());
  });
  return Promise.race([own.stopRequested, asked]);
}
