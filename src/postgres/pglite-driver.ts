/**
 * The embedded database: PGlite in a worker thread of this process.
 *
 * PGlite has one session, so a transaction blocks everything else, which waits in order. Statements outside
 * transactions are sent without waiting for each other's answers.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { Log } from "../base/log.js";
import { messageOf, type PmlError } from "../base/pml-error.js";
import { WASM_FLAGS } from "../base/process-tuning.js";
import type { Database, NamedStatement, Queryable, QueryResult, SqlValue } from "./database.js";
import type { ClusterOrigin, FromWorker, ToWorker, WorkerAnswer, WorkerSettings } from "./pglite-protocol.js";
import { SqlError, storeFailed } from "./sql-error.js";
import { type CommandResult, Transactions } from "./transactions.js";

interface Pending {
  readonly resolve: (result: CommandResult<object>) => void;
  readonly reject: (error: Error) => void;
}

export interface PgliteOptions {
  /** The cluster's own directory; created if it is missing. The caller must be its only owner. */
  readonly directory: string;
  readonly log: Log;
  /** Whether to refuse queries that bypass the handle of the open transaction; default: true. */
  readonly checksNesting?: boolean;
  /** A prebuilt cluster; default: the one that was built with PML; `null` for none. */
  readonly archive?: string | null;
  readonly closeMs?: number;
}

/**
 * A thread that is still running after this time is terminated: a statement or transaction that hangs must not delay
 * the shutdown.
 */
const CLOSE_MS = 5_000;

/** Its JavaScript leaves only short-lived objects; a larger young generation would only use more memory. */
const YOUNG_GENERATION_MB = 6;

/**
 * Only for a process that belongs to PML, because the flags affect the whole process. Functions that statements use are
 * optimized after one to two thousand statements.
 */
export function optimizeLater(): void {
  setFlagsFromString(WASM_FLAGS);
}

