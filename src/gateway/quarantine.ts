/**
 * Compares each tool's pin with its server's current offer: the one place that decides whether they differ.
 *
 * Everything is in memory, so that a call needs one map lookup. The pins of the store count; until they are loaded, the
 * tools of the last listing replace them. A call of a tool that differs from these waits for the store.
 *
 * @module
 */

import type { Tool } from "@modelcontextprotocol/server";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { listedForm, whyNotShown } from "../mcp/listed-form.js";
import { isTool, type OfferedTool, type ServerOffer } from "../mcp/real-servers.js";
import { type ServerName, splitToolId, type ToolId, toolId } from "../registry/tool-id.js";
import type { ToolPin } from "../registry/tool-store.js";
import { cutDiff } from "./own/code-diff.js";

/** A tool that differs from its pin. */
export interface QuarantinedTool {
  readonly id: ToolId;
  readonly server: ServerName;
  readonly pinned: OfferedTool;
  readonly current: OfferedTool;
  readonly since: Date;
}

/** A tool in the form that agents may see. */
export interface ShownTool {
  readonly offered: OfferedTool;
  /** Present if the tool differs from its server's current offer. */
  readonly quarantined?: QuarantinedTool;
}

/** `free`: callable. Undefined: not known yet, or no server offers it. */
export type Verdict = "free" | QuarantinedTool | undefined;

interface PinnedTool {
  readonly id: ToolId;
  readonly server: ServerName;
  pinned: OfferedTool;
  /** The pin comes from the store. */
  isKept: boolean;
  /** The tool was offered when nothing was pinned yet. */
  readonly isFirst: boolean;
  /** The server's current form of it. */
  current: OfferedTool | undefined;
  since: Date | undefined;
  verdict: Verdict;
}

export class Quarantine {
  /** All pins of the store are loaded, so a tool without a pin is new. */
  isComplete = false;
  /** Grows with every pin, so that lists of tools are rebuilt. */
  version = 0;
  readonly #tools = new Map<ToolId, PinnedTool>();
  /** The store has no pins yet: the first offer of each tool will be pinned. */
  #isNew: boolean;

  constructor(isNew = false) {
    this.#isNew = isNew;
  }

  verdict(id: ToolId): Verdict {
    return this.#tools.get(id)?.verdict;
  }

  /** The form of an offered tool that agents may see. */
  shown(id: ToolId, offered: OfferedTool): ShownTool {
    const known = this.#tools.get(id);
    if (known === undefined || known.pinned.hash === offered.hash) return { offered };
    return { offered: known.pinned, quarantined: quarantinedOf(known, offered) };
  }

