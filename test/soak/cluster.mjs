/**
 * Gateways on one PostgreSQL behind a load balancer, all on this machine, and what can be done to them.
 */
import { execFile, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { Balancer, Wire } from "./proxies.mjs";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const PROGRAM = process.env.PML_SOAK_PROGRAM ?? here("../../dist/cli/main.js");
const PASSWORD = "s3cret-of-the-soak";
const READY_MS = 60_000;
const run = promisify(execFile);
export const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Cluster {
  gateways = [];
  balancer = new Balancer();
  #mounts = [];
  #approving = new Map();

  constructor({ gateways, major = "18", onNote = () => {} }) {
    this.wanted = gateways;
    this.major = major;
    this.note = onNote;
    this.directory = mkdtempSync(join(tmpdir(), "pml-soak-"));
    chmodSync(this.directory, 0o755);
    this.effectsFile = join(this.directory, "effects.txt");
    this.slowFile = join(this.directory, "slow.txt");
    writeFileSync(this.effectsFile, "");
  }

  async start() {
    this.signingKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
    await this.#startDatabase();
    await this.balancer.start();
    for (let index = 0; index < this.wanted; index += 1) this.gateways.push(await this.#prepare(index));
    for (const gateway of this.gateways) await this.startGateway(gateway);
    this.balancer.targets = this.gateways;
  }

  /** A file system of its own, so that it can be full; a plain directory where that is not allowed. */
  #place(name, size) {
    const directory = join(this.directory, name);
    mkdirSync(directory, { recursive: true });
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", directory]);
    if (status === 0) this.#mounts.push(directory);
    return { directory, canBeFull: status === 0 };
  }

  async #startDatabase() {
    this.databasePlace = this.#place("database", "1500m");
    const child = spawn(process.execPath, [here("../support/postgres-child.mjs"), this.major, PASSWORD], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: this.databasePlace.directory },
    });
    const words = [];
    child.stderr.on("data", (chunk) => words.push(chunk));
    this.postgres = child;
    this.postgresEnded = new Promise((resolve) => child.once("close", resolve));
    this.postgresLines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const url = (await this.#postgresSays())?.url;
    if (url === undefined) throw new Error(`Cannot start PostgreSQL: ${Buffer.concat(words)}`);
    this.databaseUrl = url;
  }

  async #postgresSays() {
    for (;;) {
      const { value, done } = await this.postgresLines.next();
      if (done) return undefined;
      if (value.startsWith("{")) return JSON.parse(value);
    }
  }

  async tellPostgres(word) {
    this.postgres.stdin.write(`${word}\n`);
    await this.#postgresSays();
  }

  /** Straight to the database, beside the wires of the gateways. */
  async query(text, values = []) {
    const client = new pg.Client({ connectionString: this.databaseUrl, application_name: "soak" });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async #prepare(index) {
    const { directory, canBeFull } = this.#place(`gateway${index}`, "8m");
    const wire = new Wire(Number(new URL(this.databaseUrl).port));
    await wire.start();
    const url = new URL(this.databaseUrl);
    url.port = String(wire.port);
    const config = join(this.directory, `gateway${index}.json`);
    writeFileSync(
      config,
      JSON.stringify({
        mcpServers: {
          effects: {
            command: process.execPath,
            args: [here("effects-server.mjs"), this.effectsFile, this.slowFile],
          },
        },
        discovery: { embedder: "none" },
        approvals: { unannotated: "auto", scripted: true },
        store: { url: url.href, signingKey: this.signingKey },
        log: { level: "warn" },
      }),
    );
    const env = { ...process.env, HOME: this.directory, PML_KEY_DIR: join(this.directory, `keys${index}`) };
    return {
      index,
      wire,
      directory,
      canBeFull,
      env,
      where: ["--config", config, "--data-dir", join(directory, "data")],
      log: join(this.directory, `gateway${index}.log`),
      starts: 0,
    };
  }

  async startGateway(gateway, program = PROGRAM) {
    const log = openSync(gateway.log, "a");
    const child = spawn(process.execPath, [program, "serve", ...gateway.where, "--http", "0"], {
      stdio: ["ignore", "pipe", log],
      env: gateway.env,
    });
    gateway.child = child;
    gateway.starts += 1;
    gateway.exit = undefined;
    child.once("exit", (code, signal) => {
      gateway.isUp = false;
      gateway.url = undefined;
      gateway.exit = { code, signal };
      if (gateway.isKilled !== true) this.note(`gateway ${gateway.index} ended by itself: ${code ?? signal}`);
    });
    gateway.isKilled = false;
    const timer = setTimeout(() => child.stdout.destroy(), READY_MS);
    for await (const line of createInterface({ input: child.stdout })) {
      const found = /serves MCP at (\S+)/.exec(line);
      if (found === null) continue;
      clearTimeout(timer);
      gateway.url = found[1];
      gateway.isUp = true;
      child.stdout.resume();
      return;
    }
    throw new Error(
      `Gateway ${gateway.index} did not start: ${readFileSync(gateway.log, "utf8").slice(-2_000)}`,
    );
  }

  /** Kills it at once; waits only until no command of the person is on its way to it, which would start another. */
  async killGateway(gateway, signal = "SIGKILL") {
    gateway.isUp = false;
    gateway.isKilled = true;
    await Promise.allSettled([...(this.#approving.get(gateway) ?? [])]);
    const children = descendants(gateway.child.pid);
    const gone = gateway.exit ?? new Promise((resolve) => gateway.child.once("exit", resolve));
    gateway.child.kill(signal);
    await gone;
    return children;
  }

  /** `pml approve` on any gateway that is up. */
  async approve(...args) {
    const up = this.gateways.filter(({ isUp, isKilled }) => isUp && !isKilled);
    const gateway = up[Math.floor(Math.random() * up.length)];
    if (gateway === undefined) throw new Error("No gateway is up");
    const done = run(process.execPath, [PROGRAM, "approve", ...args, ...gateway.where], {
      env: gateway.env,
      timeout: 45_000,
    });
    const under = this.#approving.get(gateway) ?? new Set();
    this.#approving.set(gateway, under.add(done));
    try {
      return (await done).stdout;
    } finally {
      under.delete(done);
    }
  }

  effects() {
    return readFileSync(this.effectsFile, "utf8").split("\n").filter(Boolean);
  }

  async close() {
    for (const gateway of this.gateways) {
      if (gateway.child !== undefined && gateway.exit === undefined) {
        gateway.child.kill("SIGCONT");
        await this.killGateway(gateway);
      }
      gateway.wire.close();
    }
    await this.balancer.close();
    this.postgres?.stdin.end();
    await this.postgresEnded;
    for (const mount of this.#mounts) spawnSync("umount", ["-l", mount]);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Processes that it has started, and those that they have. */
export function descendants(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statOf(name)?.parent;
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const found = [];
  const seek = [pid];
  for (let at = seek.pop(); at !== undefined; at = seek.pop())
    for (const [child, parent] of parents)
      if (parent === at) {
        found.push(child);
        seek.push(child);
      }
  return found;
}

export function isAlive(pid) {
  return existsSync(`/proc/${pid}`) && statOf(pid)?.state !== "Z";
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Megabytes and open files of one process. */
export function usedBy(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const rss = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
    return { rssMb: Math.round(rss), files: readdirSync(`/proc/${pid}/fd`).length, cpuSeconds };
  } catch {
    return undefined;
  }
}
