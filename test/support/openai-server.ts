/**
 * A server that implements the chat completions API of OpenAI, as Ollama, LM Studio and vLLM do too: `POST
 * {base}/chat/completions`, `Authorization: Bearer`, `response_format`, errors as `{ error: { message, type } }`.
 */
import type { ServerResponse } from "node:http";
import { listen, type ModelServer } from "./anthropic-server.js";
import { type Saying, textOf } from "./said.js";

export const OPENAI_KEY = "sk-test-0123456789abcdef";
export const OPENAI_MODEL = "names-1";

interface AskedCompletion {
  readonly model?: unknown;
  readonly messages?: readonly { readonly role?: unknown; readonly content?: unknown }[];
  readonly response_format?: { readonly type?: unknown };
  readonly [key: string]: unknown;
}

export type OpenAiServer = ModelServer<AskedCompletion>;

/** @param takesSchema if false, it refuses `response_format`, as some endpoints do */
export function startOpenAiServer({ takesSchema = true } = {}): Promise<OpenAiServer> {
  return listen<AskedCompletion>("/v1", (response, body, request, next) => {
    if (request.method !== "POST" || request.url !== "/v1/chat/completions")
      return refuseCompletion(response, 404, `Invalid URL (${request.method} ${request.url})`);
    if (request.headers.authorization !== `Bearer ${OPENAI_KEY}`)
      return refuseCompletion(response, 401, `Incorrect API key provided: ${request.headers.authorization}`);
    for (const key of ["temperature", "max_tokens"])
      if (key in body) return refuseCompletion(response, 400, `Unsupported parameter: '${key}'`);
    if (body.model !== OPENAI_MODEL)
      return refuseCompletion(response, 404, `The model '${String(body.model)}' does not exist`);
    if (body.response_format !== undefined && !takesSchema)
      return refuseCompletion(response, 400, "This response_format type is unavailable now");
    const turn = next();
    if (typeof turn === "function") return turn(response, request);
    complete(response, body, turn);
  });
}

export function refuseCompletion(
  response: ServerResponse,
  status: number,
  message = `you said Bearer ${OPENAI_KEY}`,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null } }));
}

function complete(response: ServerResponse, { model, messages }: AskedCompletion, saying: Saying): void {
  if (saying.kind === "silence") return;
  const content = textOf(saying, String(messages?.at(-1)?.content)) ?? null;
  const refusal = saying.kind === "refusal" ? "I cannot help with that." : null;
  const finish_reason = saying.kind === "cut" ? "length" : "stop";
  const choice = {
    index: 0,
    message: { role: "assistant", content, refusal },
    finish_reason,
    logprobs: null,
  };
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const completion = {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [choice],
    usage,
  };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
}
