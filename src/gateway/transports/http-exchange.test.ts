import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HttpExchange } from "./http-exchange.js";

const NEWS = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } } as const;
const ANSWER = { jsonrpc: "2.0", id: 7, result: { text: "é" } } as const;

/** Keeps what is written to it. */
class Wire extends Socket {
  text = "";

  override write(chunk: string | Uint8Array, ..._rest: readonly unknown[]): boolean {
    this.text += Buffer.from(chunk as Uint8Array).toString();
    return true;
  }
}

function exchanged(work: (exchange: HttpExchange, res: ServerResponse) => void): string {
  const wire = new Wire();
  const res = new ServerResponse(
    Object.assign(new IncomingMessage(wire), { httpVersionMajor: 1, httpVersionMinor: 1 }),
  );
  res.sendDate = false;
  res.assignSocket(wire);
  work(new HttpExchange(res, { "mcp-session-id": "s" }), res);
  return wire.text.replaceAll("\r\n", "\n");
}

describe("HttpExchange", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("answers at once with one JSON body", () => {
    const text = exchanged((exchange) => exchange.answer(ANSWER));
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\nmcp-session-id: s\ncontent-type: application\/json\n/);
    expect(text).toMatch(/^Content-Length: 47$/m);
    expect(text).toMatch(/\n\n\{"jsonrpc":"2\.0","id":7,"result":\{"text":"é"\}\}$/);
  });

  it("has the status that is given", () => {
    expect(exchanged((exchange) => exchange.answer(ANSWER, 404))).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("[GW-1] ends without an answer where its request was cancelled", () => {
    const text = exchanged((exchange) => exchange.cancel());
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\nmcp-session-id: s\ncontent-type: text\/event-stream\n/);
    expect(text).toMatch(/\n\n0\n\n$/);
    const told = exchanged((exchange) => {
      exchange.say(NEWS);
      exchange.cancel();
    });
    expect(told).toMatch(/\n0\n\n$/);
  });

  it.each(["cancel", "abandon"] as const)(
    "[GW-1] writes nothing after %s, though its client does not read",
    async (end) => {
      const errors: unknown[] = [];
      exchanged((exchange, res) => {
        res.on("error", (error) => errors.push(error));
        exchange.say(NEWS);
        exchange[end]();
        vi.advanceTimersByTime(60_000);
        exchange.say(NEWS);
        exchange.answer(ANSWER);
      });
      await new Promise(process.nextTick);
      expect(errors).toEqual([]);
    },
  );

  it.each([0, 10_000])(
    "answers with an error where a result is nested too deep to be written, after %d ms",
    (ms) => {
      const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
      const text = exchanged((exchange) => {
        vi.advanceTimersByTime(ms);
        exchange.answer({ ...ANSWER, result: { structuredContent: { deep } } });
      });
      expect(text).toContain('"id":7,"error":{"code":-32603,"message":"Cannot send the result: ');
    },
  );

  it("streams what is said before the answer, and the answer", () => {
    const text = exchanged((exchange) => {
      exchange.say(NEWS);
      exchange.answer(ANSWER);
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\nmcp-session-id: s\ncontent-type: text\/event-stream\n/);
    expect(text.match(/^data: .*$/gm)).toEqual([
      `data: ${JSON.stringify(NEWS)}`,
      `data: ${JSON.stringify(ANSWER)}`,
    ]);
  });

  it("streams if the answer takes long, so that the client sees that it is alive", () => {
    const text = exchanged((exchange) => {
      vi.advanceTimersByTime(20_000);
      exchange.answer(ANSWER);
      vi.advanceTimersByTime(60_000);
    });
    expect(text).toMatch(/text\/event-stream/);
    expect(text.match(/^(: keepalive|data: .*)$/gm)).toEqual([
      ": keepalive",
      `data: ${JSON.stringify(ANSWER)}`,
    ]);
  });

  it("writes nothing to a client that has gone", () => {
    const text = exchanged((exchange, res) => {
      res.destroy();
      res.emit("close");
      exchange.say(NEWS);
      vi.advanceTimersByTime(60_000);
      exchange.answer(ANSWER);
    });
    expect(text).toBe("");
  });

  it("leaves no answer half said where there will be none", () => {
    const text = exchanged((exchange, res) => {
      exchange.abandon();
      expect(res.destroyed).toBe(true);
    });
    expect(text).toBe("");
  });
});
