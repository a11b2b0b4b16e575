/**
 * A PostgreSQL server with pgvector, for any number of connections: PGlite behind a socket, because the servers that
 * tests start lack the extension.
 *
 * PGlite has one session. Connections take turns, each for the duration of its transaction; the names of their prepared
 * statements get the connection's number as a prefix.
 */

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { afterAll } from "vitest";

export interface VectorServer {
  readonly url: string;
  readonly pglite: PGlite;
  /** While it is down, connections and requests are cut off. */
  isDown: boolean;
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;

/** Stopped after the test file. */
export async function startVectorServer(): Promise<VectorServer> {
  const pglite = await PGlite.create({ extensions: { vector } });
  const sockets = new Set<Socket>();
  let turn: Promise<unknown> = Promise.resolve();
  let connections = 0;
  const takeTurn = async () => {
    const before = turn;
    let end = () => {};
    turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  };
  const server: Server = createServer((socket) => {
    if (state.isDown) {
      socket.destroy();
      return;
    }
    connections += 1;
    sockets.add(socket);
    new Connection(socket, `${connections}`, pglite, takeTurn, state);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const state: VectorServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pglite,
    isDown: false,
  };
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await turn;
    await pglite.close();
  });
  return state;
}

class Connection {
  readonly #socket: Socket;
  readonly #name: string;
  readonly #pglite: PGlite;
  readonly #takeTurn: () => Promise<() => void>;
  readonly #state: VectorServer;
  #input = Buffer.alloc(0);
  #isStarted = false;
  /** Messages up to the next one that needs an answer. */
  #unit: Buffer[] = [];
  #work: Promise<void> = Promise.resolve();
  /** Set while its transaction is open. */
  #endTurn: (() => void) | undefined;

  constructor(
    socket: Socket,
    name: string,
    pglite: PGlite,
    takeTurn: () => Promise<() => void>,
    state: VectorServer,
  ) {
    this.#socket = socket;
    this.#name = name;
    this.#pglite = pglite;
    this.#takeTurn = takeTurn;
    this.#state = state;
    socket.on("data", (data: Buffer) => {
      this.#input = Buffer.concat([this.#input, data]);
      while (this.#next()) {
        // One message after the other.
      }
    });
    socket.on("close", () => {
      this.#work = this.#work.then(() => this.#leave());
    });
  }

  #next(): boolean {
    const start = this.#isStarted ? 1 : 0;
    if (this.#input.length < start + 4) return false;
    const length = start + this.#input.readInt32BE(start);
    if (this.#input.length < length) return false;
    const message = this.#input.subarray(0, length);
    this.#input = this.#input.subarray(length);
    if (this.#isStarted) this.#take(message);
    else this.#start(message.readInt32BE(4));
    return true;
  }

  #start(code: number): void {
    if (code === SSL_REQUEST) this.#socket.write("N");
    else if (code === CANCEL_REQUEST) this.#socket.end();
    else {
      this.#isStarted = true;
      this.#socket.write(
        Buffer.concat([
          answer("R", Buffer.from([0, 0, 0, 0])),
          answer("S", Buffer.from("server_version\0" + "17.0\0")),
          answer("S", Buffer.from("client_encoding\0UTF8\0")),
          answer("K", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])),
          answer("Z", Buffer.from("I")),
        ]),
      );
    }
  }

  #take(message: Buffer): void {
    const kind = String.fromCharCode(message[0] as number);
    if (kind === "X") {
      this.#socket.end();
      return;
    }
    this.#unit.push(this.#renamed(kind, message));
    if (kind !== "S" && kind !== "Q") return;
    const unit = Buffer.concat(this.#unit);
    this.#unit = [];
    this.#work = this.#work.then(() => this.#run(unit));
  }

  async #run(unit: Buffer): Promise<void> {
    if (this.#state.isDown) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    this.#endTurn ??= await this.#takeTurn();
    const said = Buffer.from(await this.#pglite.execProtocolRaw(unit));
    this.#socket.write(said);
    // The last message is ReadyForQuery, and its last byte shows whether a transaction is open.
    if (said.at(-1) !== "I".charCodeAt(0)) return;
    this.#endTurn();
    this.#endTurn = undefined;
  }

  async #leave(): Promise<void> {
    if (this.#endTurn === undefined) return;
    await this.#pglite.exec("rollback");
    this.#endTurn();
    this.#endTurn = undefined;
  }

  /** Parse, Bind, Describe and Close name statements; the unnamed statement is shared by all. */
  #renamed(kind: string, message: Buffer): Buffer {
    const body = message.subarray(5);
    let at = -1;
    if (kind === "P") at = 0;
    else if (kind === "B") at = body.indexOf(0) + 1;
    else if ((kind === "D" || kind === "C") && body[0] === "S".charCodeAt(0)) at = 1;
    if (at < 0 || body[at] === 0) return message;
    return answer(
      kind,
      Buffer.concat([body.subarray(0, at), Buffer.from(`${this.#name}_`), body.subarray(at)]),
    );
  }
}

function answer(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
