/**
 * A file beside the embedded store with capabilities that were answered and that the store may not have yet: see
 * `learn-ahead.ts`. The next process that opens the store writes them.
 *
 * An entry is a line. It is in the file before the answer leaves, so `kill -9` loses nothing. It is not synchronised to
 * the disk, and neither is what PGlite writes: a power cut can lose the last seconds of both.
 *
 * @module
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { type NewRows, writeNewRows } from "./create-capability.js";
import type { Database } from "./database.js";
import { SqlError } from "./sql-error.js";

/** In the directory of the cluster, so that it moves with it. */
const FILE = "pml-pending.jsonl";
/** Raised when the statement takes other values. */
const FORMAT = 1;
/** Classes of SQLSTATE that pass: no room or memory, interrupted, trouble with files. */
const TEMPORARY = /^(?:53|57|58)/;
/** Entries that wait, as text: above this, answers wait for the store. */
const MOST_CHARS = 8 * 1024 * 1024;

export class PendingRows {
  readonly #path: string;
  /** By the id of the pattern. */
  readonly #waiting = new Map<string, NewRows>();
  #chars = 0;
  #file: number | undefined;

  /** @param directory of the cluster; it need not exist yet */
  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  get waiting(): readonly NewRows[] {
    return [...this.#waiting.values()];
  }

  /** Throws if the file cannot be written; returns false if too much waits already. */
  add(rows: NewRows): boolean {
    // The line before may have been cut off by a full disk.
    const line = `\n${JSON.stringify({ format: FORMAT, ...rows })}\n`;
    if (this.#chars + line.length > MOST_CHARS) return false;
    this.#file ??= openSync(this.#path, "a", 0o600);
    writeSync(this.#file, line);
    this.#waiting.set(rows.patternId, rows);
    this.#chars += line.length;
    return true;
  }

  /** The store has it. */
  done({ patternId }: Pick<NewRows, "patternId">): void {
    this.#waiting.delete(patternId);
    if (this.#waiting.size > 0) return;
    this.#chars = 0;
    if (this.#file !== undefined) ftruncateSync(this.#file);
  }

  /** Writes what the last process left. To be called before anything else uses the database. */
  async replay(database: Database, log: Log): Promise<void> {
    for (const rows of this.#read(log)) this.#waiting.set(rows.patternId, rows);
    for (const rows of this.waiting) {
      const { fqdn } = rows;
      try {
        await writeRows(database, rows);
      } catch (error) {
        const message = messageOf(error);
        if (isTemporary(error)) {
          log.warn("capability.not_stored_yet", { fqdn, message });
          continue;
        }
        log.error("capability.lost", { fqdn, message });
      }
      this.done(rows);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #read(log: Log): readonly NewRows[] {
    const lines = readLines(this.#path);
    if (lines.length === 0) return [];
    // From here on `done` can empty it.
    this.#file ??= openSync(this.#path, "a", 0o600);
    return lines.flatMap((line) => {
      try {
        const { format, ...rows } = JSON.parse(line) as NewRows & { readonly format: number };
        if (format === FORMAT) return [rows];
        log.error("capability.lost", { fqdn: rows.fqdn, message: `unknown format ${format}` });
      } catch {
        // A process that was killed while it wrote has not answered.
        log.debug("capability.half_written", { chars: line.length });
      }
      return [];
    });
  }
}

/** Whether a later attempt may succeed. */
export function isTemporary(error: unknown): boolean {
  return !(error instanceof SqlError) || TEMPORARY.test(error.code);
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
