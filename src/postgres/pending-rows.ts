/**
 * A file beside the embedded store with what was answered and is not in the store yet: new capabilities
 * (`learn-ahead.ts`) and results of tasks (`task-result-store.ts`). The next process that opens the store writes it.
 *
 * An entry is a line. It is in the file before the answer leaves, so `kill -9` loses nothing. It is not synchronised to
 * the disk, and neither is what PGlite writes: a power cut can lose the last seconds of both.
 *
 * @module
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { KeptResult } from "../execution/run/task-results.js";
import { type NewRows, writeNewRows } from "./create-capability.js";
import { type Database, sql } from "./database.js";
import { SqlError } from "./sql-error.js";
import { addResults } from "./task-results-statement.js";

/** In the directory of the cluster, so that it moves with it. */
const FILE = "pml-pending.jsonl";
/** Raised when entries have other fields. */
const FORMAT = 1;
/** Classes of SQLSTATE that pass: no room or memory, interrupted, trouble with files. */
const TEMPORARY = /^(?:53|57|58)/;
/** Above this, answers wait for the store. */
const MOST_BYTES = 8 * 1024 * 1024;

const IS_WRITTEN = sql("capability_is_written")`
    select exists (select from capability_records where id = $1 and workflow_pattern_id = $2::uuid) as is_written`;

export type PendingEntry =
  | { readonly kind: "capability"; readonly id: string; readonly rows: NewRows }
  | { readonly kind: "result"; readonly id: string; readonly result: KeptResult };

export class PendingRows {
  readonly #path: string;
  readonly #waiting = new Map<string, PendingEntry>();
  /** What the last process left and the store did not take. */
  #left: PendingEntry[] = [];
  /** Whether it is known what the last process left: before, nothing is added and the file is not emptied. */
  #isRead = false;
  #file: number | undefined;
  /** Where the next entry begins. */
  #end = 0;

  /** @param directory of the cluster; it need not exist yet */
  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /** Throws if the file cannot be written; returns false if too much waits already, or before `replay`. */
  add(entries: readonly PendingEntry[]): boolean {
    if (!this.#isRead) return false;
    // The line before may have been cut off by a full disk.
    const text = entries.map((entry) => `\n${JSON.stringify({ format: FORMAT, ...entry })}\n`).join("");
    const bytes = Buffer.from(text);
    const file = this.#open();
    if (this.#end + bytes.length > MOST_BYTES) return false;
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, undefined, this.#end + at);
    this.#end += bytes.length;
    for (const entry of entries) this.#waiting.set(entry.id, entry);
    return true;
  }

  /** The store has it, or will never have it. */
  done(id: string): void {
    if (this.#waiting.delete(id)) this.#emptyIfDone();
  }

  /** What `replay` could not write: the caller writes it before anything else, and says when it is `done`. */
  takeLeft(): readonly PendingEntry[] {
    return this.#left.length === 0 ? [] : this.#left.splice(0);
  }

  /** Writes what the last process left. To be called before anything else uses the database. Never rejects. */
  async replay(database: Database, log: Log): Promise<void> {
    this.#left = [];
    try {
      for (const entry of entriesOf(readLines(this.#path), log)) this.#waiting.set(entry.id, entry);
      if (existsSync(this.#path)) this.#open();
      this.#isRead = true;
    } catch (error) {
      log.error("store.pending_unusable", { message: messageOf(error) });
    }
    for (const entry of [...this.#waiting.values()]) {
      try {
        await writeEntry(database, entry);
      } catch (error) {
        const message = messageOf(error);
        const fqdn = entry.kind === "capability" ? { fqdn: entry.rows.fqdn } : {};
        if (isTemporary(error)) {
          log.warn("store.pending_not_written", { what: entry.kind, ...fqdn, message });
          this.#left.push(entry);
          continue;
        }
        log.error("store.pending_lost", { what: entry.kind, ...fqdn, message });
      }
      this.done(entry.id);
    }
    this.#emptyIfDone();
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

  #emptyIfDone(): void {
    if (this.#waiting.size > 0 || !this.#isRead || this.#file === undefined) return;
    try {
      ftruncateSync(this.#file);
      this.#end = 0;
    } catch {
      // Such as a disk that has become read-only. The store has all that is in it, so the next start writes nothing.
    }
  }
}

function entriesOf(lines: readonly string[], log: Log): readonly PendingEntry[] {
  return lines.flatMap((line) => {
    try {
      const { format, ...entry } = JSON.parse(line) as PendingEntry & { readonly format: number };
      if (format === FORMAT && isEntry(entry)) return [entry];
      const message = format === FORMAT ? "it is damaged" : `unknown format ${format}`;
      log.error("store.pending_lost", { what: entry.kind, message });
    } catch {
      // A process that was killed while it wrote has not answered.
      log.debug("store.pending_cut_off", { chars: line.length });
    }
    return [];
  });
}

function isEntry(entry: PendingEntry): boolean {
  if (entry.kind === "capability") return Array.isArray(entry.rows?.values);
  const { workflowId, taskId, scope } = entry.result ?? {};
  return typeof workflowId === "string" && typeof taskId === "string" && typeof scope === "object";
}

/** Whether a later attempt may succeed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof SqlError) return TEMPORARY.test(error.code);
  return !(error instanceof PmlError) || error.code === "STORE_FAILED";
}

/** Another attempt may have written it already. Throws `NAME_TAKEN` if a capability can never be written. */
export async function writeEntry(database: Database, entry: PendingEntry): Promise<void> {
  if (entry.kind === "capability") return await writeRows(database, entry.rows);
  const { expiresAt, ...result } = entry.result;
  await addResults(database, [{ ...result, expiresAt: new Date(expiresAt) }]);
}

async function writeRows(database: Database, rows: NewRows): Promise<void> {
  const made =
    rows.flow === undefined
      ? await writeNewRows(database, rows)
      : await database.transaction((transaction) => writeNewRows(transaction, rows));
  if (made !== undefined) return;
  const { fqdn, patternId } = rows;
  const found = await database.query<{ readonly is_written: boolean }>(IS_WRITTEN, [fqdn, patternId]);
  if (found.rows[0]?.is_written === true) return;
  throw new PmlError("NAME_TAKEN", `Cannot save ${fqdn}: another capability has its name or its code now`);
}

/** Throws where there is a file that cannot be read. */
function readLines(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
