/**
 * The built `pml` command as its users see it, in surroundings of its own: as processes, or, in the usual size and
 * unless a test asks for processes, in the process of the test.
 *
 * Everything that a test starts, a gateway in the background too, is gone when its file ends.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { dataDirectoryOf, keyDirectory } from "../../../src/app/places.js";
import { IS_FULL } from "../../support/sizes.js";
import { endInside, joinInside, runInPlace } from "./inside-place.js";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const MAIN = join(ROOT, "dist/cli/main.js");
const SERVERS = join(ROOT, "test/faults/servers");

export interface Place {
  /** An empty directory; everything else lies in it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether its commands and gateways are processes. */
  readonly isProcess: boolean;
  /** Where the keys of its person lie. */
  readonly keyDir: string;
  /** Writes a configuration, `pml.json` unless named, and answers its path. */
  config(value: unknown, name?: string): string;
  /** The default data directory of a configuration. */
  dataDirOf(config: string): string;
}

const started = new Set<ChildProcessWithoutNullStreams>();
const dataDirs = new Set<string>();

/** A home, a temporary directory and a configuration directory that no other test has. */
export function newPlace({ isProcess = IS_FULL }: { readonly isProcess?: boolean } = {}): Place {
  const directory = mkdtempSync(join(tmpdir(), "pf-"));
  for (const name of ["home", "tmp"]) mkdirSync(join(directory, name));
  afterAll(async () => {
    for (const child of started) child.kill("SIGKILL");
    started.clear();
    await endInside();
    for (const dataDir of dataDirs) await endOwner(dataDir);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: join(directory, "home"),
    XDG_CONFIG_HOME: join(directory, "home", "xdg"),
    XDG_DATA_HOME: join(directory, "home", "data"),
    TMPDIR: join(directory, "tmp"),
    USER: "tester",
    LANG: "C.UTF-8",
  };
  return {
    directory,
    env,
    isProcess,
    dataDirOf: (config) => dataDirectoryOf(resolve(directory, config), env),
    keyDir: keyDirectory(env),
    config(value, name = "pml.json") {
      const file = join(directory, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof value === "string" ? value : JSON.stringify(withoutModel(value)));
      return file;
    },
  };
}

/** A model takes a core for seconds, and nothing of it is asked here. */
function withoutModel(value: unknown): unknown {
  const isConfig = typeof value === "object" && value !== null && "mcpServers" in value;
  return isConfig ? { discovery: { embedder: "none" }, ...value } : value;
}

/** An entry of `mcpServers` for a server of `test/faults/servers`. */
export function fixture(name: string, ...args: readonly string[]) {
  return { command: process.execPath, args: [join(SERVERS, `${name}.mjs`), ...args] };
}

export function dataDirOf(place: Place, config: string): string {
  return place.dataDirOf(config);
}

export function ownerOf(dataDir: string): { readonly pid: number; readonly socket: string } | undefined {
  // For the clean-up at the end: a process that was asked about may have to be ended.
  dataDirs.add(dataDir);
  try {
    return JSON.parse(readFileSync(join(dataDir, "owner.json"), "utf8")) as { pid: number; socket: string };
  } catch {
    return undefined;
  }
}

/** Throws if no gateway runs: a signal to process 0 goes to the test runner itself. */
export function ownerPid(dataDir: string): number {
  const pid = ownerOf(dataDir)?.pid;
  if (pid === undefined || pid === process.pid) throw new Error(`No process owns ${dataDir}`);
  return pid;
}

export function isAlive(pid: number): boolean {
  // A zombie that its parent has not waited for yet has ended too.
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** Ends the gateway of a data directory at once, where `pml stop` would take its time and be a process. */
export async function endOwner(dataDir: string): Promise<void> {
  const pid = ownerOf(dataDir)?.pid;
  if (pid === undefined || pid === process.pid || !isAlive(pid)) return;
  if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(ROOT)) return;
  process.kill(pid, "SIGKILL");
  await until("the gateway has ended", () => !isAlive(pid));
}

const ASK_AGAIN_MS = 15;
/** What has taken long is asked for less often, since most conditions are a command or a run. */
const PAUSE_SHARE = 0.1;

/** Waits for a condition; the time-out is there to notice that it never comes. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  ms = 60_000,
): Promise<void> {
  const start = Date.now();
  while (!(await condition())) {
    const waited = Date.now() - start;
    if (waited > ms) throw new Error(`Waited ${ms} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(ASK_AGAIN_MS, waited * PAUSE_SHARE)));
  }
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Of this command; that of the place when left out. */
  readonly isProcess?: boolean;
}

function startPml(
  place: Place,
  args: readonly string[],
  options: RunOptions = {},
): ChildProcessWithoutNullStreams {
  const at = args.indexOf("--data-dir");
  const config = args[args.indexOf("--config") + 1];
  if (at >= 0) dataDirs.add(args[at + 1] ?? "");
  else if (args.includes("--config") && config !== undefined) dataDirs.add(dataDirOf(place, config));
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd ?? place.directory,
    env: { ...place.env, ...options.env },
  });
  child.stdin.on("error", () => {});
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

/** Runs a command to its end. */
export function pml(place: Place, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  if (args[0] !== "serve" && !(options.isProcess ?? place.isProcess)) return runInPlace(place, args, options);
  const child = startPml(place, args, options);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(options.input ?? "");
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
}

export interface Rpc {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { code?: string } };
}

