/** What the bundled tokenizer makes of texts: WordPiece as the model was trained with it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUNDLED_MODEL } from "./create-embedder.js";
import { createTokenizer } from "./tokenizer.js";

interface Json {
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
}

const json = JSON.parse(readFileSync(join(BUNDLED_MODEL, "tokenizer.json"), "utf8")) as Json &
  Record<string, unknown>;
const words = new Map(Object.entries(json.model.vocab).map(([word, id]) => [id, word]));
const tokenize = createTokenizer(json, 256);
const check = (text: string, expected: string) =>
  expect(
    tokenize(text)
      .map((id) => words.get(id))
      .join(" "),
  ).toBe(expected);

describe("tokenizer [DI-2]", () => {
  it.each([
    ["", "[CLS] [SEP]"],
    [" \n\t ", "[CLS] [SEP]"],
    ["Read_file: getUserById", "[CLS] read _ file : get ##user ##by ##id [SEP]"],
    ["don't unaffable", "[CLS] don ' t una ##ffa ##ble [SEP]"],
    ["Café déjà-vu", "[CLS] cafe de ##ja - vu [SEP]"],
    ["cafe\u0301", "[CLS] cafe [SEP]"],
    ["ÜBER İstanbul", "[CLS] uber istanbul [SEP]"],
    ["東京タワー", "[CLS] 東 京 タ ##ワ ##ー [SEP]"],
    ["한국", "[CLS] ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ [SEP]"],
    ["party 🎉 time", "[CLS] party [UNK] time [SEP]"],
    ["a\u0000b\ufffdc\u200bd", "[CLS] abc ##d [SEP]"],
    ["half \ud800 a character", "[CLS] half a character [SEP]"],
    ["a".repeat(101), "[CLS] [UNK] [SEP]"],
  ])("%j", check);

  it("takes as many as the model does, its last mark included", () => {
    const ids = tokenize("word ".repeat(5_000));
    expect([ids.length, words.get(ids[0] ?? 0), words.get(ids[255] ?? 0)]).toEqual([256, "[CLS]", "[SEP]"]);
    expect(tokenize("word ".repeat(254)).length).toBe(256);
    expect(tokenize("word ".repeat(253)).length).toBe(255);
  });

  it("fills nothing up, whatever the file says", () => {
    expect(json.padding).not.toBeNull();
    expect(tokenize("word").length).toBe(3);
  });
});
