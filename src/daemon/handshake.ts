/**
 * The first line on the local socket, in each direction. After a join, everything that follows is MCP.
 *
 * @module
 */
import type { Socket } from "node:net";
import { type ErrorShape, PmlError } from "../base/pml-error.js";

interface JoinScope {
  readonly org: string;
  readonly project: string;
  readonly user: string;
}

/** Hashes of the settings that all clients of a gateway must share, by the setting's name. */
export type SettingsFingerprint = Readonly<Record<string, string>>;

export interface JoinRequest {
  readonly op: "join";
  readonly version: string;
  readonly scope: JoinScope;
  readonly exposure: string;
  /** True if a person joins through a command, for history and audit. */
  readonly byPerson?: boolean;
  readonly print: SettingsFingerprint;
  /** Values of the variables in its configuration. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The last line to those who asked for HTTP, if the gateway was asked to end. */
export const STOPPED = "stopped";

/** Requests HTTP at an address, while the socket is open. */
export interface HttpRequest {
  readonly op: "http";
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly join: JoinRequest;
}

export type LocalRequest =
  | JoinRequest
  /** With `join`, the reply also says whether that request would be refused. */
  | { readonly op: "status"; readonly version: string; readonly join?: JoinRequest }
  | { readonly op: "stop"; readonly version: string }
  | HttpRequest;

export type LocalReply =
  | {
      readonly ok: true;
      readonly pid: number;
      readonly version: string;
      readonly status?: unknown;
      /** The address of HTTP. */
      readonly url?: string;
      readonly refusal?: ErrorShape;
    }
  | { readonly ok: false; readonly error: ErrorShape };

const LINE_BYTES = 262_144;
const LINE_MS = 10_000;
const ENDS = ["end", "error", "close"] as const;

export function sendLine(socket: Socket, value: LocalRequest | LocalReply): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

/**
 * Reads one line within `ms` and puts the bytes after it back, so that the stream continues after the line. Returns
 * undefined if the other side disconnected before its line was complete.
 */
export function readLine(socket: Socket, ms = LINE_MS): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    const settle = (error: Error | undefined, value?: unknown) => {
      clearTimeout(timer);
      socket.off("data", onData);
      for (const event of ENDS) socket.off(event, onEnd);
      if (error === undefined) resolve(value);
      else reject(error);
    };
    const onEnd = () => settle(undefined);
    const onData = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      const end = held.indexOf(0x0a);
      if (end < 0) {
        if (held.length > LINE_BYTES) settle(broken(`the first line is longer than ${LINE_BYTES} bytes`));
        return;
      }
      socket.pause();
      const line = held.subarray(0, end).toString("utf8");
      const rest = held.subarray(end + 1);
      try {
        settle(undefined, JSON.parse(line));
      } catch {
        settle(broken("the first line is not JSON"));
      }
      if (rest.length > 0) socket.unshift(rest);
    };
    const timer = setTimeout(() => settle(broken(`no line within ${ms} ms`)), ms);
    socket.on("data", onData);
    for (const event of ENDS) socket.once(event, onEnd);
  });
}

function broken(why: string): PmlError {
  return new PmlError("GATEWAY_UNREACHABLE", `Cannot talk to the gateway on its local socket: ${why}`);
}
