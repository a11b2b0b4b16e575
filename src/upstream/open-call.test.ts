import type { InputRequest, InputRequiredResult, Result } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import { OpenCall } from "./open-call.js";

const REQUEST = { method: "tools/call", params: { name: "book", arguments: { a: 1, b: 2 } } };

const OPTIONS = { timeoutMs: LIMITS.inputWaitMs * 3 };

function caller(signal: AbortSignal = new AbortController().signal): Caller {
  return { connection: "c", capabilities: {}, signal, onLog() {} };
}

function question(message: string): InputRequest {
  return {
    method: "elicitation/create",
    params: { message, requestedSchema: { type: "object", properties: {} } },
  } as InputRequest;
}

/** A call of a server that asks what it is told to, and ends when it is told to. */
function serverCall(more: Readonly<Record<string, unknown>> = {}) {
  const call = new OpenCall({ ...REQUEST, params: { ...REQUEST.params, ...more } }, caller(), OPTIONS);
  let end: (result: Result) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const answer = new Promise<Result>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // As a client does: a request that is aborted is rejected with the reason.
  call.onCancel(fail);
  return { call, end, fail, answer };
}

/** An answer as text: the result, or the messages that are asked with their keys. */
function shown(answer: ServerAnswer): string {
  if (answer.kind === "result") return `result ${JSON.stringify(answer.result)}`;
  const { inputRequests = {} } = answer.result;
  return Object.entries(inputRequests)
    .map(([key, { params }]) => `${key}: ${(params as { message: string }).message}`)
    .join(", ");
}

