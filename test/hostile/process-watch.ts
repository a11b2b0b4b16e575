/**
 * How large this process and those below it have become, where the kernel says so.
 *
 * @module
 */
import { readFileSync } from "node:fs";

export interface ProcessWatch {
  /** The most that one process below this one had at a time, in MB; 0 where it cannot be known. */
  readonly peakMb: number;
  stop(): void;
}

const EVERY_MS = 50;
const PAGE_BYTES = 4_096;
const MB = 1024 * 1024;

export function watchProcesses(): ProcessWatch {
  let peakMb = 0;
  const look = (): void => {
    for (const pid of descendants(process.pid)) peakMb = Math.max(peakMb, residentMb(pid));
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    get peakMb() {
      return peakMb;
    },
    stop: () => clearInterval(timer),
  };
}

/** Of this process, in MB. */
export function ownMb(): number {
  return process.memoryUsage.rss() / MB;
}

function descendants(pid: number): readonly number[] {
  const below = children(pid);
  return [...below, ...below.flatMap(descendants)];
}

function children(pid: number): readonly number[] {
  try {
    // Node starts processes from its main thread.
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    // It is gone, or this is not Linux.
    return [];
  }
}

function residentMb(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES) / MB;
  } catch {
    return 0;
  }
}
