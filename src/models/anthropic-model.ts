/**
 * Claude behind the Messages API, through its SDK.
 *
 * The answer is asked for as JSON by a schema: current models refuse to be forced to call a tool, and take no sampling
 * parameters. The SDK is loaded with the first question, so that a gateway that asks none does not pay for it. It reads
 * no credentials of its own, retries nothing, follows no redirect, and logs nothing: its log would go to stdout, which
 * belongs to the protocol.
 *
 * @module
 */
import type { Anthropic } from "@anthropic-ai/sdk";
import { LIMITS } from "../base/limits.js";
import type { NameModel, NamingAnswer, NamingBrief } from "../curation/name-model.js";
import { boundedFetch } from "./bounded-fetch.js";
import { readAnswers } from "./model-answer.js";
import { failureIn, ModelFailed, refusedWith, unreachable } from "./model-failed.js";
import { ANSWER_SCHEMA, ANSWER_TOKENS, namePrompt } from "./name-prompt.js";
import { type RetryTimes, withOneRetry } from "./one-retry.js";

export interface AnthropicModelOptions {
  /** As the API knows it. */
  readonly model: string;
  readonly apiKey: string;
  /** Without `/v1/messages`. */
  readonly baseUrl: string;
  /** Names are short work. Older models know no effort. */
  readonly effort?: "low" | undefined;
  readonly times?: Partial<RetryTimes>;
}

type Sdk = typeof import("@anthropic-ai/sdk");

export class AnthropicModel implements NameModel {
  readonly name: string;
  readonly #options: AnthropicModelOptions;
  #client: Anthropic | undefined;

  constructor(options: AnthropicModelOptions) {
    this.name = options.model;
    this.#options = options;
  }

  async refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]> {
    const sdk = await import("@anthropic-ai/sdk");
    signal.throwIfAborted();
    const text = await withOneRetry(() => this.#ask(sdk, briefs, signal), signal, this.#options.times);
    return readAnswers(text);
  }

  async #ask(sdk: Sdk, briefs: readonly NamingBrief[], signal: AbortSignal): Promise<string> {
    const { model, effort } = this.#options;
    const { system, user } = namePrompt(briefs);
    this.#client ??= this.#newClient(sdk);
    try {
      const message = await this.#client.messages.create(
        {
          model,
          max_tokens: ANSWER_TOKENS,
          system,
          messages: [{ role: "user", content: user }],
          output_config: {
            format: { type: "json_schema", schema: ANSWER_SCHEMA },
            ...(effort === undefined ? {} : { effort }),
          },
        },
        { signal },
      );
      return textOf(message);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(sdk, error);
    }
  }

  #newClient(sdk: Sdk): Anthropic {
    const { apiKey, baseUrl } = this.#options;
    return new sdk.Anthropic({
      apiKey,
      baseURL: baseUrl,
      maxRetries: 0,
      timeout: LIMITS.nameModelMs,
      fetch: boundedFetch,
      openTelemetry: false,
      logLevel: "off",
    });
  }
}

function textOf({ stop_reason, content }: Anthropic.Message): string {
  if (stop_reason === "refusal") throw new ModelFailed("It refused to answer");
  if (stop_reason === "max_tokens" || stop_reason === "model_context_window_exceeded")
    throw new ModelFailed("Its answer was truncated");
  // What it thought comes first; blocks are known by their type, not by their place.
  const blocks = Array.isArray(content) ? content : [];
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (text === "") throw new ModelFailed("Its answer has no text");
  return text;
}

function failureOf({ APIError, APIConnectionTimeoutError }: Sdk, error: unknown): ModelFailed {
  const own = failureIn(error);
  if (own !== undefined) return own;
  if (error instanceof APIConnectionTimeoutError) return new ModelFailed("It does not answer");
  if (!(error instanceof APIError)) return new ModelFailed("Its answer cannot be read");
  const { status, headers, type } = error;
  return status === undefined
    ? unreachable(error)
    : refusedWith(status, headers, type === "overloaded_error");
}
