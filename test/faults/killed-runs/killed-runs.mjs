/**
 * Runs that need a person, on a gateway that is killed again and again: nothing may be lost, and nothing happen twice.
 *
 * The simulated person decides about calls in doubt as a careful one would: by looking whether they happened.
 *
 * @module
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PROGRAMS } from "./programs.mjs";

export const POINTS = ["before-sent", "sent", "answered", "recorded", "approved", "resuming"];

const HOOKED = ["before-sent", "sent", "answered", "recorded"];
const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const PROGRAM = here("../../../dist/cli/main.js");
const HOOK = new URL("kill-hook.mjs", import.meta.url).href;
const run = promisify(execFile);
const READY_MS = 60_000;

/** One data directory, one gateway after another. `command` runs a command of `pml` and answers its stdout. */
export class KilledGateways {
  constructor(command = asProcess) {
    this.command = command;
    this.directory = mkdtempSync(join(tmpdir(), "pml-killed-"));
    this.log = join(this.directory, "effects.txt");
    this.config = join(this.directory, "pml.json");
    this.killFile = join(this.directory, "kill.txt");
    writeFileSync(this.log, "");
    writeFileSync(
      this.config,
      JSON.stringify({
        discovery: { embedder: "none" },
        mcpServers: {
          counting: { command: process.execPath, args: [here("counting-server.mjs"), this.log] },
        },
        approvals: { scripted: true },
        log: { level: "error" },
      }),
    );
    this.env = { ...process.env, PML_KEY_DIR: join(this.directory, "keys") };
    this.where = ["--config", this.config, "--data-dir", join(this.directory, "data")];
  }

  /** `kill` is a point of the hook with the call that it is for, of the gateway that runs or else of a new one. */
  async use(kill) {
    writeFileSync(this.killFile, kill);
    if (this.child === undefined) await this.start();
  }

  async start() {
    const child = spawn(process.execPath, [PROGRAM, "serve", ...this.where, "--http", "0"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...this.env, NODE_OPTIONS: `--import=${HOOK}`, PML_KILL_FILE: this.killFile },
    });
    this.child = child;
    this.gone = new Promise((resolve) => child.once("exit", resolve));
    let said = "";
    const url = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`The gateway is not ready: ${said}`)), READY_MS);
      const listen = (chunk) => {
        said += chunk;
        const found = /http:\/\/[^\s"]+\/mcp/.exec(said);
        if (found === null) return;
        clearTimeout(timer);
        resolve(found[0]);
      };
      child.stdout.on("data", listen);
      child.stderr.on("data", listen);
      child.once("exit", () => reject(new Error(`The gateway has ended: ${said}`)));
    });
    this.client = new Client({ name: "killed-runs", version: "1.0.0" });
    await this.client.connect(new StreamableHTTPClientTransport(new URL(url)));
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended();
  }

  async ended() {
    await this.gone;
    this.child = undefined;
    await this.client.close().catch(() => {});
  }

  async execute(input) {
    const result = await this.client.callTool({
      name: "pml_execute",
      arguments: { intent: "write what must be written once", ...input },
    });
    return result.structuredContent;
  }

  async approve(...args) {
    return this.command(["approve", ...args, ...this.where], this.env);
  }

  effects() {
    return readFileSync(this.log, "utf8").split("\n").filter(Boolean);
  }

  async close() {
    this.child?.kill("SIGKILL");
    await this.gone;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function asProcess(args, env) {
  return (await run(process.execPath, [PROGRAM, ...args], { env })).stdout;
}

/** Kills at every point of `points` in turn within one run, and sees it through; answers what happened. */
export async function seeThrough(gateways, number, points, totals) {
  const program = PROGRAMS[number % PROGRAMS.length];
  const id = `run${number}`;
  const expected = program.effects(id);
  const left = [...points];
  await gateways.use(hookOf(left, id));
  let answer = await execute(gateways, program.input(id), left, totals, id);
  // Nothing is written before the approval, so no hook kills it before this.
  const { workflowId } = answer;
  for (let round = 0; round < 100 && answer?.status !== "success"; round += 1) {
    if (answer?.status === "approval_required") {
      await gateways.approve(workflowId);
      if (left.includes("approved")) await restart(gateways, "approved", left, totals, id);
    } else if (answer?.error?.code === "CALL_IN_DOUBT") {
      totals.doubts += answer.error.calls.length;
      for (const call of answer.error.calls) await decide(gateways, workflowId, call);
    } else if (answer !== undefined)
      throw new Error(`${program.name}: ${JSON.stringify(answer).slice(0, 1_000)}`);
    answer = await execute(gateways, { resume: workflowId }, left, totals, id);
  }
  const done = gateways.effects().filter((effect) => effect.startsWith(`${id}/`));
  const twice = done.filter((effect, index) => done.indexOf(effect) !== index);
  const missing = expected.filter((effect) => !done.includes(effect));
  totals.runs += 1;
  totals.effects += done.length;
  totals.twice += twice.length;
  totals.missing += missing.length;
  if (
    answer?.status !== "success" ||
    twice.length > 0 ||
    missing.length > 0 ||
    !hasAll(answer.result, expected)
  )
    totals.faults.push({ program: program.name, id, points, twice, missing, answer });
  return totals;
}

/** As a careful person would: by looking whether it happened. One at a time, since each answer asks anew. */
async function decide(gateways, workflowId, { taskId, arguments: { id } }) {
  const happened = gateways.effects().includes(id);
  const decision = happened ? ["--done", "--result", JSON.stringify({ wrote: id })] : ["--repeat"];
  const isFirst = await gateways.approve(workflowId, ...decision, "--task", taskId).then(
    () => true,
    () => false,
  );
  return isFirst;
}

function hasAll(result, expected) {
  const text = JSON.stringify(result);
  // A graph answers with its last tasks alone.
  return Array.isArray(result) ? expected.every((effect) => text.includes(effect)) : result !== undefined;
}

/** Nothing where the gateway was killed meanwhile; then there is another one. */
async function execute(gateways, input, left, totals, id) {
  const point = nextOf(left);
  const answering = gateways.execute(input).catch(() => undefined);
  if (point === "resuming" && input.resume !== undefined) {
    const isOver = await Promise.race([
      answering.then(() => true),
      delay(Math.random() * 250).then(() => false),
    ]);
    if (!isOver) {
      await restart(gateways, point, left, totals, id);
      return undefined;
    }
  }
  const answer = await Promise.race([answering, gateways.gone.then(() => undefined)]);
  if (answer === undefined) await restart(gateways, point, left, totals, id);
  return answer;
}

/** Kills the gateway, if it was not by its hook, and starts the next one with the hook of the point that comes next. */
async function restart(gateways, point, left, totals, id) {
  await gateways.kill();
  left.splice(left.indexOf(point), 1);
  totals.kills[point] = (totals.kills[point] ?? 0) + 1;
  await gateways.use(hookOf(left, id));
}

/** Approvals come when they come; the other points in their order. */
function nextOf(left) {
  return left.find((point) => point !== "approved") ?? "none";
}

function hookOf(left, id) {
  const point = nextOf(left);
  return HOOKED.includes(point) ? `${point}:${Math.random() < 0.7 ? 1 : 2}:${id}` : "";
}

export function newTotals() {
  return { runs: 0, kills: {}, doubts: 0, effects: 0, twice: 0, missing: 0, faults: [] };
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
