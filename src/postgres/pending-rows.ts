/**
 * A file beside the embedded store with what was answered and is not in the store yet: new capabilities
 * (`learn-ahead.ts`) and results of tasks (`task-result-store.ts`). The next process that opens the store writes it.
 *
 * An entry is a line. It is in the file before the answer leaves, so `kill -9` loses nothing. It is not synchronised to
 * the disk, and neither is what PGlite writes: a power cut can lose the last seconds of both.
 *
 * @module
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { KeptResult } from "../execution/run/task-results.js";
import { type NewRows, writeNewRows } from "./create-capability.js";
import type { Database } from "./database.js";
import { SqlError } from "./sql-error.js";
import { addResults } from "./task-results-statement.js";

/** In the directory of the cluster, so that it moves with it. */
const FILE = "pml-pending.jsonl";
/** Raised when entries have other fields. */
const FORMAT = 1;
/** Classes of SQLSTATE that pass: no room or memory, interrupted, trouble with files. */
const TEMPORARY = /^(?:53|57|58)/;
/** Entries that wait, as text: above this, answers wait for the store. */
const MOST_CHARS = 8 * 1024 * 1024;

export type PendingEntry =
  | { readonly kind: "capability"; readonly id: string; readonly rows: NewRows }
  | { readonly kind: "result"; readonly id: string; readonly result: KeptResult };

export class PendingRows {
  readonly #path: string;
  readonly #waiting = new Map<string, PendingEntry>();
  #chars = 0;
  #file: number | undefined;
  /** Where the next entry begins. */
  #end = 0;

  /** @param directory of the cluster; it need not exist yet */
  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /** New capabilities that wait. */
  get capabilities(): readonly NewRows[] {
    return [...this.#waiting.values()].flatMap((entry) => (entry.kind === "capability" ? [entry.rows] : []));
  }

  /** Throws if the file cannot be written; returns false if too much waits already. */
  add(entries: readonly PendingEntry[]): boolean {
    // The line before may have been cut off by a full disk.
    const text = entries.map((entry) => `\n${JSON.stringify({ format: FORMAT, ...entry })}\n`).join("");
    if (this.#chars + text.length > MOST_CHARS) return false;
    const bytes = Buffer.from(text);
    const file = this.#open();
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, undefined, this.#end + at);
    this.#end += bytes.length;
    for (const entry of entries) this.#waiting.set(entry.id, entry);
    this.#chars += text.length;
    return true;
  }

  /** The store has it, or will never have it. */
  done(id: string): void {
    if (this.#waiting.delete(id) && this.#waiting.size === 0) this.#empty();
  }

  /** Writes what the last process left. To be called before anything else uses the database. */
  async replay(database: Database, log: Log): Promise<void> {
    const lines = readLines(this.#path);
    if (lines.length === 0) return;
    this.#open();
    for (const entry of entriesOf(lines, log)) this.#waiting.set(entry.id, entry);
    if (this.#waiting.size === 0) this.#empty();
    for (const entry of [...this.#waiting.values()]) {
      try {
        await write(database, entry);
      } catch (error) {
        if (isTemporary(error)) {
          log.warn("store.pending_not_written", { what: entry.kind, message: messageOf(error) });
          continue;
        }
        log.error("store.pending_lost", { what: entry.kind, message: messageOf(error) });
      }
      this.done(entry.id);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Not for appending: Windows cannot empty a file that is open for that alone. */
  #open(): number {
    if (this.#file !== undefined) return this.#file;
    this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#end = fstatSync(this.#file).size;
    return this.#file;
  }

  #empty(): void {
    this.#chars = 0;
    if (this.#file === undefined) return;
    ftruncateSync(this.#file);
    this.#end = 0;
  }
}

function entriesOf(lines: readonly string[], log: Log): readonly PendingEntry[] {
  return lines.flatMap((line) => {
    try {
      const { format, ...entry } = JSON.parse(line) as PendingEntry & { readonly format: number };
      if (format === FORMAT) return [entry];
      log.error("store.pending_lost", { what: entry.kind, message: `unknown format ${format}` });
    } catch {
      // A process that was killed while it wrote has not answered.
      log.debug("store.pending_cut_off", { chars: line.length });
    }
    return [];
  });
}

/** Whether a later attempt may succeed. */
export function isTemporary(error: unknown): boolean {
  return !(error instanceof SqlError) || TEMPORARY.test(error.code);
}

async function write(database: Database, entry: PendingEntry): Promise<unknown> {
  if (entry.kind === "capability") return await writeRows(database, entry.rows);
  const { expiresAt, ...result } = entry.result;
  return await addResults(database, [{ ...result, expiresAt: new Date(expiresAt) }]);
}

/** Writes rows that another attempt may have written already. */
export async function writeRows(database: Database, rows: NewRows): ReturnType<typeof writeNewRows> {
  if (rows.flow === undefined) return await writeNewRows(database, rows);
  return await database.transaction((transaction) => writeNewRows(transaction, rows));
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
