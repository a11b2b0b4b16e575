/**
 * A backup: a gzip file of JSON lines. The first line is a header with schema and tables; then one line for each row;
 * the last one has the number of rows and the SHA-256 of all lines before it. So a file that was cut off, damaged or
 * changed is noticed. It never contains a private key.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { LIMITS } from "../base/limits.js";
import { LineSplitter } from "../base/line-splitter.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import type { Database } from "../postgres/database.js";
import { readRows, type TableColumns, type TextRow } from "../postgres/table-rows.js";

const FORMAT = 1;

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);
const headerSchema = z.object({
  pml: z.literal("backup"),
  format: z.int().min(1),
  version: z.string(),
  createdAt: z.string(),
  publicKey: z.string(),
  schema: z.array(z.object({ id: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ table: name, columns: z.array(name).min(1) })),
});
const rowSchema = z.tuple([z.int().min(0), z.array(z.union([z.string(), z.null()]))]);
const endSchema = z.object({ end: z.literal(true), rows: z.int(), sha256: z.string() });

export type BackupHeader = z.infer<typeof headerSchema>;

export interface BackupReport {
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Writes a backup; the file appears completely or not at all. `publicKey` is the key that signed the content of the
 * store.
 */
export async function writeBackup(
  database: Database,
  file: string,
  publicKey: string,
): Promise<BackupReport> {
  const target = existsSync(file) ? realpathSync(file) : file;
  if (existsSync(target) && !statSync(target).isFile())
    throw new PmlError("USAGE", `Cannot write the backup: "${file}" is not a file`);
  const draft = `${target}.${randomBytes(6).toString("hex")}.new`;
  const failed = (error: unknown) => notWritten(file, messageOf(error).replaceAll(draft, target), error);
  const handle = await open(draft, "wx", 0o600).catch((error: unknown) => {
    throw failed(error);
  });
  try {
    const rows = await writeLines(database, handle.createWriteStream({ flush: true }), publicKey, failed);
    renameSync(draft, target);
    return { file: target, rows, bytes: statSync(target).size };
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof PmlError ? error : failed(error);
  }
}

function notWritten(file: string, why: string, cause: unknown): PmlError {
  return new PmlError("STORE_FAILED", `Cannot write the backup "${file}": ${why}`, {
    hint: "Check that the directory exists, that you may write to it, and that the disk has room.",
    cause,
  });
}

async function writeLines(
  database: Database,
  target: Writable,
  publicKey: string,
  failed: (error: unknown) => PmlError,
): Promise<number> {
  const zip = createGzip();
  const written = pipeline(zip, target).catch((error: unknown) => {
    throw failed(error);
  });
  // It is awaited when the zip stream waits for it, and at the end.
  written.catch(() => {});
  const hash = createHash("sha256");
  let rows = 0;
  const write = async (value: unknown) => {
    const line = `${JSON.stringify(value)}\n`;
    hash.update(line);
    // If the file cannot be written, `written` has the reason; the zip stream only reports that it was ended.
    if (!zip.write(line)) await Promise.race([once(zip, "drain").catch(() => written), written]);
  };
  try {
    await readRows(database, {
      async start(schema, tables) {
        const createdAt = new Date().toISOString();
        await write({
          pml: "backup",
          format: FORMAT,
          version: VERSION,
          createdAt,
          publicKey,
          schema,
          tables,
        });
      },
      async rows(table, some) {
        rows += some.length;
        for (const row of some) await write([table, row]);
      },
    });
    zip.end(`${JSON.stringify({ end: true, rows, sha256: hash.digest("hex") })}\n`);
  } catch (error) {
    zip.destroy();
    await written.catch(() => {});
    throw error;
  }
  await written;
  return rows;
}

/** Reads only the header of a backup. */
export async function readHeader(file: string): Promise<BackupHeader> {
  for await (const line of linesOf(file)) return headerOf(file, parsed(file, line));
  throw invalid(file, "it is cut off");
}

/**
 * Reads a backup to its end. Throws `BACKUP_INVALID` if it is incomplete; what was read until then must be discarded.
 */
export async function readBackup(
  file: string,
  take: (table: TableColumns, row: TextRow) => Promise<void>,
): Promise<BackupHeader> {
  const hash = createHash("sha256");
  let header: BackupHeader | undefined;
  let isEnded = false;
  let rows = 0;
  for await (const line of linesOf(file)) {
    const value = parsed(file, line);
    if (isEnded) throw invalid(file, "it has content after its end");
    if (header === undefined) header = headerOf(file, value);
    else if (Array.isArray(value)) {
      await take(...rowOf(file, header, value));
      rows += 1;
    } else {
      const end = endSchema.safeParse(value).data;
      if (end?.rows !== rows || end.sha256 !== hash.copy().digest("hex"))
        throw invalid(file, "it is damaged: its checksum is not that of its content");
      isEnded = true;
    }
    hash.update(line).update("\n");
  }
  if (header === undefined || !isEnded) throw invalid(file, "it is cut off");
  return header;
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const lines: Buffer[] = [];
  let isEndless = false;
  const splitter = new LineSplitter(LIMITS.backupLineBytes, {
    line: (line) => void lines.push(line),
    endless: () => {
      isEndless = true;
    },
  });
  const bytes = createReadStream(file);
  const unzip = createGunzip();
  bytes.once("error", (error) => unzip.destroy(error));
  try {
    for await (const chunk of bytes.pipe(unzip)) {
      splitter.push(chunk as Buffer);
      if (isEndless) throw new Error("a line in it is too long");
      yield* lines.splice(0);
    }
  } catch (error) {
    throw error instanceof PmlError ? error : invalid(file, messageOf(error));
  } finally {
    bytes.destroy();
  }
}

function rowOf(file: string, { tables }: BackupHeader, value: unknown): [TableColumns, TextRow] {
  const [index, row] = rowSchema.safeParse(value).data ?? [];
  const table = index === undefined ? undefined : tables[index];
  if (table === undefined || row === undefined || row.length !== table.columns.length)
    throw invalid(file, "a line in it is not a row of one of its tables");
  return [table, row];
}

function headerOf(file: string, value: unknown): BackupHeader {
  const { pml, format } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (pml === "backup" && typeof format === "number" && format > FORMAT)
    throw invalid(file, `a newer PML wrote it (format ${format})`, "Use the newer PML.");
  const header = headerSchema.safeParse(value).data;
  if (header === undefined) throw invalid(file, "it is not a backup of PML");
  return header;
}

function parsed(file: string, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    throw invalid(file, "a line in it is not JSON");
  }
}

function invalid(file: string, why: string, hint = "Use another backup. Nothing was changed."): PmlError {
  return new PmlError("BACKUP_INVALID", `Cannot restore "${file}": ${why}`, { hint });
}
