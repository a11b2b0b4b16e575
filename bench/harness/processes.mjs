/**
 * What Linux says of processes. Elsewhere nothing is found, and what needs it says so.
 */
import { readdirSync, readFileSync } from "node:fs";

export const hasProc = process.platform === "linux";

/** Processes whose environment holds `TMPDIR=directory`: the mark of everything that a benchmark starts. */
export function processesMarked(directory) {
  const mark = `\0TMPDIR=${directory}\0`;
  return pids().filter((pid) => pid !== process.pid && `\0${read(pid, "environ")}`.includes(mark));
}

export function commandOf(pid) {
  return read(pid, "cmdline").split("\0").filter(Boolean);
}

/** The process and everything below it. */
export function treeOf(root) {
  const parents = new Map(pids().map((pid) => [pid, parentOf(pid)]));
  const isBelow = (pid) => {
    for (let at = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true;
    return false;
  };
  return [...parents.keys()].filter(isBelow);
}

/**
 * Resident and proportional size in MB. Proportional counts a page that several processes share by its share, so
 * it is what one more process costs beside others of the same program.
 */
export function memoryOf(pid) {
  const text = read(pid, "smaps_rollup");
  const field = (name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? Number.NaN) / 1_024;
  return { rss: field("Rss"), pss: field("Pss") };
}

function pids() {
  if (!hasProc) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid) {
  const found = /^PPid:\s+(\d+)/m.exec(read(pid, "status"));
  return found === null ? undefined : Number(found[1]);
}

/** Nothing where the process has ended, or is another user's. */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
