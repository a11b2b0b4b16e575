/**
 * The SDK's transports over HTTP, with one thing mended: a message that is no message by its schema is reported and
 * passed over, also when somebody waits for it. So unusable answers are replaced before the transport sees them.
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
import { readableAnswer } from "./readable-answer.js";
import type { HttpServerEntry } from "./server-entry.js";

export function httpTransport(entry: HttpServerEntry): Transport {
  const options = { requestInit: { headers: { ...entry.headers } }, fetch: readableFetch };
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
  if (/^application\/json\b/i.test(type)) return withBody(response, readableText(await response.text()));
  return response;
};

/** Event streams line by line; a message is one line of data, unless a server breaks it for beauty's sake. */
function readableEvents(): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const lines = chunk.split(/(?<=[\r\n])/);
      lines[0] = rest + (lines[0] ?? "");
      rest = /[\r\n]$/.test(chunk) ? "" : (lines.pop() ?? "");
      if (lines.length > 0) controller.enqueue(lines.map(readableLine).join(""));
    },
    flush: (controller) => controller.enqueue(readableLine(rest)),
  });
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
  // A response that is made knows nothing of where it came from.
  return Object.defineProperties(answer, { url: { value: url }, redirected: { value: redirected } });
}

/** They speak of the bytes as they were sent. */
function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding"]) kept.delete(name);
  return kept;
}
