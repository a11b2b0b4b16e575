/**
 * A model behind an OpenAI-compatible endpoint: `POST {baseUrl}/chat/completions`.
 *
 * Endpoints differ in what they accept. The answer is requested with a JSON schema, or with words only if the endpoint
 * does not support schemas. No other optional fields are sent.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import type { NameModel, NamingAnswer, NamingBrief } from "../curation/name-model.js";
import { readAnswers } from "./model-answer.js";
import { ModelFailed } from "./model-failed.js";
import { addressBelow, answerIn, type ModelAnswer, post } from "./model-request.js";
import { ANSWER_SCHEMA, namePrompt } from "./name-prompt.js";
import { type RetryTimes, withOneRetry } from "./one-retry.js";

export interface OpenAiModelOptions {
  readonly model: string;
  /** Without `/chat/completions`. */
  readonly baseUrl: string;
  /** Local endpoints need none. */
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
    this.#url = addressBelow(options.baseUrl, "/chat/completions");
  }

  async refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]> {
    const body = await withOneRetry(() => this.#ask(briefs, signal), signal, this.#options.times);
    return readAnswers(contentOf(body));
  }

  async #ask(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<ModelAnswer> {
    const first = await this.#post(briefs, signal);
    const isMisunderstood = first.status === 400 || first.status === 422;
    if (!isMisunderstood || !this.#takesSchema) return await answerIn(first, signal);
    await first.body?.cancel().catch(() => {});
    this.#takesSchema = false;
    return await answerIn(await this.#post(briefs, signal), signal);
  }

  #post(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<Response> {
    const { model, apiKey } = this.#options;
    const { system, user } = namePrompt(briefs);
    const messages = [
      { role: "system", content: system },
      { role: "user", content: user },
    ];
    const format = this.#takesSchema ? { response_format: RESPONSE_FORMAT } : {};
    return post({ url: this.#url, apiKey, body: { model, messages, stream: false, ...format } }, signal);
  }
}

function contentOf({ choices }: ModelAnswer): string {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const { message, finish_reason } = isJsonObject(choice) ? choice : {};
  const { content, refusal } = isJsonObject(message) ? message : {};
  if (typeof refusal === "string" || finish_reason === "content_filter")
    throw new ModelFailed("It refused to answer");
  if (finish_reason === "length") throw new ModelFailed("Its answer was truncated");
  if (typeof content !== "string" || content === "") throw new ModelFailed("Its answer has no text");
  return content;
}
