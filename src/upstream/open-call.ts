/**
 * An open call on a 2025-era server, across all rounds of questions to its user.
 *
 * Such a server asks in the middle of a call, by a request of its own, and waits. The client may be of either era, so
 * the question always leaves the gateway as an `input_required` result and the answer comes back with the next round of
 * the same request; the call itself stays open in between.
 *
 * @module
 */

import type { InputRequest, InputRequiredResult, Result } from "@modelcontextprotocol/server";
import { canonicalJson } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";

/**
 * A client that is not asked within its request may disconnect without a signal. Its user gets this long while another
 * client waits for the server: enough to read and answer a question, but not longer than a call waits for its turn.
 */
const UNANSWERED_MS = 45_000;

interface Question {
  readonly request: InputRequest;
  readonly answer: (response: Result) => void;
  readonly fail: (error: Error) => void;
}

/** The fields that identify a call; other fields of a request may differ from round to round. */
interface CallRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface OpenCallOptions {
  /** The time limit for the server, without the time in which its user is asked. */
  readonly timeoutMs: number;
  /** Called when the call becomes {@link OpenCall.isOverdue}. */
  readonly onOverdue?: () => void;
}

export class OpenCall {
  /**
   * Identifies the open question in `requestState`. Unguessable, since a client that has it can answer for the user,
   * and valid for one answer.
   */
  #handle: string | undefined;
  readonly #request: CallRequest;
  readonly #clock: CallClock;
  readonly #onOverdue: () => void;
  #cancelled: { readonly reason: unknown } | undefined;
  #tellServer: (reason: unknown) => void = () => {};
  readonly #waiting: Question[] = [];
  #asked: ReadonlyMap<string, Question> = new Map();
  #caller: Caller;
  #questions = 0;
  #openQuestions = 0;
  #isOverdue = false;
  #wake: (() => void) | undefined;
  #unwatch: () => void = () => {};
  #expiry: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
  #outcome: Promise<ServerAnswer> | undefined;

  constructor(request: CallRequest, caller: Caller, { timeoutMs, onOverdue = () => {} }: OpenCallOptions) {
    this.#request = request;
    this.#caller = caller;
    this.#clock = new CallClock(timeoutMs, (error) => this.cancel(error));
    this.#onOverdue = onOverdue;
  }

  /** Whether `handle` names this call and `request` equals the request that opened it, apart from `_meta`. */
  answersTo(handle: string, request: CallRequest): boolean {
    return handle === this.#handle && identityOf(request) === identityOf(this.#request);
  }

  get caller(): Caller {
    return this.#caller;
  }

