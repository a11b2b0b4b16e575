/**
 * Real tools by names that are not spelt as code spells them: the name that a list has (`mcp__server__tool`), one that a
 * client made of it (`server_tool`), one without its server, one with a word too many (`tools.server.tool`).
 *
 * @module
 */
import type { KnownTool } from "../ports/tool-box.js";

/** Words around a name that are no part of it. */
const AROUND: ReadonlySet<string> = new Set(
  "mcp tools tool servers server functions function capabilities capability client mcpclient mcptools api".split(
    " ",
  ),
);

export class LooseNames {
  /** By server and tool, and by tool alone. */
  readonly #whole = new Map<string, KnownTool[]>();
  readonly #alone = new Map<string, KnownTool[]>();

  constructor(tools: readonly KnownTool[]) {
    for (const tool of tools) {
      add(this.#whole, fold(tool.server) + fold(tool.name), tool);
      add(this.#alone, fold(tool.name), tool);
    }
  }

  /** All tools that a path can mean. A tool's own name is enough where the path names no server. */
  find(path: readonly string[]): readonly KnownTool[] {
    for (const words of namesIn(path)) {
      const whole = this.#whole.get(words.map(fold).join(""));
      if (whole !== undefined) return spelt(whole, words.join("__"));
    }
    for (const [word, ...others] of namesIn(path)) {
      const alone = word === undefined || others.length > 0 ? undefined : this.#alone.get(fold(word));
      if (alone !== undefined) return spelt(alone, word ?? "");
    }
    return [];
  }
}

/** A path as it is, then without the words around the name, in the parts that it is made of. */
export function namesIn(path: readonly string[]): readonly (readonly string[])[] {
  const parts = path.flatMap((key) => key.split(/__|[:/]/)).filter((part) => part !== "");
  const bare = parts.filter((part, index) => index === parts.length - 1 || !AROUND.has(fold(part)));
  return bare.length === parts.length ? [parts] : [parts, bare];
}

/** Those that are spelt exactly so, where there are any. */
function spelt(tools: readonly KnownTool[], text: string): readonly KnownTool[] {
  const exact = tools.filter(({ server, name }) => text === `${server}__${name}` || text === name);
  return exact.length > 0 ? exact : tools;
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function add(map: Map<string, KnownTool[]>, key: string, tool: KnownTool): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [tool]);
  else known.push(tool);
}
