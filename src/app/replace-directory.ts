/**
 * Replaces a directory by a new one; the old one is moved to the backups.
 *
 * The new one is created beside the old one, and both are renamed. A mount point, such as a volume of a container,
 * cannot be renamed, and beside some directories nothing may be written: there the new one is created inside, and the
 * entries of both are renamed. The old one keeps its owner until it is gone, so that no gateway starts on it. Copying
 * to another disk comes last, so that the old or the new directory is complete if the process is killed. If that
 * happens between the two renames, the next process restores the old one.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import { isOwnersFile } from "../daemon/own-directory.js";
import { moveToBackups } from "./backups.js";

const DRAFT = ".restoring-";
const OLD = ".replaced-";

/** A free name for the directory that will replace `to`. */
export function draftFor(to: string): string {
  return `${canBeRenamed(to) ? to : join(to, "data")}${DRAFT}${randomId()}`;
}

function canBeRenamed(directory: string): boolean {
  const parent = dirname(directory);
  if (!existsSync(directory) || !existsSync(parent)) return true;
  if (statSync(directory).dev !== statSync(parent).dev) return false;
  try {
    accessSync(parent, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Must be called before a missing directory is created: a process may have been killed while replacing it. */
export function putBack(to: string): void {
  if (existsSync(to)) return;
  const parent = dirname(to);
  const names = namesIn(parent);
  const [old] = names.filter((name) => name.startsWith(`${basename(to)}${OLD}`));
  // Without a draft, a person has removed the directory since.
  const hasDraft = names.some((name) => name.startsWith(`${basename(to)}${DRAFT}`));
  if (old === undefined || !hasDraft) return;
  try {
    renameSync(join(parent, old), to);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(to)) throw error;
  }
}

/** Empty if it cannot be read: the caller that creates the directory will get the error. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Removes the drafts of killed processes. The caller owns `to`, so no other process has a draft for it. */
export function removeDrafts(to: string): void {
  const drafts = (directory: string, name: string) =>
    readdirSync(directory)
      .filter((found) => found.startsWith(`${name}${DRAFT}`))
      .map((found) => join(directory, found));
  for (const draft of [...drafts(dirname(to), basename(to)), ...drafts(to, "data")])
    rmSync(draft, { recursive: true, force: true });
}

/**
 * Returns the new path of the old content; undefined if there was none. `release` gets the new place of the owner's
 * files as soon as the directory is replaced.
 */
export function takePlace(
  draft: string,
  to: string,
  backups: string,
  release: (now: string) => void = () => {},
): readonly string[] {
  const isInside = dirname(draft) === to;
  const old = `${isInside ? join(to, "data") : to}${OLD}${randomId()}`;
  try {
    if (isInside) renameContents(draft, to, old);
    else renameBoth(draft, to, old);
  } catch (error) {
    const hint = existsSync(old) ? `What was there before is in "${old}".` : "Nothing was changed.";
    throw new PmlError("STORE_FAILED", `Cannot replace "${to}": ${messageOf(error)}`, { hint, cause: error });
  }
  release(isInside ? to : old);
  return existsSync(old) && !removeEmpty(old) ? [moveToBackups(old, backups, to)] : [];
}

function renameBoth(draft: string, to: string, old: string): void {
  if (existsSync(to)) renameSync(to, old);
  try {
    renameSync(draft, to);
  } catch (error) {
    if (existsSync(old) && !existsSync(to)) renameSync(old, to);
    throw error;
  }
}

function renameContents(draft: string, to: string, old: string): void {
  const before = readdirSync(to).filter((name) => name !== basename(draft) && !staysIn(name));
  const moved: (readonly [now: string, was: string])[] = [];
  const move = (from: string, into: string, names: readonly string[]) => {
    for (const name of names) {
      renameSync(join(from, name), join(into, name));
      moved.push([join(into, name), join(from, name)]);
    }
  };
  mkdirSync(old, { mode: 0o700 });
  try {
    move(to, old, before);
    move(draft, to, readdirSync(draft));
  } catch (error) {
    for (const [now, was] of moved.reverse()) renameSync(now, was);
    rmdirSync(old);
    throw error;
  }
}

/** The file system's own directory in a volume cannot be moved. */
function staysIn(name: string): boolean {
  return isOwnersFile(name) || name === "lost+found";
}

/** Returns whether it was empty. */
export function removeEmpty(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

function randomId(): string {
  return randomBytes(4).toString("hex");
}
