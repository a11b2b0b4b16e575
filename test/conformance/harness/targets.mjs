import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FIXTURE = fileURLToPath(new URL("../fixture-server.mjs", import.meta.url));

/** A gateway may have a database to create before it answers. */
const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/** @typedef {{ url: string, close: () => Promise<void> }} Target */

/** The fixture by itself, over HTTP. @returns {Promise<Target>} */
export async function startFixture() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const child = start([process.execPath, FIXTURE, "--http", String(port)]);
  await ready(child, url);
  return { url, close: () => stop(child) };
}

/**
 * A gateway with the fixture as its only server.
 *
 * @param {string} template the command; {config}, {dir} and {port} are filled in, words are split at blanks
 * @param {"stdio" | "http"} upstream how the gateway reaches the fixture
 * @returns {Promise<Target>}
 */
export async function startGateway(template, upstream) {
  /** Undone last to first, also when starting fails half-way. @type {(() => Promise<void>)[]} */
  const undo = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const dir = await mkdtemp(join(tmpdir(), "conformance-gateway-"));
    undo.push(() => rm(dir, { recursive: true, force: true }));
    const config = join(dir, "pml.json");
    let fixture = { command: "node", args: [FIXTURE] };
    if (upstream === "http") {
      const target = await startFixture();
      undo.push(target.close);
      fixture = { type: "http", url: target.url };
    }
    // Bare names, because the suites call the fixture's tools and prompts by name and know no prefix.
    await writeFile(
      config,
      JSON.stringify({ mcpServers: { fixture: { ...fixture, names: "bare", protocol: "2026" } } }, null, 2),
    );

    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const values = { config, dir: join(dir, "data"), port: String(port) };
    const command = template
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/\{(config|dir|port)\}/g, (_all, key) => values[key]));
    const child = start(command, { XDG_DATA_HOME: join(dir, "user-data") });
    undo.push(() => stop(child));
    await ready(child, url);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function start([command, ...args], env = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  const state = { child, name: [command, ...args].join(" "), stderr: "", ended: undefined };
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    state.stderr = (state.stderr + chunk).slice(-4000);
  });
  child.once("error", (error) => {
    state.ended = error.message;
  });
  child.once("exit", (code, signal) => {
    state.ended = signal ?? `exit code ${code}`;
  });
  return state;
}

/** Waits for any answer to a POST: what the answer should be is for the suites to say. */
async function ready(state, url) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (state.ended !== undefined) throw new Error(`${state.name} ended (${state.ended}):\n${state.stderr}`);
    try {
      const answer = await fetch(url, { ...PROBE, signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
      await answer.text();
      return;
    } catch {
      await delay(50);
    }
  }
  throw new Error(`${state.name} did not answer at ${url} within ${READY_TIMEOUT_MS} ms:\n${state.stderr}`);
}

/** A stateless request, so that asking leaves no session behind. */
const PROBE = {
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/list",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
};

async function stop({ child }) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
