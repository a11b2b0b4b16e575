/**
 * Real tools by the names that code uses for them: in `camelCase`, `snake_case` or `kebab-case`, and in looser
 * spellings such as `mcp__server__tool`, `server_tool` or the tool's name alone.
 *
 * @module
 */
import { derived } from "../../base/derived.js";
import { foldSpelling, isLikeOperations, toolIdParts } from "../../registry/tool-id.js";
import type { KnownTool, ToolBox } from "../ports/tool-box.js";
import type { Approval } from "./approval-policy.js";

export class ToolIndex {
  /** Tools of servers. */
  readonly tools: readonly KnownTool[];
  /** PML's own operations: found by their names, but never guessed. */
  readonly operations: readonly KnownTool[];
  readonly #exact = new Map<string, KnownTool>();
  /** `undefined` if two tools differ only in spelling: then only the exact spelling finds them. */
  readonly #folded = new Map<string, KnownTool | undefined>();
  readonly #first = new Map<string, KnownTool>();
  #loose: LooseNames | undefined;

  constructor(tools: readonly KnownTool[]) {
    this.tools = tools.filter(({ operation }) => operation === undefined);
    this.operations = tools.filter(({ operation }) => operation !== undefined);
    for (const tool of tools) {
      const { exact, folded } = spellingOf(tool.server, tool.name);
      this.#exact.set(exact, tool);
      // A server `c-a-p` is reached by its exact name only: `mcp.cap` always means PML.
      if (tool.operation === undefined && isLikeOperations(tool.server)) continue;
      this.#folded.set(folded, this.#folded.has(folded) ? undefined : tool);
      if (!this.#first.has(folded)) this.#first.set(folded, tool);
    }
  }

  /** A tool that has this id in any spelling. With several, the first. */
  holderOf(id: string): KnownTool | undefined {
    const spelling = spellingOfPath([id]);
    return spelling && (this.#exact.get(spelling.exact) ?? this.#first.get(spelling.folded));
  }

  /** All tools that a path can mean if it is not spelt as code spells names. */
  readings(path: readonly string[]): readonly KnownTool[] {
    this.#loose ??= new LooseNames(this.tools, this.operations);
    return this.#loose.find(path);
  }

  /** Finds by the path in the code: server and tool, or both in one id. */
  find(path: readonly string[]): KnownTool | undefined {
    const spelling = spellingOfPath(path);
    if (spelling === undefined) return undefined;
    return this.#exact.get(spelling.exact) ?? this.#folded.get(spelling.folded);
  }
}

/** Computed once per list of tools. */
export const toolIndexOf = derived((tools: readonly KnownTool[]) => new ToolIndex(tools));

export interface CurrentTools {
  tools(): ToolIndex;
  /** Resolves when the offers of starting servers are known. */
  settled(): Promise<void>;
}

/** Tools, and whether code may call each of them. */
export interface PlanTools {
  readonly index: ToolIndex;
  readonly approvalOf: (tool: KnownTool) => Approval;
}

/** The tools of a tool box. */
export class LiveTools implements CurrentTools {
  readonly #box: ToolBox;
  readonly #approvalOf: PlanTools["approvalOf"];

  constructor(box: ToolBox, approvalOf: PlanTools["approvalOf"]) {
    this.#box = box;
    this.#approvalOf = approvalOf;
  }

  tools(): ToolIndex {
    return toolIndexOf(this.#box.tools());
  }

  settled(): Promise<void> {
    return this.#box.settled();
  }

  planTools(): PlanTools {
    return { index: this.tools(), approvalOf: this.#approvalOf };
  }
}

/** Keys of a tool: its exact spelling, and a folded one that is equal for all spellings. */
export interface Spelling {
  readonly exact: string;
  readonly folded: string;
}

export function spellingOf(server: string, tool: string): Spelling {
  return { exact: key(server, tool), folded: key(foldSpelling(server), foldSpelling(tool)) };
}

/** The spelling of a path in code; undefined if it names no tool. */
export function spellingOfPath(path: readonly string[]): Spelling | undefined {
  const parts = partsOf(path);
  return parts === undefined ? undefined : spellingOf(...parts);
}

function partsOf(path: readonly string[]): readonly [string, string] | undefined {
  const [first, second, ...rest] = path;
  if (first === undefined || rest.length > 0) return undefined;
  return second === undefined ? toolIdParts(first) : [first, second];
}

// A server's name never contains a line feed, so no two pairs share a key.
function key(server: string, tool: string): string {
  return `${server}\n${tool}`;
}

/** Words around a name that are not part of it. */
const AROUND: ReadonlySet<string> = new Set(
  "mcp tools tool servers server functions function capabilities capability client mcpclient mcptools api".split(
    " ",
  ),
);

export class LooseNames {
  /** By server and tool, and by tool alone. */
  readonly #whole = new Map<string, KnownTool[]>();
  readonly #alone = new Map<string, KnownTool[]>();

  /** An operation has no name without its namespace: nearly every server has a `list`. */
  constructor(tools: readonly KnownTool[], operations: readonly KnownTool[] = []) {
    for (const tool of operations) add(this.#whole, fold(tool.server) + fold(tool.name), tool);
    for (const tool of tools) {
      add(this.#whole, fold(tool.server) + fold(tool.name), tool);
      add(this.#alone, fold(tool.name), tool);
    }
  }

  /** All tools that a path can mean. A tool's own name is enough if the path names no server. */
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

/** The path as written, then without the words around the name, each split into its parts. */
export function namesIn(path: readonly string[]): readonly (readonly string[])[] {
  const parts = path.flatMap((key) => key.split(/__|[:/]/)).filter((part) => part !== "");
  const bare = parts.filter((part, index) => index === parts.length - 1 || !AROUND.has(fold(part)));
  return bare.length === parts.length ? [parts] : [parts, bare];
}

/** The tools with exactly this spelling, if there are any; otherwise all. */
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
