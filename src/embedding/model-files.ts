/**
 * A sentence model as a directory: weights, tokenizer, and how the vectors of its words are combined.
 *
 * The layout is that of published models: `model_quantized.onnx` or `model.onnx`, here or in `onnx/`, beside
 * `tokenizer.json`. `SHA256SUMS`, if it exists, has the checksums of the files, which the loading process checks.
 * Without it the files are read once to identify the model.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { embedderFailed } from "./embedder-failed.js";

export type Pooling = "mean" | "cls";

export interface ModelFile {
  readonly path: string;
  /** The expected checksum, in hex. */
  readonly sha256: string;
}

/** Plain data, because it is sent to the process that loads them. */
export interface ModelFiles {
  readonly name: string;
  readonly weights: ModelFile;
  readonly tokenizer: ModelFile;
  readonly pooling: Pooling;
  /** The rest of a longer text is ignored. */
  readonly maxTokens: number;
}

const WEIGHTS = ["model_quantized.onnx", "model.onnx", "onnx/model_quantized.onnx", "onnx/model.onnx"];
/** The default if the model gives none; longer descriptions add no information, and take proportionally longer. */
const MAX_TOKENS = 256;
/** Three times the largest published one. Reading here blocks the gateway. */
const TOKENIZER_BYTES = 100_000_000;
const TEXT_BYTES = 1_000_000;

export async function readModelFiles(directory: string): Promise<ModelFiles> {
  const path = resolve(directory);
  const weights = WEIGHTS.find((name) => sizeOf(path, name) !== undefined);
  if (weights === undefined) throw cannotUse(path, `it has no ${WEIGHTS.slice(0, 2).join(" or ")}`);
  const tokenizer = sizeOf(path, "tokenizer.json");
  if (tokenizer === undefined) throw cannotUse(path, "it has no tokenizer.json");
  if (tokenizer > TOKENIZER_BYTES)
    throw cannotUse(path, `tokenizer.json has more than ${TOKENIZER_BYTES} bytes`);
  const sums = readSums(path);
  const file = async (name: string): Promise<ModelFile> => ({
    path: join(path, name),
    sha256: sums.get(name) ?? (await sha256Of(path, name)),
  });
  return {
    name: basename(path),
    weights: await file(weights),
    tokenizer: await file("tokenizer.json"),
    pooling: readPooling(path),
    maxTokens: readMaxTokens(path),
  };
}

/** Lines of `sha256sum`: the checksum, and the name after two characters. */
function readSums(directory: string): ReadonlyMap<string, string> {
  const text = readText(directory, "SHA256SUMS");
  const lines = text?.split("\n").map((line) => /^([0-9a-f]{64}) [ *](?:\.\/)?(.+)$/.exec(line.trim()));
  return new Map(
    (lines ?? []).flatMap((found) => (found === null ? [] : [[found[2] ?? "", found[1] ?? ""]])),
  );
}

async function sha256Of(directory: string, name: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(join(directory, name), { highWaterMark: 256 * 1024 }), hash);
  } catch (error) {
    throw cannotUse(directory, messageOf(error));
  }
  return hash.digest("hex");
}

/** The file of sentence-transformers; the mean is the default for nearly every such model. */
function readPooling(directory: string): Pooling {
  const stated = readJson(directory, "1_Pooling/config.json");
  if (stated === undefined || stated.pooling_mode_mean_tokens === true) return "mean";
  if (stated.pooling_mode_cls_token === true) return "cls";
  throw cannotUse(directory, "1_Pooling/config.json requires a pooling that is neither mean nor cls");
}

function readMaxTokens(directory: string): number {
  const stated = readJson(directory, "sentence_bert_config.json")?.max_seq_length;
  const most = readJson(directory, "config.json")?.max_position_embeddings;
  const limits = [stated ?? MAX_TOKENS, most].filter((limit) => typeof limit === "number" && limit >= 8);
  return Math.min(...(limits as number[]), 8_192);
}

function readJson(directory: string, name: string): Readonly<Record<string, unknown>> | undefined {
  const text = readText(directory, name);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below, with the same message.
  }
  throw cannotUse(directory, `${name} is not a JSON object`);
}

function readText(directory: string, name: string): string | undefined {
  const size = sizeOf(directory, name);
  if (size === undefined) return undefined;
  if (size > TEXT_BYTES) throw cannotUse(directory, `${name} has more than ${TEXT_BYTES} bytes`);
  return readFileSync(join(directory, name), "utf8");
}

/** Undefined if it is not a file: reading a pipe would never end. */
function sizeOf(directory: string, name: string): number | undefined {
  const found = statSync(join(directory, name), { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : undefined;
}

function cannotUse(directory: string, why: string): Error {
  return embedderFailed(`use the model in "${directory}"`, why);
}
