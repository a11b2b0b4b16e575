/**
 * The directory for data that was replaced. PML never deletes it.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import { KEY_FILE } from "./installation-key.js";
import { userDirectory } from "./places.js";

export function backupsDirectory(env: Readonly<NodeJS.ProcessEnv>): string {
  return join(userDirectory(env), "backups");
}

/** Moves the whole directory, readable by its owner alone; returns its new path. Its name is derived from `was`. */
export function moveToBackups(directory: string, backups: string, was = directory): string {
  const to = freeName(join(backups, `${nameOf(was)}-${timestamp()}`));
  try {
    mkdirSync(backups, { recursive: true, mode: 0o700 });
    move(directory, to);
  } catch (error) {
    throw new PmlError(
      "STORE_FAILED",
      `Cannot move "${directory}" to the backups, as "${to}": ${messageOf(error)}`,
      {
        hint: "Check that you may write to both places; a mount point cannot be moved.",
        cause: error,
      },
    );
  }
  chmodSync(to, 0o700);
  const key = join(to, KEY_FILE);
  if (lstatSync(key, { throwIfNoEntry: false })?.isFile() === true) chmodSync(key, 0o600);
  return to;
}

/** Between two disks, everything is copied before anything is removed. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(from, { recursive: true });
  }
}

/** `.pml` was inside a project, whose name is more useful. */
function nameOf(directory: string): string {
  const name = basename(directory);
  return name.startsWith(".") ? `${basename(dirname(directory))}${name}` : name;
}

/** Such as `20261117T104512Z`. */
export function timestamp(): string {
  return new Date().toISOString().replace(/[-:]|\.\d+/g, "");
}

function freeName(path: string): string {
  return existsSync(path) ? `${path}-${randomBytes(3).toString("hex")}` : path;
}
