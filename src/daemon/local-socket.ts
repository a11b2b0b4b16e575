/**
 * The socket that an owner of a data directory listens on, for clients of the same user.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { type ErrorShape, errorShape, messageOf, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { type HttpRequest, type JoinRequest, type LocalRequest, readLine, sendLine } from "./handshake.js";

export interface LocalSocketHandlers {
  /** Decides whether a client may join: rejects with a `PmlError` if not. */
  admit(request: JoinRequest): Promise<void> | void;
  /** Whether this gateway ends instead, so that the client can start another one. */
  givesWay(request: JoinRequest): boolean;
  /** Serves an admitted client; the socket's next bytes are MCP. */
  joined(request: JoinRequest, socket: Socket): void;
  status(): Promise<unknown>;
  /** Serves HTTP while the socket is open; returns the address. */
  http(request: HttpRequest, socket: Socket): Promise<string>;
  stop(): void;
}

export interface LocalSocket {
  close(): Promise<void>;
}

export async function listenLocally(path: string, handlers: LocalSocketHandlers): Promise<LocalSocket> {
  const sockets = new Set<Socket>();
  // A client that has closed its side may still wait for answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    void answer(socket, handlers);
  });
  let removeFile: () => void;
  try {
    removeFile = process.platform === "win32" ? await listen(server, path) : await listenAt(server, path);
  } catch (error) {
    server.close();
    throw new PmlError("GATEWAY_UNREACHABLE", `Cannot listen on the socket "${path}": ${messageOf(error)}`, {
      hint: "Remove the file at this path, or set TMPDIR to another directory.",
      cause: error,
    });
  }
  return {
    async close() {
      removeFile();
      for (const socket of sockets) socket.end();
      await new Promise((resolve) => {
        server.close(resolve);
        // Clients that do not close the connection in time are disconnected.
        setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, 500).unref();
      });
    },
  };
}

/**
 * Listens under another name first: a server that closes removes the file that it was made with, even if the name
 * belongs to another server by then. A socket at `path` was left behind by a killed gateway, since only the owner of
 * the directory comes here. At the end, this process removes the file only if it is still its own.
 */
async function listenAt(server: Server, path: string): Promise<() => void> {
  // Not longer than the final name, because the length of socket paths is limited.
  const first = join(dirname(path), `${randomBytes(12).toString("hex")}.new`);
  const umask = process.umask(0o077);
  try {
    await listen(server, first);
  } finally {
    process.umask(umask);
  }
  const { ino } = lstatSync(first);
  renameSync(first, path);
  return () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
}

function listen(server: Server, path: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve(() => {}));
  });
}

async function answer(socket: Socket, handlers: LocalSocketHandlers): Promise<void> {
  try {
    const line = await readLine(socket);
    if (line === undefined) {
      socket.destroy();
      return;
    }
    const request = asRequest(line);
    if (request.op === "status") {
      const refusal = request.join === undefined ? undefined : await refusalOf(handlers, request.join);
      const status = await handlers.status();
      sendLine(socket, {
        ok: true,
        pid: process.pid,
        version: VERSION,
        status,
        ...(refusal === undefined ? {} : { refusal }),
      });
      socket.end();
    } else if (request.op === "stop") {
      sendLine(socket, { ok: true, pid: process.pid, version: VERSION });
      socket.end();
      handlers.stop();
    } else if (request.op === "http") {
      const url = await handlers.http(request, socket);
      sendLine(socket, { ok: true, pid: process.pid, version: VERSION, url });
      socket.resume();
    } else if (handlers.givesWay(request)) {
      // A client that is disconnected tries again, and finds no gateway.
      socket.destroy();
      handlers.stop();
    } else {
      await handlers.admit(request);
      if (socket.destroyed) return;
      sendLine(socket, { ok: true, pid: process.pid, version: VERSION });
      handlers.joined(request, socket);
    }
  } catch (error) {
    sendLine(socket, { ok: false, error: shapeOf(error) });
    socket.end();
  }
}

/** Why a client would be refused, for status requests. */
async function refusalOf(handlers: LocalSocketHandlers, join: JoinRequest): Promise<ErrorShape | undefined> {
  try {
    await handlers.admit(join);
    return undefined;
  } catch (error) {
    return shapeOf(error);
  }
}

function shapeOf(error: unknown): ErrorShape {
  return errorShape(
    error instanceof PmlError ? error : new PmlError("GATEWAY_UNREACHABLE", messageOf(error)),
  );
}

function asRequest(value: unknown): LocalRequest {
  const op = (value as { op?: unknown } | null)?.op;
  if (op === "join" || op === "status" || op === "stop" || op === "http") return value as LocalRequest;
  throw new PmlError(
    "GATEWAY_UNREACHABLE",
    `Cannot answer on the local socket: unknown request ${JSON.stringify(op)}`,
  );
}
