import { PassThrough, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../test/support/sizes.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { LineTransport, type LineTransportOptions } from "./line-transport.js";

/** A transport, and all that happens to it: messages as JSON, errors by code, the close. */
async function listening(options: LineTransportOptions = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new LineTransport(input, output, options);
  const events: string[] = [];
  transport.onmessage = (message) => events.push(JSON.stringify(message));
  transport.onerror = (error) => events.push(error instanceof PmlError ? error.code : error.message);
  transport.onclose = () => events.push("closed");
  await transport.start();
  return { input, output, transport, events };
}

/** What a transport makes of chunks that arrive one after the other. */
async function received(
  chunks: readonly (string | Uint8Array)[],
  options?: LineTransportOptions,
): Promise<readonly string[]> {
  const { input, events } = await listening(options);
  for (const chunk of chunks) input.emit("data", Buffer.from(chunk));
  return events;
}

/** Chunks in, events out; both joined with `|`. */
async function check(chunks: string, expected: string, options?: LineTransportOptions): Promise<void> {
  expect((await received(chunks.split("|"), options)).join("|")).toBe(expected);
}

/** Lets streams and promises that are ready have their turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const note = (method: string): JSONRPCMessage => ({ jsonrpc: "2.0", method });

describe("LineTransport, reading", () => {
  it("delivers a line as a message", () => check('{"a":1}\n', '{"a":1}'));
  it("delivers several lines of one chunk", () => check('{"a":1}\n{"b":2}\n', '{"a":1}|{"b":2}'));
  it("joins a line that comes in pieces", () => check('{"a|":|1}|\n', '{"a":1}'));
  it("waits for the end of a line", () => check('{"a":1}', ""));
  it("passes over blank lines", () => check('\n  \n\r\n{"a":1}\n\n', '{"a":1}'));
  it("takes carriage returns", () => check('{"a":1}\r\n', '{"a":1}'));
  it("reports a line that is no JSON, and goes on", () =>
    check('starting up\n{"a":1}\n', 'MESSAGE_INVALID|{"a":1}'));
  it("reports half an object", () => check('{"a":\n', "MESSAGE_INVALID"));
  it("reports JSON that is not an object", () =>
    check('[{"a":1}]\n1\n"a"\nnull\n', "MESSAGE_INVALID|MESSAGE_INVALID|MESSAGE_INVALID|MESSAGE_INVALID"));

  it("takes a message of just the bytes allowed", () =>
    check('{"a":12}\n{"b":12}\n', '{"a":12}|{"b":12}', { bytesMost: 8 }));
  it("[TB-8] answers a request that is nested too deep, and goes on", async () => {
    const { input, output, events } = await listening({ levelsMost: 3 });
    input.emit("data", Buffer.from('{"id":7,"params":[[[1]]],"method":"a"}\n{"id":8,"params":[[1]]}\n'));
    expect(events).toEqual(["LIMIT_EXCEEDED", '{"id":8,"params":[[1]]}']);
    expect(JSON.parse(String(output.read()))).toMatchObject({
      id: 7,
      error: { code: -32600, message: "Cannot read a message: it is nested deeper than 3 levels" },
    });
  });
  it("[TB-8] passes over a longer line, and goes on", () =>
    check('{"a":123}\n{"b":1}\n', 'LIMIT_EXCEEDED|{"b":1}', { bytesMost: 8 }));
  it("[TB-8] passes over a longer line in pieces, and goes on", () =>
    check('{"a":1|23456|789|}\n{"b|":1}\n', 'LIMIT_EXCEEDED|{"b":1}', { bytesMost: 8 }));
  it("counts bytes and not characters", () =>
    check('{"é":1}\n{"éé":1}\n', '{"é":1}|LIMIT_EXCEEDED', { bytesMost: 8 }));

  it("[TB-8] answers a request that is too long, by its id", async () => {
    const { input, output, events } = await listening({ bytesMost: 40 });
    const request = {
      method: "tools/call",
      params: { id: 1, text: "x".repeat(90) },
      jsonrpc: "2.0",
      id: "r",
    };
    input.emit("data", Buffer.from(`${JSON.stringify(request)}\n{"a":1}\n`));
    expect(events).toEqual(["LIMIT_EXCEEDED", '{"a":1}']);
    const error = { code: -32600, message: expect.stringContaining("longer than 40 bytes") };
    expect(JSON.parse(String(output.read()))).toMatchObject({ jsonrpc: "2.0", id: "r", error });
  });

  it("[TB-8] gives an error to the request whose answer is too long", async () => {
    const { input, output, events } = await listening({ bytesMost: 40 });
    input.emit("data", Buffer.from(`{"jsonrpc":"2.0","id":3,"result":"${"x".repeat(90)}"}\n`));
    expect(events[0]).toBe("LIMIT_EXCEEDED");
    expect(JSON.parse(events[1] ?? "")).toMatchObject({
      id: 3,
      error: { code: -32600, data: { code: "LIMIT_EXCEEDED" } },
    });
    expect(output.read()).toBeNull();
  });

  it("[TB-8] answers neither a notification that is too long nor an unreadable line", async () => {
    const unreadable: string[] = [];
    const { input, output } = await listening({
      bytesMost: 20,
      onUnreadable: ({ code }) => unreadable.push(code),
    });
    input.emit("data", Buffer.from(`{"method":"m","params":{"id":4,"text":"x"}}\n`));
    expect(unreadable).toEqual([]);
    input.emit("data", Buffer.from(`${"x".repeat(50)}\n`));
    expect(unreadable).toEqual(["LIMIT_EXCEEDED"]);
    expect(output.read()).toBeNull();
  });

  it("[TB-8] keeps nothing of a line that is too long, and gives up one that does not end", async () => {
    const { input, transport, events } = await listening();
    const part = Buffer.alloc(16 * 1024 * 1024, " ");
    const before = process.memoryUsage().arrayBuffers;
    for (let bytes = 0; bytes <= LIMITS.messageSkippedBytes; bytes += part.length) input.emit("data", part);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * part.length);
    expect(events).toEqual(["LIMIT_EXCEEDED", "closed"]);
    expect(transport.givenUp).toContain("messageSkippedBytes");
  });

  it("gives up a side that sends nothing but garbage", async () => {
    const events = await received(["x\n".repeat(LIMITS.garbageLines), '{"a":1}\n']);
    expect(events.filter((event) => event === "MESSAGE_INVALID")).toHaveLength(LIMITS.garbageLines);
    expect(events.slice(LIMITS.garbageLines)).toEqual(["LIMIT_EXCEEDED", "closed"]);
  });

  it("reports it for the sender, with the beginning of the line", async () => {
    const told: string[] = [];
    await received([`${"x".repeat(500)}\n`], { onUnreadable: ({ message }) => told.push(message) });
    expect(told).toEqual([`Cannot read a line as a JSON-RPC message: ${"x".repeat(120)}`]);
  });

  it("goes on after a message that its taker throws over", async () => {
    const { input, transport, events } = await listening();
    const take = transport.onmessage;
    transport.onmessage = (message) => {
      take?.(message);
      throw new Error("surprised");
    };
    input.emit("data", Buffer.from('{"a":1}\n{"b":2}\n'));
    expect(events).toEqual(['{"a":1}', "surprised", '{"b":2}', "surprised"]);
  });

  it("delivers the same messages, however their bytes are cut", async () => {
    const messages = fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), { maxLength: 6 });
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(messages, cuts, fc.constantFrom("\n", "\r\n", "\n\n"), async (sent, at, end) => {
        const lines = sent.map((message) => JSON.stringify(message));
        const bytes = Buffer.from(lines.map((line) => line + end).join(""));
        const places = [0, ...at.map((place) => Math.min(place, bytes.length)), bytes.length];
        places.sort((a, b) => a - b);
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(Buffer.concat(chunks)).toEqual(bytes);
        expect(await received(chunks)).toEqual(lines.map((line) => JSON.stringify(JSON.parse(line))));
      }),
      { numRuns: sized(1_000, 100) },
    );
  });

  it("delivers or reports each line, and throws over none, whatever the bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 30 })), async (chunks) => {
        const lines = Buffer.concat(chunks).toString("latin1").split("\n").slice(0, -1);
        const events = await received(chunks);
        expect(events.length).toBeLessThanOrEqual(lines.length);
      }),
    );
  });
});

describe("LineTransport, writing", () => {
  it("sends each message as a line", async () => {
    const { output, transport } = await listening();
    await transport.send(note("a"));
    await transport.send(note("b\nc"));
    expect(String(output.read())).toBe(
      '{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b\\nc"}\n',
    );
  });

  it("waits where the other side reads slowly, and goes on when it does", async () => {
    const taken: (() => void)[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => void taken.push(done),
    });
    const transport = new LineTransport(new PassThrough(), output);
    await transport.start();
    const sent: string[] = [];
    const sending = ["a", "b"].map((method) => transport.send(note(method)).then(() => sent.push(method)));
    await turn();
    expect(sent).toEqual([]);
    for (let done = taken.shift(); done !== undefined; done = taken.shift()) {
      done();
      await turn();
    }
    await Promise.all(sending);
    expect(sent).toEqual(["a", "b"]);
  });

  it("does not wait for ever where the other side goes away", async () => {
    const output = new Writable({ highWaterMark: 1, write() {} });
    const transport = new LineTransport(new PassThrough(), output);
    await transport.start();
    const sending = transport.send(note("a"));
    output.destroy();
    await expect(sending).resolves.toBeUndefined();
  });

  it("drops progress and log messages, and nothing else, where too much waits to be read", async () => {
    const output = new Writable({ write() {} });
    const transport = new LineTransport(new PassThrough(), output);
    await transport.start();
    void transport.send(note("x".repeat(LIMITS.sendBufferBytes)));
    const before = output.writableLength;
    await transport.send(note("notifications/progress"));
    await transport.send(note("notifications/message"));
    expect(output.writableLength).toBe(before);
    void transport.send(note("notifications/cancelled"));
    expect(output.writableLength).toBeGreaterThan(before);
    output.destroy();
  });

  it("[TB-8] keeps one of each announcement for a side that does not read, and counts what it drops", async () => {
    const taken: (() => void)[] = [];
    const lines: string[] = [];
    const output = new Writable({
      decodeStrings: false,
      write(line: string, _encoding, done) {
        lines.push(line.slice(0, 200));
        taken.push(done);
      },
    });
    const dropped: number[] = [];
    const transport = new LineTransport(new PassThrough(), output, {
      onDropped: (count) => dropped.push(count),
    });
    await transport.start();
    void transport.send(note("x".repeat(LIMITS.sendBufferBytes)));
    void transport.send(note("notifications/cancelled"));
    const before = output.writableLength;
    const updated = (uri: string) => ({ ...note("notifications/resources/updated"), params: { uri } });
    for (let n = 0; n < 3 * LIMITS.clientSubscriptions; n += 1) {
      await transport.send(note("notifications/tools/list_changed"));
      await transport.send(updated(`x://${n % 10}`));
      await transport.send(note("notifications/progress"));
      await transport.send(updated(`y://${n}`));
    }
    expect(output.writableLength).toBe(before);
    for (let done = taken.shift(); done !== undefined; done = taken.shift()) {
      done();
      await turn();
    }
    const news = lines.filter((line) => /list_changed|updated/.test(line));
    expect(news).toHaveLength(LIMITS.clientSubscriptions);
    expect(new Set(news).size).toBe(news.length);
    expect(dropped).toHaveLength(1);
    expect(dropped[0]).toBeGreaterThan(3 * LIMITS.clientSubscriptions);
    output.destroy();
  });

  it.each([
    [true, "paused"],
    [false, "flowing"],
  ])("with pausesInput %s the input of a side that does not read is %s", async (pausesInput, expected) => {
    const input = new PassThrough();
    const output = new Writable({ write() {} });
    const transport = new LineTransport(input, output, { pausesInput });
    await transport.start();
    void transport.send(note("x".repeat(LIMITS.sendBufferBytes)));
    expect(input.isPaused()).toBe(false);
    void transport.send(note("a"));
    expect(input.isPaused() ? "paused" : "flowing").toBe(expected);
    output.emit("drain");
    expect(input.isPaused()).toBe(false);
    output.destroy();
  });
});

describe("LineTransport, closing", () => {
  it.each([
    ['{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}', "closed"]],
    ['{"a":1}\nunfinished', ['{"a":1}', "MESSAGE_INVALID", "closed"]],
  ])("takes what stands behind the last line end of %j for a line", async (text, expected) => {
    const { input, events } = await listening();
    input.end(text);
    await turn();
    expect(events).toEqual(expected);
  });

  it("closes once, when the input ends", async () => {
    const { input, events, transport } = await listening();
    input.end('{"a":1}\n');
    await turn();
    await transport.close();
    expect(events).toEqual(['{"a":1}', "closed"]);
  });

  it("closes once, when the input is destroyed", async () => {
    const { input, events } = await listening();
    input.destroy(new Error("broken pipe"));
    await turn();
    expect(events).toEqual(["broken pipe", "closed"]);
  });

  it("closes over an output that fails", async () => {
    const { output, events } = await listening();
    output.destroy(new Error("broken pipe"));
    await turn();
    expect(events).toEqual(["broken pipe", "closed"]);
  });

  it("delivers nothing after it is closed, not even the rest of a chunk", async () => {
    const { input, transport, events } = await listening();
    const take = transport.onmessage;
    transport.onmessage = (message) => {
      take?.(message);
      void transport.close();
    };
    input.emit("data", Buffer.from('{"a":1}\n{"b":2}\n{"c'));
    input.emit("data", Buffer.from('":3}\n'));
    expect(events).toEqual(['{"a":1}', "closed"]);
  });

  it("refuses to send", async () => {
    const { transport } = await listening();
    await transport.close();
    await expect(transport.send(note("a"))).rejects.toThrow("Cannot send: the connection is closed");
  });

  it.each([
    [true, true],
    [false, false],
  ])("with endsOutput %s the output is ended: %s", async (endsOutput, expected) => {
    const { output, transport } = await listening({ endsOutput });
    await transport.close();
    expect(output.writableEnded).toBe(expected);
  });
});
