/**
 * Selects the engine that runs code: the configured one, else Deno if its binary starts, else QuickJS.
 *
 * @module
 */
import { execFile } from "node:child_process";
import type { Log } from "../base/log.js";
import type { Sandbox } from "../execution/ports/sandbox.js";
import { createDenoSandbox } from "./host/deno-sandbox.js";
import { findDeno } from "./host/find-deno.js";
import { createQuickjsSandbox } from "./quickjs/quickjs-sandbox.js";

export interface CreateSandboxOptions {
  /** With `deno`, a run on a platform without it is refused with `SANDBOX_FAILED`. */
  readonly engine?: "auto" | "deno" | "quickjs";
  readonly log?: Log;
  readonly memoryMb?: number;
  readonly timeMs?: number;
  readonly poolSize?: number;
  /** For tests: finds Deno. */
  readonly findDeno?: () => string | undefined;
}

interface Choice {
  readonly sandbox: Sandbox;
  readonly reason: string;
}

const PROBE_MS = 10_000;
const WANTED = "it is configured";

/** The engine is chosen, and the first process started, with the first run or {@link Sandbox.status}. */
export function createSandbox({
  engine = "auto",
  findDeno: find = findDeno,
  ...options
}: CreateSandboxOptions): Sandbox {
  let choice: Promise<Choice> | undefined;
  let isClosed = false;

  async function choose(): Promise<Choice> {
    if (engine === "quickjs") return { sandbox: createQuickjsSandbox(options), reason: WANTED };
    const deno = find();
    if (engine === "deno")
      return { sandbox: createDenoSandbox({ ...options, findDeno: () => deno }), reason: WANTED };
    const fault = deno === undefined ? `there is none for ${platform()}` : await startFault(deno);
    if (fault === undefined)
      return {
        sandbox: createDenoSandbox({ ...options, findDeno: () => deno }),
        reason: "Deno is installed and starts",
      };
    options.log?.info("sandbox.quickjs_chosen", { fault });
    return { sandbox: createQuickjsSandbox(options), reason: `Deno cannot be used: ${fault}` };
  }

  async function chosen(): Promise<Choice> {
    choice ??= choose();
    const made = await choice;
    // It may have been closed while the engine was being chosen.
    if (isClosed) await made.sandbox.close();
    return made;
  }

  return {
    async run(run, bridge, signal) {
      return await (await chosen()).sandbox.run(run, bridge, signal);
    },
    async status() {
      const { sandbox, reason } = await chosen();
      return { ...(await sandbox.status()), reason };
    },
    async close() {
      isClosed = true;
      await (await choice)?.sandbox.close();
    },
  };
}

/** Why the binary cannot run: another C library, another processor, a folder that forbids execution. */
function startFault(deno: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(deno, ["--version"], { timeout: PROBE_MS, env: { NO_COLOR: "1" } }, (error) => {
      if (error === null) resolve(undefined);
      else resolve(`"${deno}" does not start (${error.code ?? error.signal ?? error.message})`);
    });
  });
}

function platform(): string {
  return `${process.platform}-${process.arch}`;
}
