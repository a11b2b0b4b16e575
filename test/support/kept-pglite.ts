/**
 * Keeps threads of gateways in the process of a test, in the usual size. Threads of stores, with the compiled code of
 * PGlite, are reused for the next store: starting a thread, loading PGlite and compiling it takes longer than opening a
 * store. Tokens are counted without a thread, which would load the vocabulary each time.
 *
 * @module
 */
import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import threads, { MessageChannel, type Worker, type WorkerOptions } from "node:worker_threads";
import { IS_FULL } from "./sizes.js";

declare const WebAssembly: { compile(code: Uint8Array): Promise<object> };

let kept: Promise<object> | undefined;

/**
 * V8 shares machine code between threads, and drops it with the last thread that uses it: without this, each store
 * compiles PostgreSQL again.
 */
export function keepPglite(): Promise<object> {
  if (kept === undefined && !IS_FULL) keepThreads();
  const directory = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  kept ??= WebAssembly.compile(readFileSync(join(directory, "pglite.wasm")));
  return kept;
}

const HOST = new URL("./pglite-host.mjs", import.meta.url);
/**
 * The memory that stores leave behind in a thread is freed with the thread. A new thread has to load PGlite, and to
 * optimize its JavaScript, again.
 */
const STORES_MOST = 40;
/** Directories of `useGateway()` and `newPlace()`. Tests of the store itself have their own threads. */
const OF_GATEWAYS = /[/\\](?:pml-e2e|pf)-/;

/** The original class, before it is replaced. */
const OwnWorker = threads.Worker;

interface Host {
  readonly thread: Worker;
  stores: number;
}

const idle: Host[] = [];

/** From now on the store of a gateway gets a kept thread, and no thread is started to count tokens. */
function keepThreads(): void {
  const make = (file: URL | string, options: WorkerOptions) => {
    const directory: unknown = options.workerData?.directory;
    if (String(file).endsWith("/token-worker.js")) return new TokenCount(options.workerData);
    const isStore = String(file).endsWith("/pglite-worker.js") && OF_GATEWAYS.test(String(directory));
    return isStore ? new StoreThread(file, options) : new OwnWorker(file, options);
  };
  function replaced(file: URL | string, options: WorkerOptions = {}) {
    return make(file, options);
  }
  replaced.prototype = OwnWorker.prototype;
  Object.assign(threads, { Worker: replaced });
  syncBuiltinESMExports();
}

/** The parts of `Worker` that the gateway uses to count tokens. */
class TokenCount extends EventEmitter {
  constructor(texts: readonly string[]) {
    super();
    import("../../src/app/token-worker.js").then(
      ({ tokensOf }) => this.emit("message", texts.map(tokensOf)),
      (error) => this.emit("error", error),
    );
  }

  unref(): void {}
}

/** The parts of `Worker` that the driver of PGlite uses. */
class StoreThread extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly #host: Host;
  readonly #port;

  constructor(file: URL | string, { workerData, execArgv, env }: WorkerOptions) {
    super();
    this.#host = idle.pop() ?? {
      thread: new OwnWorker(HOST, { ...(execArgv && { execArgv }), ...(env && { env }) }),
      stores: 0,
    };
    const { thread } = this.#host;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const failed = (error: Error) => this.emit("error", error);
    thread.ref();
    thread.on("error", failed);
    port1.on("message", (message) => this.emit("message", message));
    port1.once("close", () => {
      thread.off("error", failed);
      this.#release();
      this.emit("exit", 0);
    });
    thread.postMessage({ file: String(file), workerData, port: port2 }, [port2]);
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  async terminate(): Promise<number> {
    this.#host.stores = STORES_MOST;
    this.#port.close();
    return await this.#host.thread.terminate();
  }

  #release(): void {
    this.#host.stores += 1;
    this.#host.thread.unref();
    if (this.#host.stores < STORES_MOST) idle.push(this.#host);
    else void this.#host.thread.terminate();
  }
}
