/**
 * A server that implements the embeddings API of OpenAI as documented: `POST {base}/embeddings` with `model`, `input`,
 * `encoding_format` and `dimensions`; `Authorization: Bearer`; errors as `{ error: { message, type } }`.
 *
 * Its model counts words, so that texts with the same words are near each other.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const SERVED_KEY = "sk-test-0123456789";
export const SERVED_MODEL = "words-64";
export const SERVED_LENGTH = 64;

interface Asked {
  readonly model?: unknown;
  readonly input?: unknown;
  readonly encoding_format?: unknown;
  readonly dimensions?: unknown;
}

/** Replaces the answer; returns false if the server should answer. */
export type Misbehaviour = (response: ServerResponse, asked: Asked) => boolean;

export interface EmbeddingServer {
  readonly url: string;
  /** All requests, oldest first. */
  readonly asked: Asked[];
  /** For the next requests, one each. */
  readonly next: Misbehaviour[];
  close(): Promise<void>;
}

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const asked: Asked[] = [];
  const next: Misbehaviour[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, asked, next);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    next,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): true {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  return true;
}

/** An error in the form of the API. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): true {
  return sendJson(response, status, { error: { message, type: "invalid_request_error" } }, headers);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  all: Asked[],
  next: Misbehaviour[],
): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  if (request.method !== "POST" || request.url !== "/v1/embeddings") {
    refuse(response, 404, `Invalid URL (${request.method} ${request.url})`);
    return;
  }
  if (request.headers.authorization !== `Bearer ${SERVED_KEY}`) {
    refuse(response, 401, `Incorrect API key provided: ${request.headers.authorization}`);
    return;
  }
  const asked = JSON.parse(body) as Asked;
  all.push(asked);
  if (next.shift()?.(response, asked) === true) return;
  serve(response, asked);
}

function serve(response: ServerResponse, { model, input, encoding_format, dimensions }: Asked): void {
  const texts = Array.isArray(input) ? (input as unknown[]) : [input];
  if (model !== SERVED_MODEL) refuse(response, 404, `The model '${String(model)}' does not exist`);
  else if (texts.length > 2_048 || !texts.every((text) => typeof text === "string" && text !== ""))
    refuse(response, 400, "'$.input' is invalid");
  else {
    const length = typeof dimensions === "number" ? dimensions : SERVED_LENGTH;
    const data = (texts as string[]).map((text, index) => ({
      object: "embedding",
      index,
      embedding: encoded(wordCounts(text, length), encoding_format),
    }));
    const tokens = { prompt_tokens: texts.length, total_tokens: texts.length };
    sendJson(response, 200, { object: "list", data, model, usage: tokens });
  }
}

export function encoded(vector: Float32Array, format: unknown): string | readonly number[] {
  return format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
}

/** The length is not 1, because not every model returns unit vectors. */
export function wordCounts(text: string, length: number): Float32Array {
  const counts = new Float32Array(length).fill(0.01);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const place = createHash("sha256").update(word).digest().readUInt32LE() % length;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}
