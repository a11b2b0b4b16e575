import { errorShape, messageOf, PmlError } from "../base/pml-error.js";
import { visible } from "../base/visible-text.js";
import { paintFor } from "./colour.js";
import { fitted } from "./fitted.js";
import { inCommandWords, pasteable } from "./pasteable.js";
import { endSpinner } from "./spinner.js";

/** Writes an error for people on stderr, or as JSON on stdout for scripts. Never a stack, which belongs to the log. */
export function printError(error: unknown, json: boolean): void {
  const known = error instanceof PmlError ? error : undefined;
  const shape = known === undefined ? { code: "INTERNAL", message: messageOf(error) } : errorShape(known);
  if (json) process.stdout.write(`${JSON.stringify({ error: shape }, undefined, 2)}\n`);
  endSpinner();
  const name = paintFor(process.stderr)("red", "pml:");
  printNote(`${name} ${inCommandWords(visibleLines(shape.message))} [${shape.code}]`);
  if (shape.hint !== undefined) printNote(`     ${pasteable(inCommandWords(visibleLines(shape.hint)))}`);
}

/** The reader of stdout may end first, like `head`. That is not an error. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints sentences and tables for people, never code or results: long lines are broken at the terminal's width. */
export function printText(text: string): void {
  printLine(fitted(text, process.stdout));
}

/** `1 capability`, `2 capabilities`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}

export { visible };

/** The same for a text of several lines, which keeps its line breaks. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}

/** A value on one line. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return visible(typeof value === "object" ? JSON.stringify(value) : String(value));
}

const WIDTH_COLUMNS_LEAST = 40;
const BROKEN = "    | ";

/**
 * Breaks lines that are longer than the terminal is wide. If the terminal broke them, a text could fill a
 * line with spaces so that its rest looks like a line of PML; so each continuation begins with a mark. Does
 * nothing without a width.
 */
export function brokenLines(text: string, width: number | undefined): string {
  if (width === undefined || width < WIDTH_COLUMNS_LEAST) return text;
  return text
    .split("\n")
    .map((line) => brokenLine(line, width))
    .join("\n");
}

function brokenLine(line: string, width: number): string {
  const parts: string[] = [];
  let part = "";
  let used = 0;
  for (const sign of line) {
    // Characters of other scripts may be two columns wide.
    const columns = sign === "\t" ? 8 : sign <= "\u007e" ? 1 : 2;
    if (used + columns > width) {
      parts.push(part);
      part = BROKEN;
      used = BROKEN.length;
    }
    part += sign;
    used += columns;
  }
  return [...parts, part].join("\n");
}

/** Prints the warnings of an answer, each once. */
export function printWarnings(answer: object, told = new Set<string>()): void {
  const { warnings = [] } = answer as { readonly warnings?: readonly string[] };
  for (const warning of warnings) {
    if (!told.has(warning)) printNote(`Warning: ${inCommandWords(visibleLines(warning))}`);
    told.add(warning);
  }
}

/** Prints on stderr, for people. */
export function printNote(text: string): void {
  process.stderr.write(`${fitted(text, process.stderr)}\n`);
}

/** For tables that must not be truncated. */
export const ANY_WIDTH = Number.POSITIVE_INFINITY;

/** Columns are as wide as their widest cell; lines are truncated to the terminal's width. */
export function table(rows: readonly (readonly string[])[], width = process.stdout.columns || 120): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows
    .map((row) => {
      const line = row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd();
      return line.length > width ? `${line.slice(0, Math.max(width - 1, 20))}…` : line;
    })
    .join("\n");
}

/** Such as `1.5 MB`. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1_000)));
  const value = bytes / 1_000 ** unit;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