describe("[GW-1, GW-2] OpenCall", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("answers with the result if no question is asked", async () => {
    const { call, end, answer } = serverCall();
    const round = call.begin(answer);
    end({ ok: true });
    expect(shown(await round)).toBe('result {"ok":true}');
  });

  it("fails as the server does", async () => {
    const { call, fail, answer } = serverCall();
    const round = call.begin(answer);
    fail(new Error("no seats"));
    await expect(round).rejects.toThrow("no seats");
  });

  it("asks, and names itself in requestState", async () => {
    const { call, answer } = serverCall();
    const round = call.begin(answer);
    void call.ask(question("Which day?"));
    const result = (await round).result as InputRequiredResult;
    expect(result).toEqual({
      resultType: "input_required",
      inputRequests: { question_1: question("Which day?") },
      requestState: expect.stringMatching(/^pml-[0-9a-f-]{36}$/),
    });
  });

  it("gives the user's answer to the server, and its result to the user", async () => {
    const { call, end, answer } = serverCall();
    const first = call.begin(answer);
    const day = call.ask(question("Which day?"));
    await first;
    const second = call.resume(caller(), { question_1: { action: "accept", content: { day: 1 } } });
    end({ booked: await day });
    expect(shown(await second)).toBe('result {"booked":{"action":"accept","content":{"day":1}}}');
  });

  it("asks in as many rounds as the server has questions", async () => {
    const { call, end, answer } = serverCall();
    const rounds: string[] = [];
    let round = call.begin(answer);
    for (const n of [1, 2, 3]) {
      const answered = call.ask(question(`question ${n}`));
      rounds.push(shown(await round));
      round = call.resume(caller(), { [`question_${n}`]: { n } });
      expect(await answered).toEqual({ n });
    }
    end({});
    rounds.push(shown(await round));
    expect(rounds).toEqual([
      "question_1: question 1",
      "question_2: question 2",
      "question_3: question 3",
      "result {}",
    ]);
  });

  it("asks several questions in one round", async () => {
    const { call, answer } = serverCall();
    const answers = [call.ask(question("Day?")), call.ask(question("Hour?"))];
    expect(shown(await call.begin(answer))).toBe("question_1: Day?, question_2: Hour?");
    void call.resume(caller(), { question_2: { hour: 9 }, question_1: { day: 1 } });
    expect(await Promise.all(answers)).toEqual([{ day: 1 }, { hour: 9 }]);
  });

  it("asks again, under new keys and in the same order, what was left out", async () => {
    const { call, answer } = serverCall();
    const answers = [call.ask(question("Day?")), call.ask(question("Hour?")), call.ask(question("Seat?"))];
    await call.begin(answer);
    const second = call.resume(caller(), { question_2: { hour: 9 }, question_9: { stray: true } });
    expect(shown(await second)).toBe("question_4: Day?, question_5: Seat?");
    void call.resume(caller(), { question_4: { day: 1 }, question_5: { seat: 7 } });
    expect(await Promise.all(answers)).toEqual([{ day: 1 }, { hour: 9 }, { seat: 7 }]);
  });

  it.each([[null], ["yes"], [1], [undefined]])("takes %j for no answer", async (response) => {
    const { call, answer } = serverCall();
    void call.ask(question("Day?"));
    await call.begin(answer);
    expect(shown(await call.resume(caller(), { question_1: response }))).toBe("question_2: Day?");
  });

  it("keeps a question that comes between two rounds", async () => {
    const { call, answer } = serverCall();
    const first = call.begin(answer);
    void call.ask(question("Day?"));
    await first;
    void call.ask(question("Hour?"));
    expect(shown(await call.resume(caller(), { question_1: {} }))).toBe("question_2: Hour?");
  });

  it("keeps a result that comes between two rounds", async () => {
    const { call, end, answer } = serverCall();
    const first = call.begin(answer);
    void call.ask(question("Day?"));
    await first;
    end({ late: true });
    await answer;
    expect(shown(await call.resume(caller(), { question_1: {} }))).toBe('result {"late":true}');
  });

  it("keeps a failure that comes between two rounds, and reports it in the next", async () => {
    const { call, fail, answer } = serverCall();
    const first = call.begin(answer);
    void call.ask(question("Day?")).catch(() => {});
    await first;
    fail(new Error("crashed"));
    await answer.catch(() => {});
    await expect(call.resume(caller(), { question_1: {} })).rejects.toThrow("crashed");
  });

  /** Begins a call, asks, and gives the state by which it can be answered. */
  async function askedState(call: OpenCall, round: Promise<unknown>): Promise<string> {
    void call.ask(question("Day?")).catch(() => {});
    return ((await round) as { result: InputRequiredResult }).result.requestState ?? "";
  }

  it("answers to its state and the very same request only, whatever the order of keys", async () => {
    const { call, answer } = serverCall();
    const state = await askedState(call, call.begin(answer));
    const same = { params: { arguments: { b: 2, a: 1 }, name: "book" }, method: "tools/call" };
    expect(call.answersTo(state, same)).toBe(true);
    expect(call.answersTo("pml-else", same)).toBe(false);
    expect(call.answersTo(state, { ...same, params: { name: "cancel" } })).toBe(false);
  });

  it("answers to the same request with another _meta: tracing headers are new with each", async () => {
    const { call, answer } = serverCall({ _meta: { traceparent: "00-1" } });
    const state = await askedState(call, call.begin(answer));
    for (const _meta of [{ traceparent: "00-2" }, {}, undefined])
      expect(call.answersTo(state, { ...REQUEST, params: { ...REQUEST.params, _meta } })).toBe(true);
    expect(call.answersTo(state, { method: "prompts/get", params: REQUEST.params })).toBe(false);
  });

  it("takes one answer per question: its state is used up with it, and the next is another", async () => {
    const { call, answer } = serverCall();
    const first = await askedState(call, call.begin(answer));
    const round = call.resume(caller(), { question_1: {} });
    expect(call.answersTo(first, REQUEST)).toBe(false);
    const second = await askedState(call, round);
    expect(second).not.toBe(first);
    expect(call.answersTo(second, REQUEST)).toBe(true);
  });

  it("answers to nothing while it asks nothing", () => {
    expect(new OpenCall(REQUEST, caller(), OPTIONS).answersTo("", REQUEST)).toBe(false);
  });

  it("speaks for the client of the newest round", async () => {
    const { call, answer } = serverCall();
    void call.ask(question("Day?"));
    await call.begin(answer);
    const newest = caller();
    void call.resume(newest, {});
    expect(call.caller).toBe(newest);
  });

  it("cancels on the server when the client gives up", async () => {
    const client = new AbortController();
    const call = new OpenCall(REQUEST, caller(client.signal), OPTIONS);
    const round = call.begin(new Promise<Result>((_, fail) => call.onCancel(fail)));
    client.abort(new Error("user left"));
    await expect(round).rejects.toThrow("user left");
  });

  it("cancels at once for a client that had given up before", async () => {
    const { call, answer } = serverCall();
    void call.ask(question("Day?")).catch(() => {});
    await call.begin(answer);
    await expect(
      call.resume(caller(AbortSignal.abort(new Error("gone"))), { question_1: {} }),
    ).rejects.toThrow("gone");
    expect(call.isCancelled).toBe(true);
  });

  it.each([
    ["a 2025-era client gives up while its user is asked, which ends the call", true],
    ["the request of a 2026-era client ends with its round, which does not", false],
  ])("%s", async (_what, isAskedWithinRequest) => {
    const client = new AbortController();
    const call = new OpenCall(REQUEST, { ...caller(client.signal), isAskedWithinRequest }, OPTIONS);
    const failures: unknown[] = [];
    call.ask(question("Day?")).catch((error: unknown) => failures.push(error));
    await call.begin(new Promise(() => {}));
    client.abort(new Error("user left"));
    await Promise.resolve();
    expect(call.isCancelled).toBe(isAskedWithinRequest);
    expect(failures).toEqual(isAskedWithinRequest ? [new Error("user left")] : []);
  });

  it("is not cancelled by the client of a round that another one has followed", async () => {
    const client = new AbortController();
    const call = new OpenCall(REQUEST, { ...caller(client.signal), isAskedWithinRequest: true }, OPTIONS);
    void call.ask(question("Day?"));
    await call.begin(new Promise(() => {}));
    void call.resume(caller(), { question_1: {} });
    client.abort();
    expect(call.isCancelled).toBe(false);
  });

  it("tells the server when a call is cancelled between rounds", async () => {
    const { call, answer } = serverCall();
    const asked = call.ask(question("Day?"));
    await call.begin(answer);
    call.cancel("stopped");
    await expect(asked).rejects.toThrow("stopped");
    expect(call.isCancelled).toBe(true);
  });
});
