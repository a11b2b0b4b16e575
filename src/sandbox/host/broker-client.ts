/**
 * The gateway's end of the broker: starts it on demand, restarts it when it has died, and passes each run its lines.
 *
 * The gateway knows which guests wait, and gives a run to one of them before it informs the broker. It asks the broker
 * for a guest only if none waits.
 *
 * If the broker dies before a guest has sent anything for its run, the run is started once more on the next broker. Any
 * other run is lost, since its effects so far are unknown.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LineSplitter } from "../../base/line-splitter.js";
import type { Log } from "../../base/log.js";
import { PmlError } from "../../base/pml-error.js";
import {
  type BrokerConfig,
  type BrokerOrder,
  type BrokerStatus,
  type GuestEnd,
  isUsedAgain,
  readBrokerReport,
  type StartOrder,
  WIRE_TOKEN,
  writeBrokerLine,
} from "../protocol/broker-frames.js";
import { lineBytesMost } from "./guest-process.js";
import { type GuestWire, type GuestWires, openGuestWires } from "./guest-wires.js";
import type { SessionEnd } from "./run-session.js";

interface RunListener {
  /** A guest has the run. */
  started(): void;
  line(line: string): void;
  /** The last event. */
  end(end: SessionEnd): void;
}

export interface BrokerRun {
  send(line: string): void;
  /** Kills the guest. */
  kill(): void;
  /** Releases a guest whose run has ended normally. */
  release(): void;
}

export interface BrokerClient {
  start(size: Omit<StartOrder, "run">, firstLine: string, listener: RunListener): BrokerRun;
  status(): Promise<BrokerStatus>;
  readonly runCount: number;
  /** Ends the broker and every guest. */
  close(): Promise<void>;
}

interface Entry {
  readonly size: Omit<StartOrder, "run">;
  readonly firstLine: string;
  readonly listener: RunListener;
  wire: GuestWire | undefined;
  /** Its guest has sent something; until then it cannot have had an effect. */
  hasSpoken: boolean;
  isKilled: boolean;
  isRetry: boolean;
}

interface Connection {
  readonly child: ChildProcess;
  /** Without wires, the lines of guests come through the broker. */
  readonly wires: GuestWires | undefined;
  /** Guests that may be given a run of the usual size. */
  readonly waiting: Set<number>;
  /** Runs for which the broker chooses a guest; it may choose any waiting one. */
  readonly choosing: Set<number>;
  readonly statusWaits: Map<number, { resolve(status: BrokerStatus): void; reject(error: Error): void }>;
  send(order: BrokerOrder): void;
}

/** Beside this file in a build; tests run the sources, but a process needs the built file. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../../dist/sandbox/host/" : "./";
const BROKER = fileURLToPath(new URL(`${BUILT}broker.js`, import.meta.url));
const STDERR_CHARS = 2_000;
/** A broker that ends sooner counts as a failed start. */
const LIVED_MS = 2_000;
const BACK_OFF_FIRST_MS = 100;
const BACK_OFF_MOST_MS = 5_000;
const CLOSE_MS = 2_000;

