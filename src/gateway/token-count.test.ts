import type { Tool } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { listedText, tokensAtLeast, tokensAtMost } from "./token-count.js";

const NO_SPECIAL = { disallowedSpecial: new Set<string>() };

function toolOf(description: string): Tool {
  return { name: "mcp__files__read", description, inputSchema: { type: "object" } };
}

function exact(tool: Tool): number {
  return countTokens(listedText(tool), NO_SPECIAL);
}

describe("[LP-1] tokensAtLeast", () => {
  it("is never too high, whatever the text", () => {
    // Repeated, so that an error of one token is more than what the rest of the tool leaves.
    const pieces = fc.constantFrom(
      "don't",
      "IT'S",
      "'",
      "''",
      " ",
      "\n",
      "//",
      '":{"',
      "é",
      "\u0301",
      "12345",
      "camelCase",
      "数",
      "…",
      "-",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(pieces, { minLength: 1, maxLength: 4 }).map((all) => all.join("").repeat(50)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokensAtLeast([toolOf(text)])).toBeLessThanOrEqual(exact(toolOf(text)));
      }),
    );
  });

  it("is near for descriptions of tools, so that few lists need to be counted", () => {
    const tool: Tool = {
      name: "mcp__filesystem__read_text_file",
      description:
        "Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read. Use the 'head' parameter to read only the first N lines.",
      inputSchema: {
        type: "object",
        properties: { path: { type: "string" }, head: { type: "number", description: "lines to return" } },
        required: ["path"],
      },
    };
    expect(tokensAtLeast([tool])).toBeGreaterThan(0.85 * exact(tool));
    expect(tokensAtMost([tool, tool])).toBeGreaterThanOrEqual(2 * exact(tool));
  });
});
