/**
 * Answers over HTTP outside of MCP: refusals and plain JSON.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { errorShape, messageOf, PmlError } from "../../base/pml-error.js";
import { BodyTooLarge } from "./http-body.js";

export function refuse(log: Log, res: ServerResponse, error: unknown): void {
  if (res.headersSent) {
    res.destroy();
  } else if (error instanceof BodyTooLarge) {
    const why = `its body is larger than ${LIMITS.httpBodyBytes} bytes, the limit of one request`;
    const tooLarge = new PmlError("LIMIT_EXCEEDED", `Cannot read the request: ${why}`, {
      hint: "Send less at a time; the limit is fixed.",
    });
    // If the rest of the body was not read, the connection cannot be used again.
    const headers = error.isReadWhole ? {} : { connection: "close" };
    sendJson(res, 413, { ...rpcError(-32600, tooLarge), id: error.id ?? null }, headers);
  } else if (error instanceof SyntaxError) {
    const why = messageOf(error);
    sendJson(
      res,
      400,
      rpcError(-32700, new PmlError("MESSAGE_INVALID", `Cannot read the request as JSON: ${why}`)),
    );
  } else {
    log.error("http.failed", { message: messageOf(error) });
    sendJson(res, 500, rpcError(-32603, undefined));
  }
}

export function refuseHost(res: ServerResponse, why: string): void {
  const error = new PmlError("NOT_ALLOWED", `Refused: ${why}`, {
    hint: "Set http.publicUrl or http.allowedHosts in the configuration of the gateway.",
  });
  sendJson(res, 403, rpcError(-32000, error));
}

export function refuseUnclear(res: ServerResponse, why: string): void {
  const error = new PmlError("MESSAGE_INVALID", `Cannot read the request: ${why}`);
  sendJson(res, 400, rpcError(-32600, error), { connection: "close" });
}

export function idOf(body: unknown): unknown {
  return isJsonObject(body) ? (body.id ?? null) : null;
}

export function rpcError(code: number, error: PmlError | undefined): object {
  const shape =
    error === undefined ? { message: "Internal error" } : { message: error.message, data: errorShape(error) };
  return { jsonrpc: "2.0", id: null, error: { code, ...shape } };
}

export function notAllowed(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  methods: readonly string[],
): void {
  const error = { code: "NOT_FOUND", message: `${req.method} is not supported at ${path}` };
  sendJson(res, 405, { error }, { allow: methods.join(", ") });
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}

/** Headers about the target, sender and body of a request. A header given twice could be read in two ways. */
const SINGLE: ReadonlySet<string> = new Set([
  "host",
  "origin",
  "authorization",
  "content-type",
  "mcp-session-id",
  "mcp-protocol-version",
]);

/**
 * Why the head of a request is ambiguous, or undefined: a proxy in front, a browser and this gateway must read the same
 * host and origin. Node's parser itself rejects two lengths, a length together with chunks, and headers that span two
 * lines.
 */
export function whyUnclear({ rawHeaders, url = "" }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.find((name, index) => SINGLE.has(name) && names.indexOf(name) !== index);
  if (twice !== undefined) return `it has two "${twice}" headers`;
  if (url.startsWith("/")) return undefined;
  return "its target is not a path; send a path such as /mcp, and the host in the Host header";
}
