/** Models that cannot be used: tools are found by words all the same, and a person is told why it is only words. */
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { silentLog } from "../../src/base/log.js";
import type { Embedder } from "../../src/discovery/embedder.js";
import { describeEmbedder } from "../../src/discovery/embedder.js";
import { HybridMatcher } from "../../src/discovery/hybrid-matcher.js";
import { Meaning } from "../../src/discovery/meaning.js";
import { BUNDLED_MODEL, createEmbedder } from "../../src/embedding/create-embedder.js";
import { LocalEmbedder } from "../../src/embedding/local-embedder.js";
import { CapabilityDirectory } from "../../src/registry/capability-directory.js";
import { type ServerName, toolId } from "../../src/registry/tool-id.js";
import {
  type EmbeddingServer,
  type Misbehaviour,
  refuse,
  SERVED_KEY,
  SERVED_MODEL,
  sendJson,
  startEmbeddingServer,
} from "../support/embedding-server.js";

// A real model, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const scratch = mkdtempSync(join(tmpdir(), "pml-trouble-"));
let server: EmbeddingServer;
beforeAll(async () => {
  server = await startEmbeddingServer();
});
afterAll(async () => {
  await server.close();
  rmSync(scratch, { recursive: true });
});

const TOOLS = Object.entries({
  "shop:purchase": "Purchases goods from the store",
  "sky:forecast": "Tells tomorrow's rain for a city",
}).map(([id, description]) => {
  const [name = "", tool = ""] = id.split(":");
  return {
    id: toolId(name as ServerName, tool),
    description,
    hash: id,
    inputSchema: { type: "object", properties: {} },
  };
});

function matcherOf(embedder: Embedder): { readonly matcher: HybridMatcher; readonly meaning: Meaning } {
  const matcher = new HybridMatcher({ directory: new CapabilityDirectory([]), tools: () => TOOLS });
  const meaning = new Meaning({ embedder, embedAfterMs: 0, patienceMs: 30_000 });
  matcher.useMeaning(meaning);
  onTestFinished(() => matcher.stop());
  return { matcher, meaning };
}

async function found(matcher: HybridMatcher): Promise<readonly string[]> {
  const scope = { org: "local", project: "default", user: "ada" };
  return (await matcher.match("purchase goods", scope, { limit: 5 })).map(({ id }) => id);
}

/** What a person is told, once the model was asked for something. */
async function toldOf(embedder: Embedder): Promise<string> {
  const { matcher } = matcherOf(embedder);
  expect(await found(matcher)).toEqual(["shop:purchase"]);
  await vi.waitFor(() => expect(embedder.state).toBe("failed"), { timeout: 50_000 });
  expect(await found(matcher)).toEqual(["shop:purchase"]);
  const { state, detail } = describeEmbedder(
    matcher.status ?? { id: "", state: "none", known: 0, pending: 0 },
  );
  expect(state).toBe("warning");
  return detail;
}

describe("a directory with a model that is broken [DI-2]", () => {
  it.each<[string, RegExp, (path: string) => void]>([
    ["no weights", /it has no model_quantized\.onnx/, (path) => rmSync(join(path, "model_quantized.onnx"))],
    ["no tokenizer", /it has no tokenizer\.json/, (path) => rmSync(join(path, "tokenizer.json"))],
    [
      "one bit is wrong",
      /model_quantized\.onnx is damaged or a different file: its SHA-256 is/,
      (path) => {
        const bytes = readFileSync(join(path, "model_quantized.onnx"));
        bytes[12_345_678] = (bytes[12_345_678] ?? 0) ^ 1;
        writeFileSync(join(path, "model_quantized.onnx"), bytes);
      },
    ],
    [
      "weights that are cut off, and no checksums",
      /^trouble-\d+:[0-9a-f]{16}: .+; search uses words only$/,
      (path) => {
        rmSync(join(path, "SHA256SUMS"));
        truncateSync(join(path, "model_quantized.onnx"), 10_000_000);
      },
    ],
    [
      "weights that are text",
      /^trouble-\d+:[0-9a-f]{16}: .+; search uses words only$/,
      (path) => {
        rmSync(join(path, "SHA256SUMS"));
        writeFileSync(join(path, "model_quantized.onnx"), "this is text");
      },
    ],
    [
      "a tokenizer of 100 MB",
      /tokenizer\.json has more than 100000000 bytes/,
      (path) => truncateSync(join(path, "tokenizer.json"), 100_000_001),
    ],
    [
      "a tokenizer that is none",
      /^trouble-\d+:[0-9a-f]{16}: .+; search uses words only$/,
      (path) => {
        rmSync(join(path, "SHA256SUMS"));
        writeFileSync(join(path, "tokenizer.json"), '{"version":"1.0"}');
      },
    ],
    [
      "checksums of files elsewhere",
      /tokenizer\.json is damaged or a different file/,
      (path) => {
        const sums = readFileSync(join(path, "SHA256SUMS"), "utf8");
        writeFileSync(join(path, "SHA256SUMS"), sums.replaceAll("  ", "  ../").replace("../tok", "tok"));
        writeFileSync(join(path, "tokenizer.json"), "{}");
      },
    ],
  ])("%s", async (_, expected, damage) => {
    const path = join(mkdtempSync(join(scratch, "model-")), `trouble-${process.pid}`);
    cpSync(BUNDLED_MODEL, path, { recursive: true });
    damage(path);
    const embedder = await createEmbedder({ type: "directory", path }, silentLog);
    expect(await toldOf(embedder)).toMatch(expected);
  });
});

