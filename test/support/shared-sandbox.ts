/**
 * One sandbox for all gateways in the process of a test, in the usual size: QuickJS, whose processes are reused.
 * Starting a sandbox for each gateway, and a process of Deno for each run, takes more time than most tests.
 *
 * A test about the sandbox of a gateway names an engine, or another limit, and its gateway gets its own sandbox.
 *
 * @module
 */
import { LIMITS } from "../../src/base/limits.js";
import { PmlError } from "../../src/base/pml-error.js";
import type { Sandbox, SandboxRun } from "../../src/execution/ports/sandbox.js";
import { type CreateSandboxOptions, createSandbox } from "../../src/sandbox/create-sandbox.js";
import { IS_FULL } from "./sizes.js";

/** It ends with the process: its broker reads from a pipe. */
let shared: Sandbox | undefined;
let started: Promise<void> | undefined;

const FIRST: SandboxRun = {
  program: { main: { code: "", parameters: [], lifted: [] }, capabilities: [] },
  args: {},
  limits: { timeMs: LIMITS.runTimeMs, memoryMb: LIMITS.runMemoryMb, toolCalls: 1 },
  seed: "00".repeat(32),
  startedAt: 0,
};
const TRIES_MOST = 5;

/** On a busy machine its four processes may take longer to start than a run waits for them. */
async function start(whole: Sandbox): Promise<void> {
  const bridge = { call: () => Promise.reject(new Error("no call")), event() {} };
  for (let tries = 1; tries <= TRIES_MOST; tries += 1) {
    const outcome = await whole.run(FIRST, bridge, new AbortController().signal).catch(() => undefined);
    if (outcome !== undefined) return;
  }
}

export function makeSandbox(options: CreateSandboxOptions): Sandbox {
  const { engine, memoryMb, timeMs } = options;
  if (IS_FULL || engine !== "auto" || memoryMb !== LIMITS.runMemoryMb || timeMs !== LIMITS.runTimeMs)
    return createSandbox(options);
  shared ??= createSandbox({ engine: "quickjs", memoryMb, timeMs });
  return partOf(shared);
}

/** After `close` this part accepts no more runs, and its current runs are lost; the runs of others continue. */
function partOf(whole: Sandbox): Sandbox {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    async run(run, bridge, signal) {
      if (closing.signal.aborted)
        throw new PmlError("SANDBOX_FAILED", "Cannot run code: the sandbox is closed");
      started ??= start(whole);
      const outcome = started.then(() => whole.run(run, bridge, AbortSignal.any([signal, closing.signal])));
      const ended = outcome.catch(() => undefined);
      running.add(ended);
      void ended.then(() => running.delete(ended));
      const { kind, ...rest } = await outcome;
      return kind === "cancelled" && !signal.aborted
        ? { ...rest, kind: "lost", message: "The process that runs the sandbox ended (code 0)" }
        : await outcome;
    },
    status: () => whole.status(),
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}
