/**
 * Connects to the gateway that owns a data directory.
 *
 * @module
 */
import { connect, type Socket } from "node:net";
import { errorFromShape, PmlError } from "../base/pml-error.js";
import { type LocalReply, type LocalRequest, readLine, sendLine } from "./handshake.js";
import { readOwner } from "./owner-file.js";
import { isSocketOf } from "./socket-path.js";

/** A status waits for the servers and the store; every other answer comes at once. */
const STATUS_MS = 30_000;
const REPLY_MS = 10_000;

/** A connected socket whose request was granted. */
export interface Reached {
  readonly socket: Socket;
  readonly reply: Extract<LocalReply, { ok: true }>;
}

/** Sends `request` to the gateway of `dataDir`; returns undefined if none is running, or it is about to end. */
export async function reachGateway(dataDir: string, request: LocalRequest): Promise<Reached | undefined> {
  const owner = readOwner(dataDir);
  if (owner === undefined || !isSocketOf(dataDir, owner.socket)) return undefined;
  const socket = await open(owner.socket);
  if (socket === undefined) return undefined;
  try {
    sendLine(socket, request);
    const reply = (await readLine(socket, request.op === "status" ? STATUS_MS : REPLY_MS)) as
      | LocalReply
      | undefined;
    if (reply?.ok === true) return { socket, reply };
    if (reply?.ok === false) throw errorFromShape(reply.error);
    socket.destroy();
    return undefined;
  } catch (error) {
    // An open socket would keep this process from ending.
    socket.destroy();
    throw error;
  }
}

/** The owner does not listen: it is still starting, has died, or is ending. */
const NOBODY_LISTENS: ReadonlySet<string | undefined> = new Set(["ENOENT", "ECONNREFUSED", "ECONNRESET"]);

/** `undefined` if no gateway listens. */
function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (NOBODY_LISTENS.has(error.code)) resolve(undefined);
      else
        reject(
          new PmlError(
            "GATEWAY_UNREACHABLE",
            `Cannot connect to the gateway's socket "${path}": ${error.message}`,
            { cause: error },
          ),
        );
    });
  });
}
