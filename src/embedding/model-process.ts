/**
 * The gateway's end of the model process, which gets one request at a time.
 *
 * @module
 */
import { type ChildProcess, fork } from "node:child_process";
import { constants, getPriority, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { Log } from "../base/log.js";
import { ALLOCATOR_VARIABLES } from "../base/process-tuning.js";
import type { FromModel, ToModel } from "./model-protocol.js";

/** Beside this file in a build; tests run the sources, but a process needs the built file. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../dist/embedding/" : "./";
export const MODEL_CHILD = new URL(`${BUILT}model-child.js`, import.meta.url);

/**
 * Slightly lower priority than the calls that the gateway serves: enough for these, and an intent still gets its turn.
 */
const NICENESS = 5;
/** How much of its last output is kept. */
const STDERR_CHARS = 300;

export class ModelProcess {
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #answer: ((message: FromModel) => void) | undefined;
  #stderr = "";

  constructor(program: URL, log: Log) {
    this.#child = fork(fileURLToPath(program), [], {
      // A small young generation, because its computations use memory outside the heap. The gateway's own flags are not
      // inherited.
      execArgv: ["--max-semi-space-size=2"],
      env: process.platform === "win32" ? { SystemRoot: process.env.SystemRoot } : ALLOCATOR_VARIABLES,
      serialization: "advanced",
      // In a gateway on stdio, stdout belongs to the protocol.
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk.toString()}`.slice(-STDERR_CHARS);
      log.debug("embedder.output", { text: chunk.toString() });
    });
    this.#child.on("message", (message) => {
      // Not earlier: a search may wait for it to load, and a priority cannot be raised again.
      if ((message as FromModel).kind === "loaded") this.#lowerPriority(log);
      const answer = this.#answer;
      this.#answer = undefined;
      answer?.(message as FromModel);
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(`it cannot be started: ${error.message}`));
      this.#child.once("exit", (code, signal) => {
        const last = this.#stderr.trim().split("\n").at(-1) ?? "";
        resolve(`it ended with ${signal ?? `code ${code}`}${last === "" ? "" : ` (${last})`}`);
      });
    });
  }

  /** The answer; never resolves if the process ends before. */
  ask(message: ToModel): Promise<FromModel> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      // The end of the process is reported by `ended`.
      this.#child.send(message, () => {});
    });
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  /** Whether waiting for its answer keeps the program alive. */
  hold(isHeld: boolean): void {
    const way = isHeld ? "ref" : "unref";
    this.#child[way]();
    this.#child.channel?.[way]();
    (this.#child.stderr as { ref?(): void; unref?(): void } | null)?.[way]?.();
  }

  #lowerPriority(log: Log): void {
    if (this.#child.pid === undefined) return;
    try {
      setPriority(this.#child.pid, Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW));
    } catch (error) {
      log.debug("embedder.priority", { error: String(error) });
    }
  }
}
