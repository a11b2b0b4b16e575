/**
 * Ensures one gateway per data directory: takes and releases it.
 *
 * @module
 */
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { takeKernelLock } from "./kernel-lock.js";
import { isAliveElsewhere, keepOwnerFile, type Owner, readOwner, realm } from "./owner-file.js";
import { socketPath } from "./socket-path.js";

export interface OwnedDirectory {
  readonly socket: string;
  /** Resolves when the directory was removed while it was owned; its owner should then end. */
  readonly lost: Promise<void>;
  /** Releases it, once. `now` is its path, if its owner has moved it. */
  release(now?: string): void;
}

/** Takes the directory, or throws `STORE_LOCKED` with its owner. */
export async function ownDirectory(dataDir: string, mode: string): Promise<OwnedDirectory> {
  makeDataDirectory(dataDir);
  const lock = await takeKernelLock(dataDir);
  if (lock === undefined) throw locked(dataDir, mode, readOwner(dataDir));
  try {
    const other = readOwner(dataDir);
    if (other !== undefined && isAliveElsewhere(dataDir, other)) throw locked(dataDir, mode, other);
    const socket = socketPath(dataDir);
    const startedAt = new Date().toISOString();
    const owner = { pid: process.pid, realm: realm(), socket, version: VERSION, mode, startedAt };
    let removeFile: (now?: string) => void = () => {};
    let isReleased = false;
    const lost = new Promise<void>((resolve) => {
      removeFile = keepOwnerFile(dataDir, owner, resolve);
    });
    return {
      socket,
      lost,
      release(now) {
        if (isReleased) return;
        isReleased = true;
        removeFile(now);
        lock.release(now);
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The files that show that a directory has an owner. */
export function isOwnersFile(name: string): boolean {
  return /^(owner\.json|lock|lock-id|[0-9a-f]+\.lock)$/.test(name);
}

const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;

/**
 * Creates a missing directory, and makes one that other users can read private. Throws if it belongs to another user,
 * or if other users could have written into it.
 */
export function makeDataDirectory(dataDir: string): void {
  try {
    if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) === undefined) makePrivate(dataDir);
    else chmodSync(dataDir, 0o700);
  } catch (error) {
    if (error instanceof PmlError) throw error;
    throw new PmlError(
      "STORE_FAILED",
      `Cannot create the data directory "${dataDir}": ${(error as Error).message}`,
      {
        hint: "Choose another with --data-dir.",
        cause: error,
      },
    );
  }
}

function makePrivate(dataDir: string): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid, mode } = statSync(dataDir);
  if (uid !== own)
    throw refused(
      dataDir,
      `it belongs to user ${uid}, this is user ${own}`,
      "Choose another with --data-dir.",
    );
  if ((mode & OTHERS_MAY_ANYTHING) === 0) return;
  const mayHoldTheirs = (mode & OTHERS_MAY_WRITE) !== 0;
  if (mayHoldTheirs) refuseUnlessEmpty(dataDir);
  chmodSync(dataDir, 0o700);
  if (mayHoldTheirs) refuseUnlessEmpty(dataDir);
}

function refuseUnlessEmpty(dataDir: string): void {
  if (readdirSync(dataDir).length === 0) return;
  throw refused(
    dataDir,
    "other users may write to it, and it is not empty",
    `Review its content, then run \`chmod 700 "${dataDir}"\`, or choose another with --data-dir.`,
  );
}

function refused(dataDir: string, why: string, hint: string): PmlError {
  return new PmlError("STORE_FAILED", `Cannot use the data directory "${dataDir}": ${why}`, { hint });
}

/** Commands that own the directory only for a short time, so that clients cannot join them. */
const MOMENTARY = new Set(["restore", "adopt"]);

function locked(dataDir: string, mode: string, owner: Owner | undefined): PmlError {
  const who =
    owner === undefined
      ? "another gateway"
      : `the gateway of process ${owner.pid} (${owner.mode}, since ${owner.startedAt})`;
  return new PmlError("STORE_LOCKED", `Cannot own the data directory "${dataDir}": ${who} already owns it`, {
    hint: MOMENTARY.has(mode)
      ? "Stop it with `pml stop`, then run this again. Clients that are connected start it again: close them first."
      : "Join it with `pml serve` (without --no-daemon), end it with `pml stop`, or choose another --data-dir.",
    data: owner === undefined ? {} : { pid: owner.pid },
  });
}
