/**
 * Creates the model that a configuration asks for. If the model cannot be created, the gateway starts all the same: the
 * model fails on its first request and says why, and the names of the heuristics stay.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import type { NameModel } from "../curation/name-model.js";
import { AnthropicModel } from "./anthropic-model.js";
import { ModelFailed } from "./model-failed.js";
import { ANTHROPIC_KEY, ANTHROPIC_URL, type ModelEnvironment, OPENAI_KEY } from "./model-variables.js";
import type { RetryTimes } from "./one-retry.js";
import { OpenAiModel } from "./openai-model.js";

export interface ApiModelSettings {
  readonly type: "anthropic" | "openai";
  readonly model: string;
  readonly baseUrl?: string | undefined;
  /** The environment variable with the key: the key itself is never in a configuration. */
  readonly apiKeyEnv?: string | undefined;
}

/** `sampling` is the model of the client that asks, and is created for each request. */
export type NameModelSettings = "none" | "haiku" | "sonnet" | "sampling" | ApiModelSettings;

export interface NameModelParts {
  /** The environment of the process that started the gateway. */
  readonly env: ModelEnvironment;
  /** Default: those of `LIMITS`. */
  readonly times?: Partial<RetryTimes>;
}

/** The newest of their lines; both support the option `effort`. */
const CLAUDE = { haiku: "claude-haiku-5-5", sonnet: "claude-sonnet-5-5" } as const;
const ANTHROPIC_ADDRESS = "https://api.anthropic.com";
const OPENAI_ADDRESS = "https://api.openai.com/v1";

/** Sends no request before there is a name to refine. */
export function createNameModel(
  settings: NameModelSettings,
  log: Log,
  { env, times = {} }: NameModelParts,
): NameModel | undefined {
  if (settings === "none" || settings === "sampling") return undefined;
  if (settings === "haiku" || settings === "sonnet")
    return anthropic({ type: "anthropic", model: CLAUDE[settings] }, "low", log, env, times);
  return settings.type === "anthropic"
    ? anthropic(settings, undefined, log, env, times)
    : openAi(settings, log, env, times);
}

function anthropic(
  { model, baseUrl, apiKeyEnv }: ApiModelSettings,
  effort: "low" | undefined,
  log: Log,
  env: ModelEnvironment,
  times: Partial<RetryTimes>,
): NameModel {
  // The key in the environment is sent only to the address in the environment. Any other address needs its own key.
  const variable = apiKeyEnv ?? (baseUrl === undefined ? ANTHROPIC_KEY : undefined);
  const apiKey = keyIn(env, variable);
  if (apiKey === undefined) return withoutKey(model, variable, log);
  const address = baseUrl ?? (env[ANTHROPIC_URL] || ANTHROPIC_ADDRESS);
  return new AnthropicModel({ model, apiKey, baseUrl: address, effort, times });
}

function openAi(
  { model, baseUrl, apiKeyEnv }: ApiModelSettings,
  log: Log,
  env: ModelEnvironment,
  times: Partial<RetryTimes>,
): NameModel {
  const variable = apiKeyEnv ?? (baseUrl === undefined ? OPENAI_KEY : undefined);
  const apiKey = keyIn(env, variable);
  // A local endpoint needs no key, but a key that is configured must exist.
  if (apiKey === undefined && variable !== undefined) return withoutKey(model, variable, log);
  return new OpenAiModel({ model, baseUrl: baseUrl ?? OPENAI_ADDRESS, apiKey, times });
}

function keyIn(env: ModelEnvironment, variable: string | undefined): string | undefined {
  const key = variable === undefined ? undefined : env[variable]?.trim();
  return key === "" ? undefined : key;
}

function withoutKey(name: string, variable: string | undefined, log: Log): NameModel {
  const why =
    variable === undefined
      ? "There is no API key: curation.model.apiKeyEnv is not set for this address"
      : `There is no API key: ${variable} was not set when the gateway started`;
  log.warn("curation.model", { model: name, error: why });
  return { name, refine: () => Promise.reject(new ModelFailed(why)) };
}
