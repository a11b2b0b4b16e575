/**
 * The changes between two versions of code, as a unified diff.
 *
 * Finding the shortest diff of two long, different texts takes too long, so the search is limited by a number of
 * changed lines and a time; beyond these limits the answer only says how much has changed.
 *
 * @module
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/**
 * Added and removed lines: with a thousand of them, a diff of texts of the maximum length takes a tenth of a second.
 */
const CHANGED_LINES_MOST = 1_000;
const CONTEXT_LINES = 3;

export interface CodeText {
  /** The label above the diff: `fs:read_json@2`. */
  readonly label: string;
  readonly code: string;
}

export interface DiffBounds {
  /** The time limit. */
  readonly timeMs: number;
}

/** A diff, or the reason for its absence. */
export type CodeDiff = { readonly diff: string } | { readonly note: string };

/** `before` is absent for the first version: all lines are added. */
export function codeDiff(before: CodeText | undefined, after: CodeText, { timeMs }: DiffBounds): CodeDiff {
  const code = lined(after.code);
  if (before === undefined) return { diff: allAdded(after.label, code) };
  const former = lined(before.code);
  if (former === code) return { note: "The code is the same; its calls were resolved again." };
  const diff =
    timeMs > 0
      ? createTwoFilesPatch(before.label, after.label, former, code, undefined, undefined, {
          context: CONTEXT_LINES,
          maxEditLength: CHANGED_LINES_MOST,
          timeout: timeMs,
          headerOptions: FILE_HEADERS_ONLY,
        })
      : undefined;
  return diff === undefined ? { note: howMuch(former, code) } : { diff };
}

/** The first lines of a diff that fit, and whether lines were cut off. */
export function cutDiff(diff: string, chars: number): { readonly text: string; readonly isCut: boolean } {
  if (diff.length <= chars) return { text: diff, isCut: false };
  const end = diff.lastIndexOf("\n", Math.max(chars - 1, 0));
  return { text: diff.slice(0, end + 1), isCut: true };
}

/** Line endings do not count, and the last line ends like all the others. */
function lined(code: string): string {
  const text = code.replace(/\r\n?/g, "\n");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function allAdded(label: string, code: string): string {
  const lines = linesOf(code);
  return `--- /dev/null\n+++ ${label}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`;
}

function howMuch(before: string, after: string): string {
  const left = new Map<string, number>();
  for (const line of linesOf(before)) left.set(line, (left.get(line) ?? 0) + 1);
  let added = 0;
  let same = 0;
  for (const line of linesOf(after)) {
    const count = left.get(line) ?? 0;
    if (count === 0) added += 1;
    else {
      left.set(line, count - 1);
      same += 1;
    }
  }
  const removed = linesOf(before).length - same;
  return `Too much has changed for a diff: at least ${counted(removed)} removed, ${counted(added)} added.`;
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.slice(0, -1).split("\n");
}
