/**
 * The environment of a benchmark: its own directory, processes that carry its mark, and a cleanup that leaves neither
 * behind, whether the benchmark finishes, fails, or is interrupted.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IS_SMOKE, readOptions } from "./options.mjs";
import { commandOf, processesMarked } from "./processes.mjs";
import { printHead } from "./table.mjs";

const END_MS = 3_000;
const LAST_WORDS_CHARS = 1_500;

/** Owners of processes: those of PML must end without help; those that a peer leaves behind are only reported. */
const OWNERS = ["pml", "other"];

export class Workbench {
  /** @param {import("./options.mjs").Options} options */
  constructor(options) {
    this.options = options;
    this.scratch = realpathSync(mkdtempSync(join(tmpdir(), "pml-bench-")));
    for (const owner of OWNERS) mkdirSync(this.#mark(owner));
    this.checks = [];
    this.#count = 0;
  }

  #closers = [];
  #closing;
  #count;

  #mark(owner) {
    return join(this.scratch, owner);
  }

  /** The environment of every process that is started; PML passes TMPDIR, and so the mark, to its servers. */
  env(owner) {
    const home = { HOME: this.scratch, XDG_DATA_HOME: join(this.scratch, "user-data") };
    return { PATH: process.env.PATH ?? "", ...home, TMPDIR: this.#mark(owner) };
  }

  /** A new, empty directory. */
  directory(name) {
    this.#count += 1;
    const directory = join(this.scratch, `${name}-${this.#count}`);
    mkdirSync(directory);
    return directory;
  }

  /** `close` is called at the end; the newest goes first. */
  atEnd(close) {
    this.#closers.push(close);
  }

  /** Starts a process in its own process group, which is ended with the benchmark at the latest. */
  spawn(owner, command, args, { cwd = this.scratch, stdio = ["pipe", "pipe", "ignore"] } = {}) {
    const child = spawn(command, args, { cwd, stdio, env: this.env(owner), detached: true });
    child.exited = new Promise((resolve) => {
      child.once("exit", resolve);
      child.once("error", resolve);
    });
    child.stdin?.on("error", () => {});
    this.atEnd(() => endGroup(child));
    return child;
  }

  /** Checks a ratio; skipped in a smoke test, whose one round of the smallest sizes proves nothing. */
  check(what, ratio, most) {
    if (IS_SMOKE) return;
    this.checks.push({ what, ratio, most, met: ratio.middle <= most });
  }

  printChecks() {
    for (const { what, ratio, most, met } of this.checks) {
      const { middle, low, high } = ratio;
      console.log(
        `${met ? "met   " : "MISSED"} ${what}: ${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)}), at most ${most}`,
      );
    }
    if (this.checks.length > 0) console.log();
  }

  get allMet() {
    return this.checks.every(({ met }) => met);
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    for (const close of this.#closers.reverse()) {
      await Promise.resolve()
        .then(close)
        .catch((error) => console.error(`while ending: ${error?.message ?? error}`));
    }
    const left = await this.#left();
    rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    return left;
  }

  /** Ends processes that are left, and returns whether any of them was PML's. */
  async #left() {
    const until = Date.now() + END_MS;
    const marked = () =>
      OWNERS.flatMap((owner) => processesMarked(this.#mark(owner)).map((pid) => [owner, pid]));
    while (marked().length > 0 && Date.now() < until) await pause(50);
    const left = marked();
    for (const [owner, pid] of left) {
      console.error(
        `left behind by ${owner === "pml" ? "PML" : "a peer"}, ended now: ${pid} ${commandOf(pid).join(" ")}`,
      );
      signal(pid, "SIGKILL");
    }
    return left.some(([owner]) => owner === "pml");
  }

  /** Prints the error with the last lines of the background gateways' logs, which are deleted with the directory. */
  printTrouble(error) {
    console.error(error);
    for (const entry of readdirSync(this.scratch, { recursive: true })) {
      if (!entry.endsWith("gateway.log")) continue;
      const words = readFileSync(join(this.scratch, entry), "utf8").slice(-LAST_WORDS_CHARS);
      if (words !== "") console.error(`${entry}:\n${words}`);
    }
  }

  /** For a second Ctrl-C: kills everything at once. */
  killAll() {
    for (const owner of OWNERS) for (const pid of processesMarked(this.#mark(owner))) signal(pid, "SIGKILL");
    if (existsSync(this.scratch)) rmSync(this.scratch, { recursive: true, force: true });
  }
}

export async function endGroup(child) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.stdin?.end();
  signal(-child.pid, "SIGTERM");
  const killer = setTimeout(() => signal(-child.pid, "SIGKILL"), END_MS);
  await child.exited;
  clearTimeout(killer);
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended already.
  }
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Runs one benchmark as a program.
 *
 * @param {string} title
 * @param {string} what
 * @param {(bench: Workbench) => Promise<void>} work
 */
export async function benchmark(title, what, work) {
  const bench = new Workbench(readOptions());
  let interrupted = false;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(name, () => {
      if (interrupted) {
        bench.killAll();
        process.exit(130);
      }
      interrupted = true;
      console.error("\nending what was started; once more to kill it");
      void bench.close().finally(() => process.exit(130));
    });
  }
  let failed = false;
  printHead(title, what);
  try {
    await work(bench);
    bench.printChecks();
  } catch (error) {
    failed = true;
    if (!interrupted) bench.printTrouble(error);
  }
  const leftBehind = await bench.close();
  // After an interrupt, the handler above ends the process when this cleanup is done.
  if (interrupted) return new Promise(() => {});
  process.exit(failed || leftBehind || (bench.options.check && !bench.allMet) ? 1 : 0);
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