describe("a process of a model that is killed [DI-2]", () => {
  it("again and again", async () => {
    const embedder = new LocalEmbedder({
      id: "odd",
      weight: 0.7,
      files: {
        name: "odd",
        weights: { path: "", sha256: "" },
        tokenizer: { path: "", sha256: "" },
        pooling: "mean",
        maxTokens: 256,
      },
      program: new URL("../fixtures/embedding/odd-model.mjs", import.meta.url),
      times: { modelRestartMs: 1 },
    });
    const killed = embedder.embed(["kill -9"], "document");
    await expect(killed).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
    expect(await toldOf(embedder)).toBe("odd: it ended with SIGKILL; search uses words only");
  });
});

describe("an endpoint [DI-2]", () => {
  const open = (times = {}) =>
    createEmbedder({ type: "openai", url: server.url, model: SERVED_MODEL, apiKey: SERVED_KEY }, silentLog, {
      endpointWaitMs: 1,
      endpointWaitMostMs: 1,
      ...times,
    });

  it.each<[string, RegExp, Misbehaviour, number?]>([
    ["nonsense", /not JSON/, (response) => response.end("<html>") !== undefined],
    [
      "wrong numbers",
      /not a list of numbers/,
      (response, { input }) => sendJson(response, 200, { data: [input].flat().map(() => ({})) }),
    ],
    [
      "a vector too many",
      /\d vectors for \d texts/,
      (response, { input }) =>
        sendJson(response, 200, { data: [input, ""].flat().map(() => ({ embedding: [1, 0] })) }),
    ],
    ["429", /rate limit is exceeded \(HTTP 429\)/, (response) => refuse(response, 429, "slower")],
    ["500", /server error \(HTTP 500\)/, (response) => refuse(response, 500, "oh")],
    [
      "a redirect",
      /it rejected the request \(HTTP 302\)/,
      (response) => refuse(response, 302, "there", { location: "http://127.0.0.1:1/" }),
    ],
    ["nothing, for ever", /it did not answer within 200 ms/, () => true, 200],
  ])("that answers %s", async (_, expected, misbehaviour, waitMs) => {
    server.next.push(...Array(20).fill(misbehaviour));
    onTestFinished(() => {
      server.next.length = 0;
    });
    // The others answer, which may take longer on a busy machine.
    const times = waitMs === undefined ? {} : { vectorMs: waitMs, queryVectorMs: waitMs };
    expect(await toldOf(await open(times))).toMatch(expected);
  });

  it("that has worked, and does not any more", async () => {
    const embedder = await open();
    const { matcher, meaning } = matcherOf(embedder);
    await found(matcher);
    await meaning.idle();
    expect(await found(matcher)).toEqual(["shop:purchase", "sky:forecast"]);
    server.next.push(...Array(20).fill(((response) => refuse(response, 500, "oh")) satisfies Misbehaviour));
    expect(await found(matcher)).toEqual(["shop:purchase"]);
    expect(matcher.status).toMatchObject({
      state: "failed",
      problem: "it failed with a server error (HTTP 500)",
    });
    server.next.length = 0;
  });
});
