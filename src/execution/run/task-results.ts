/**
 * Results of tasks, kept for some time so that a client can read what a preview truncated.
 *
 * A result that its answer truncates is in the store before the answer is sent, so that any gateway can return it. An
 * embedded store has one gateway: there it is in a file that is read after a crash. The others are in the answer already.
 * Results that are not in the store yet are written in batches, and are read from memory meanwhile.
 *
 * @module
 */
import { BackgroundWriter } from "../../base/background-writer.js";
import { keepNewest } from "../../base/keep-newest.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import type { Scope } from "../../registry/scope.js";
import { GivenValues } from "./given-values.js";
import { charactersOf, pageOf, prettyPageOf } from "./result-page.js";

export interface ResultKey {
  readonly workflowId: string;
  readonly taskId: string;
}

export interface KeptResult extends ResultKey {
  /** The owner of the run. */
  readonly scope: Scope;
  readonly expiresAt: Date;
  /** JSON without white space. Absent if it is not stored, and `notKept` gives the reason. */
  readonly text?: string;
  readonly notKept?: string;
}

export interface StoredPage {
  readonly scope: Scope;
  readonly expiresAt: Date;
  /** Absent if it was not stored or has been deleted. */
  readonly content?: string;
  /** The length of the whole text in characters. */
  readonly total: number;
  readonly notKept?: string;
}

/** Facts about a run besides its results. */
export interface RunOfResults {
  readonly scope: Scope;
  /** Task ids, including tasks whose results are deleted or missing. */
  readonly tasks: readonly string[];
  /** Absent while the run has no trace yet. */
  readonly ranAt?: Date;
}

/** Passes `test/suites/task-result-store.suite.ts` on both databases. */
export interface TaskResultStore {
  /** Adds all or none. A later result of the same task replaces the earlier one. */
  add(results: readonly KeptResult[]): Promise<void>;
  /** Keeps them in a file until they are released, so that they survive a crash. Returns false where it does not. */
  hold?(results: readonly KeptResult[]): boolean;
  /** It was added, or never will be. */
  release?(key: ResultKey): void;
  /** Some characters of a text; `offset` may be past its end. */
  page(key: ResultKey, offset: number, limit: number): Promise<StoredPage | undefined>;
  whole(key: ResultKey): Promise<StoredPage | undefined>;
  run(workflowId: string): Promise<RunOfResults | undefined>;
  /**
   * Deletes the results that expired before `now`, and all record of those that expired before `forget`; returns how
   * many.
   */
  prune(now: Date, forget: Date): Promise<number>;
}

export interface TaskResultsOptions {
  readonly store: TaskResultStore;
  readonly log: Log;
  readonly ttlSeconds: number;
  /** Values to remove from stored texts; more may be added later. */
  readonly hidden?: GivenValues;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface TaskOutcome extends ResultKey {
  readonly scope: Scope;
  readonly text: string;
}

export interface ResultRequest extends ResultKey {
  readonly offset: number;
  readonly limit: number;
  readonly format: "raw" | "pretty";
}

/** The reader: an agent reads results of its own requests, a person at a command those of the whole project. */
export interface ResultReader {
  readonly scope: Scope;
  readonly byPerson: boolean;
}

export interface ResultPage {
  readonly content: string;
  readonly offset: number;
  /** The length of `content`, and of the whole, in characters. */
  readonly length: number;
  readonly total: number;
  /** Absent on the last page. */
  readonly next_offset?: number;
}

/** The state of a run that has not ended. */
interface OpenRun {
  bytes: number;
  /** Whether its answer truncates any result. */
  hasLong: boolean;
}

interface Waiting extends KeptResult {
  readonly bytes: number;
}

const BATCH_BYTES = 4_000_000;
const BATCH_ROWS = 500;
const TASKS_SHOWN = 50;

export class TaskResults {
  readonly #store: TaskResultStore;
  readonly #log: Log;
  readonly #ttlMs: number;
  readonly #hidden: GivenValues;
  readonly #now: () => number;
  readonly #runs = new Map<string, OpenRun>();
  /** Results that are not stored yet, in the order of arrival. */
  readonly #waiting = new Map<string, Waiting>();
  #waitingBytes = 0;
  readonly #writer: BackgroundWriter;
  #pruning: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ store, log, ttlSeconds, hidden = new GivenValues(), now = Date.now }: TaskResultsOptions) {
    this.#store = store;
    this.#hidden = hidden;
    this.#log = log;
    this.#ttlMs = ttlSeconds * 1_000;
    this.#now = now;
    this.#writer = new BackgroundWriter({
      write: () => this.#write(),
      failed: (error) =>
        log.warn("results.not_written", { results: this.#waiting.size, message: messageOf(error) }),
    });
  }

