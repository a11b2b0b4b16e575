/**
 * Reads bodies of requests, within the limit. A body that is too large is read to its end if that is affordable, so
 * that the client sees the answer and the connection stays usable.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { parseShallow } from "../../base/json-depth.js";
import { LIMITS } from "../../base/limits.js";
import { EnvelopeScan } from "../../mcp/envelope-scan.js";

/** How long a body may pause before reading stops. */
const REST_IDLE_MS = 2_000;

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";

  /** The id of the request in it, if it was found. */
  readonly id: string | number | undefined;
  /** Whether all of it was read, so that the connection can be used again. */
  readonly isReadWhole: boolean;

  constructor(id: string | number | undefined, isReadWhole: boolean) {
    super();
    this.id = id;
    this.isReadWhole = isReadWhole;
  }
}

/** Reads a request's JSON body within the limit; throws `BodyTooLarge` or `SyntaxError`. */
export async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  const isTooLarge = await readWithin(req, chunks);
  if (isTooLarge) throw await skipRest(req, chunks);
  return parseShallow(Buffer.concat(chunks).toString("utf8"));
}

/** Returns whether there is more than the limit allows; `chunks` has what was read until then. */
function readWithin(req: IncomingMessage, chunks: Buffer[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const settle = (answer: () => void) => {
      req.pause();
      req.off("data", take).off("end", end).off("error", fail).off("close", gone);
      answer();
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > LIMITS.httpBodyBytes) settle(() => resolve(true));
    };
    const end = () => settle(() => resolve(false));
    const fail = (error: Error) => settle(() => reject(error));
    const gone = () => settle(() => reject(new Error("The client has disconnected")));
    if (Number(req.headers["content-length"] ?? 0) > LIMITS.httpBodyBytes) return resolve(true);
    req.on("data", take).on("end", end).on("error", fail).on("close", gone);
  });
}

/** Reads on without keeping anything: a client that is still sending would not see an answer. */
function skipRest(req: IncomingMessage, chunks: Buffer[]): Promise<BodyTooLarge> {
  const scan = new EnvelopeScan();
  let bytes = 0;
  return new Promise((resolve) => {
    const settle = (isReadWhole: boolean) => {
      clearTimeout(idle);
      req.off("data", take);
      resolve(new BodyTooLarge(scan.hasMethod ? scan.id : undefined, isReadWhole));
    };
    const take = (chunk: Buffer) => {
      idle.refresh();
      scan.take(chunk);
      bytes += chunk.length;
      if (bytes > LIMITS.messageSkippedBytes) settle(false);
    };
    const idle = setTimeout(() => settle(false), REST_IDLE_MS);
    for (const chunk of chunks.splice(0)) take(chunk);
    req.on("data", take);
    req.once("end", () => settle(true));
    req.once("error", () => settle(false));
    req.once("close", () => settle(false));
    req.resume();
  });
}
