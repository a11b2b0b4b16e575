/**
 * Creates the configured embedder. A model that cannot be used does not prevent the start: the embedder reports the
 * reason, and discovery uses words only.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { canonicalJson } from "../base/canonical-json.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";
import type { Background, EmbeddedKind, Embedder, EmbedderState } from "../discovery/embedder.js";
import { embedderFailed } from "./embedder-failed.js";
import { EndpointEmbedder, type EndpointTimes } from "./endpoint-embedder.js";
import { LocalEmbedder, type LocalEmbedderTimes } from "./local-embedder.js";
import { type ModelFiles, readModelFiles } from "./model-files.js";

interface Common {
  /** The prefixes that the model needs before an intent and before a description. */
  readonly queryPrefix?: string | undefined;
  readonly documentPrefix?: string | undefined;
  readonly weight?: number | undefined;
}

export interface EndpointSettings extends Common {
  readonly type: "openai";
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly dimensions?: number | undefined;
}

export interface DirectorySettings extends Common {
  readonly type: "directory";
  /** Absolute. */
  readonly path: string;
}

export type EmbedderSettings = "bundled" | "none" | EndpointSettings | DirectorySettings;

/** Overrides of times in `LIMITS`. */
export type EmbedderTimes = Partial<LocalEmbedderTimes & EndpointTimes>;

interface LocalCommon extends Common {
  readonly background?: Background;
}

/** The similarity of queries to all tools, with the bundled model; nearly the same in four public data sets. */
const BUNDLED_BACKGROUND: Background = { mean: 0.03, deviation: 0.09 };
/** The best weight for the bundled model (its card has the figures). */
const WEIGHT = 0.7;

export const BUNDLED_MODEL = fileURLToPath(new URL("../../models/pml-minilm-tools-v1", import.meta.url));

/** The first text loads the model or contacts the endpoint, not this call. */
export async function createEmbedder(
  settings: EmbedderSettings,
  log: Log,
  times: EmbedderTimes = {},
): Promise<Embedder> {
  if (settings === "none") return new NoEmbedder();
  if (settings !== "bundled" && settings.type === "openai") return endpoint(settings, log, times);
  const { path, ...common } =
    settings === "bundled" ? { path: BUNDLED_MODEL, background: BUNDLED_BACKGROUND } : settings;
  try {
    return local(await readModelFiles(path), common, log, times);
  } catch (error) {
    log.warn("embedder.failed", { error: messageOf(error) });
    return new NoEmbedder(messageOf(error));
  }
}

function endpoint(settings: EndpointSettings, log: Log, times: EmbedderTimes): Embedder {
  const { url, model, apiKey, dimensions, weight } = settings;
  const prefixes = prefixesOf(settings);
  // Without parts that may be secret, and normalised.
  const { host, pathname } = new URL(url);
  const address = `${host}${pathname.replace(/\/+$/, "")}`;
  return new EndpointEmbedder({
    id: `${model}@${address}:${digest({ address, model, dimensions: dimensions ?? null, prefixes })}`,
    weight: weight ?? WEIGHT,
    url,
    model,
    apiKey,
    dimensions,
    prefixes,
    log,
    times,
  });
}

function local(files: ModelFiles, common: LocalCommon, log: Log, times: EmbedderTimes): Embedder {
  const { name, weights, tokenizer, pooling, maxTokens } = files;
  const prefixes = prefixesOf(common);
  const parts = { weights: weights.sha256, tokenizer: tokenizer.sha256, pooling, maxTokens, prefixes };
  return new LocalEmbedder({
    id: `${name}:${digest(parts)}`,
    weight: common.weight ?? WEIGHT,
    background: common.background,
    files,
    prefixes,
    log,
    times,
  });
}

function prefixesOf({ queryPrefix, documentPrefix }: Common): Readonly<Record<EmbeddedKind, string>> {
  return { query: queryPrefix ?? "", document: documentPrefix ?? "" };
}

function digest(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 16);
}

/** Discovery by words alone: because of the configuration, or because the configured model cannot be used. */
class NoEmbedder implements Embedder {
  readonly id = "none";
  readonly weight = 0;
  readonly state: EmbedderState;
  readonly problem: string | undefined;

  /** @param problem why the configured model is not available */
  constructor(problem?: string) {
    this.problem = problem;
    this.state = problem === undefined ? "none" : "failed";
  }

  embed(): Promise<never> {
    return Promise.reject(embedderFailed("embed a text", this.problem ?? "no model is configured"));
  }

  async close(): Promise<void> {}
}
