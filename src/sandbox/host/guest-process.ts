/**
 * One guest process, from its start to its end: used for one run and then killed, or for several runs in sequence.
 *
 * Its lines pass through here, or go to the gateway on a wire: a socket that is its stdin and stdout, and of which this
 * process keeps no end. Then the gateway, not this process, learns that the guest is ready.
 *
 * @module
 */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { createConnection } from "node:net";
import { setPriority } from "node:os";
import { LIMITS } from "../../base/limits.js";
import { LineSplitter } from "../../base/line-splitter.js";
import { type BrokerConfig, type GuestEnd, WIRE_TOKEN, wireGreeting } from "../protocol/broker-frames.js";
import { AGAIN_LINE, READY_LINE } from "../protocol/frames.js";
import type { LaunchPlan } from "./launch-plan.js";

interface GuestListener {
  /** Not called for a guest with a wire. */
  line(line: Buffer): void;
  end(end: GuestEnd): void;
}

export interface GuestProcess {
  readonly id: number;
  readonly pid: number | undefined;
  /** Resolves when it waits for its run; rejects with its output if it ends before. */
  readonly ready: Promise<void>;
  /** It has reported on its wire that it is ready. */
  saidReady(): void;
  /** Gives it a run: from here on its lines and its end go to `listener`. */
  use(listener: GuestListener): void;
  /**
   * Waits until it is ready for another run, asking it if it has no wire; returns whether it is. If not, it has been
   * ended.
   */
  again(): Promise<boolean>;
  /** Sends one line, to which the line end is added; false if the guest does not read. */
  send(line: Buffer): boolean;
  /** Kills it; the listener gets `reason`, after the lines that arrived before. */
  kill(reason: GuestEnd): void;
  pause(): void;
  resume(): void;
}

export interface GuestProcessOptions {
  readonly id: number;
  /** The gateway's socket for wires. */
  readonly wire?: string;
  /** The limit of one line. */
  readonly lineBytesMost: number;
  /** The limit of bytes that the guest has not read yet. */
  readonly backlogBytesMost: number;
  /** Boots with lower priority than runs. */
  readonly isCalm: boolean;
  /** Called when the process has ended. */
  onGone(): void;
}

/** The largest result, with its frame and warnings. */
const LINE_BYTES_MOST = LIMITS.runOutputBytes + 256 * 1024;
const STDERR_BYTES = 4_096;
/** The time to become ready again; code that still runs prevents that. */
const AGAIN_MS = 1_000;
/** While it boots; runs have the usual priority. */
const BOOT_PRIORITY = 5;
const NEWLINE = Buffer.from("\n");

/** The limit of one line from a guest. */
export function lineBytesMost({ off }: Pick<BrokerConfig, "off">): number {
  return off.includes("frame-cap") ? Number.MAX_SAFE_INTEGER : LINE_BYTES_MOST;
}

export function startGuestProcess(plan: LaunchPlan, options: GuestProcessOptions): GuestProcess {
  const { id, wire, isCalm } = options;
  let child: ChildProcess | undefined;
  let listener: GuestListener | undefined;
  let reason: GuestEnd | undefined;
  let stderr = "";
  let isReady = false;
  let isGone = false;
  let whenReady: () => void = () => {};
  let whenFailed: (error: Error) => void = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    whenReady = resolve;
    whenFailed = reject;
  });
  // A caller that does not use `ready` need not handle its rejection.
  ready.catch(() => {});
  if (wire === undefined) launch(["pipe", "pipe", "pipe"]);
  else connect(wire);

  /** A process gets its wire at its start, so the wire is created first. */
  function connect(path: string): void {
    const socket = createConnection(path);
    // Its data is for the guest.
    socket.pause();
    socket.once("error", (error) => gone({ kind: "unstartable", message: error.message }));
    socket.once("connect", () =>
      socket.write(`${wireGreeting(id, process.env[WIRE_TOKEN] ?? "")}\n`, () => {
        if (reason === undefined) launch([socket, socket, "pipe"]);
        else gone(reason);
        socket.destroy();
      }),
    );
  }

  function launch(stdio: StdioOptions): void {
    // If the system has no file or process left, there are no pipes, and the error comes as an event.
    child = spawn(plan.command, plan.args, { env: plan.env, cwd: plan.cwd, stdio, windowsHide: true });
    if (isCalm) prioritise(BOOT_PRIORITY);
    child.on("error", (error) => gone({ kind: "unstartable", message: error.message }));
    child.on("close", (code, signal) => gone({ kind: "exit", code, signal, stderr }));
    const splitter = new LineSplitter(options.lineBytesMost, {
      line: (line) => {
        if (!isReady) {
          if (line.toString() === READY_LINE) saidReady();
        } else if (reason === undefined) {
          listener?.line(line);
        }
      },
      endless: () => kill({ kind: "line" }),
    });
    child.stdout?.on("data", (chunk: Buffer) => splitter.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-STDERR_BYTES);
    });
    // The end of a guest is handled by its exit event.
    child.stdin?.on("error", () => {});
  }

  function gone(end: GuestEnd): void {
    if (isGone) return;
    isGone = true;
    whenFailed(new Error(describe(end)));
    options.onGone();
    listener?.end(reason ?? end);
  }

  function saidReady(): void {
    if (isReady) return;
    isReady = true;
    if (isCalm) prioritise(0);
    whenReady();
  }

  function prioritise(priority: number): void {
    try {
      if (child?.pid !== undefined) setPriority(child.pid, priority);
    } catch {
      // It has ended, or the system does not allow it.
    }
  }

  function kill(why: GuestEnd): void {
    if (reason !== undefined || isGone) return;
    reason = why;
    child?.kill("SIGKILL");
  }

  async function again(): Promise<boolean> {
    listener = undefined;
    isReady = false;
    const timer = setTimeout(() => kill({ kind: "killed" }), AGAIN_MS);
    const becomesReady = new Promise<boolean>((resolve) => {
      whenReady = () => resolve(true);
      whenFailed = () => resolve(false);
    });
    if (isGone) whenFailed(new Error("it is gone"));
    else if (wire === undefined) send(Buffer.from(AGAIN_LINE));
    child?.stdout?.resume();
    const isThere = await becomesReady;
    clearTimeout(timer);
    return isThere;
  }

  function send(line: Buffer): boolean {
    const stdin = child?.stdin;
    if (!stdin) return false;
    stdin.cork();
    stdin.write(line);
    stdin.write(NEWLINE);
    stdin.uncork();
    return stdin.writableLength <= options.backlogBytesMost;
  }

  return {
    id,
    get pid() {
      return child?.pid;
    },
    ready,
    saidReady,
    again,
    use(next) {
      listener = next;
    },
    send,
    kill,
    pause: () => void child?.stdout?.pause(),
    resume: () => void child?.stdout?.resume(),
  };
}

function describe(end: GuestEnd): string {
  if (end.kind === "unstartable") return end.message;
  if (end.kind !== "exit") return end.kind;
  const how = end.signal === null ? `code ${end.code}` : `signal ${end.signal}`;
  return `it ended with ${how} before it was ready${end.stderr === "" ? "" : `: ${end.stderr.trim()}`}`;
}