  get isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Calls back if the call ends before the server has answered. */
  onCancel(tellServer: (reason: unknown) => void): void {
    this.#tellServer = tellServer;
    if (this.#cancelled !== undefined) tellServer(this.#cancelled.reason);
  }

  /** The number of the server's questions without an answer of the user. */
  get openQuestions(): number {
    return this.#openQuestions;
  }

  /** Whether its user was asked so long ago that the client may be gone. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** Waits for the server's answer, and runs the first round. */
  begin(answer: Promise<Result>): Promise<ServerAnswer> {
    this.#clock.start();
    this.#outcome = answer
      .then(
        (result): ServerAnswer => ({ kind: "result", result }),
        (error) => this.#failAs(error),
      )
      .finally(() => this.#clock.stop());
    // Between rounds nothing awaits it; the next round reports a failure.
    this.#outcome.catch(() => {});
    return this.#round(this.#caller);
  }

  /** Passes the user's answers to the server, and continues to wait. */
  resume(caller: Caller, responses: Readonly<Record<string, unknown>>): Promise<ServerAnswer> {
    this.#caller = caller;
    this.#handle = undefined;
    this.#stopWaiting();
    const leftOut: Question[] = [];
    for (const [key, question] of this.#asked) {
      const response = responses[key];
      if (typeof response === "object" && response !== null) question.answer(response as Result);
      else leftOut.push(question);
    }
    // A question that the client did not answer is asked again.
    this.#waiting.unshift(...leftOut);
    this.#asked = new Map();
    return this.#round(caller);
  }

  /** Called for each question of the server; resolves with the user's answer. */
  ask(request: InputRequest): Promise<Result> {
    this.#openQuestions += 1;
    this.#clock.pause();
    return new Promise((answer, fail) => {
      const closing =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          this.#openQuestions -= 1;
          if (this.#openQuestions === 0) this.#clock.start();
          settle(value);
        };
      this.#waiting.push({ request, answer: closing(answer), fail: closing(fail) });
      this.#wake?.();
    });
  }

  /** The server is working, so its time limit restarts. */
  progressed(): void {
    this.#clock.reset();
  }

  /** Cancels the call, and notifies the server. */
  cancel(reason: unknown): void {
    this.#stopWaiting();
    this.#clock.stop();
    if (this.#cancelled === undefined) {
      this.#cancelled = { reason };
      this.#tellServer(reason);
    }
    const error = reason instanceof Error ? reason : new Error(String(reason));
    for (const question of [...this.#waiting.splice(0), ...this.#asked.values()]) question.fail(error);
    this.#asked = new Map();
  }

  async #round(caller: Caller): Promise<ServerAnswer> {
    this.#watch(caller.signal);
    let first: ServerAnswer | "asked" | undefined;
    try {
      const asked = new Promise<"asked">((resolve) => {
        this.#wake = () => resolve("asked");
        if (this.#waiting.length > 0) resolve("asked");
      });
      first = await Promise.race([this.#outcome as Promise<ServerAnswer>, asked]);
      return first === "asked" ? { kind: "input-required", result: this.#question() } : first;
    } finally {
      this.#wake = undefined;
      // The request of a 2026-era client ends with its round, so its signal then says nothing about the client.
      if (first !== "asked" || caller.isAskedWithinRequest !== true) this.#unwatch();
    }
  }

  #stopWaiting(): void {
    clearTimeout(this.#expiry);
    clearTimeout(this.#patience);
    this.#isOverdue = false;
  }

  /** The protocol layer reports every cancelled request as a timeout; the real reason is known here. */
  #failAs(error: unknown): never {
    const reason = this.#cancelled?.reason;
    throw reason instanceof PmlError ? reason : error;
  }

  /** Cancels the call when its caller aborts. */
  #watch(signal: AbortSignal): void {
    this.#unwatch();
    const onAbort = () => this.cancel(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    this.#unwatch = () => signal.removeEventListener("abort", onAbort);
  }

  #question(): InputRequiredResult {
    const asked = new Map<string, Question>();
    for (const question of this.#waiting.splice(0)) {
      this.#questions += 1;
      asked.set(`question_${this.#questions}`, question);
    }
    this.#asked = asked;
    this.#handle = `pml-${crypto.randomUUID()}`;
    this.#expiry = setTimeout(() => this.cancel(expired()), LIMITS.inputWaitMs);
    this.#expiry.unref();
    if (this.#caller.isAskedWithinRequest !== true) {
      this.#patience = setTimeout(() => {
        this.#isOverdue = true;
        this.#onOverdue();
      }, UNANSWERED_MS);
      this.#patience.unref();
    }
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries([...asked].map(([key, { request }]) => [key, request])),
      requestState: this.#handle,
    };
  }
}

/** Tracing headers and the like are new with each request, so `_meta` does not count. */
function identityOf({ method, params: { _meta, ...params } }: CallRequest): string {
  return canonicalJson({ method, params });
}

function expired(): PmlError {
  return new PmlError(
    "INPUT_EXPIRED",
    `Cannot wait longer for the user's answer: none came within ${LIMITS.inputWaitMs} ms, the limit of inputWaitMs`,
  );
}

/**
 * The time limit of one call. It is paused while the user is asked, who has a separate limit, and restarts with each
 * progress message.
 */
class CallClock {
  readonly #ms: number;
  readonly #onLate: (error: PmlError) => void;
  #leftMs: number;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #isRunning = false;
  #isStopped = false;

  constructor(ms: number, onLate: (error: PmlError) => void) {
    this.#ms = ms;
    this.#leftMs = ms;
    this.#onLate = onLate;
  }

  start(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#onLate(tooLate(this.#ms)), this.#leftMs);
  }

  /** Pauses until the next {@link start}. */
  pause(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedAt));
  }

  /** The call has ended: stops permanently. */
  stop(): void {
    this.pause();
    this.#isStopped = true;
  }

  /** The server has shown that it is working: the time limit restarts. */
  reset(): void {
    const wasRunning = this.#isRunning;
    this.pause();
    this.#leftMs = this.#ms;
    if (wasRunning) this.start();
  }
}

function tooLate(ms: number): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot wait longer for the server: no result within ${ms} ms, the limit of timeoutMs`,
    { hint: "Raise `timeoutMs` of the server's entry in the configuration." },
  );
}
