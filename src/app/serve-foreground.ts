/**
 * Gateways that own their data directory in the foreground: over HTTP, or over the stdio of this process.
 *
 * @module
 */
import { text } from "node:stream/consumers";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { STOPPED } from "../daemon/handshake.js";
import { reachGateway } from "../daemon/join.js";
import { serveConnection } from "../gateway/transports/connection.js";
import { bindHttp, type HttpAddress } from "../gateway/transports/http.js";
import { optimizeLater } from "../postgres/pglite-driver.js";
import { collectWhenIdle } from "./collect-when-idle.js";
import { exitWhenLost, guardFaults, onEndSignal } from "./fault-guard.js";
import { httpDoor } from "./http-door.js";
import { joinRequest, withOwnProblem } from "./join-gateway.js";
import { stderrLog } from "./json-log.js";
import { type OwnGateway, startOwnGateway } from "./own-gateway.js";
import { logLevel, type Settings } from "./settings.js";

/** Serves stdin and stdout until the client has disconnected; returns the exit code. */
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

/**
 * Serves HTTP until it is asked to end; `ready` is called with the endpoint. If a gateway already runs, that one serves
 * it while this process lives. The address is bound before any server is started.
 */
export async function serveHttpForeground(
  settings: Settings,
  address: HttpAddress,
  ready: (url: string) => void,
): Promise<number> {
  const door = httpDoor(address.host, settings);
  const bound = await bindHttp(address, door);
  optimizeLater();
  collectWhenIdle();
  const log = stderrLog(logLevel(settings));
  let own: OwnGateway;
  try {
    own = await startOwnGateway(settings, "serve --http", log);
  } catch (error) {
    await bound.close();
    if (error instanceof PmlError && error.code === "STORE_LOCKED")
      return await askForHttp(settings, address, ready, error);
    throw error;
  }
  try {
    const http = bound.serve(own.gateway, own.httpOptions(door, bound.url));
    ready(http.url);
    await endRequested(own, log);
    await http.close();
  } finally {
    await own.stop();
  }
  return Number(process.exitCode ?? 0);
}

/** Asks the gateway that owns the directory to serve HTTP; rejects with `locked` if it cannot be asked. */
async function askForHttp(
  settings: Settings,
  { host, port }: HttpAddress,
  ready: (url: string) => void,
  locked: PmlError,
): Promise<number> {
  const join = joinRequest(settings);
  const request = { op: "http", version: VERSION, host, port, join } as const;
  const reached = await reachGateway(settings.dataDir, request).catch((error: unknown) => {
    throw withOwnProblem(error, settings);
  });
  const url = reached?.reply.url;
  if (reached === undefined || url === undefined) throw locked;
  const { socket } = reached;
  ready(url);
  const said = text(socket).catch(() => "");
  const asked = new Promise<"asked">((resolve) => onEndSignal(() => resolve("asked")));
  const end = await Promise.race([said, asked]);
  socket.destroy();
  if (end === "asked" || end.includes(STOPPED)) return Number(process.exitCode ?? 0);
  throw new PmlError("GATEWAY_UNREACHABLE", "The gateway that served HTTP has ended", {
    hint: "Run the command again. See `gateway.log` in the data directory.",
  });
}

function endRequested(own: OwnGateway, log: Log): Promise<void> {
  exitWhenLost(own.lost, log);
  const asked = new Promise<void>((resolve) => {
    onEndSignal(() => resolve());
    // Its log hides secrets, which the text of a fault may contain.
    guardFaults(own.gateway.log, () => resolve());
  });
  return Promise.race([own.stopRequested, asked]);
}
