/**
 * Claude through the Messages API: `POST {baseUrl}/v1/messages`.
 *
 * The answer is requested as JSON with a schema: current models refuse to be forced to call a tool, and accept no
 * sampling parameters.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import type { NameModel, NamingAnswer, NamingBrief } from "../curation/name-model.js";
import { readAnswers } from "./model-answer.js";
import { ModelFailed } from "./model-failed.js";
import { addressBelow, answerIn, type ModelAnswer, post } from "./model-request.js";
import { ANSWER_SCHEMA, ANSWER_TOKENS, namePrompt } from "./name-prompt.js";
import { type RetryTimes, withOneRetry } from "./one-retry.js";

export interface AnthropicModelOptions {
  /** The name of the model in the API. */
  readonly model: string;
  readonly apiKey: string;
  /** Without `/v1/messages`. */
  readonly baseUrl: string;
  /** Names need little effort. Older models do not have this option. */
  readonly effort?: "low" | undefined;
  readonly times?: Partial<RetryTimes>;
}

const HEADERS = { "anthropic-version": "2026-10-21" };

export class AnthropicModel implements NameModel {
  readonly name: string;
  readonly #options: AnthropicModelOptions;
  readonly #url: string;

  constructor(options: AnthropicModelOptions) {
    this.name = options.model;
    this.#options = options;
    this.#url = addressBelow(options.baseUrl, "/v1/messages");
  }

  async refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]> {
    const message = await withOneRetry(() => this.#ask(briefs, signal), signal, this.#options.times);
    return readAnswers(textOf(message));
  }

  async #ask(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<ModelAnswer> {
    const { model, effort, apiKey } = this.#options;
    const { system, user } = namePrompt(briefs);
    const body = {
      model,
      max_tokens: ANSWER_TOKENS,
      system,
      messages: [{ role: "user", content: user }],
      output_config: { format: { type: "json_schema", schema: ANSWER_SCHEMA }, effort },
    };
    return await answerIn(await post({ url: this.#url, apiKey, headers: HEADERS, body }, signal), signal);
  }
}

function textOf({ stop_reason, content }: ModelAnswer): string {
  if (stop_reason === "refusal") throw new ModelFailed("It refused to answer");
  if (stop_reason === "max_tokens" || stop_reason === "model_context_window_exceeded")
    throw new ModelFailed("Its answer was truncated");
  // Thinking comes first, so blocks are selected by type, not by position.
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = blocks
    .filter(isJsonObject)
    .map((block) => (block.type === "text" && typeof block.text === "string" ? block.text : ""))
    .join("");
  if (text === "") throw new ModelFailed("Its answer has no text");
  return text;
}
