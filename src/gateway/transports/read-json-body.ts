import type { IncomingMessage } from "node:http";
import { LIMITS } from "../../base/limits.js";

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/** Reads a request's JSON body within the limit; throws `BodyTooLarge` or `SyntaxError`. */
export async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  if (Number(req.headers["content-length"] ?? 0) > LIMITS.httpBodyBytes) throw new BodyTooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LIMITS.httpBodyBytes) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
