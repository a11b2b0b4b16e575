/**
 * A real server as a child process: its pipes are the transport, its stderr is kept for `pml doctor` and `pml logs`.
 *
 * The process leads its own process group, so that stopping it also stops its children (`npx` starts the server and
 * waits). To stop it, its stdin is closed, then it gets SIGTERM, then SIGKILL.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { LIMITS } from "../base/limits.js";
import { LineTransport } from "../mcp/line-transport.js";
import { StartFailed } from "./lost-server.js";
import { readableAnswer } from "./readable-answer.js";
import type { StdioServerEntry } from "./server-entry.js";

const STDIN_CLOSED_GRACE_MS = 1_000;
const SIGTERM_GRACE_MS = 2_000;
/** How long the last output of an ended process is read; a child process may hold its pipes open. */
const EXIT_DRAIN_MS = 250;
const STDERR_LINE_CHARS = 500;

export class ChildServer implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly stderr: string[] = [];
  readonly #entry: StdioServerEntry;
  readonly #onStderr: (lines: readonly string[]) => void;
  #child: ChildProcess | undefined;
  #lines: LineTransport | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** How the process ended, if it has. */
  exit: string | undefined;
  /** Why this side closed the connection, if it did. */
  givenUp: string | undefined;

  constructor(entry: StdioServerEntry, onStderr: (lines: readonly string[]) => void = () => {}) {
    this.#entry = entry;
    this.#onStderr = onStderr;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    let child: ChildProcess;
    try {
      child = this.#spawn();
    } catch (error) {
      return Promise.reject(this.#cannotStart(error as Error));
    }
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.exit = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
        resolve();
        setTimeout(() => this.#hangUp(child), EXIT_DRAIN_MS);
      });
      child.once("error", () => resolve());
    });
    this.#keepStderr(child);
    return new Promise((resolve, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) => reject(this.#cannotStart(error)));
      child.once("spawn", () => {
        const { stdout, stdin } = child;
        if (stdout === null || stdin === null) return reject(new Error("Cannot start: no pipes"));
        const lines = new LineTransport(stdout, stdin);
        this.#lines = lines;
        const delivery = new OrderedDelivery(
          (message) => this.onmessage?.(readableAnswer(message)),
          (error) => this.onerror?.(error),
        );
        lines.onmessage = (message) => delivery.take(message);
        lines.onerror = (error) => this.onerror?.(error);
        lines.onclose = () => {
          this.givenUp = lines.givenUp;
          this.#end();
          this.onclose?.();
        };
        void lines.start().then(resolve, reject);
      });
    });
  }

  #spawn(): ChildProcess {
    const { command, args, env, cwd } = this.#entry;
    return spawn(command, args, {
      env,
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#lines === undefined) return Promise.reject(new Error("Cannot send: the server is not started"));
    return this.#lines.send(message);
  }

  async close(): Promise<void> {
    await this.#lines?.close();
    this.#end();
    await this.#ended;
  }

  /** The process has ended, so the connection is closed, even if another process still holds its pipes. */
  #hangUp(child: ChildProcess): void {
    void this.#lines?.close();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }

  /** Starts to stop the process, at most once; each step waits until the one before had time to take effect. */
  #end(): void {
    const child = this.#child;
    if (child === undefined || child.pid === undefined) return;
    this.#child = undefined;
    child.stdin?.end();
    const pid = child.pid;
    const timers = [
      setTimeout(() => signalGroup(pid, "SIGTERM"), STDIN_CLOSED_GRACE_MS),
      setTimeout(() => signalGroup(pid, "SIGKILL"), STDIN_CLOSED_GRACE_MS + SIGTERM_GRACE_MS),
    ];
    void this.#ended.then(() => {
      for (const timer of timers) clearTimeout(timer);
      // The leader of the group has ended; the rest of the group is ended too.
      signalGroup(pid, "SIGKILL");
    });
  }

  #keepStderr(child: ChildProcess): void {
    let rest = "";
    child.stderr?.setEncoding("utf8");
    child.stderr?.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = (lines.pop() ?? "").slice(-STDERR_LINE_CHARS);
      this.#heard(lines.map((line) => line.slice(0, STDERR_LINE_CHARS)));
    });
    child.stderr?.once("end", () => this.#heard(rest === "" ? [] : [rest]));
  }

  #heard(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const shown = lines.map((line) => withoutSecrets(line, this.#entry.env));
    this.stderr.push(...shown.slice(-LIMITS.serverStderrLines));
    this.stderr.splice(0, this.stderr.length - LIMITS.serverStderrLines);
    this.#onStderr(shown);
  }

  #cannotStart(error: NodeJS.ErrnoException): StartFailed {
    const { name, command, cwd } = this.#entry;
    const why =
      error.code === "ENOENT"
        ? existsSync(cwd)
          ? `the command ${JSON.stringify(command)} was not found`
          : `the directory ${JSON.stringify(cwd)} does not exist`
        : error.message;
    return new StartFailed("SERVER_UNAVAILABLE", `Cannot start server "${name}": ${why}`, {
      hint: `Check mcpServers.${name}.command; the server uses the gateway's PATH.`,
      cause: error,
    });
  }
}

/** Variables that every process has. */
const COMMON_VARIABLES: ReadonlySet<string> = new Set(["PATH", "HOME", "USER", "LANG", "TMPDIR"]);
const SECRET_CHARS_LEAST = 8;

/** The line without the values of variables that the configuration gives to the server. Paths and plain words stay. */
export function withoutSecrets(line: string, env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(
      ([name, value]) =>
        !COMMON_VARIABLES.has(name) &&
        value.length >= SECRET_CHARS_LEAST &&
        !/^(?:[a-z]+$|[./~])/.test(value),
    )
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((text, [name, value]) => text.replaceAll(value, `[${name}]`), line);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // It has already ended.
  }
}

/**
 * Passes messages on so that a response never overtakes the notifications that were sent before it.
 *
 * The SDK handles a response at once and a notification a moment later, and forgets a request's progress handler with
 * its response: progress that arrives in the same read as the result would be lost. So a response after a notification
 * waits for the next turn of the event loop, and everything behind it waits too.
 */
export class OrderedDelivery {
  readonly #deliver: (message: JSONRPCMessage) => void;
  readonly #failed: (error: Error) => void;
  readonly #waiting: JSONRPCMessage[] = [];
  #hadNews = false;

  /** `failed` is told of what handling a message throws: what waits is handed on where nobody else would catch it. */
  constructor(deliver: (message: JSONRPCMessage) => void, failed: (error: Error) => void = () => {}) {
    this.#deliver = deliver;
    this.#failed = failed;
  }

  take(message: JSONRPCMessage): void {
    const isResponse = !("method" in message);
    if (this.#waiting.length > 0 || (isResponse && this.#hadNews)) {
      this.#waiting.push(message);
      return;
    }
    if (!isResponse && !this.#hadNews) {
      this.#hadNews = true;
      setImmediate(() => this.#release());
    }
    try {
      this.#deliver(message);
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #release(): void {
    this.#hadNews = false;
    for (const message of this.#waiting.splice(0)) this.take(message);
  }
}
