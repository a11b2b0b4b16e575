import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAlive } from "../daemon/owner-file.js";

/** How long one process waits for another one's write. */
const LOCK_WAIT_MS = 10_000;
/** The age at which a lock counts as abandoned: if its process has ended, and if that cannot be determined. */
const LOCK_STALE_MS = 2_000;
const LOCK_STALE_ANYWAY_MS = 8_000;
const LOCK_RETRY_MS = 10;

/** Waits until no other process changes `path`; returns a function that releases the lock. */
export function lockFile(path: string): () => void {
  const file = `${path}.lock`;
  const until = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (isStale(file)) rmSync(file, { force: true });
      else if (Date.now() > until) throw error;
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
    }
  }
}

function isStale(file: string): boolean {
  const left = statSync(file, { throwIfNoEntry: false });
  const ageMs = left === undefined ? 0 : Date.now() - left.mtimeMs;
  return ageMs > LOCK_STALE_ANYWAY_MS || (ageMs > LOCK_STALE_MS && !isHolderAlive(file));
}

/** On a busy machine a process can be suspended for seconds while it has the lock. */
function isHolderAlive(file: string): boolean {
  try {
    return isAlive(Number(readFileSync(file, "utf8")));
  } catch {
    return false;
  }
}
