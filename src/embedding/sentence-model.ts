/**
 * A model and its tokenizer in this process: one text in, one unit vector out, or additionally one for each of its
 * words.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ModelFile, ModelFiles, Pooling } from "./model-files.js";
import { loadRuntime, type OnnxRuntime, type OnnxSession, type OnnxTensor } from "./onnx-runtime.js";
import { createTokenizer, type Tokenize } from "./tokenizer.js";
import { unitVector } from "./unit-vector.js";

export class SentenceModel {
  readonly #runtime: OnnxRuntime;
  readonly #session: OnnxSession;
  readonly #tokenize: Tokenize;
  readonly #pooling: Pooling;
  readonly #maxTokens: number;

  constructor(
    runtime: OnnxRuntime,
    session: OnnxSession,
    tokenize: Tokenize,
    { pooling, maxTokens }: Pick<ModelFiles, "pooling" | "maxTokens">,
  ) {
    this.#runtime = runtime;
    this.#session = session;
    this.#tokenize = tokenize;
    this.#pooling = pooling;
    this.#maxTokens = maxTokens;
  }

  async encode(text: string): Promise<Float32Array> {
    const ids = this.#tokenize(text);
    const output = await this.#run(ids);
    try {
      const vector = unitVector(pooled(output, ids.length, this.#pooling));
      if (vector === undefined) throw new Error("the model returned a vector of length zero");
      return vector;
    } finally {
      output.dispose?.();
    }
  }

  /** The vector of the text, then those of its words, which are tokenized separately. */
  async encodeWords(text: string): Promise<Float32Array> {
    const words = text.split(" ").map((word) => this.#tokenize(word));
    const ids = words.flatMap((marked) => marked.slice(1, -1)).slice(0, this.#maxTokens - 2);
    const [first = 0, last = 0] = [words[0]?.[0], words[0]?.at(-1)];
    const output = await this.#run([first, ...ids, last]);
    try {
      const { data, dims } = output;
      const length = dims[2] ?? 0;
      const vectors = new Float32Array((words.length + 1) * length);
      const set = (index: number, from: number, to: number): void => {
        const states = data.subarray(from * length, to * length);
        const sum = pooled({ data: states, dims: [1, to - from, length] }, to - from, "mean");
        vectors.set(unitVector(sum) ?? new Float32Array(length), index * length);
      };
      set(0, 0, ids.length + 2);
      let at = 1;
      for (const [index, { length: marked }] of words.entries()) {
        const end = Math.min(at + marked - 2, ids.length + 1);
        set(index + 1, at, end);
        at = end;
      }
      return vectors;
    } finally {
      output.dispose?.();
    }
  }

  async #run(ids: readonly number[]): Promise<OnnxTensor> {
    const feeds: Record<string, unknown> = {};
    for (const name of this.#session.inputNames) {
      const data = BigInt64Array.from(ids, (id, index) => BigInt(inputValue(name, id, index)));
      feeds[name] = new this.#runtime.Tensor("int64", data, [1, ids.length]);
    }
    const outputs = await this.#session.run(feeds);
    const name = this.#session.outputNames[0] ?? "";
    const output = outputs.sentence_embedding ?? outputs.last_hidden_state ?? outputs[name];
    if (output === undefined) throw new Error("the model has no output");
    return output;
  }
}

/** Throws if a file has a wrong checksum, or is not a model. */
export async function loadModel({
  weights,
  tokenizer,
  pooling,
  maxTokens,
}: ModelFiles): Promise<SentenceModel> {
  const json: unknown = JSON.parse(readChecked(tokenizer).toString("utf8"));
  const tokenize = createTokenizer(json as Record<string, unknown>, maxTokens);
  const runtime = await loadRuntime();
  const session = await runtime.InferenceSession.create(readChecked(weights), {
    executionProviders: ["wasm"],
  });
  return new SentenceModel(runtime, session, tokenize, { pooling, maxTokens });
}

/** A single text has no padding, and is one segment. */
function inputValue(input: string, id: number, index: number): number {
  switch (input) {
    case "input_ids":
      return id;
    case "attention_mask":
      return 1;
    case "token_type_ids":
      return 0;
    case "position_ids":
      return index;
    default:
      throw new Error(`the model requires the input "${input}", which is not supported`);
  }
}

/** One vector for the text: some models return it, others return one for each token. */
function pooled({ data, dims }: OnnxTensor, tokens: number, pooling: Pooling): Float32Array {
  if (dims.length === 2) return data;
  const length = dims[2] ?? 0;
  if (dims.length !== 3 || data.length !== tokens * length)
    throw new Error(`the model answers ${dims.join(" × ")} numbers for ${tokens} tokens`);
  if (pooling === "cls") return data.subarray(0, length);
  const sum = new Float32Array(length);
  for (let at = 0; at < data.length; at += 1) {
    const place = at % length;
    sum[place] = (sum[place] as number) + (data[at] as number);
  }
  return sum;
}

function readChecked({ path, sha256 }: ModelFile): Buffer {
  const bytes = readFileSync(path);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === sha256) return bytes;
  throw new Error(
    `${basename(path)} is damaged or a different file: its SHA-256 is ${found} and not ${sha256}`,
  );
}
