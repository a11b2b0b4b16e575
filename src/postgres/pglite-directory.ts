/**
 * The directory of an embedded cluster: created completely or not at all, and refused if this PGlite cannot read it.
 *
 * A new cluster is built in a sibling directory and renamed into place. So a process that is killed meanwhile leaves a
 * sibling to delete, and never half a cluster.
 *
 * @module
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../base/pml-error.js";
import { readArchiveHeader, unpackCluster } from "./pgdata-archive.js";
import type { ClusterOrigin, WorkerSettings } from "./pglite-protocol.js";
import { PGLITE_POSTGRES_MAJOR, pgliteVersion } from "./pglite-version.js";

/** A file in the cluster's directory with the PGlite version that wrote the cluster. */
const MARKER = "pml-pgdata.json";

/** The directory cannot be used; the message says why, and the driver adds the path. */
export class DirectoryRefused extends Error {
  override readonly name = "DirectoryRefused";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

interface Marker {
  readonly pglite: string;
  readonly postgres: number;
}

/**
 * Makes sure that `directory` holds a cluster that can be opened. `initdb` creates one in the directory it is given.
 */
export async function prepareDirectory(
  { directory, archive }: WorkerSettings,
  initdb: (directory: string) => Promise<void>,
): Promise<ClusterOrigin> {
  sweepLeftovers(directory);
  if (isOccupied(directory)) {
    refuseUnreadable(directory);
    return { kind: "existing" };
  }
  const { staging, origin } = await stageCluster(directory, archive, initdb);
  markDirectory(staging);
  // Not every platform can rename onto a directory, even an empty one.
  if (existsSync(directory)) rmdirSync(directory);
  renameSync(staging, directory);
  return origin;
}

/** Records the version that last wrote to the directory; called after opening it. */
export function markDirectory(directory: string): void {
  const marker: Marker = { pglite: pgliteVersion(), postgres: PGLITE_POSTGRES_MAJOR };
  const text = `${JSON.stringify(marker)}\n`;
  const path = join(directory, MARKER);
  if (readText(path) !== text) writeFileSync(path, text, { mode: 0o600 });
}

async function stageCluster(
  directory: string,
  archive: string | null,
  initdb: (directory: string) => Promise<void>,
): Promise<{ staging: string; origin: ClusterOrigin }> {
  const staging = `${stagingPrefix(directory)}${process.pid}`;
  let why = unusable(archive);
  if (archive !== null && why === undefined) {
    makeStaging(staging);
    try {
      unpackCluster(archive, staging);
      return { staging, origin: { kind: "archive" } };
    } catch (thrown) {
      why = `the prebuilt cluster cannot be unpacked: ${messageOf(thrown)}`;
      rmSync(staging, { recursive: true, force: true });
    }
  }
  makeStaging(staging);
  try {
    await initdb(staging);
  } catch (thrown) {
    // Keeps the first cause, for example a full disk, for which PGlite reports only a number.
    throw why === undefined ? thrown : new Error(`${why}; initdb failed too: ${messageOf(thrown)}`);
  }
  return { staging, origin: { kind: "initdb", why: why ?? "no prebuilt cluster was requested" } };
}

/**
 * The data directory exists already; a gateway whose directory was removed must not create it again. PGlite writes
 * files that every user may read, so the staging directory is private.
 */
function makeStaging(staging: string): void {
  try {
    mkdirSync(staging, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new DirectoryRefused(
      `the directory "${dirname(staging)}" was removed`,
      "Restart PML; it creates a new one.",
    );
  }
}

function unusable(archive: string | null): string | undefined {
  if (archive === null) return "no prebuilt cluster was requested";
  const header = readArchiveHeader(archive);
  if (header === undefined) return "there is no prebuilt cluster";
  const version = pgliteVersion();
  if (header.pglite !== version)
    return `the prebuilt cluster is of PGlite ${header.pglite}, this is ${version}`;
  return undefined;
}

function refuseUnreadable(directory: string): void {
  const version = readText(join(directory, "PG_VERSION"));
  if (version === undefined) {
    throw new DirectoryRefused(
      "it holds files, but no PostgreSQL data",
      "Move the directory away, or choose another data directory.",
    );
  }
  const marker = readMarker(directory);
  const major = marker?.postgres ?? Number.parseInt(version, 10);
  if (major === PGLITE_POSTGRES_MAJOR && Number.parseInt(version, 10) === major) return;
  const writer = marker === undefined ? "" : ` (PGlite ${marker.pglite})`;
  throw new DirectoryRefused(
    `it was written by PostgreSQL ${version.trim()}${writer}, this PML reads PostgreSQL ${PGLITE_POSTGRES_MAJOR} (PGlite ${pgliteVersion()})`,
    "Run `pml backup` with the PML that wrote it, then `pml restore` with this one.",
  );
}

function readMarker(directory: string): Marker | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, MARKER), "utf8")) as Marker;
  } catch {
    // Even if the marker is missing or damaged, the cluster itself has its major version.
    return undefined;
  }
}

function isOccupied(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).length > 0;
}

function stagingPrefix(directory: string): string {
  return `${directory}.new-`;
}

/** The caller owns the data directory, so all staged files in it are abandoned. */
function sweepLeftovers(directory: string): void {
  const parent = dirname(directory);
  if (!existsSync(parent)) return;
  const prefix = basename(stagingPrefix(directory));
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
