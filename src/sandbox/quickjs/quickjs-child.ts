/**
 * The process that runs QuickJS: frames on stdin and stdout, as with Deno, one run at a time.
 *
 * After a run it reports that it is ready for another, or ends: if anything went wrong, or before its limits of runs,
 * memory or processor time are reached.
 *
 * Arguments: the memory limit of the code in MB, and the time limit of one run in milliseconds.
 *
 * @module
 */
import { readFileSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { LineSplitter } from "../../base/line-splitter.js";
import { WASM_FLAGS } from "../../base/process-tuning.js";
import { AGAIN_LINE, READY_LINE, type RunFrame } from "../protocol/frames.js";
import { writeGuestFrame } from "../protocol/guest-frame-codec.js";
import { writeHostFrame } from "../protocol/host-frame-codec.js";
import { createQuickjsVm, type QuickjsVm } from "./quickjs-vm.js";
import { compileWasm } from "./web-assembly.js";

const WASM = import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
const LINE_BYTES_MOST = 64 * 1024 * 1024;
/** Starting a process costs as much as a hundred small runs. */
const RUNS_MOST = 500;
/** Memory only grows: above this size a process is not used again. */
const KEPT_BYTES_MOST = 48 * 1024 * 1024;
/** The engine's out-of-memory error, and what it throws when memory does not even suffice for that error. */
const OUT_OF_MEMORY = /"message":"(?:null"|[^"]*out of memory)/;
/** The engine's error message for a stack overflow, and that of all other engines. */
const STACK_OVERFLOW = [
  '"name":"RangeError","message":"stack overflow"',
  '"name":"RangeError","message":"Maximum call stack size exceeded"',
] as const;
/** The first run compiles code that later ones use; its answer is discarded. */
const WARM_UP: RunFrame = {
  kind: "run",
  main: { handle: "", code: "return JSON.stringify(await Promise.all([1, 2]))", parameters: [], lifted: [] },
  capabilities: [],
  args: {},
  toolCalls: 0,
  seed: "",
  startedAt: 0,
  clock: [],
};

const [memoryMb = Number.NaN, timeMs = Number.NaN] = process.argv.slice(2).map(Number);
const parent = process.ppid;
let stage: "warming" | "waiting" | "running" | "over" = "warming";
/** An error of the engine itself came out: its state is not trusted any more. */
let isBroken = false;
let callsUnderWay = 0;
let runs = 0;

function send(lines: string): void {
  if (stage !== "running") return;
  let out = "";
  for (const line of lines.split("\n")) {
    const kind = line.slice(0, line.indexOf("\t"));
    if (kind === "call") callsUnderWay += 1;
    if (kind === "threw" && vm.isOutOfMemory() && OUT_OF_MEMORY.test(line)) outOfMemory();
    if (kind === "returned" || kind === "threw" || kind === "limit") stage = "over";
    out += `${kind === "threw" ? line.replace(...STACK_OVERFLOW) : line}\n`;
  }
  process.stdout.write(out);
}

/** Ends the run on behalf of the guest. */
function threw(name: string, message: string): void {
  send(writeGuestFrame({ kind: "threw", usedRandomness: true, warnings: [], name, message, positions: [] }));
}

/** Reports it on stderr, like the other engine when it dies of it. */
function outOfMemory(): never {
  writeSync(process.stderr.fd, "out of memory\n");
  process.exit(1);
}

function fault(thrown: unknown): void {
  isBroken = true;
  if (!(thrown instanceof RangeError)) throw thrown;
  threw(thrown.name, thrown.message);
}

/** Lets the code run, and reports the outcome if the code cannot do so itself. */
function step(job: () => void): void {
  try {
    job();
  } catch (thrown) {
    fault(thrown);
  }
  if (stage !== "running" || callsUnderWay > 0 || !vm.isIdle()) return;
  if (vm.isOutOfMemory()) outOfMemory();
  threw("Error", "The code waits for a promise that can never settle");
}

function receive(line: string): void {
  if (line === AGAIN_LINE) {
    becomeReadyAgain();
  } else if (stage === "waiting") {
    stage = "running";
    step(() => vm.receive(line));
  } else if (stage === "running") {
    callsUnderWay -= 1;
    step(() => vm.receive(line));
  }
}

function becomeReady(): void {
  vm.putBack();
  callsUnderWay = 0;
  stage = "waiting";
  process.stdout.write(`${READY_LINE}\n`);
}

function becomeReadyAgain(): void {
  runs += 1;
  const isWorn = runs >= RUNS_MOST || vm.memoryBytes() > KEPT_BYTES_MOST || cpuMs() - cpuAtStart > timeMs;
  if (isBroken || stage === "running" || isWorn) process.exit(0);
  becomeReady();
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function readModule(folder: string, file: string): string {
  return readFileSync(fileURLToPath(new URL(`../${folder}/${file}`, import.meta.url)), "utf8");
}

process.on("uncaughtException", (error) => {
  // Without Node's additions: the error may contain the whole engine.
  writeSync(process.stderr.fd, `${error.message}\n`);
  process.exit(1);
});
setFlagsFromString(WASM_FLAGS);
const vm: QuickjsVm = await createQuickjsVm({
  wasm: compileWasm(readFileSync(fileURLToPath(WASM))),
  memoryMb,
  readModule,
  send,
  step,
  fault,
  isOver: () => stage === "over",
  isAbandoned: () => process.ppid !== parent,
});
vm.receive(writeHostFrame(WARM_UP));
const splitter = new LineSplitter(LINE_BYTES_MOST, { line: (line) => receive(line.toString()) });
process.stdin.on("data", (chunk: Buffer) => splitter.push(chunk));
process.stdin.on("end", () => process.exit(0));
const cpuAtStart = cpuMs();
becomeReady();
