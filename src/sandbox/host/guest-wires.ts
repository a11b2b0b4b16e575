/**
 * The gateway's ends of the guests' wires: messages of a run come directly from its process, and not through the
 * broker, which would double the time of every call.
 *
 * The socket is in a directory that only this user can enter, and the broker greets for each guest with a token that
 * only the broker was given.
 *
 * @module
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "../../base/limits.js";
import { LineSplitter } from "../../base/line-splitter.js";
import { wireGreeting } from "../protocol/broker-frames.js";
import { AGAIN_LINE, READY_LINE } from "../protocol/frames.js";

interface WireListener {
  line(line: string): void;
  /** A line is too long; no more lines follow. */
  tooLong(): void;
}

export interface GuestWire {
  /** From now on its lines go to `listener`. */
  use(listener: WireListener): void;
  /** Sends one line, to which the line end is added; false if the guest does not read. */
  send(line: string): boolean;
  /** Asks the guest to prepare for another run. */
  again(): void;
  /** No more data is expected on it. */
  close(): void;
  /** Calls back when the wire has ended, or nothing has arrived for long. */
  whenOver(then: () => void): void;
}

export interface GuestWires {
  /** For the broker. */
  readonly path: string;
  readonly token: string;
  /** The wire of a ready guest. */
  get(guest: number): GuestWire | undefined;
  close(): void;
}

export interface GuestWiresOptions {
  /** The limit of one line. */
  readonly lineBytesMost: number;
  /** A guest waits for a run. */
  onReady(guest: number): void;
}

/** The limit of a socket's path; the system truncates or rejects longer ones. */
const PATH_BYTES_MOST = 100;
/** The time limit of the greeting. */
const GREETING_MS = 5_000;
/** How long to wait for the last output after a guest's process has ended. */
const LAST_LINES_MS = 1_000;

/** Undefined if the system has no such sockets, or no place for them. */
export function openGuestWires({ lineBytesMost, onReady }: GuestWiresOptions): GuestWires | undefined {
  if (process.platform === "win32") return undefined;
  const token = randomBytes(16).toString("hex");
  const wires = new Map<number, GuestWire>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    greet(socket);
  });
  // A failure to listen is detected below.
  server.on("error", () => {});

  /** The first line identifies the guest; the others are its frames. */
  function greet(socket: Socket): void {
    let take: ((line: Buffer) => void) | undefined;
    let tooLong = (): void => void socket.destroy();
    const timer = setTimeout(() => socket.destroy(), GREETING_MS);
    const splitter = new LineSplitter(lineBytesMost, { line: greeted, endless: () => tooLong() });
    function greeted(line: Buffer): void {
      if (take !== undefined) {
        take(line);
        return;
      }
      clearTimeout(timer);
      const guest = guestOf(line.toString("latin1"), token);
      if (guest === undefined) {
        take = () => {};
        socket.destroy();
        return;
      }
      const wire = openWire(socket, () => onReady(guest));
      ({ take, tooLong } = wire);
      wires.set(guest, wire.wire);
      socket.on("close", () => wires.delete(guest));
    }
    socket.on("data", (chunk: Buffer) => splitter.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => clearTimeout(timer));
  }

  const directory = makeDirectory();
  if (directory === undefined) return undefined;
  const path = join(directory, "guests");
  // The broker's process keeps the gateway running, not this server.
  if (Buffer.byteLength(path) <= PATH_BYTES_MOST) server.listen(path).unref();
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
    rmSync(directory, { recursive: true, force: true });
  };
  if (!server.listening) {
    close();
    return undefined;
  }
  return { path, token, get: (guest) => wires.get(guest), close };
}

interface OpenWire {
  readonly wire: GuestWire;
  take(line: Buffer): void;
  tooLong(): void;
}

function openWire(socket: Socket, onReady: () => void): OpenWire {
  let listener: WireListener | undefined;
  let isReady = false;
  let isCut = false;
  return {
    take(line) {
      if (isReady) {
        listener?.line(line.toString());
      } else if (line.toString() === READY_LINE) {
        isReady = true;
        onReady();
      }
    },
    tooLong() {
      isCut = true;
      if (listener === undefined) socket.destroy();
      // Left open: a guest that cannot write would end, and the reason would be lost.
      else socket.pause();
      listener?.tooLong();
    },
    wire: {
      use(next) {
        listener = next;
      },
      send(line) {
        socket.write(`${line}\n`);
        return socket.writableLength <= LIMITS.runBacklogBytes;
      },
      again() {
        listener = undefined;
        isReady = false;
        socket.write(`${AGAIN_LINE}\n`);
      },
      close() {
        listener = undefined;
        socket.destroy();
      },
      whenOver(then) {
        if (isCut) socket.destroy();
        if (isCut || socket.closed) {
          then();
          return;
        }
        const timer = setTimeout(() => socket.destroy(), LAST_LINES_MS);
        socket.once("close", () => {
          clearTimeout(timer);
          then();
        });
      },
    },
  };
}

function guestOf(line: string, token: string): number | undefined {
  const guest = Number(line.split(" ")[1]);
  const said = Buffer.from(line);
  const expected = Buffer.from(wireGreeting(guest, token));
  return said.length === expected.length && timingSafeEqual(said, expected) ? guest : undefined;
}

function makeDirectory(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), "pml-"));
  } catch {
    return undefined;
  }
}
