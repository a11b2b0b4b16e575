/**
 * Monitors the size of guests, if the kernel does not limit it.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

export interface WatchedGuest {
  readonly pid: number;
  readonly memoryMb: number;
  /** Called once it exceeds its limit. */
  onTooLarge(): void;
}

const LINUX_EVERY_MS = 50;
/** Longer, because each check starts a process. */
const ELSEWHERE_EVERY_MS = 250;
/** The approximate resident size of an engine beyond its heap. */
const BESIDE_HEAP_MB = 160;
const PAGE_KB = 4;

/** Monitors until the returned function is called; on Windows there is nothing to measure. */
export function watchMemory(guests: () => readonly WatchedGuest[]): () => void {
  if (process.platform === "win32") return () => {};
  let isBusy = false;
  const look = async (): Promise<void> => {
    const watched = guests();
    if (isBusy || watched.length === 0) return;
    isBusy = true;
    for (const guest of watched) {
      const kb = await residentKb(guest.pid);
      if (kb !== undefined && kb > (guest.memoryMb + BESIDE_HEAP_MB) * 1024) guest.onTooLarge();
    }
    isBusy = false;
  };
  const every = process.platform === "linux" ? LINUX_EVERY_MS : ELSEWHERE_EVERY_MS;
  const timer = setInterval(() => void look(), every);
  return () => clearInterval(timer);
}

async function residentKb(pid: number): Promise<number | undefined> {
  if (process.platform !== "linux") return await askPs(pid);
  try {
    const pages = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ")[1];
    return Number(pages) * PAGE_KB;
  } catch {
    return undefined;
  }
}

function askPs(pid: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    execFile("/bin/ps", ["-o", "rss=", "-p", String(pid)], (error, stdout) => {
      resolve(error === null ? Number(stdout.trim()) : undefined);
    });
  });
}
