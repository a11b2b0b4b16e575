/** Reads data about processes from Linux. On other systems nothing is found, and benchmarks that need it say so. */
import { readdirSync, readFileSync } from "node:fs";

export const hasProc = process.platform === "linux";

/** Processes whose environment has `TMPDIR=directory`: the mark of everything that a benchmark starts. */
export function processesMarked(directory) {
  const mark = `\0TMPDIR=${directory}\0`;
  return pids().filter((pid) => pid !== process.pid && `\0${read(pid, "environ")}`.includes(mark));
}

export function commandOf(pid) {
  return read(pid, "cmdline").split("\0").filter(Boolean);
}

/** The process and all its descendants. */
export function treeOf(root) {
  const parents = new Map(pids().map((pid) => [pid, parentOf(pid)]));
  const isBelow = (pid) => {
    for (let at = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true;
    return false;
  };
  return [...parents.keys()].filter(isBelow);
}

/**
 * Resident and proportional size in MB. The proportional size counts a shared page in parts, so it shows the cost of
 * one more process beside others of the same program.
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

/** Returns undefined if the process has ended, or belongs to another user. */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
