/**
 * Starts gateways as people do: the built program, in its own temporary directory, with a configuration file.
 *
 * @module
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { readOwner } from "../../src/daemon/owner-file.js";
import { runInside } from "./inside-command.js";
import { type InsideGateway, type ServedAs, startInside } from "./inside-gateway.js";
import { IS_FULL, sized } from "./sizes.js";
import { type ClientKind, type ClientOptions, connectClient, type TestClient } from "./test-client.js";

/**
 * `background`: stdio, joined to the background gateway. `foreground`: stdio with `--no-daemon`, so only one client.
 * `http`: one gateway in the foreground. In the usual size these gateways run in the process of the test, unless the
 * test asks for processes.
 */
export type Transport = "background" | "foreground" | "http";

/** The two transports that any number of clients can share. */
export const TRANSPORTS: readonly { readonly transport: Transport; readonly over: string }[] = [
  { transport: "background", over: "stdio" },
  { transport: "http", over: "HTTP" },
];

/**
 * Both in the full size; otherwise the one that a test file names, chosen so that all pairs of transport and client
 * occur in some file.
 */
export function transports(usual: Transport): typeof TRANSPORTS {
  return sized(
    TRANSPORTS,
    TRANSPORTS.filter(({ transport }) => transport === usual),
  );
}

