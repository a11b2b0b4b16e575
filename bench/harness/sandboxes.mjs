/** Sandboxes in this process, and what a run in one needs. */
import { sized } from "./options.mjs";
import { pause } from "./workbench.mjs";

const READY_MS = 60_000;
const ASK_AGAIN_MS = sized(10, 50);
/** The number of times that the pool is found empty before it is woken. */
const WAKE_AFTER = 100;
const SEED = "5eed".repeat(16);

/** The bridge of programs without tools, which never call it. */
const NO_BRIDGE = {
  call: async () => ({ kind: "error", code: "TOOL_NOT_FOUND", message: "there are no tools" }),
  event() {},
};

/**
 * A sandbox of the build, and a function that runs `code` in it and throws unless the code returns.
 *
 * @param {"deno" | "quickjs"} engine
 * @returns undefined if the build has no such engine
 */
export async function openSandbox(bench, build, engine) {
  const { LIMITS } = await build.load("base/limits.js");
  const sandbox = await created(build, engine);
  if (sandbox === undefined) return undefined;
  bench.atEnd(() => sandbox.close());
  const limits = { timeMs: LIMITS.runTimeMs, memoryMb: LIMITS.runMemoryMb, toolCalls: LIMITS.runToolCalls };
  const run = async (code, args) => {
    const main = { code, parameters: [], lifted: [] };
    const outcome = await sandbox.run(
      { program: { main, capabilities: [] }, args, limits, seed: SEED, startedAt: Date.now() },
      NO_BRIDGE,
      new AbortController().signal,
    );
    if (outcome.kind !== "returned") throw new Error(`the run did not return: ${JSON.stringify(outcome)}`);
    return JSON.parse(outcome.text);
  };
  return {
    run,
    whenFull: () =>
      poolFull(
        () => sandbox.status(),
        () => run("return 0;", {}),
      ),
  };
}

async function created(build, engine) {
  if (engine === "deno") return (await build.load("sandbox/host/deno-sandbox.js")).createDenoSandbox();
  return (await build.load("sandbox/quickjs/quickjs-sandbox.js")).createQuickjsSandbox();
}

/**
 * Waits until the background gateway's pool of waiting processes is full. `wake` makes a run, which is needed if all
 * have ended because nothing ran for long.
 */
export async function gatewayPool(build, { dataDir }, wake) {
  const { reachGateway } = await build.load("daemon/join.js");
  const { VERSION } = await build.load("base/version.js");
  return () =>
    poolFull(async () => {
      const reached = await reachGateway(dataDir, { op: "status", version: VERSION });
      // A client is connected before its gateway runs.
      if (reached === undefined) return { ready: 0, running: 0 };
      reached.socket.destroy();
      return reached.reply.status.sandbox;
    }, wake);
}

/** The size of the pool, as in `brokered-sandbox.ts`. */
export const POOL_SIZE = 4;
/** The whole pool, so that no process is starting while a run is timed. */
const READY_LEAST = sized(POOL_SIZE, 1);

async function poolFull(status, wake) {
  const until = Date.now() + READY_MS;
  for (let empty = 0; ; ) {
    const { ready, running, problem } = await status();
    if (ready >= READY_LEAST && running === 0) return;
    empty = ready + running === 0 ? empty + 1 : 0;
    if (empty % WAKE_AFTER === WAKE_AFTER - 1) await wake?.();
    if (problem !== undefined || Date.now() > until)
      throw new Error(`${ready} of ${READY_LEAST} processes are ready: ${problem ?? "they take too long"}`);
    await pause(ASK_AGAIN_MS);
  }
}
