/**
 * The SDK's transports over HTTP, with two problems fixed. The SDK reports and skips a message that does not fit its
 * schema, even if a request waits for it: unusable answers are replaced before the SDK sees them. And the SDK does not
 * limit the length of a message: one that is too long is replaced by an error, and only its start is kept in memory.
 *
 * @module
 */
import {
  type FetchLike,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { LIMITS } from "../base/limits.js";
import { EnvelopeScan } from "../mcp/envelope-scan.js";
import { tooLongAnswer, tooLongError } from "../mcp/too-long.js";
import { readableAnswer } from "./readable-answer.js";
import type { HttpServerEntry } from "./server-entry.js";
import { authorizedFetch } from "./sign-in/authorized-fetch.js";
import type { TokenKeeper } from "./sign-in/token-keeper.js";

/** @param keeper has the tokens, if the server may need a sign-in */
export function httpTransport(entry: HttpServerEntry, keeper?: TokenKeeper): Transport {
  const options = {
    requestInit: { headers: { ...entry.headers } },
    fetch: keeper === undefined ? readableFetch : authorizedFetch(entry.url, keeper, readableFetch),
  };
  return entry.transport === "http"
    ? new StreamableHTTPClientTransport(entry.url, options)
    : new SSEClientTransport(entry.url, options);
}

const readableFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || response.body === null) return response;
  if (/^text\/event-stream\b/i.test(type))
    return withBody(
      response,
      response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(readableEvents())
        .pipeThrough(new TextEncoderStream()),
    );
  if (/^application\/json\b/i.test(type))
    return withBody(response, readableText(await boundedText(response.body)));
  return response;
};

/** Processes event streams line by line; a message is usually one line of data. */
function readableEvents(): TransformStream<string, string> {
  let rest = "";
  /** The line that is being read, if it is over the limit. */
  let tooLong: EnvelopeScan | undefined;
  const ended = (line: string): string => {
    const scan = tooLong;
    tooLong = undefined;
    return scan === undefined ? readableLine(line) : `data: ${tooLongText(scan)}${line}`;
  };
  return new TransformStream({
    transform(chunk, controller) {
      const lines = chunk.split(/(?<=[\r\n])/);
      const last = /[\r\n]$/.test(chunk) ? "" : (lines.pop() ?? "");
      for (const line of lines) {
        const whole = rest + line;
        rest = "";
        if (tooLong === undefined && whole.length > LIMITS.messageBytes) tooLong = scanOf(dataOf(whole));
        else tooLong?.take(Buffer.from(whole));
        // Only the line end remains of a line that is too long.
        controller.enqueue(ended(tooLong === undefined ? whole : "\n"));
      }
      rest += last;
      if (tooLong === undefined && rest.length <= LIMITS.messageBytes) return;
      if (tooLong === undefined) tooLong = scanOf(dataOf(rest));
      else tooLong.take(Buffer.from(rest));
      rest = "";
    },
    flush: (controller) => controller.enqueue(ended(rest)),
  });
}

const dataOf = (line: string): string => line.replace(/^data:/, "");

function scanOf(text: string): EnvelopeScan {
  const scan = new EnvelopeScan();
  scan.take(Buffer.from(text));
  return scan;
}

/** An error that replaces an answer that is too long; empty for other messages. */
function tooLongText({ id, hasMethod }: EnvelopeScan): string {
  const error = tooLongError(LIMITS.messageBytes);
  return id === undefined || hasMethod ? "{}" : JSON.stringify(tooLongAnswer(id, error));
}

/** The body, or an error if it is too long. */
async function boundedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  let tooLong: EnvelopeScan | undefined;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > LIMITS.messageSkippedBytes) throw tooLongError(LIMITS.messageBytes);
    held.push(chunk);
    if (bytes <= LIMITS.messageBytes) continue;
    tooLong ??= new EnvelopeScan();
    for (const part of held.splice(0)) tooLong.take(part);
  }
  return tooLong === undefined ? Buffer.concat(held).toString("utf8") : tooLongText(tooLong);
}

function readableLine(line: string): string {
  const [, data = "", end = ""] = /^data:(.*?)([\r\n]*)$/s.exec(line) ?? [];
  const readable = readableText(data);
  return readable === data ? line : `data: ${readable}${end}`;
}

/** The text itself, unless an answer in it has to be replaced. */
function readableText(text: string): string {
  try {
    const message: unknown = JSON.parse(text);
    const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
    const readable = messages.map(readableMessage);
    if (readable.every((one, index) => one === messages[index])) return text;
    return JSON.stringify(Array.isArray(message) ? readable : readable[0]);
  } catch {
    return text;
  }
}

function readableMessage(message: unknown): unknown {
  return typeof message === "object" && message !== null
    ? readableAnswer(message as JSONRPCMessage)
    : message;
}

function withBody(
  { status, statusText, headers, url, redirected }: Response,
  body: string | ReadableStream,
): Response {
  const answer = new Response(body, { status, statusText, headers: withoutLength(headers) });
  // A constructed response has no URL and no redirect flag of its own.
  return Object.defineProperties(answer, { url: { value: url }, redirected: { value: redirected } });
}

/** These headers describe the original bytes. */
function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding"]) kept.delete(name);
  return kept;
}