  /** Whether every tool has a pin to compare with, or is known to have none. */
  knows({ server, tools }: ServerOffer): boolean {
    if (this.isComplete) return true;
    return tools.every(({ tool }) => this.#tools.has(toolId(server, tool.name)));
  }

  /** The tools of a server that must be pinned in their first form, if some of them have changed since. */
  firstSeen(server: ServerName): readonly OfferedTool[] {
    const first = [...this.#tools.values()].filter(
      (known) => known.server === server && known.isFirst && !known.isKept,
    );
    return first.some(({ pinned, current }) => pinned.hash !== current?.hash)
      ? first.map(({ pinned }) => pinned)
      : [];
  }

  /** Sorted by id. */
  all(): readonly QuarantinedTool[] {
    const found: QuarantinedTool[] = [];
    for (const { verdict } of this.#tools.values())
      if (verdict !== undefined && verdict !== "free") found.push(verdict);
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Handles the current or the last known offer of a server. */
  offered({ server, tools, current: isCurrent }: ServerOffer): void {
    const ids = new Set<ToolId>();
    for (const tool of tools) {
      const id = toolId(server, tool.tool.name);
      ids.add(id);
      const known = this.#tools.get(id);
      if (known !== undefined) this.#decide(known, isCurrent || known.isKept ? tool : known.current);
      else if (!isCurrent || this.#isNew) this.#add(id, server, tool, isCurrent ? tool : undefined);
    }
    if (!isCurrent) return;
    for (const known of this.#tools.values())
      if (known.server === server && !ids.has(known.id)) this.#decide(known, undefined);
  }

  /** Handles a pin of the store; `offered` is the server's current form of the tool. */
  kept({ server, name, pinnedHash, pinnedTool, changedAt }: ToolPin, offered: OfferedTool | undefined): void {
    this.#isNew = false;
    const id = toolId(server, name);
    const known =
      this.#tools.get(id) ?? this.#add(id, server, pinOf(id, pinnedHash, pinnedTool, offered), offered);
    if (known.pinned.hash !== pinnedHash) {
      known.pinned = pinOf(id, pinnedHash, pinnedTool, offered);
      this.version += 1;
    }
    known.isKept = true;
    known.since = changedAt;
    this.#decide(known, offered);
  }

  #add(id: ToolId, server: ServerName, pinned: OfferedTool, current: OfferedTool | undefined): PinnedTool {
    const known: PinnedTool = {
      id,
      server,
      pinned,
      isKept: false,
      isFirst: this.#isNew && current !== undefined,
      current,
      since: undefined,
      verdict: undefined,
    };
    this.#tools.set(id, known);
    this.version += 1;
    this.#decide(known, current);
    return known;
  }

  #decide(known: PinnedTool, current: OfferedTool | undefined): void {
    known.current = current;
    if (current === undefined) known.verdict = undefined;
    else if (current.hash === known.pinned.hash) {
      known.since = undefined;
      known.verdict = "free";
    } else {
      known.since ??= new Date();
      known.verdict = known.isKept ? quarantinedOf(known, current) : undefined;
    }
  }
}

function quarantinedOf({ id, server, pinned, since }: PinnedTool, current: OfferedTool): QuarantinedTool {
  return { id, server, pinned, current, since: since ?? new Date() };
}

function pinOf(id: ToolId, hash: string, tool: Json, offered: OfferedTool | undefined): OfferedTool {
  if (offered?.hash === hash) return offered;
  // Pinned when such tools were still listed. It is shown as quarantined, so its schema is of no use.
  const isShown = isTool(tool) && whyNotShown(tool) === undefined;
  const shown: Tool = isShown ? tool : { name: splitToolId(id).tool, inputSchema: { type: "object" } };
  return { hash, raw: tool, tool: listedForm(shown) };
}

// The change of a tool object: summarised for agents, which must not read the new text before a person has accepted it,
// and as a diff for people.

/** Only these names are shown, since a server chooses the names of other fields. */
const FIELDS = ["title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"];
const HINTS = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
const DIFF_LINES = 2_000;
const DIFF_MS = 1_000;
const DIFF_CHARS = 100_000;

/** `description`, `annotations.readOnlyHint`, …: at least one. */
export function changedFields(before: Json, after: Json): readonly string[] {
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  const fields = differing(from, to, FIELDS).flatMap((field) => {
    if (field !== "annotations") return [field];
    const hints = differing(fieldsOf(from.annotations), fieldsOf(to.annotations), HINTS);
    return hints.map((hint) => (hint === OTHERS ? "annotations" : `annotations.${hint}`));
  });
  return fields.length === 0 ? [OTHERS] : fields;
}

/** A diff of the two objects as JSON, with all invisible characters escaped. */
export function toolDiff(label: string, before: Json, after: Json): string {
  const [from, to] = [linesOf(before), linesOf(after)];
  const diff = createTwoFilesPatch(`${label} (pinned)`, `${label} (now)`, from, to, undefined, undefined, {
    context: 3,
    maxEditLength: DIFF_LINES,
    timeout: DIFF_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const { text, isCut } = cutDiff(diff ?? allOf(from, to), DIFF_CHARS);
  return isCut ? `${text}… the diff is truncated\n` : text;
}

const OTHERS = "other fields";

/** Characters that are invisible, or that look like a space but are different. */
const UNSEEN = /(?![\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

type Fields = Readonly<Record<string, Json>>;

function fieldsOf(value: Json | undefined): Fields {
  return isJsonObject(value) ? (value as Fields) : {};
}

function differing(before: Fields, after: Fields, known: readonly string[]): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => jsonText(before[name]) !== jsonText(after[name]),
  );
  const named = known.filter((name) => names.includes(name));
  return names.length > named.length ? [...named, OTHERS] : named;
}

function jsonText(value: Json | undefined): string {
  return value === undefined ? "" : canonicalJson(value);
}

/** With sorted keys, because their order is not part of the pin. */
function linesOf(tool: Json): string {
  const text = JSON.stringify(JSON.parse(canonicalJson(tool)), undefined, 2);
  return `${text.replace(UNSEEN, escaped)}\n`;
}

function escaped(sign: string): string {
  return `\\u{${sign.codePointAt(0)?.toString(16)}}`;
}

function allOf(before: string, after: string): string {
  const marked = (text: string, mark: string) => text.replace(/^(?=.)/gm, mark);
  return `${marked(before, "-")}${marked(after, "+")}`;
}
