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

interface Question {
  readonly request: InputRequest;
  readonly answer: (response: Result) => void;
  readonly fail: (error: Error) => void;
}

export class OpenCall {
  /**
   * Names the question that is open now in `requestState`. Unguessable, since whoever has it can answer for the user,
   * and good for one answer.
   */
  #handle: string | undefined;
  readonly #request: unknown;
  readonly #abort = new AbortController();
  readonly #waiting: Question[] = [];
  #asked: ReadonlyMap<string, Question> = new Map();
  #caller: Caller;
  #questions = 0;
  #wake: (() => void) | undefined;
  #unwatch: () => void = () => {};
  #expiry: NodeJS.Timeout | undefined;
  #outcome: Promise<ServerAnswer> | undefined;

  constructor(request: unknown, caller: Caller) {
    this.#request = request;
    this.#caller = caller;
  }

  /** Whether `handle` names this call and `request` is the very request it was opened with. */
  answersTo(handle: string, request: unknown): boolean {
    return handle === this.#handle && canonicalJson(request) === canonicalJson(this.#request);
  }

  get caller(): Caller {
    return this.#caller;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Follows the server's answer, and runs the first round. */
  begin(answer: Promise<Result>): Promise<ServerAnswer> {
    this.#outcome = answer.then((result) => ({ kind: "result", result }));
    // Between rounds nobody waits for it; a failure then is told by the next round.
    this.#outcome.catch(() => {});
    return this.#round(this.#caller);
  }

  /** Gives the answers of the user to the server, and waits on. */
  resume(caller: Caller, responses: Readonly<Record<string, unknown>>): Promise<ServerAnswer> {
    this.#caller = caller;
    this.#handle = undefined;
    clearTimeout(this.#expiry);
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
    return new Promise((answer, fail) => {
      this.#waiting.push({ request, answer, fail });
      this.#wake?.();
    });
  }

  /** Ends the call, and tells the server so. */
  cancel(reason: unknown): void {
    clearTimeout(this.#expiry);
    this.#abort.abort(reason);
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
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries([...asked].map(([key, { request }]) => [key, request])),
      requestState: this.#handle,
    };
  }
}

function expired(): PmlError {
  return new PmlError(
    "INPUT_EXPIRED",
    `Cannot wait longer for the user's answer: none came within ${LIMITS.inputWaitMs} ms, the limit of inputWaitMs`,
  );
}