  /** Starts to delete expired results, now and periodically. */
  start(): void {
    void this.prune();
  }

  /** A task of the run has ended; `text` is JSON, of the value or of `{ "error": … }`. */
  add({ workflowId, taskId, scope, text: whole }: TaskOutcome): void {
    const text = this.#hidden.inJson(whole);
    const run = this.#runs.get(workflowId) ?? { bytes: 0, hasLong: false };
    keepNewest(this.#runs, workflowId, run, LIMITS.resultRuns);
    const size = sizeOf(text);
    const notKept = this.#whyNot(run, size);
    const bytes = notKept === undefined ? size : 0;
    run.bytes += bytes;
    run.hasLong ||= text.length > LIMITS.previewChars;
    const expiresAt = new Date(this.#now() + this.#ttlMs);
    const kept = notKept === undefined ? { text } : { notKept };
    const result = { workflowId, taskId, scope, expiresAt, bytes, ...kept };
    this.#wait(result);
    if (this.#waitingBytes > BATCH_BYTES) void this.flush();
    else this.#writer.plan();
  }

  /** Resolves when all results of a run that its answer truncates can be fetched. */
  async settled(workflowId: string): Promise<void> {
    const run = this.#runs.get(workflowId);
    this.#runs.delete(workflowId);
    if (run?.hasLong !== true) return;
    const waiting = this.#waitingOf(workflowId);
    if (waiting.length === 0 || this.#store.hold?.(waiting) === true) return;
    await this.flush();
  }

  /** Throws the error for the reader if there is no such result, or not any more. */
  async page(request: ResultRequest, reader: ResultReader): Promise<ResultPage> {
    const found = this.#inMemory(request) ?? (await this.#inStore(request));
    if (found === undefined || !mayRead(found.scope, reader)) throw await this.#missing(request, reader);
    const { content, total, notKept, expiresAt } = found;
    if (expiresAt.getTime() <= this.#now()) throw this.#expired(request);
    if (notKept !== undefined)
      throw new PmlError(
        "LIMIT_EXCEEDED",
        `The result of task ${shortId(request.taskId)} was not stored: ${notKept}`,
        { hint: "Return only the needed part from the code." },
      );
    // It was deleted between the two reads.
    if (content === undefined) throw this.#expired(request);
    const length = charactersOf(content);
    const next = request.offset + length;
    const more = length > 0 && next < total && { next_offset: next };
    return { content, offset: request.offset, length, total, ...more };
  }

  /** Deletes expired results from the store; their rows remain as a record that they existed. */
  async prune(): Promise<void> {
    clearTimeout(this.#pruning);
    const now = this.#now();
    try {
      await this.#store.prune(new Date(now), new Date(now - LIMITS.resultTraceMs));
    } catch (error) {
      this.#log.warn("results.not_pruned", { message: messageOf(error) });
    }
    if (this.#isStopped) return;
    this.#pruning = setTimeout(() => void this.prune(), LIMITS.resultPruneMs);
    this.#pruning.unref();
  }

  /** Writes what is queued; resolves when it is written or has failed. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Writes what is queued, for the last time. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#pruning);
    return this.#writer.stop();
  }

  /** Why a result is not stored. */
  #whyNot(run: OpenRun, bytes: number): string | undefined {
    if (bytes > LIMITS.resultBytes) return `it is larger than ${megabytes(LIMITS.resultBytes)}`;
    if (run.bytes + bytes > LIMITS.runResultBytes)
      return `the results of its run together are larger than ${megabytes(LIMITS.runResultBytes)}`;
    if (this.#waitingBytes + bytes > LIMITS.resultsWaitingBytes)
      return "the store could not write results fast enough";
    return undefined;
  }

  #waitingOf(workflowId: string): readonly Waiting[] {
    return [...this.#waiting.values()].filter((result) => result.workflowId === workflowId);
  }

  #wait(result: Waiting): void {
    const key = resultKey(result);
    this.#waitingBytes += result.bytes - (this.#waiting.get(key)?.bytes ?? 0);
    this.#waiting.delete(key);
    this.#waiting.set(key, result);
    if (this.#waiting.size <= LIMITS.usageBufferRows) return;
    const [oldest] = this.#waiting.values();
    if (oldest !== undefined) this.#written(oldest);
  }

  /** A newer result of the same task may have arrived during the write. */
  #written(result: Waiting): void {
    const key = resultKey(result);
    if (this.#waiting.get(key) !== result) return;
    this.#waiting.delete(key);
    this.#waitingBytes -= result.bytes;
    this.#store.release?.(result);
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#batch();
      await this.#store.add(batch).catch((error: unknown) => this.#oneByOne(batch, error));
      for (const result of batch) this.#written(result);
    }
  }

  #batch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const result of this.#waiting.values()) {
      if (batch.length === BATCH_ROWS || (batch.length > 0 && bytes + result.bytes > BATCH_BYTES)) break;
      batch.push(result);
      bytes += result.bytes;
    }
    return batch;
  }

  /** A result that the store rejects must not affect the others. */
  async #oneByOne(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (!isRefusal(error)) throw error;
    for (const result of batch) {
      await this.#store.add([result]).catch(async (why: unknown) => {
        if (!isRefusal(why)) throw why;
        const { text: _, ...rest } = result;
        await this.#store.add([{ ...rest, notKept: "the store cannot store it" }]);
      });
    }
  }

  #inMemory(request: ResultRequest): StoredPage | undefined {
    const waiting = this.#waiting.get(resultKey(request));
    if (waiting === undefined) return undefined;
    return { ...waiting, ...(waiting.text === undefined ? { total: 0 } : cut(waiting.text, request)) };
  }

