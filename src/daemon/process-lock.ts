/**
 * The lock of a directory as a file in it that names its holder.
 *
 * Each process that wants the lock writes a file with a unique name into the directory, and then looks for others. Its
 * pid and start time, which no other process shares, tell whether that process has died; a suspended process still has
 * the lock. Of two processes that want it, the one that looks later sees the other, since both write their file before
 * they look: so two never have it. If both see each other, both release it and retry after pauses of different length.
 *
 * Only the owner of the directory can write a file there. A copy of the directory has copies of the files, which do not
 * count.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { KernelLock } from "./kernel-lock.js";
import { readRegularFile } from "./regular-file.js";

const LOCK = ".lock";
/** Files that are being written. They are ignored, and removed if a killed process left them behind. */
const NEW = ".lock-new";
const LEFT_BEHIND_MS = 60_000;
/** The longest pause grows with each attempt, so that one of many competing processes gets the lock. */
const TRIES = 12;
const PAUSE_MS = 10;

/** A process, and its lock file. */
interface Mark {
  readonly pid: number;
  /** When the process was started, in the kernel's own unit. */
  readonly startedAt: string;
  /** Where process numbers have the same meaning: one boot of the kernel, one namespace. */
  readonly numbering: string;
  /** The inode of the file, which a copy does not have. */
  readonly inode: number;
}

/** The kernel gives no information about processes in `/proc`. */
export class NoProcesses extends Error {
  override readonly name = "NoProcesses";
}

/** Returns undefined if another process holds the lock. */
export async function takeProcessLock(directory: string): Promise<KernelLock | undefined> {
  const own = ownMark();
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (!isHeld(directory, own.numbering)) {
      const name = putFile(directory, own);
      const release = (now = directory) => rmSync(join(now, name), { force: true });
      try {
        if (!isHeld(directory, own.numbering, name)) return { release };
      } catch (error) {
        release();
        throw error;
      }
      release();
    }
    // The other process may be about to release it, too.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * (tries + 1)));
  }
  return undefined;
}

function ownMark(): Omit<Mark, "inode"> {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const startedAt = startOf(process.pid);
    if (startedAt === undefined) throw new Error("/proc does not show this process");
    return { pid: process.pid, startedAt, numbering: `${boot} ${readlinkSync("/proc/self/ns/pid")}` };
  } catch (error) {
    refuseToGuess(error);
    throw new NoProcesses(String(error), { cause: error });
  }
}

/** Creates the file atomically: it gets its final name after it is written, and keeps its inode. */
function putFile(directory: string, own: Omit<Mark, "inode">): string {
  const id = randomBytes(12).toString("hex");
  const fd = openSync(join(directory, `${id}${NEW}`), "wx", 0o600);
  try {
    writeSync(fd, JSON.stringify({ ...own, inode: fstatSync(fd).ino } satisfies Mark));
  } finally {
    closeSync(fd);
  }
  renameSync(join(directory, `${id}${NEW}`), join(directory, `${id}${LOCK}`));
  return `${id}${LOCK}`;
}

/** Whether a living process has a file other than `own`. Files of dead processes are removed: no name is used twice. */
function isHeld(directory: string, numbering: string, own?: string): boolean {
  let hasHolder = false;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (name.endsWith(NEW)) removeLeftBehind(path);
    if (!name.endsWith(LOCK) || name === own) continue;
    const mark = readMark(path);
    // Only the owner file can tell about another machine or container.
    if (mark !== undefined && mark.numbering !== numbering) continue;
    if (mark !== undefined && startOf(mark.pid) === mark.startedAt) hasHolder = true;
    else rmSync(path, { force: true });
  }
  return hasHolder;
}

function readMark(path: string): Mark | undefined {
  try {
    const mark = JSON.parse(readRegularFile(path)) as Mark;
    return mark.inode === statSync(path).ino ? mark : undefined;
  } catch (error) {
    refuseToGuess(error);
    return undefined;
  }
}

const STATE = 0;
const START_TIME = 19;
const DEAD: ReadonlySet<string | undefined> = new Set(["Z", "X", "x"]);

/** When the process was started; undefined if it does not exist or is a zombie. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name, in brackets, may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return DEAD.has(fields[STATE]) ? undefined : fields[START_TIME];
  } catch (error) {
    refuseToGuess(error);
    return undefined;
  }
}

/** The system has no file or memory left to give. */
const SHORTAGES: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** With a shortage the holder is unknown: a living one would look dead. */
function refuseToGuess(error: unknown): void {
  if (SHORTAGES.has((error as NodeJS.ErrnoException).code)) throw error;
}

function removeLeftBehind(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) rmSync(path, { force: true });
}