export interface TestGateway {
  /** The test may put its own files here. */
  readonly directory: string;
  readonly config: string;
  readonly dataDir: string;
  /** The environment of its processes: each gateway is an installation with its own key. */
  readonly env: NodeJS.ProcessEnv;
  /** The MCP endpoint, if it is served over HTTP. */
  readonly url: string;
  connect(kind: ClientKind, options?: ConnectOptions): Promise<TestClient>;
  /** Runs a command of `pml` on this gateway and returns its stdout. */
  pml(...args: readonly string[]): Promise<string>;
  /**
   * Stops the gateway and starts it again on the same data; `between` runs without a gateway. Clients have to connect
   * again.
   */
  restart(between?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface ConnectOptions extends ClientOptions, ServedAs {
  /** More arguments of `pml serve`, if each client starts its own; such a client always gets a process. */
  readonly serve?: readonly string[];
}

export interface ServerConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly [key: string]: unknown;
}

export interface GatewayConfig {
  readonly mcpServers: Readonly<Record<string, ServerConfig>>;
  readonly [key: string]: unknown;
}

const PROGRAM = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const FIXTURES = fileURLToPath(new URL("../fixtures/servers/", import.meta.url));
const MODES = { background: "background", foreground: "serve --no-daemon", http: "serve --http" } as const;
const READY_MS = 30_000;
const STOP_MS = 20_000;

/** A server of `test/fixtures/servers`, started with the Node that runs the test. */
export function fixture(name: string, ...args: readonly string[]): ServerConfig {
  return { command: process.execPath, args: [join(FIXTURES, `${name}.mjs`), ...args] };
}

/** A gateway for all tests of a `describe` block; it is stopped after them, even if they fail. */
export function useGateway(
  transport: Transport,
  config: GatewayConfig,
  { isProcess = IS_FULL, env = {} }: { readonly isProcess?: boolean; readonly env?: NodeJS.ProcessEnv } = {},
): () => TestGateway {
  let gateway: TestGateway | undefined;
  beforeAll(async () => {
    gateway = await startGateway(transport, config, isProcess, env);
  });
  afterAll(() => gateway?.stop());
  return () => {
    if (gateway === undefined) throw new Error("The gateway is there inside of tests and hooks only");
    return gateway;
  };
}

/** A client for all tests of a `describe` block. */
export function useClient(
  gateway: () => TestGateway,
  kind: ClientKind,
  options?: ConnectOptions,
): () => TestClient {
  let client: TestClient | undefined;
  beforeAll(async () => {
    client = await gateway().connect(kind, options);
  });
  afterAll(() => client?.close());
  return () => {
    if (client === undefined) throw new Error("The client is there inside of tests and hooks only");
    return client;
  };
}

async function startGateway(
  transport: Transport,
  config: GatewayConfig,
  isProcess: boolean,
  more: NodeJS.ProcessEnv,
): Promise<TestGateway> {
  const directory = mkdtempSync(join(tmpdir(), "pml-e2e-"));
  const file = join(directory, "pml.json");
  const dataDir = join(directory, "data");
  const keys = { PML_KEY_DIR: join(directory, "keys") };
  const env = { ...process.env, ...keys, ...more };
  // A model for each gateway would take most of the machine; tests of discovery enable it.
  const usual = { daemon: { idleSeconds: 5 }, log: { level: "warn" }, discovery: { embedder: "none" } };
  writeFileSync(file, JSON.stringify({ ...usual, ...config }));
  const where = ["--config", file, "--data-dir", dataDir];
  const serve = [PROGRAM, "serve", ...where];
  const clients = new Set<TestClient>();
  /** Whether something was started that may have left a gateway in the background. */
  let mayRun = false;
  let http: HttpProcess | undefined;
  let inside: InsideGateway | undefined;
  let starting: Promise<InsideGateway | undefined> | undefined;
  const startHere = (as: ServedAs = {}) =>
    startInside({ ...as, config: file, dataDir }, env, MODES[transport]);
  /** Returns undefined if a command has already started one in the background. */
  const shared = () => {
    starting ??= startHere().then(
      (started) => {
        inside = started;
        return started;
      },
      (error: { readonly code?: string }) => {
        if (error.code !== "STORE_LOCKED") throw error;
        return undefined;
      },
    );
    return starting;
  };
  // Background gateways start with their first client.
  const start = async () => {
    if (transport !== "http") return;
    if (isProcess) http = await startHttp([...serve, "--http", "0"], env);
    else await shared();
  };
  const url = () => http?.url ?? inside?.url;
  try {
    await start();
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  const own = transport === "foreground" ? [...serve, "--no-daemon"] : serve;
  /** The gateway of one client, which ends with it. */
  const connectAlone = async (kind: ClientKind, options: ConnectOptions): Promise<TestClient> => {
    const alone = await startHere(servedAs(options));
    try {
      const client = await connectClient(
        kind,
        { transport: await alone.connect(servedAs(options)) },
        options,
      );
      const close = () => client.close().finally(() => alone.stop());
      return { ...client, close };
    } catch (error) {
      await alone.stop();
      throw error;
    }
  };
  const connect = async (kind: ClientKind, options: ConnectOptions): Promise<TestClient> => {
    const { serve: more = [] } = options;
    const at = url();
    if (at !== undefined) return connectClient(kind, { url: at }, options);
    const isAlone = transport === "foreground";
    if (!isProcess && isAlone && more.length === 0) return connectAlone(kind, options);
    const joined = isProcess || isAlone ? undefined : await shared();
    if (joined !== undefined && more.length === 0)
      return connectClient(kind, { transport: await joined.connect(servedAs(options)) }, options);
    const args = [...own, ...flagsOf(options), ...more];
    mayRun = true;
    return connectClient(kind, { command: process.execPath, args, env: keys }, options);
  };
  const pml = async (...args: readonly string[]) => {
    mayRun = true;
    const command = [...args, ...where];
    if (!isProcess) return runHere(command, env);
    return (await promisify(execFile)(process.execPath, [PROGRAM, ...command], { env, timeout: STOP_MS }))
      .stdout;
  };
  const end = async () => {
    await Promise.allSettled([...clients].map((client) => client.close()));
    clients.clear();
    await inside?.stop();
    if (http !== undefined) await endGroup(http.child);
    else if (inside === undefined && mayRun) await pml("stop");
    mayRun = false;
    inside = undefined;
    starting = undefined;
  };
  return {
    directory,
    config: file,
    dataDir,
    env,
    get url() {
      const at = url();
      if (at === undefined) throw new Error("The gateway serves no HTTP");
      return at;
    },
    async connect(kind, options = {}) {
      const client = await connect(kind, options);
      clients.add(client);
      return client;
    },
    pml,
    async restart(between) {
      await end();
      await between?.();
      await start();
    },
    async stop() {
      try {
        await end();
      } finally {
        killOwner(dataDir);
        rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

/** Runs a command in this process; as in a separate process, an exit code of 1 is an error. */
export async function runHere(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const outcome = await runInside(argv, { env: env as Record<string, string>, cwd: process.cwd() });
  if (outcome.code === 0) return outcome.stdout;
  throw Object.assign(new Error(`Command failed: pml ${argv.join(" ")}\n${outcome.stderr}`), outcome);
}

function servedAs({ scope, role }: ConnectOptions): ServedAs {
  return { scope, role };
}

function flagsOf(options: ConnectOptions): readonly string[] {
  return Object.entries(servedAs(options)).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
}

interface HttpProcess {
  readonly child: ChildProcess;
  readonly url: string;
}

function startHttp(args: readonly string[], env: NodeJS.ProcessEnv): Promise<HttpProcess> {
  // In its own process group: it can be ended as a whole, and Ctrl-C in the terminal reaches only the test runner.
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], detached: true, env });
  const kill = () => signalGroup(child.pid, "SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => fail(`it printed no endpoint within ${READY_MS} ms`), READY_MS);
    const fail = (why: string) => {
      clearTimeout(timer);
      kill();
      reject(new Error(`Cannot start the gateway: ${why}; it said: ${said}`));
    };
    child.once("exit", (code) => fail(`it exited with ${code}`));
    child.once("error", (error) => fail(error.message));
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const url = /https?:\/\/\S+\/mcp/.exec(said)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ child, url });
    });
  });
}

/** Asks the process to end, and kills it if it does not; needing to kill a gateway is an error. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), STOP_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  signalGroup(child.pid, "SIGTERM");
  if (await ended) return;
  signalGroup(child.pid, "SIGKILL");
  throw new Error(`The gateway did not end within ${STOP_MS} ms of SIGTERM`);
}

/** A process that still owns the directory did not stop; its servers end with their pipes. */
function killOwner(dataDir: string): void {
  const pid = readOwner(dataDir)?.pid;
  try {
    if (pid !== undefined && pid !== process.pid) process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended already.
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}
