/**
 * The socket that an owner of a data directory listens on, for clients of the same user.
 *
 * @module
 */
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { errorShape, messageOf, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { type LocalRequest, readLine, sendLine } from "./handshake.js";

export interface LocalSocketHandlers {
  /** Decides whether a client may join: throws a `PmlError` where not. */
  admit(request: Extract<LocalRequest, { op: "join" }>): void;
  /** Serves an admitted client; the socket's next bytes are MCP. */
  joined(request: Extract<LocalRequest, { op: "join" }>, socket: Socket): void;
  status(): Promise<unknown>;
  stop(): void;
}

export interface LocalSocket {
  close(): Promise<void>;
}

export async function listenLocally(path: string, handlers: LocalSocketHandlers): Promise<LocalSocket> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    void answer(socket, handlers);
  });
  const umask = process.umask(0o077);
  try {
    // Only the owner of the directory comes here, so a socket at this path is one that a killed gateway left behind.
    if (process.platform !== "win32") rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
  } catch (error) {
    throw new PmlError("GATEWAY_UNREACHABLE", `Cannot listen on the socket "${path}": ${messageOf(error)}`, {
      hint: "Remove what stands at this path, or set TMPDIR to another directory.",
      cause: error,
    });
  } finally {
    process.umask(umask);
  }
  return {
    async close() {
      for (const socket of sockets) socket.end();
      await new Promise((resolve) => {
        server.close(resolve);
        // Those who do not hang up in their own time are hung up on.
        setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, 500).unref();
      });
    },
  };
}

async function answer(socket: Socket, handlers: LocalSocketHandlers): Promise<void> {
  try {
    const request = asRequest(await readLine(socket));
    if (request.op === "status") {
      sendLine(socket, { ok: true, pid: process.pid, version: VERSION, status: await handlers.status() });
      socket.end();
    } else if (request.op === "stop") {
      sendLine(socket, { ok: true, pid: process.pid, version: VERSION });
      socket.end();
      handlers.stop();
    } else {
      handlers.admit(request);
      sendLine(socket, { ok: true, pid: process.pid, version: VERSION });
      handlers.joined(request, socket);
    }
  } catch (error) {
    const known = error instanceof PmlError ? error : new PmlError("GATEWAY_UNREACHABLE", messageOf(error));
    sendLine(socket, { ok: false, error: errorShape(known) });
    socket.end();
  }
}

function asRequest(value: unknown): LocalRequest {
  const op = (value as { op?: unknown } | null)?.op;
  if (op === "join" || op === "status" || op === "stop") return value as LocalRequest;
  throw new PmlError(
    "GATEWAY_UNREACHABLE",
    `Cannot answer on the local socket: unknown request ${JSON.stringify(op)}`,
  );
}
