import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { tokenCost } from "./token-cost.js";

const TEXTS: Readonly<Record<string, string>> = {
  English:
    "Read the complete contents of a file from the file system as text. Handles various text encodings and gives detailed messages where the file cannot be read. Works within allowed directories only.",
  French:
    "Lit le contenu complet d'un fichier à partir du système de fichiers, en détaillant les erreurs éventuelles si le fichier ne peut pas être lu.",
  Chinese: "从文件系统读取文件的完整内容。处理各种文本编码，如果文件无法读取，则提供详细的错误消息。",
  Russian: "Читает полное содержимое файла из файловой системы и обрабатывает различные кодировки текста.",
  "a signature":
    'mcp.filesystem.search_files(args: { path: string; pattern: string; excludePatterns?: string[]; sortBy?: "name" | "size" }): Promise<{ content: string }>',
  JSON: '{"type":"tool","id":"filesystem:read_text_file","name":"mcp__filesystem__read_text_file","score":0.83,"why":"has read, file"}',
  "camel case": "getUserByIdOrThrowNotFoundException createOrUpdateRepositoryWebhookSubscription",
  pictures: "🔥🚀👩‍💻🎉✅❌📁🇫🇷 🧑🏽‍🔬 𝕳𝖊𝖑𝖑𝖔",
};
const NO_WORDS: Readonly<Record<string, string>> = {
  base64: "3q2+7wAAAGQx8Zk1bV0pJkQ2c1l0RzJvUHFYdEhLZ1V5TnZDbVpyQnNFZkFqV2k5TzBUdVI4eDQ3",
  hexadecimal: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  letters: "xkqzvbwp tnrgcdfh qwrtplkj zxcvbnms dfghjklp",
};

describe("[DI-1] the cost of a text in tokens", () => {
  it.each(Object.entries(TEXTS))("is not more than is reckoned with: %s", (_what, text) =>
    expect(encode(text).length).toBeLessThanOrEqual(tokenCost(text)),
  );

  it.each(["English", "a signature", "JSON"])("is nearly what is reckoned with: %s", (what) => {
    const text = TEXTS[what] ?? "";
    expect(tokenCost(text)).toBeLessThanOrEqual(1.25 * encode(text).length);
  });

  it.each(Object.entries(NO_WORDS))(
    "is not more than is reckoned with where there are no words: %s",
    (_what, text) => expect(encode(text).length).toBeLessThanOrEqual(tokenCost(text)),
  );

  it("is not more than is reckoned with, whatever the script", () => {
    const blocks: readonly (readonly [number, number])[] = [
      [0x21, 0x7e],
      [0x30, 0x39],
      [0x61, 0x7a],
      [0x41, 0x5a],
      [0xa1, 0x24f],
      [0x300, 0x36f],
      [0x370, 0x52f],
      [0x531, 0x6ff],
      [0x900, 0x1200],
      [0x1200, 0x139f],
      [0x1400, 0x1fff],
      [0x2010, 0x2bff],
      [0x3001, 0x30ff],
      [0x4e00, 0x9fff],
      [0xa000, 0xabff],
      [0xac00, 0xd7a3],
      [0xf900, 0xffef],
      [0x1_0000, 0x1_f9ff],
      [0xe_0000, 0xe_01ef],
    ];
    const text = fc
      .constantFrom(...blocks)
      .chain(([min, max]) =>
        fc.array(fc.oneof({ weight: 8, arbitrary: fc.noBias(fc.integer({ min, max })) }, fc.constant(0x20)), {
          minLength: 60,
          maxLength: 200,
        }),
      )
      .map((codes) => String.fromCodePoint(...codes));
    // Of letters at random there is no bound but their number; over a line of them chance evens out.
    fc.assert(
      fc.property(text, (line) => {
        expect(encode(line).length).toBeLessThanOrEqual(1.2 * tokenCost(line));
      }),
      { numRuns: 600 },
    );
  });

  it("of nothing is nothing", () => expect([tokenCost(""), tokenCost(" ")]).toEqual([0, 0]));
});