export function createBrokerClient(config: BrokerConfig, log: Log): BrokerClient {
  const runs = new Map<number, Entry>();
  let connection: Connection | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let failures = 0;
  let lastRun = 0;
  let lastStatus = 0;
  let isClosed = false;

  function connect(): Connection {
    const startedAt = Date.now();
    const wires = openGuestWires({
      lineBytesMost: lineBytesMost(config),
      onReady: (guest) => next.send({ kind: "ready", guest }),
    });
    const told: BrokerConfig = wires === undefined ? config : { ...config, wire: wires.path };
    // If the system has no file or process left, there are no pipes, and the error comes as an event.
    const child: ChildProcess = spawn(process.execPath, [BROKER, JSON.stringify(told)], {
      // In a separate session: an interrupt from the terminal is for the gateway, which ends the broker cleanly.
      detached: true,
      env: {
        PATH: process.env.PATH ?? "",
        ...(process.platform === "win32" ? windowsEnvironment() : {}),
        ...(wires === undefined ? {} : { [WIRE_TOKEN]: wires.token }),
      },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    child.on("error", (error) => gone(error.message));
    child.on("close", (code, signal) => gone(signal === null ? `code ${code}` : `signal ${signal}`));
    const { stdin } = child;
    let stderr = "";
    const next: Connection = {
      child,
      wires,
      waiting: new Set(),
      choosing: new Set(),
      statusWaits: new Map(),
      send(order) {
        if (!stdin) return;
        if (stdin.writableCorked === 0) {
          stdin.cork();
          process.nextTick(() => stdin.uncork());
        }
        stdin.write(writeBrokerLine(order));
      },
    };
    const splitter = new LineSplitter(Number.MAX_SAFE_INTEGER, { line: (line) => receive(next, line) });
    child.stdout?.on("data", (chunk: Buffer) => splitter.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-STDERR_CHARS);
    });
    stdin?.on("error", () => {});
    let isGone = false;
    function gone(how: string): void {
      if (isGone) return;
      isGone = true;
      wires?.close();
      failures = Date.now() - startedAt < LIVED_MS ? failures + 1 : 0;
      if (!isClosed) log.warn("sandbox.broker_ended", { how, stderr: stderr.trim() });
      lost(next, how);
    }
    return next;
  }

  function receive(from: Connection, line: Buffer): void {
    const report = readBrokerReport(line);
    if (report.kind === "status") {
      from.statusWaits.get(report.id)?.resolve(report.status);
      from.statusWaits.delete(report.id);
      return;
    }
    if (report.kind === "waiting") {
      from.waiting.add(report.guest);
      return;
    }
    const { run } = report;
    if (report.kind !== "line") from.choosing.delete(run);
    if (report.kind === "started") from.waiting.delete(report.guest);
    const entry = runs.get(run);
    if (entry === undefined) return;
    if (report.kind === "line") {
      entry.hasSpoken = true;
      entry.listener.line(report.text.toString());
    } else if (report.kind === "started") {
      connectRun(from, run, entry, from.wires?.get(report.guest));
    } else if (report.kind === "refused" && !entry.hasSpoken && !entry.isKilled) {
      choose(from, run, entry);
    } else if (report.kind === "refused") {
      // The run may have had effects, so it is not started again.
      runs.delete(run);
      entry.listener.end({ kind: "lost", message: "The process of the run ended" });
    } else {
      runs.delete(run);
      if (entry.wire === undefined) entry.listener.end(report.end);
      else entry.wire.whenOver(() => entry.listener.end(report.end));
    }
  }

  /** A guest has the run, or gets it on its wire. */
  function connectRun(from: Connection, run: number, entry: Entry, wire: GuestWire | undefined): void {
    entry.wire?.close();
    entry.wire = wire;
    wire?.use({
      line: (line) => {
        entry.hasSpoken = true;
        entry.listener.line(line);
      },
      tooLong: () => from.send({ kind: "kill", run, end: { kind: "line" } }),
    });
    wire?.send(entry.firstLine);
    entry.listener.started();
  }

  /** Gives the run to a waiting guest, if there is one, without waiting for the broker. */
  function give(to: Connection, run: number, entry: Entry): number | undefined {
    const { memoryMb, timeMs } = entry.size;
    if (memoryMb !== config.memoryMb || timeMs > config.timeMs || to.choosing.size > 0) return undefined;
    for (const guest of to.waiting) {
      to.waiting.delete(guest);
      const wire = to.wires?.get(guest);
      if (wire === undefined) continue;
      connectRun(to, run, entry, wire);
      return guest;
    }
    return undefined;
  }

  function choose(to: Connection, run: number, entry: Entry): void {
    to.choosing.add(run);
    to.send({ kind: "start", order: { run, ...entry.size }, text: firstBytes(to, entry) });
  }

  function lost(gone: Connection, how: string): void {
    if (connection === gone) connection = undefined;
    for (const { reject } of gone.statusWaits.values()) reject(failed(how));
    for (const [run, entry] of [...runs]) {
      if (entry.hasSpoken || entry.isKilled || entry.isRetry || isClosed) {
        runs.delete(run);
        entry.listener.end({ kind: "lost", message: `The process that runs the sandbox ended (${how})` });
      } else {
        entry.isRetry = true;
        begin(run, entry);
      }
    }
  }

  function begin(run: number, entry: Entry): void {
    whenConnected((to) => {
      if (runs.get(run) !== entry) return;
      const guest = give(to, run, entry);
      if (guest === undefined) choose(to, run, entry);
      else to.send({ kind: "start", order: { run, ...entry.size, guest }, text: Buffer.alloc(0) });
    });
  }

  /** Connects at once, unless the last brokers died at once. */
  function whenConnected(job: (to: Connection) => void): void {
    if (connection !== undefined) {
      job(connection);
      return;
    }
    if (failures === 0) {
      connection = connect();
      job(connection);
      return;
    }
    jobs.push(job);
    const delay = Math.min(BACK_OFF_FIRST_MS * 2 ** (failures - 1), BACK_OFF_MOST_MS);
    waiting ??= setTimeout(() => {
      waiting = undefined;
      connection ??= connect();
      const to = connection;
      for (const next of jobs.splice(0)) next(to);
    }, delay);
  }
  const jobs: ((to: Connection) => void)[] = [];

  return {
    start(size, firstLine, listener) {
      lastRun += 1;
      const run = lastRun;
      const entry: Entry = {
        size,
        firstLine,
        listener,
        wire: undefined,
        hasSpoken: false,
        isKilled: false,
        isRetry: false,
      };
      const kill = (end: GuestEnd): void => connection?.send({ kind: "kill", run, end });
      runs.set(run, entry);
      begin(run, entry);
      return {
        send(line) {
          if (runs.get(run) !== entry) return;
          if (entry.wire === undefined) connection?.send({ kind: "line", run, text: Buffer.from(line) });
          else if (!entry.wire.send(line)) kill({ kind: "backlog" });
        },
        kill() {
          if (runs.get(run) !== entry) return;
          entry.isKilled = true;
          if (connection !== undefined) kill({ kind: "killed" });
          else runs.delete(run);
        },
        release() {
          if (!runs.delete(run)) return;
          const to = connection;
          // The answer is sent first: the broker's next work takes processor time.
          setImmediate(() => {
            to?.send({ kind: "release", run });
            if (isUsedAgain(config)) entry.wire?.again();
            else entry.wire?.close();
          });
        },
      };
    },
    status() {
      return new Promise((resolve, reject) => {
        if (isClosed) {
          reject(failed("it is closed"));
          return;
        }
        whenConnected((to) => {
          lastStatus += 1;
          to.statusWaits.set(lastStatus, { resolve, reject });
          to.send({ kind: "status", id: lastStatus });
        });
      });
    },
    get runCount() {
      return runs.size;
    },
    async close() {
      isClosed = true;
      clearTimeout(waiting);
      const child = connection?.child;
      if (child === undefined) return;
      const isGone = new Promise((resolve) => child.once("close", resolve));
      child.stdin?.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
      await isGone;
      clearTimeout(timer);
    },
  };
}

/** The first line for the broker; empty with wires, where the guest gets it directly. */
function firstBytes({ wires }: Connection, { firstLine }: Entry): Buffer {
  return wires === undefined ? Buffer.from(firstLine) : Buffer.alloc(0);
}

function windowsEnvironment(): Record<string, string> {
  return { SystemRoot: process.env.SystemRoot ?? "" };
}

function failed(how: string): PmlError {
  return new PmlError("SANDBOX_FAILED", `Cannot reach the process that runs the sandbox: ${how}`);
}