export interface CallAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The code of our own error, or of the JSON-RPC error. */
  readonly code?: string | number;
}

/** A process, or a connection to a gateway in this one. */
type Peer = ChildProcessWithoutNullStreams | Socket;

export class ServeClient {
  readonly #peer: Peer;
  /** Notifications, and answers to nothing that was asked. */
  readonly others: Rpc[] = [];
  readonly exited: Promise<number | null>;
  stderr = "";
  #othersKept = 1_000;
  #id = 0;
  readonly #open = new Map<number, (answer: Rpc) => void>();

  /** `onText` takes what the process says where that is no protocol. */
  constructor(peer: Peer, onText?: (text: string) => void) {
    this.#peer = peer;
    const output = "stdout" in peer ? peer.stdout : peer;
    if ("stderr" in peer)
      peer.stderr.on("data", (chunk) => {
        this.stderr += chunk;
      });
    this.exited = new Promise((resolve) => peer.once("close", (code) => resolve(Number(code))));
    if (onText !== undefined) output.on("data", (chunk) => onText(String(chunk)));
    else createInterface({ input: output }).on("line", (line) => this.#take(JSON.parse(line) as Rpc));
  }

  get child(): ChildProcessWithoutNullStreams {
    if (!("stdout" in this.#peer)) throw new Error("It is no process: the place is one without processes");
    return this.#peer;
  }

  get #input(): Writable {
    return "stdin" in this.#peer ? this.#peer.stdin : this.#peer;
  }

  /** The answer, success or error; never settles if the process has ended. */
  ask(method: string, params: unknown = {}): Promise<Rpc> {
    this.#id += 1;
    const id = this.#id;
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve, reject) => {
      this.#open.set(id, resolve);
      void this.exited.then((code) =>
        reject(new Error(`pml ended with ${code} before it answered ${method}: ${this.stderr}`)),
      );
    });
  }

  raw(text: string): void {
    this.#input.write(text);
  }

  async initialize(): Promise<this> {
    const clientInfo = { name: "test", version: "1.0.0" };
    await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    // The answer to the first request may come before there is a gateway; that to the second does not.
    await this.ask("ping");
    return this;
  }

  async tools(): Promise<readonly ListedTool[]> {
    const all: ListedTool[] = [];
    let cursor: unknown;
    do {
      const { result, error } = await this.ask("tools/list", cursor === undefined ? {} : { cursor });
      if (error !== undefined) throw new Error(error.message);
      all.push(...((result?.tools ?? []) as ListedTool[]));
      cursor = result?.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  async call(name: string, args: unknown = {}): Promise<CallAnswer> {
    const { result, error } = await this.ask("tools/call", { name, arguments: args });
    if (error !== undefined)
      return { text: error.message, isError: true, code: error.data?.code ?? error.code };
    const [block] = (result?.content ?? []) as { readonly text?: string }[];
    const own = errorOf(result)?.code;
    return {
      text: block?.text ?? "",
      isError: result?.isError === true,
      ...(own === undefined ? {} : { code: own }),
    };
  }

  /** Hangs up as clients do, and waits for the process. */
  async close(): Promise<number | null> {
    this.#input.end();
    return this.exited;
  }

  #take(message: Rpc): void {
    const open = typeof message.id === "number" && message.method === undefined ? this.#open : undefined;
    const resolve = open?.get(message.id as number);
    if (resolve !== undefined) {
      open?.delete(message.id as number);
      resolve(message);
    } else if (this.#othersKept > 0) {
      this.#othersKept -= 1;
      this.others.push(message);
    }
  }
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `pml serve` with the arguments, not initialized. */
export function startServe(
  place: Place,
  args: readonly string[],
  options: RunOptions = {},
  onText?: (text: string) => void,
): ServeClient {
  return new ServeClient(startPml(place, ["serve", ...args], options), onText);
}

export async function serve(
  place: Place,
  args: readonly string[],
  options: RunOptions = {},
): Promise<ServeClient> {
  const isProcess = options.isProcess ?? place.isProcess;
  const isShared = args.every((arg) => !["--http", "--no-daemon", "--role", "--exposure"].includes(arg));
  if (!isProcess && isShared) return new ServeClient(await joinInside(place, args)).initialize();
  return startServe(place, args, options).initialize();
}

export interface Doctor {
  readonly findings: readonly {
    readonly part: string;
    readonly state: "ok" | "warning" | "problem";
    readonly detail: string;
    readonly advice?: string;
  }[];
  readonly status?: {
    readonly pid: number;
    readonly memoryMb: number;
    readonly servers: readonly {
      readonly name: string;
      readonly state: string;
      readonly problem?: string;
      readonly tools: number;
      readonly restarts: number;
      readonly stderr: readonly string[];
      readonly refused: readonly string[];
    }[];
  };
}

export async function doctor(
  place: Place,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Doctor & { code: number | null }> {
  const { code, stdout } = await pml(place, ["doctor", "--json", ...args], options);
  return { ...(JSON.parse(stdout) as Doctor), code };
}

/** Of a tool with an output schema it is in `_meta` alone. */
function errorOf(result: Record<string, unknown> | undefined): { readonly code?: string } | undefined {
  const { structuredContent, _meta } = (result ?? {}) as {
    readonly structuredContent?: { readonly error?: { readonly code?: string } };
    readonly _meta?: { readonly "pml/error"?: { readonly code?: string } };
  };
  return structuredContent?.error ?? _meta?.["pml/error"];
}
