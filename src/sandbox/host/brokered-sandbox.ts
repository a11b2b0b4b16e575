/**
 * A sandbox whose runs are in processes of the broker; the engine defines which.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { type Log, silentLog } from "../../base/log.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import type {
  Sandbox,
  SandboxBridge,
  SandboxDefence,
  SandboxOutcome,
  SandboxRun,
  SandboxStatus,
} from "../../execution/ports/sandbox.js";
import type { BrokerConfig } from "../protocol/broker-frames.js";
import { type BrokerClient, type BrokerRun, createBrokerClient } from "./broker-client.js";
import { hasImport } from "./import-check.js";
import { createRunSession, type SessionEnd } from "./run-session.js";

/** Options of every engine. */
export interface BrokeredOptions {
  readonly log?: Log;
  /** The number of waiting processes. */
  readonly poolSize?: number;
  /** They end when nothing has run for this long. */
  readonly idleMs?: number;
  /** The memory limit of waiting processes; a run with another limit, or more time, starts its own. */
  readonly memoryMb?: number;
  readonly timeMs?: number;
}

export interface BrokeredEngine {
  readonly engine: BrokerConfig["engine"];
  /** Called when a process is needed for the first time; throws `SANDBOX_FAILED` if the engine is not available. */
  find(): Pick<BrokerConfig, "version" | "binary" | "guest">;
  /** Names of all defences. */
  readonly defences: readonly string[];
  /** Names of the defences that tests have disabled. */
  readonly off: readonly string[];
}

/** The broker ends runs in time; this is in case the broker fails to. */
const TIME_SLACK_MS = 2_000;

/** Nothing is started before the first run, or the first {@link Sandbox.status}. */
export function createBrokeredSandbox(of: BrokeredEngine, options: BrokeredOptions): Sandbox {
  const {
    log = silentLog,
    poolSize = LIMITS.sandboxReady,
    idleMs = LIMITS.sandboxIdleMs,
    memoryMb = LIMITS.runMemoryMb,
    timeMs = LIMITS.runTimeMs,
  } = options;
  const { engine, off } = of;
  let client: BrokerClient | undefined;
  let isClosed = false;

  function broker(): BrokerClient {
    if (isClosed) throw new PmlError("SANDBOX_FAILED", "Cannot run code: the sandbox is closed");
    client ??= createBrokerClient({ engine, ...of.find(), poolSize, idleMs, memoryMb, timeMs, off }, log);
    return client;
  }

  return {
    async run(run, bridge, signal) {
      if (signal.aborted) return { kind: "cancelled", clock: [], warnings: [] };
      return await runOn(broker(), run, bridge, signal, off);
    },
    async status() {
      return await statusOf(broker, of);
    },
    async close() {
      isClosed = true;
      await client?.close();
    },
  };
}

async function runOn(
  client: BrokerClient,
  run: SandboxRun,
  bridge: SandboxBridge,
  signal: AbortSignal,
  off: readonly string[],
): Promise<SandboxOutcome> {
  if (!off.includes("no-import") && hasImport(run.program)) return importRefused();
  let failure: PmlError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let guest: BrokerRun | undefined;
  let isOver = false;
  const session = createRunSession({
    run,
    bridge,
    wire: { send: (line) => guest?.send(line), kill: () => guest?.kill(), release: () => guest?.release() },
    off,
  });
  const end = (how: SessionEnd): void => {
    if (how.kind === "unstartable") failure = unstartable(how.message);
    session.ended(how);
  };
  const { memoryMb, timeMs } = run.limits;
  timer = setTimeout(
    () => end({ kind: "unstartable", message: "none was ready in time" }),
    LIMITS.sandboxStartMs,
  );
  guest = client.start({ memoryMb, timeMs }, session.firstLine, {
    started() {
      if (isOver) return;
      clearTimeout(timer);
      bridge.started?.();
      if (!off.includes("time-limit"))
        timer = setTimeout(() => end({ kind: "time" }), timeMs + TIME_SLACK_MS);
    },
    line: session.receive,
    end,
  });
  const cancel = (): void => session.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const outcome = await session.outcome;
  isOver = true;
  clearTimeout(timer);
  signal.removeEventListener("abort", cancel);
  if (failure !== undefined) throw failure;
  return outcome;
}

async function statusOf(
  broker: () => BrokerClient,
  { engine, defences: names, off }: BrokeredEngine,
): Promise<SandboxStatus> {
  try {
    const { version, ready, running, defences, problem } = await broker().status();
    const state = problem === undefined ? "ready" : "failed";
    const part = problem === undefined ? {} : { problem };
    const own = ownDefences(names, off, new Set(defences.map(({ name }) => name)));
    return { engine, version, state, ...part, ready, running, defences: [...defences, ...own] };
  } catch (error) {
    const problem = messageOf(error);
    return { engine, version: "unknown", state: "failed", problem, ready: 0, running: 0, defences: [] };
  }
}

/** The defences that do not depend on the system. */
function ownDefences(
  names: readonly string[],
  off: readonly string[],
  listed: ReadonlySet<string>,
): readonly SandboxDefence[] {
  return names
    .filter((name) => !listed.has(name))
    .map((name) =>
      off.includes(name) ? { name, active: false, detail: "switched off" } : { name, active: true },
    );
}

function importRefused(): SandboxOutcome {
  const message = "Code cannot load modules: remove import";
  return { kind: "threw", name: "SyntaxError", message, positions: [], clock: [], warnings: [] };
}

function unstartable(message: string): PmlError {
  return new PmlError("SANDBOX_FAILED", `Cannot start a process for the sandbox: ${message}`, {
    hint: "pml doctor shows the state of the sandbox",
  });
}
