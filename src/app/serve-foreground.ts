/**
 * Gateways that own their data directory in the foreground: over HTTP, or over the stdio of this very process.
 *
 * @module
 */
import { serveConnection } from "../gateway/transports/connection.js";
import { serveHttp } from "../gateway/transports/http.js";
import { onEndSignal } from "./end-signal.js";
import { type OwnGateway, startOwnGateway } from "./own-gateway.js";
import { logLevel, type Settings } from "./settings.js";
import { stderrLog } from "./stderr-log.js";

/** Serves stdin and stdout until the client has gone; answers the exit code. */
export async function serveStdioForeground(settings: Settings): Promise<number> {
  const own = await startOwnGateway(settings, "serve --no-daemon", stderrLog(logLevel(settings)));
  const served = serveConnection(own.gateway, own.session(), {
    input: process.stdin,
    output: process.stdout,
    endsOutput: false,
  });
  await Promise.race([served.closed, endRequested(own)]);
  await own.stop();
  process.stdin.destroy();
  return 0;
}

/** Serves HTTP until it is asked to end; `ready` is called with the endpoint. */
export async function serveHttpForeground(
  settings: Settings,
  address: { readonly host: string; readonly port: number },
  ready: (url: string) => void,
): Promise<number> {
  const own = await startOwnGateway(settings, "serve --http", stderrLog(logLevel(settings)));
  try {
    const http = await serveHttp(own.gateway, { ...address, session: own.session });
    ready(http.url);
    await endRequested(own);
    await http.close();
  } finally {
    await own.stop();
  }
  return 0;
}

function endRequested(own: OwnGateway): Promise<void> {
  return Promise.race([own.stopRequested, new Promise<void>((resolve) => onEndSignal(() => resolve()))]);
}
