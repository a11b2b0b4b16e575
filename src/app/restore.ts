/**
 * Restores a backup into the embedded store or a PostgreSQL server.
 *
 * First the whole file is read into a new embedded store beside the data directory, and migrated to the schema of this
 * build: nothing else changes before the backup is known to be complete, and a person has seen its content. Then that
 * store replaces the old one, which is moved to the backups, or its rows are written to the server in one transaction.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { silentLog } from "../base/log.js";
import { ownDirectory } from "../daemon/own-directory.js";
import type { StandingApproval } from "../execution/wait/workflow-store.js";
import type { Database } from "../postgres/database.js";
import { migrate } from "../postgres/migrate.js";
import { MIGRATIONS } from "../postgres/migrations/index.js";
import { openDatabase, type Store, storeOn } from "../postgres/open-store.js";
import {
  charsOf,
  knownSteps,
  makeSchema,
  readRows,
  refuseRows,
  type TableColumns,
  type TextRow,
  writeRows,
} from "../postgres/table-rows.js";
import { fingerprintOf } from "../registry/key-ring.js";
import { resign, resignOld } from "../registry/signature.js";
import { contentOf, refuseMemory } from "./adopt.js";
import { type BackupHeader, readBackup, readHeader } from "./backup-file.js";
import { sectionOf } from "./config-file.js";
import { checkDataDirectory, idContentOf, installationKeyOf, keepOutOfGit } from "./data-directory.js";
import { renewInstallationId } from "./installation-id.js";
import { realPath } from "./places.js";
import { draftFor, putBack, removeDrafts, removeEmpty, takePlace } from "./replace-directory.js";
import { markSignedAgain } from "./resign-once.js";
import type { Settings } from "./settings.js";

export { fingerprintOf };

/** The content of a backup. */
export interface RestoreFindings {
  readonly header: BackupHeader;
  /** The data directory, or the kind of server. */
  readonly to: string;
  readonly ownKey: string;
  readonly capabilities: number;
  readonly approvals: readonly StandingApproval[];
}

export interface Restore {
  readonly found: RestoreFindings;
  /** Must be called after a person has agreed to the findings. */
  take(): Promise<{ readonly signed: number; readonly backups: readonly string[] }>;
  /** Releases everything; changes nothing if `take` was not called. */
  close(): Promise<void>;
}

interface RestoreOptions {
  readonly backups: string;
  /** Whether a directory with stored data is replaced by the backup. */
  readonly replace: boolean;
  /** Only shows the content of the backup: the directory or server may be in use, and is not touched. */
  readonly isDryRun?: boolean;
}

const BATCH_ROWS = 1_000;
const BATCH_CHARS = 1_048_576;

/** Throws `BACKUP_INVALID`, and `STORE_LOCKED` if a gateway runs on the directory. */
export async function openRestore(
  settings: Settings,
  file: string,
  { backups, replace, isDryRun = false }: RestoreOptions,
): Promise<Restore> {
  const to = realPath(settings.dataDir);
  const key = installationKeyOf(settings);
  const { url: given } = sectionOf(settings.config, "store");
  const url = typeof given === "string" ? given : undefined;
  let release: (now?: string) => void = () => {};
  const closers: (() => unknown)[] = [() => release()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    if (url === undefined && !isDryRun) {
      putBack(to);
      // Even a new one is locked: no gateway may start on it while a person decides.
      const isNew = !existsSync(to);
      release = (await ownDirectory(to, "restore")).release;
      if (isNew) closers.unshift(() => removeEmpty(to));
      removeDrafts(to);
      await checkDataDirectory(to, key, settings.config.file);
      if (!replace) await refuseMemory(to, "restore");
    }
    const server = url === undefined || isDryRun ? undefined : await emptyServer(url, settings);
    if (server !== undefined) closers.push(() => server.close());
    const draft = draftFor(to);
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    closers.push(() => rmSync(draft, { recursive: true, force: true }));
    const database = await openDatabase({ dataDir: draft, log: silentLog });
    closers.push(() => database.close());
    const header = await load(database, file);
    const store = storeOn(database, silentLog);
    const { publicKey } = header;
    return {
      found: {
        header,
        to: url === undefined ? to : "PostgreSQL",
        ownKey: key.publicKey,
        ...(await contentOf(store)),
      },
      async take() {
        if (isDryRun) throw new Error("a dry run takes nothing");
        const isOwn = publicKey === key.publicKey;
        const signed = await (isOwn ? resignOld : resign)(store.capabilities, key, publicKey);
        if (!isOwn) await forgetApproved(store);
        if (server !== undefined) {
          await copyRows(database, server);
          return { signed, backups: [] };
        }
        await database.close();
        keepOutOfGit(draft);
        const id = randomUUID();
        renewInstallationId(draft, key, idContentOf(settings), id);
        markSignedAgain(settings.keyDir, id);
        return { signed, backups: takePlace(draft, to, backups, release) };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function emptyServer(url: string, { dataDir }: Settings): Promise<Database> {
  const server = await openDatabase({ url, dataDir, log: silentLog });
  try {
    await refuseRows(server);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Reads the whole backup into an empty embedded store, and migrates it. */
async function load(database: Database, file: string): Promise<BackupHeader> {
  const header = await readHeader(file);
  await makeSchema(database, await knownSteps(header.schema));
  await writeRows(database, async (write) => {
    let rows: TextRow[] = [];
    let chars = 0;
    let of: TableColumns | undefined;
    const flush = async () => {
      if (of !== undefined && rows.length > 0) await write(of, rows);
      rows = [];
      chars = 0;
    };
    await readBackup(file, async (table, row) => {
      if (table !== of || rows.length >= BATCH_ROWS || chars >= BATCH_CHARS) await flush();
      of = table;
      rows.push(row);
      chars += charsOf(row);
    });
    await flush();
  });
  await migrate(database, MIGRATIONS);
  return header;
}

async function copyRows(from: Database, to: Database): Promise<void> {
  await writeRows(to, (write) => {
    let tables: readonly TableColumns[] = [];
    return readRows(from, {
      async start(_, read) {
        tables = read;
      },
      async rows(index, rows) {
        const table = tables[index];
        if (table !== undefined) await write(table, rows);
      },
    });
  });
}

/**
 * Another person approved these runs; the person who restores has not seen that. Waiting runs are asked about again.
 */
async function forgetApproved({ database }: Store): Promise<void> {
  await database.query("delete from workflow_runs where state not in ('ended', 'waiting')");
}
