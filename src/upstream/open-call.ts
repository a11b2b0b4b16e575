/**
 * A call that is under way on a 2025-era server, over as many rounds as its user has to be asked.
 *
 * Such a server asks in the middle of a call, by a request of its own, and waits. The client in front may be of
 * either era, so the question always leaves the gateway as an `input_required` result and the answer comes back
 * with the next round of the same request; the call itself stays open in between.
 *
 * @module
 */

import type { InputRequest, InputRequiredResult, Result } from "@modelcontextprotocol/server";
import { canonicalJson } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";

/**
 * A client that is not asked within its request may be gone without a sign. Its user gets this long while another
 * client waits for the server: time to read a question and answer it, and no more than a call waits for its turn.
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
  /** How long the server may work on it, not counting the time in which its user is asked. */
  readonly timeoutMs: number;
  /** The call {@link OpenCall.isOverdue} from now on. */
  readonly onOverdue?: () => void;
}

export class OpenCall {
  /**
   * Names the question that is open now in `requestState`. Unguessable, since a client that has it can answer for
   * the user, and valid for one answer.
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

  /** Questions of the server that its user has not answered yet. */
  get openQuestions(): number {
    return this.#openQuestions;
  }

  /** Whether its user was asked so long ago that they may be gone. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** Follows the server's answer, and runs the first round. */
  begin(answer: Promise<Result>): Promise<ServerAnswer> {
    this.#clock.start();
    this.#outcome = answer
      .then(
        (result): ServerAnswer => ({ kind: "result", result }),
        (error) => this.#failAs(error),
      )
      .finally(() => this.#clock.stop());
    // Between rounds no code awaits it; the next round reports a failure.
    this.#outcome.catch(() => {});
    return this.#round(this.#caller);
  }

  /** Gives the answers of the user to the server, and waits on. */
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
    // A client that left a question out is asked again.
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

  /** The server is at work, and has its whole time again. */
  progressed(): void {
    this.#clock.reset();
  }

  /** Ends the call, and tells the server so. */
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
      // The request of a 2026-era client ends with its round, and its signal then says nothing of the client.
      if (first !== "asked" || caller.isAskedWithinRequest !== true) this.#unwatch();
    }
  }

  #stopWaiting(): void {
    clearTimeout(this.#expiry);
    clearTimeout(this.#patience);
    this.#isOverdue = false;
  }

  /** The protocol layer tells of every cancelled request that it timed out; we know better why. */
  #failAs(error: unknown): never {
    const reason = this.#cancelled?.reason;
    throw reason instanceof PmlError ? reason : error;
  }

  /** Ends the call when its caller gives up. */
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
 * The time that a server has for one call. It stands still while the user is asked, who has a time of their own, and
 * starts anew with each sign of progress.
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

  /** Stands still until the next {@link start}. */
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

  /** The server has shown that it is at work: it has the whole time again. */
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