/** Next to this file after a build; tests run the sources, but a thread needs the built file. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../dist/postgres/" : "./";
const WORKER = new URL(`${BUILT}pglite-worker.js`, import.meta.url);
const ARCHIVE = new URL(`${BUILT}pgdata.br`, import.meta.url);

export async function openPglite({
  directory,
  log,
  archive,
  checksNesting = true,
  closeMs = CLOSE_MS,
}: PgliteOptions): Promise<Database> {
  const settings: WorkerSettings = {
    directory,
    archive: archive === undefined ? fileURLToPath(ARCHIVE) : archive,
  };
  const started = performance.now();
  const worker = new Worker(WORKER, {
    workerData: settings,
    // PostgreSQL must not see the flags and variables of the process (`pg` reads PGUSER and similar ones).
    execArgv: [],
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    // In a gateway on stdio, stdout is reserved for the protocol.
    stdout: true,
    stderr: true,
  });
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.on("data", (chunk: Buffer) => log.debug("store.pglite_output", { text: chunk.toString() }));
  }
  const database = new PgliteDatabase(worker, directory, { checksNesting, closeMs });
  const origin = await database.ready;
  log.info("store.opened", {
    kind: "pglite",
    origin: origin.kind,
    ...(origin.kind === "initdb" ? { why: origin.why } : {}),
    ms: Math.round(performance.now() - started),
  });
  return database;
}

class PgliteDatabase implements Database {
  readonly #closeMs: number;
  readonly kind = "pglite";
  /** The origin of the data; resolves when the worker has opened it. */
  readonly ready: Promise<ClusterOrigin>;
  readonly #worker: Worker;
  readonly #directory: string;
  readonly #pending = new Map<number, Pending>();
  readonly #transactions: Transactions;
  /** Names of statements whose text the thread already has. */
  readonly #named = new Set<string>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  /** Settles when the newest transaction is over, and never rejects. */
  #turn: Promise<void> = Promise.resolve();
  /** Why the thread accepts no more statements. */
  #dead: PmlError | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    worker: Worker,
    directory: string,
    { checksNesting, closeMs }: { readonly checksNesting: boolean; readonly closeMs: number },
  ) {
    this.#transactions = new Transactions(checksNesting);
    this.#closeMs = closeMs;
    this.#worker = worker;
    this.#directory = directory;
    this.#exited = new Promise((resolve) => worker.once("exit", () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve(message.origin);
        else this.#receive(message);
      });
      worker.on("error", (error) => this.#die(this.#failed(`its thread failed: ${messageOf(error)}`)));
      worker.on("exit", () => reject(this.#die(this.#failed("its thread has ended"))));
    });
  }

  query<Row extends object>(
    statement: string | NamedStatement,
    values: readonly SqlValue[] = [],
  ): Promise<QueryResult<Row>> {
    return this.#inTurn("query the database", async (turn) => {
      await turn;
      const { rows, rowCount } = await this.#send<Row>(statement, values);
      return { rows, rowCount };
    });
  }

  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return this.#inTurn("begin a transaction", (turn) => {
      const outcome = turn.then(() =>
        this.#transactions.run((text, values) => this.#send(text, values), work),
      );
      this.#turn = outcome.then(ignore, ignore);
      return outcome;
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    // Acknowledged writes are safe either way: the next start recovers them, as after a kill.
    const deadline = setTimeout(() => void this.#worker.terminate(), this.#closeMs);
    await Promise.race([this.#turn, this.#exited]);
    if (this.#dead === undefined) this.#worker.postMessage({ kind: "close" } satisfies ToWorker);
    await this.#exited;
    clearTimeout(deadline);
  }

  /**
   * Passes `work` the turn that it must wait for. Each caller waits for the newest transaction of that moment, and
   * callers that wait for the same one continue in order of arrival: so no statement gets into the transaction of
   * another caller.
   */
  async #inTurn<T>(action: string, work: (turn: Promise<void>) => Promise<T>): Promise<T> {
    this.#transactions.refuseInside(action);
    if (this.#closed !== undefined) throw this.#failed("it is closed");
    return await work(this.#turn);
  }

  #send<Row extends object>(
    statement: string | NamedStatement,
    values: readonly SqlValue[] = [],
  ): Promise<CommandResult<Row>> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    this.#lastId += 1;
    const id = this.#lastId;
    try {
      this.#worker.postMessage({
        kind: "query",
        id,
        statement: this.#shortened(statement),
        values,
      } satisfies ToWorker);
      if (typeof statement !== "string") this.#named.add(statement.name);
    } catch (thrown) {
      return Promise.reject(this.#failed(`a value cannot be sent to its thread: ${messageOf(thrown)}`));
    }
    const answer = new Promise<CommandResult<object>>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    return answer as Promise<CommandResult<Row>>;
  }

  /** Sends only the name if the thread already has the text; copying texts between threads takes time. */
  #shortened(statement: string | NamedStatement): string | Pick<NamedStatement, "name"> {
    if (typeof statement === "string") return statement;
    return this.#named.has(statement.name) ? { name: statement.name } : statement;
  }

  #receive(message: WorkerAnswer): void {
    switch (message.kind) {
      case "rows":
        this.#take(message.id)?.resolve(message);
        return;
      case "sql-error":
        this.#take(message.id)?.reject(new SqlError(message.error));
        return;
      case "failed":
        this.#take(message.id)?.reject(this.#failed(message.message));
        return;
      case "refused":
        this.#die(this.#failed(message.why, message.hint));
        return;
    }
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** Only the first reason counts: after any failure, the end of the thread is reported as well. */
  #die(reason: PmlError): PmlError {
    this.#dead ??= reason;
    for (const { reject } of this.#pending.values()) reject(this.#dead);
    this.#pending.clear();
    return this.#dead;
  }

  #failed(why: string, hint?: string): PmlError {
    const directory = this.#directory;
    return storeFailed(`use the store in "${directory}"`, why, { data: { directory }, hint });
  }
}

function ignore(): void {}
