/**
 * The owner of a data directory, for people, for joining clients, and for cases that the kernel lock does not cover:
 * another machine or container that shares the directory. There the file's age counts, so it is touched while its owner
 * lives.
 *
 * @module
 */
import { existsSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { LIMITS } from "../base/limits.js";
import { readRegularFile } from "./regular-file.js";

export interface Owner {
  readonly pid: number;
  /** Where a lock taken here is visible: host name and, on Linux, the namespace of process numbers. */
  readonly realm: string;
  readonly socket: string;
  readonly version: string;
  /** `background`, or the command that owns the directory in the foreground. */
  readonly mode: string;
  readonly startedAt: string;
}

function ownerFile(dataDir: string): string {
  return join(dataDir, "owner.json");
}

/** `undefined` if there is no file, or another user owns it: the file says where to connect to. */
export function readOwner(dataDir: string): Owner | undefined {
  try {
    const text = readRegularFile(ownerFile(dataDir), {
      check: ({ uid }) => {
        if (process.getuid !== undefined && uid !== process.getuid())
          throw new Error("it was not created by PML");
      },
    });
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an owner outside the kernel lock's reach still touches its file. */
export function isAliveElsewhere(dataDir: string, owner: Owner): boolean {
  if (owner.realm === realm()) return false;
  try {
    return Date.now() - statSync(ownerFile(dataDir)).mtimeMs < LIMITS.heartbeatBelievedMs;
  } catch {
    return false;
  }
}

/**
 * Whether a process of this machine runs. Signals to a process of another user fail, but the error shows that it runs.
 */
export function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Writes the file as a whole and touches it regularly; the returned function stops that and removes the file, which is
 * at `now` if the directory was moved. `onLost` is called once when the file is gone or names another process: the
 * directory was removed, and may belong to another gateway now. If the file cannot be written, as on a full disk, it
 * retries; the lock holds meanwhile.
 */
export function keepOwnerFile(dataDir: string, owner: Owner, onLost: () => void): (now?: string) => void {
  const file = ownerFile(dataDir);
  const text = `${JSON.stringify(owner, undefined, 2)}\n`;
  let isWritten = wrote(file, text);
  const heartbeat = setInterval(() => {
    isWritten ||= wrote(file, text);
    if (!isWritten && existsSync(dataDir)) return;
    if (holds(file, text)) return touch(file);
    clearInterval(heartbeat);
    onLost();
  }, LIMITS.heartbeatEveryMs);
  heartbeat.unref();
  return (now = dataDir) => {
    clearInterval(heartbeat);
    if (holds(ownerFile(now), text)) rmSync(ownerFile(now), { force: true });
  };
}

function wrote(file: string, text: string): boolean {
  try {
    // Never through an existing link: the directory may come from elsewhere.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, text, { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
    return true;
  } catch {
    return false;
  }
}

/** Whether `file` still has the written text. A file that cannot be read at the moment counts as unchanged. */
function holds(file: string, text: string): boolean {
  try {
    return readRegularFile(file) === text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // It was removed since the last check; the next check will handle that.
  }
}

export function realm(): string {
  if (process.platform !== "linux") return hostname();
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function isOwner(value: unknown): value is Owner {
  const owner = value as Partial<Owner> | null;
  return (
    typeof owner === "object" &&
    typeof owner?.pid === "number" &&
    typeof owner.socket === "string" &&
    typeof owner.realm === "string"
  );
}
