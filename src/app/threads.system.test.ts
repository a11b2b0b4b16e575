import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, it } from "vitest";
import { countTokensInThread } from "./threads.js";

it("[LP-1] counts tokens in a thread as the tokenizer does", async () => {
  const texts = ['{"name":"pml_execute"}', "Lit un fichier JSON", "", "数える"];
  expect(await countTokensInThread(texts)).toEqual(texts.map((text) => countTokens(text)));
});
