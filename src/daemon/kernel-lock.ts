/**
 * An exclusive lock on a data directory that the kernel releases when its holder dies, however it dies.
 *
 * Linux: a listening socket in the abstract namespace, which has no file to go stale. Windows: a named pipe, which
 * is the same idea. Elsewhere: a file opened with BSD's `O_EXLOCK`.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export interface KernelLock {
  release(): void;
}

/** Answers nothing when another process holds the lock. */
export async function takeKernelLock(dataDir: string): Promise<KernelLock | undefined> {
  const file = join(dataDir, "lock-id");
  const id = lockId(file);
  if (process.platform === "linux") return listen(`\0pml-${id}`);
  if (process.platform === "win32") return listen(`\\\\.\\pipe\\pml-lock-${id}`);
  return openExclusively(join(dataDir, "lock"));
}

/**
 * Made of a random text that only the owner of the directory can read, so that nobody else on the machine can take
 * the name first, and of the file's identity, so that a copy of the directory is another directory.
 */
function lockId(file: string): string {
  try {
    writeFileSync(file, randomBytes(16).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const { dev, ino } = statSync(file);
  return createHash("sha256")
    .update(`${readFileSync(file, "utf8")} ${dev} ${ino}`)
    .digest("hex")
    .slice(0, 40);
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
