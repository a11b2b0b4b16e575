/**
 * One data directory, one gateway: taking it, and giving it back.
 *
 * @module
 */
import { chmodSync, mkdirSync } from "node:fs";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { takeKernelLock } from "./kernel-lock.js";
import { isAliveElsewhere, keepOwnerFile, type Owner, readOwner, realm } from "./owner-file.js";
import { socketPath } from "./socket-path.js";

export interface OwnedDirectory {
  readonly socket: string;
  release(): void;
}

/** Takes the directory, or throws `STORE_LOCKED` saying who has it. */
export async function ownDirectory(dataDir: string, mode: string): Promise<OwnedDirectory> {
  makeDataDirectory(dataDir);
  const lock = await takeKernelLock(dataDir);
  if (lock === undefined) throw locked(dataDir, readOwner(dataDir));
  try {
    const other = readOwner(dataDir);
    if (other !== undefined && isAliveElsewhere(dataDir, other)) throw locked(dataDir, other);
    const socket = socketPath(dataDir);
    const startedAt = new Date().toISOString();
    const removeFile = keepOwnerFile(dataDir, {
      pid: process.pid,
      realm: realm(),
      socket,
      version: VERSION,
      mode,
      startedAt,
    });
    return {
      socket,
      release() {
        removeFile();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Makes the directory, for its owner alone, where there is none. */
export function makeDataDirectory(dataDir: string): void {
  try {
    if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) === undefined) return;
    chmodSync(dataDir, 0o700);
  } catch (error) {
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

function locked(dataDir: string, owner: Owner | undefined): PmlError {
  const who =
    owner === undefined
      ? "another gateway"
      : `the gateway of process ${owner.pid} (${owner.mode}, since ${owner.startedAt})`;
  return new PmlError("STORE_LOCKED", `Cannot own the data directory "${dataDir}": ${who} owns it already`, {
    hint: "Join it with `pml serve` (without --no-daemon and --http), end it with `pml stop`, or choose another --data-dir.",
    data: owner === undefined ? {} : { pid: owner.pid },
  });
}
