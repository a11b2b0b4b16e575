import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { analyseGraph } from "../discovery/graph/analyse-graph.js";
import { analyseInThread, countTokensInThread } from "./threads.js";

it("[LP-1] counts tokens in a thread as the tokenizer does", async () => {
  const texts = ['{"name":"pml_execute"}', "Lit un fichier JSON", "", "数える"];
  expect(await countTokensInThread(texts)).toEqual(texts.map((text) => countTokens(text)));
});

it("[LP-6] counts text that the tokenizer refuses or takes long for", async () => {
  const [special = 0, long = 0] = await countTokensInThread(["split at <|endoftext|>", "漢".repeat(20_000)]);
  expect(special).toBe(countTokens("split at <|endoftext|>", { disallowedSpecial: new Set() }));
  expect(long).toBeGreaterThan(5_000);
});

it.each([10, 60])(
  "[DI-6] analyses a graph of %i nodes, small or in a thread, to the same end",
  async (size) => {
    const nodes = Array.from({ length: size }, (_, node) => node);
    const snapshot = {
      isCapability: Uint8Array.from(nodes, (node) => node % 2),
      from: Uint32Array.from(nodes),
      to: Uint32Array.from(nodes, (node) => (node + 3) % size),
      weight: Float64Array.from(nodes, (node) => 1 + (node % 4)),
    };
    expect(await analyseInThread(snapshot)).toEqual(analyseGraph(snapshot));
  },
);