  async #inStore(request: ResultRequest): Promise<StoredPage | undefined> {
    if (request.format === "raw") return this.#store.page(request, request.offset, request.limit);
    const whole = await this.#store.whole(request);
    if (whole?.content === undefined) return whole;
    return { ...whole, ...cut(whole.content, request) };
  }

  /** A run of another user gives the same error as a run that does not exist. */
  async #missing({ workflowId, taskId }: ResultRequest, reader: ResultReader): Promise<PmlError> {
    const waiting = this.#waitingOf(workflowId);
    const stored = await this.#store.run(workflowId);
    const scope = waiting[0]?.scope ?? stored?.scope;
    if (scope === undefined || !mayRead(scope, reader))
      return new PmlError("RUN_NOT_FOUND", `Run not found: ${shortId(workflowId)}`, {
        hint: "Expected the workflowId of an answer of pml_execute.",
      });
    const known = stored?.tasks ?? [];
    const tasks = [...new Set([...known, ...waiting.map((one) => one.taskId)])];
    if (tasks.includes(taskId)) {
      const isOld = stored?.ranAt !== undefined && stored.ranAt.getTime() + this.#ttlMs <= this.#now();
      if (isOld) return this.#expired({ taskId });
      return new PmlError("TASK_NOT_FOUND", `Task ${shortId(taskId)} has no result of its own`, {
        hint: "The task did not end, or it is a capability call that failed or whose result was too large.",
      });
    }
    const offered = tasks.slice(0, TASKS_SHOWN);
    return new PmlError("TASK_NOT_FOUND", `Task not found: ${shortId(taskId)}`, {
      hint:
        tasks.length === 0
          ? "The run called no tools."
          : `The run has ${offered.map(shortId).join(", ")}${offered.length < tasks.length ? ", …" : ""}.`,
      data: { tasks: offered },
    });
  }

  #expired({ taskId }: Pick<ResultKey, "taskId">): PmlError {
    return new PmlError("RESULT_EXPIRED", `The result of task ${shortId(taskId)} has expired`, {
      hint: `Results are kept for ${this.#ttlMs / 1_000} seconds (results.ttlSeconds). Run it again.`,
    });
  }
}

function cut(text: string, { offset, limit, format }: ResultRequest): Pick<StoredPage, "content" | "total"> {
  return format === "raw" ? pageOf(text, offset, limit) : prettyPageOf(text, offset, limit);
}

function mayRead(owner: Scope, { scope, byPerson }: ResultReader): boolean {
  return (
    owner.org === scope.org && owner.project === scope.project && (byPerson || owner.user === scope.user)
  );
}

/** PostgreSQL rejects the result itself, for example because it is nested too deep. */
function isRefusal(error: unknown): boolean {
  return error instanceof PmlError && /^(22|54)/.test(String(error.data.sqlstate));
}

/** Size in UTF-8 bytes; for a text that is certainly too large, a lower bound. */
function sizeOf(text: string): number {
  return text.length > LIMITS.resultBytes ? text.length : new TextEncoder().encode(text).length;
}

/** One text for each task of a run. */
export function resultKey({ workflowId, taskId }: ResultKey): string {
  return JSON.stringify([workflowId, taskId]);
}

/** Shortens ids that others chose, for use in a sentence. */
function shortId(id: string): string {
  return id.slice(0, 200);
}

function megabytes(bytes: number): string {
  return `${bytes / 1_048_576} MiB`;
}
