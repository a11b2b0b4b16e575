import type { InputRequest, Result } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import type { Caller } from "../mcp/real-servers.js";
import { OpenCall } from "./open-call.js";

const REQUEST = { method: "tools/call", params: { name: "book" } };
const OPTIONS = { timeoutMs: LIMITS.inputWaitMs * 3 };

function caller(): Caller {
  return { connection: "c", capabilities: {}, signal: new AbortController().signal, onLog() {} };
}

function question(message: string): InputRequest {
  return {
    method: "elicitation/create",
    params: { message, requestedSchema: { type: "object", properties: {} } },
  } as InputRequest;
}

/** A call of a server that ends when it is told to, and when it is cancelled. */
function serverCall() {
  const call = new OpenCall(REQUEST, caller(), OPTIONS);
  let end: (result: Result) => void = () => {};
  const answer = new Promise<Result>((resolve, reject) => {
    end = resolve;
    call.onCancel(reject);
  });
  return { call, end, answer };
}

describe("[GW-1, GW-2] OpenCall, the time it takes", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("expires where no answer comes in time, and not before", async () => {
    const { call, answer } = serverCall();
    const asked = call.ask(question("Day?"));
    const failed = expect(asked).rejects.toMatchObject({ code: "INPUT_EXPIRED" });
    await call.begin(answer);
    vi.advanceTimersByTime(LIMITS.inputWaitMs - 1);
    expect(call.isCancelled).toBe(false);
    vi.advanceTimersByTime(1);
    expect(call.isCancelled).toBe(true);
    await failed;
    await expect(answer).rejects.toThrow(
      "Cannot wait longer for the user's answer: none came within 600000 ms, the limit of inputWaitMs",
    );
  });

  it("does not expire once the answer has come", async () => {
    const { call, answer } = serverCall();
    void call.ask(question("Day?"));
    await call.begin(answer);
    void call.resume(caller(), { question_1: {} });
    vi.advanceTimersByTime(LIMITS.inputWaitMs * 2);
    expect(call.isCancelled).toBe(false);
  });

  it("gives each question its own time", async () => {
    const { call, answer } = serverCall();
    const first = call.begin(answer);
    void call.ask(question("Day?"));
    await first;
    vi.advanceTimersByTime(LIMITS.inputWaitMs - 1);
    const second = call.resume(caller(), { question_1: {} });
    void call.ask(question("Hour?"));
    await second;
    vi.advanceTimersByTime(LIMITS.inputWaitMs - 1);
    expect(call.isCancelled).toBe(false);
  });

  it("gives the server its time, and says whose limit it was", async () => {
    const { call, answer } = serverCall();
    const round = expect(call.begin(answer)).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("the limit of timeoutMs"),
    });
    vi.advanceTimersByTime(OPTIONS.timeoutMs);
    await round;
    expect(call.isCancelled).toBe(true);
  });

  it("does not count the user's time as the server's", async () => {
    const { call, end, answer } = serverCall();
    const first = call.begin(answer);
    vi.advanceTimersByTime(OPTIONS.timeoutMs - 10);
    void call.ask(question("Day?"));
    void call.ask(question("Hour?"));
    await first;
    vi.advanceTimersByTime(LIMITS.inputWaitMs - 1);
    const second = call.resume(caller(), { question_1: {} });
    await second;
    vi.advanceTimersByTime(LIMITS.inputWaitMs - 1);
    const third = call.resume(caller(), { question_3: {} });
    vi.advanceTimersByTime(9);
    expect(call.isCancelled).toBe(false);
    end({ ok: true });
    expect(await third).toEqual({ kind: "result", result: { ok: true } });
  });

  it("counts on when all questions are answered", async () => {
    const { call, answer } = serverCall();
    const first = call.begin(answer);
    vi.advanceTimersByTime(OPTIONS.timeoutMs - 10);
    void call.ask(question("Day?"));
    await first;
    const second = expect(call.resume(caller(), { question_1: {} })).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
    });
    vi.advanceTimersByTime(10);
    await second;
  });

  it("gives the server its whole time again with each progress", async () => {
    const { call, answer } = serverCall();
    void call.begin(answer).catch(() => {});
    vi.advanceTimersByTime(OPTIONS.timeoutMs - 1);
    call.progressed();
    vi.advanceTimersByTime(OPTIONS.timeoutMs - 1);
    expect(call.isCancelled).toBe(false);
    vi.advanceTimersByTime(1);
    expect(call.isCancelled).toBe(true);
  });

  it("leaves no timer behind when it has ended with a question open", async () => {
    const { call, end, answer } = serverCall();
    const first = call.begin(answer);
    void call.ask(question("Day?"));
    await first;
    end({});
    await vi.advanceTimersByTimeAsync(0);
    await call.resume(caller(), { question_1: {} });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [true, 0],
    [false, 1],
  ])(
    "is overdue after 45 seconds without an answer, unless its client is known to be there (%s)",
    async (isAskedWithinRequest, times) => {
      const onOverdue = vi.fn();
      const call = new OpenCall(REQUEST, { ...caller(), isAskedWithinRequest }, { ...OPTIONS, onOverdue });
      void call.ask(question("Day?"));
      await call.begin(new Promise(() => {}));
      vi.advanceTimersByTime(44_999);
      expect(onOverdue).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(onOverdue).toHaveBeenCalledTimes(times);
      expect(call.isOverdue).toBe(times === 1);
      void call.resume(caller(), { question_1: {} });
      expect(call.isOverdue).toBe(false);
    },
  );
});
