/**
 * An exclusive lock on a data directory that is released when its holder ends, for any reason.
 *
 * Linux: a file in the directory, which no other user can enter, that names a live process (`process-lock.ts`).
 * Windows: a named pipe. Elsewhere: a file opened with BSD's `O_EXLOCK`.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { sha256 } from "../base/sha256.js";
import { NoProcesses, takeProcessLock } from "./process-lock.js";

export interface KernelLock {
  /** `now` is the directory's path, if it was moved. */
  release(now?: string): void;
}

/** Returns undefined if another process holds the lock. */
export async function takeKernelLock(dataDir: string): Promise<KernelLock | undefined> {
  if (process.platform === "linux") return takeOnLinux(dataDir);
  if (process.platform === "win32") return listen(`\\\\.\\pipe\\pml-lock-${lockId(dataDir)}`);
  return openExclusively(join(dataDir, "lock"));
}

async function takeOnLinux(dataDir: string): Promise<KernelLock | undefined> {
  try {
    return await takeProcessLock(dataDir);
  } catch (error) {
    if (!(error instanceof NoProcesses)) throw error;
    // Any user of the machine can see this name, and take it while it is free.
    return listen(`\0pml-${lockId(dataDir)}`);
  }
}

/**
 * Made from a random text that only the owner of the directory can read, so that other users cannot know the name
 * before its first use, and from the file's identity, so that a copy of the directory has another lock.
 */
function lockId(dataDir: string): string {
  const file = join(dataDir, "lock-id");
  try {
    writeFileSync(file, randomBytes(16).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const { dev, ino } = statSync(file);
  return sha256(`${readFileSync(file, "utf8")} ${dev} ${ino}`).slice(0, 40);
}

function listen(path: string): Promise<KernelLock | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen({ path }, () => {
      server.unref();
      resolve({ release: () => void server.close() });
    });
  });
}

const O_EXLOCK = 0x20;

function openExclusively(file: string): KernelLock | undefined {
  try {
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
    return { release: () => closeSync(fd) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}
