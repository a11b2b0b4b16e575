/**
 * A server that implements the Messages API as documented, version 2026-10-21: `POST /v1/messages`, `Authorization:
 * Bearer`, `output_config.format`, errors as `{ type: "error", error: { type, message } }`. It accepts no sampling
 * parameters, forced tools or continued answers, and it thinks before it answers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AGREED, type Saying, textOf } from "./said.js";

export const ANTHROPIC_KEY = "sk-ant-test-0123456789abcdef";
const MODELS: ReadonlySet<unknown> = new Set(["claude-haiku-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"]);
const ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export interface AskedMessage {
  readonly model?: unknown;
  readonly max_tokens?: unknown;
  readonly system?: unknown;
  readonly messages?: readonly { readonly role?: unknown; readonly content?: unknown }[];
  readonly output_config?: { readonly format?: { readonly type?: unknown }; readonly effort?: unknown };
  readonly [key: string]: unknown;
}

/** Replaces an answer: a function of the test that handles the response. */
export type Instead = (response: ServerResponse, request: IncomingMessage) => void;

export interface ModelServer<Body> {
  readonly url: string;
  readonly asked: Body[];
  /** Request bodies as received, with the headers. */
  readonly received: string[];
  /** For the next requests, one each; after that it agrees. */
  readonly next: (Saying | Instead)[];
  close(): Promise<void>;
}

export async function listen<Body>(
  path: string,
  answer: (
    response: ServerResponse,
    body: Body,
    request: IncomingMessage,
    next: () => Saying | Instead,
  ) => void,
): Promise<ModelServer<Body>> {
  const asked: Body[] = [];
  const received: string[] = [];
  const next: (Saying | Instead)[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      received.push(`${JSON.stringify(request.headers)}\n${body}`);
      const parsed = JSON.parse(body) as Body;
      asked.push(parsed);
      answer(response, parsed, request, () => next.shift() ?? AGREED);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    asked,
    received,
    next,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function startAnthropicServer(): Promise<ModelServer<AskedMessage>> {
  return listen<AskedMessage>("", (response, body, request, next) => {
    if (request.method !== "POST" || request.url !== "/v1/messages")
      return refuse(response, 404, "Not found");
    if (request.headers.authorization !== `Bearer ${ANTHROPIC_KEY}`)
      return refuse(response, 401, `invalid bearer token ${request.headers.authorization}`);
    const wrong = wrongWith(body, request);
    if (wrong !== undefined) return refuse(response, 400, wrong);
    if (!MODELS.has(body.model)) return refuse(response, 404, `model: ${String(body.model)}`);
    const turn = next();
    if (typeof turn === "function") return turn(response, request);
    say(response, body, turn);
  });
}

/** An error in the form of the API. It repeats the key, so that a test sees where the text goes. */
export function refuse(
  response: ServerResponse,
  status: number,
  message = `you said Bearer ${ANTHROPIC_KEY}`,
  headers: Readonly<Record<string, string>> = {},
): void {
  const error = { type: ERRORS[status] ?? "api_error", message };
  response
    .writeHead(status, { "content-type": "application/json", "request-id": "req_1", ...headers })
    .end(JSON.stringify({ type: "error", error, request_id: "req_1" }));
}

function wrongWith(body: AskedMessage, { headers }: IncomingMessage): string | undefined {
  if (headers["anthropic-version"] !== "2026-10-21") return "anthropic-version: unknown version";
  if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
  for (const key of ["temperature", "top_p", "top_k"]) if (key in body) return `${key}: not permitted`;
  if ("tool_choice" in body) return "tool_choice: forced tool use is not supported";
  if (body.messages?.at(-1)?.role !== "user") return "messages: prefill is not supported";
  if (body.model === "claude-haiku-4-5" && body.output_config?.effort !== undefined)
    return "output_config.effort: not supported by this model";
  const type = body.output_config?.format?.type;
  return type === undefined || type === "json_schema" ? undefined : "output_config.format.type: unknown";
}

function say(response: ServerResponse, { model, messages }: AskedMessage, saying: Saying): void {
  if (saying.kind === "silence") return;
  const text = textOf(saying, String(messages?.at(-1)?.content));
  const stop = saying.kind === "refusal" ? "refusal" : saying.kind === "cut" ? "max_tokens" : "end_turn";
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    container: null,
    content:
      text === undefined
        ? []
        : [
            { type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" },
            { type: "text", text, citations: null },
          ],
    stop_reason: stop,
    stop_sequence: null,
    stop_details:
      stop === "refusal" ? { type: "refusal", category: "cyber", explanation: "It may do harm" } : null,
    usage: { input_tokens: 10, output_tokens: 10 },
  };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
}
