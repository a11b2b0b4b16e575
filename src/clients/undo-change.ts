/**
 * Takes PML's change out of a file again.
 *
 * @module
 */
import { applyPatch, structuredPatch } from "diff";
import { BrokenText } from "./broken-text.js";
import type { ConfigFormat } from "./client-table.js";
import { contentOf } from "./config-text.js";

/** Longer comparisons are given up: then the two texts have little in common. */
const COMPARED_LINES = 2_000;
const COMPARED_MS = 5_000;

export interface KnownTexts {
  readonly format: ConfigFormat;
  /** The file before PML's change; nothing where there was none. */
  readonly before: string | undefined;
  readonly after: string;
  /** The file as it is now; nothing where there is none. */
  readonly now: string | undefined;
}

/**
 * `exact`: the file as it was. `merged`: the file as it is now, without PML's change, so that later edits stay.
 * `conflict`: later edits changed the same lines.
 */
export type Undone =
  | { readonly kind: "nothing" | "exact" }
  | { readonly kind: "merged"; readonly text: string }
  | { readonly kind: "conflict" };

export function undoneChange({ format, before, after, now }: KnownTexts): Undone {
  if (now === before) return { kind: "nothing" };
  if (now === after) return { kind: "exact" };
  if (now === undefined || before === undefined) return { kind: "conflict" };
  const back = structuredPatch("", "", after, before, undefined, undefined, {
    // Edits right beside PML's lines are conflicts; those further away are not.
    context: 1,
    maxEditLength: COMPARED_LINES,
    timeout: COMPARED_MS,
  });
  if (back === undefined) return { kind: "conflict" };
  const text = applyPatch(now, back, { autoConvertLineEndings: false });
  return text !== false && isReadable(format, text) ? { kind: "merged", text } : { kind: "conflict" };
}

function isReadable(format: ConfigFormat, text: string): boolean {
  try {
    contentOf(format, text);
    return true;
  } catch (error) {
    if (error instanceof BrokenText) return false;
    throw error;
  }
}
