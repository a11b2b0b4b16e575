/** Directories of models, and what is made of them. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import { BUNDLED_MODEL, createEmbedder, type DirectorySettings } from "./create-embedder.js";
import { readModelFiles } from "./model-files.js";

const scratch = mkdtempSync(join(tmpdir(), "pml-files-"));
afterAll(() => rmSync(scratch, { recursive: true }));
let directories = 0;

const MODEL = { "model.onnx": "weights", "tokenizer.json": "{}" };

function directory(files: Readonly<Record<string, string>>): string {
  directories += 1;
  const path = join(scratch, String(directories), "some-model");
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

describe("a directory with a model [DI-2]", () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["as published", MODEL, "some-model model.onnx mean 256"],
    ["quantised first", { ...MODEL, "model_quantized.onnx": "" }, "some-model model_quantized.onnx mean 256"],
    ["in onnx/", { "onnx/model.onnx": "", "tokenizer.json": "{}" }, "some-model onnx/model.onnx mean 256"],
    [
      "of cls",
      { ...MODEL, "1_Pooling/config.json": '{"pooling_mode_cls_token":true}' },
      "some-model model.onnx cls 256",
    ],
    [
      "with a length",
      {
        ...MODEL,
        "sentence_bert_config.json": '{"max_seq_length":512}',
        "config.json": '{"max_position_embeddings":514}',
      },
      "some-model model.onnx mean 512",
    ],
    [
      "with a short window",
      { ...MODEL, "config.json": '{"max_position_embeddings":128}' },
      "some-model model.onnx mean 128",
    ],
  ])("%s", async (_, files, expected) => {
    const path = directory(files);
    const { name, weights, pooling, maxTokens } = await readModelFiles(path);
    expect([name, weights.path.slice(path.length + 1), pooling, maxTokens].join(" ")).toBe(expected);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ["it has no model_quantized.onnx or model.onnx", { "tokenizer.json": "{}" }],
    ["it has no tokenizer.json", { "model.onnx": "" }],
    ["it has no tokenizer.json", { "model.onnx": "", "tokenizer.json/tokenizer.json": "{}" }],
    ["config.json is not a JSON object", { ...MODEL, "config.json": "[" }],
    [
      "1_Pooling/config.json requires a pooling that is neither mean nor cls",
      { ...MODEL, "1_Pooling/config.json": '{"pooling_mode_max_tokens":true}' },
    ],
  ])("is no reason not to start: %s", async (expected, files) => {
    const embedder = await createEmbedder({ type: "directory", path: directory(files) }, silentLog);
    expect([embedder.id, embedder.state, embedder.weight]).toEqual(["none", "failed", 0]);
    expect(embedder.problem).toMatch(/^Cannot use the model in ".*some-model": /);
    expect(embedder.problem?.replace(/^.*": /, "")).toBe(expected);
    await expect(embedder.embed(["a"], "query")).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
  });

  it.each([
    ["tokenizer.json", "tokenizer.json has more than 100000000 bytes"],
    ["config.json", "config.json has more than 1000000 bytes"],
    ["SHA256SUMS", "SHA256SUMS has more than 1000000 bytes"],
  ])("is not read where it is far too large: %s", async (name, expected) => {
    const path = directory({ ...MODEL, [name]: "{}" });
    truncateSync(join(path, name), 100_000_001);
    const { state, problem } = await createEmbedder({ type: "directory", path }, silentLog);
    expect([state, problem?.replace(/^.*": /, "")]).toEqual(["failed", expected]);
  });

  it("believes its checksums, which are held against the files when these are loaded", async () => {
    const { weights, tokenizer } = await readModelFiles(BUNDLED_MODEL);
    expect(weights.sha256).toBe("e16bd481a6cfd4f37f45418114ade0823e4956a3b682584666d16a1fb0227f59");
    const sums = `${"a".repeat(64)}  model.onnx\nno sum at all\n${"c".repeat(64)}  ../../model.onnx\n${"b".repeat(64)} *tokenizer.json\n`;
    const stated = await readModelFiles(directory({ ...MODEL, SHA256SUMS: sums }));
    expect([stated.weights.sha256, stated.tokenizer.sha256]).toEqual(["a".repeat(64), "b".repeat(64)]);
    expect(tokenizer.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is called after everything that changes its vectors, and nothing else", async () => {
    const path = directory(MODEL);
    const idOf = async (settings: Partial<DirectorySettings> = {}) =>
      (await createEmbedder({ type: "directory", path, ...settings }, silentLog)).id;
    const id = await idOf();
    expect(id).toMatch(/^some-model:[0-9a-f]{16}$/);
    expect(await idOf({ weight: 0.1, path: directory(MODEL) })).toBe(id);
    const others = [
      await idOf({ queryPrefix: "query: " }),
      await idOf({ documentPrefix: "query: " }),
      await idOf({ path: directory({ ...MODEL, "model.onnx": "other" }) }),
      await idOf({ path: directory({ ...MODEL, "tokenizer.json": "[]" }) }),
      await idOf({
        path: directory({ ...MODEL, "1_Pooling/config.json": '{"pooling_mode_cls_token":true}' }),
      }),
      await idOf({ path: directory({ ...MODEL, "sentence_bert_config.json": '{"max_seq_length":64}' }) }),
    ];
    expect(new Set([id, ...others]).size).toBe(7);
  });
});

describe("no embedder [DI-2]", () => {
  it("answers nobody, and complains about nothing", async () => {
    const embedder = await createEmbedder("none", silentLog);
    expect([embedder.id, embedder.state, embedder.problem, embedder.weight]).toEqual([
      "none",
      "none",
      undefined,
      0,
    ]);
    await expect(embedder.embed(["a"], "query")).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
    await embedder.close();
  });
});
