/**
 * A model behind an OpenAI-compatible endpoint: `POST {baseUrl}/chat/completions`.
 *
 * The endpoints differ in what they accept. The answer is asked for by a schema, and by words alone where the endpoint
 * does not understand that; nothing else is sent that one of them refuses.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import type { NameModel, NamingAnswer, NamingBrief } from "../curation/name-model.js";
import { boundedFetch } from "./bounded-fetch.js";
import { readAnswers } from "./model-answer.js";
import { failureIn, ModelFailed, refusedWith, unreachable } from "./model-failed.js";
import { ANSWER_SCHEMA, namePrompt } from "./name-prompt.js";
import { type RetryTimes, withOneRetry } from "./one-retry.js";

export interface OpenAiModelOptions {
  readonly model: string;
  /** Without `/chat/completions`. */
  readonly baseUrl: string;
  /** Endpoints on one's own machine need none. */
  readonly apiKey?: string | undefined;
  readonly times?: Partial<RetryTimes>;
}

const RESPONSE_FORMAT = {
  type: "json_schema",
  json_schema: { name: "names", strict: true, schema: ANSWER_SCHEMA },
} as const;

export class OpenAiModel implements NameModel {
  readonly name: string;
  readonly #options: OpenAiModelOptions;
  readonly #url: string;
  #takesSchema = true;

  constructor(options: OpenAiModelOptions) {
    this.name = options.model;
    this.#options = options;
    const url = new URL(options.baseUrl);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
    this.#url = url.href;
  }

  async refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]> {
    const body = await withOneRetry(() => this.#ask(briefs, signal), signal, this.#options.times);
    return readAnswers(contentOf(body));
  }

  async #ask(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<string> {
    const first = await this.#post(briefs, signal);
    const isMisunderstood = first.status === 400 || first.status === 422;
    if (!isMisunderstood || !this.#takesSchema) return await bodyOf(first, signal);
    await first.body?.cancel().catch(() => {});
    this.#takesSchema = false;
    return await bodyOf(await this.#post(briefs, signal), signal);
  }

  async #post(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<Response> {
    const { model, apiKey } = this.#options;
    const { system, user } = namePrompt(briefs);
    const messages = [
      { role: "system", content: system },
      { role: "user", content: user },
    ];
    try {
      return await boundedFetch(this.#url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({
          model,
          messages,
          stream: false,
          ...(this.#takesSchema ? { response_format: RESPONSE_FORMAT } : {}),
        }),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(error);
    }
  }
}

async function bodyOf(response: Response, signal: AbortSignal): Promise<string> {
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    throw refusedWith(response.status, response.headers);
  }
  try {
    return await response.text();
  } catch (error) {
    signal.throwIfAborted();
    throw failureIn(error) ?? unreachable(error);
  }
}

function contentOf(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ModelFailed("Its answer is not JSON");
  }
  const choices = isJsonObject(value) ? value.choices : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const { message, finish_reason } = isJsonObject(choice) ? choice : {};
  const { content, refusal } = isJsonObject(message) ? message : {};
  if (typeof refusal === "string" || finish_reason === "content_filter")
    throw new ModelFailed("It refused to answer");
  if (finish_reason === "length") throw new ModelFailed("Its answer was truncated");
  if (typeof content !== "string" || content === "") throw new ModelFailed("Its answer has no text");
  return content;
}
