/**
 * The broker: a small process that owns the guests, so that starting one never blocks the gateway, whose memory would
 * make each start slow. It ends guests in time, ends with the gateway, and passes lines on for guests without a wire.
 *
 * @module
 */
import { rmSync } from "node:fs";
import { Socket } from "node:net";
import { dirname } from "node:path";
import { LineSplitter } from "../../base/line-splitter.js";
import {
  type BrokerConfig,
  type BrokerOrder,
  type BrokerReport,
  type GuestEnd,
  readBrokerOrder,
  type StartOrder,
  writeBrokerLine,
} from "../protocol/broker-frames.js";
import { createGuestPool, type GuestPool } from "./guest-pool.js";
import type { GuestProcess } from "./guest-process.js";
import { watchMemory } from "./memory-watch.js";

interface Run {
  readonly memoryMb: number;
  guest: GuestProcess | undefined;
  /** Cancels the request for a guest. */
  cancel: () => void;
  timer: NodeJS.Timeout | undefined;
}

/** If the gateway does not read, guests are not read from either. */
const OUT_BYTES_MOST = 16 * 1024 * 1024;

const config = JSON.parse(process.argv[2] ?? "") as BrokerConfig;
const runs = new Map<number, Run>();
const early: BrokerOrder[] = [];
let pool: GuestPool | undefined;
// Not `process.stdout`, which blocks when the other side is slow, so that guests would not be ended in time.
const output = new Socket({ fd: 1, readable: false, writable: true });
const input = new Socket({ fd: 0, readable: true, writable: false });

function report(message: BrokerReport): void {
  if (output.writableCorked === 0) {
    output.cork();
    process.nextTick(() => output.uncork());
  }
  output.write(writeBrokerLine(message));
  if (output.writableLength > OUT_BYTES_MOST) for (const run of runs.values()) run.guest?.pause();
}

function obey(order: BrokerOrder): void {
  if (pool === undefined) {
    early.push(order);
    return;
  }
  switch (order.kind) {
    case "start":
      start(pool, order.order, order.text);
      return;
    case "line":
      pass(runs.get(order.run), order.text);
      return;
    case "kill":
      stop(order.run, order.end);
      return;
    case "ready":
      pool.ready(order.guest);
      return;
    case "release":
      release(pool, order.run);
      return;
    case "status":
      report({ kind: "status", id: order.id, status: statusOf(pool) });
  }
}

function start(from: GuestPool, { run, memoryMb, timeMs, guest: id }: StartOrder, text: Buffer): void {
  const given = id === undefined ? undefined : from.takeWaiting(id);
  if (id !== undefined && given === undefined) {
    report({ kind: "refused", run });
    return;
  }
  const entry: Run = { memoryMb, guest: undefined, cancel: () => {}, timer: undefined };
  runs.set(run, entry);
  const end = (reason: GuestEnd): void => {
    clearTimeout(entry.timer);
    if (runs.delete(run)) report({ kind: "end", run, end: reason });
  };
  const use = (guest: GuestProcess): void => {
    entry.guest = guest;
    guest.use({ line: (line) => report({ kind: "line", run, text: line }), end });
    if (config.wire === undefined) guest.send(text);
    if (given === undefined) report({ kind: "started", run, guest: guest.id });
    if (!config.off.includes("time-limit"))
      entry.timer = setTimeout(() => guest.kill({ kind: "time" }), timeMs);
  };
  if (given !== undefined) {
    use(given);
    return;
  }
  const cancel = from.take({ memoryMb, timeMs }, use, (message) => end({ kind: "unstartable", message }));
  if (entry.guest === undefined) entry.cancel = cancel;
}

function pass(run: Run | undefined, text: Buffer): void {
  if (run?.guest === undefined) return;
  if (!run.guest.send(text)) run.guest.kill({ kind: "backlog" });
}

function stop(run: number, end: GuestEnd): void {
  const entry = runs.get(run);
  if (entry === undefined) return;
  if (entry.guest !== undefined) {
    entry.guest.kill(end);
    return;
  }
  entry.cancel();
  runs.delete(run);
  report({ kind: "end", run, end });
}

function release(to: GuestPool, run: number): void {
  const entry = runs.get(run);
  if (entry?.guest === undefined) {
    stop(run, { kind: "killed" });
    return;
  }
  clearTimeout(entry.timer);
  runs.delete(run);
  to.giveBack(entry.guest);
}

function statusOf(from: GuestPool): Extract<BrokerReport, { kind: "status" }>["status"] {
  const { readyCount, defences, problem } = from;
  return {
    version: config.version,
    ready: readyCount,
    running: runs.size,
    defences,
    ...(problem === undefined ? {} : { problem }),
  };
}

function leave(): void {
  pool?.close();
  // Left behind by a killed gateway.
  if (config.wire !== undefined) rmSync(dirname(config.wire), { recursive: true, force: true });
  process.exit(0);
}

const splitter = new LineSplitter(Number.MAX_SAFE_INTEGER, {
  line: (line) => obey(readBrokerOrder(line)),
});
input.on("data", (chunk: Buffer) => splitter.push(chunk));
input.on("close", leave);
input.on("error", leave);
output.on("error", leave);
output.on("drain", () => {
  for (const run of runs.values()) run.guest?.resume();
});

pool = await createGuestPool(config, (guest) => {
  if (config.wire !== undefined) report({ kind: "waiting", guest });
});
for (const order of early.splice(0)) obey(order);
if (!pool.limitsData) {
  watchMemory(() =>
    [...runs.values()].flatMap(({ guest, memoryMb }) =>
      guest?.pid === undefined
        ? []
        : [{ pid: guest.pid, memoryMb, onTooLarge: () => guest.kill({ kind: "memory" }) }],
    ),
  );
}
