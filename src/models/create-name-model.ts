/**
 * The model that a configuration asks for. One that cannot be had is no reason not to start: it fails when it is asked,
 * says why, and the names of the heuristics stand.
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
  /** The variable of the environment that holds the key: the key itself never stands in a configuration. */
  readonly apiKeyEnv?: string | undefined;
}

/** `sampling` is the model of whichever client asks, and is made for each of its requests. */
export type NameModelSettings = "none" | "haiku" | "sonnet" | "sampling" | ApiModelSettings;

export interface NameModelParts {
  /** The environment of the process that started the gateway. */
  readonly env: ModelEnvironment;
  /** Where they are not those of `LIMITS`. */
  readonly times?: Partial<RetryTimes>;
}

/** The newest of their lines; both know efforts. */
const CLAUDE = { haiku: "claude-haiku-5-5", sonnet: "claude-sonnet-5-5" } as const;
const ANTHROPIC_ADDRESS = "https://api.anthropic.com";
const OPENAI_ADDRESS = "https://api.openai.com/v1";

/** No model is asked before there is a name to refine. */
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
  // The key of the environment goes where the environment says. Another address must name its key.
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
  // An endpoint on one's own machine needs no key; one that was named must be there.
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
