import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../base/limits.js";
import {
  type BrokerOrder,
  type BrokerReport,
  readBrokerOrder,
  readBrokerReport,
  writeBrokerLine,
} from "./broker-frames.js";
import { type GuestFrame, type HostFrame, LOG_BYTES_MOST, TEXT_BYTES_MOST } from "./frames.js";
import { readGuestFrame, writeGuestFrame } from "./guest-frame-codec.js";
import { readHostFrame, writeHostFrame } from "./host-frame-codec.js";

const text = fc.string({ unit: "binary" });
const id = fc.integer({ min: 1, max: 2 ** 40 });
const kind = <K extends string>(name: K) => fc.constant(name);
const by = fc.record({ call: fc.nat(), handle: text });
const origin = fc.record({ node: text, by }, { requiredKeys: ["by"] });
const entry = fc.oneof(fc.tuple(fc.nat(), id), fc.tuple(fc.nat(), fc.nat(), fc.constant("timer" as const)));
const mark = fc.tuple(
  fc
    .tuple(fc.constantFrom("d", "f", "j", "l"), fc.integer({ min: 1, max: 999_999 }))
    .map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 100 }),
  id,
);
const ending = { warnings: fc.array(text), usedRandomness: fc.boolean() };
const position = fc.record({ line: id, column: id, unit: text }, { requiredKeys: ["line", "column"] });
const json = fc.json({ noUnicodeString: false });

const guestFrame: fc.Arbitrary<GuestFrame> = fc.oneof(
  fc
    .tuple(
      fc.record({
        kind: kind("call"),
        id,
        object: fc.constantFrom("mcp" as const, "capabilities" as const),
        path: fc.array(text),
        seen: fc.nat(),
        text: json,
      }),
      origin,
    )
    .map(([call, from]) => ({ ...call, ...from })),
  fc.record({ kind: kind("clock"), entries: fc.array(entry) }),
  fc.record({ kind: kind("passed"), marks: fc.array(mark), by }),
  fc.record({ kind: kind("log"), level: fc.constantFrom("debug", "info", "warn", "error"), text }),
  fc.record(
    {
      kind: kind("progress"),
      done: fc.integer(),
      total: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      message: text,
    },
    { requiredKeys: ["kind", "done"] },
  ),
  fc.record({ kind: kind("hint"), name: text, description: text }, { requiredKeys: ["kind"] }),
  fc
    .tuple(
      fc.record(
        { kind: kind("capability-start"), id, ref: text, text: json },
        { requiredKeys: ["kind", "id", "ref"] },
      ),
      origin,
    )
    .map(([start, from]) => ({ ...start, ...from })),
  fc.record(
    { kind: kind("capability-end"), by, success: fc.boolean(), text: json },
    { requiredKeys: ["kind", "by", "success"] },
  ),
  fc.record({
    kind: kind("limit"),
    limit: fc.constantFrom("output", "arguments", "tool-calls"),
    warnings: fc.array(text),
  }),
  fc.record({ kind: kind("returned"), ...ending, text: json }),
  fc.record(
    {
      kind: kind("threw"),
      ...ending,
      name: text,
      message: text,
      positions: fc.array(position),
      tool: fc.record({ code: text, tool: text, content: text }, { requiredKeys: ["code"] }),
    },
    { requiredKeys: ["kind", "warnings", "usedRandomness", "name", "message", "positions"] },
  ),
) as fc.Arbitrary<GuestFrame>;

const unit = { handle: text, code: text, parameters: fc.array(text), lifted: fc.array(text) };
const hostFrame: fc.Arbitrary<HostFrame> = fc.oneof(
  fc.record({ kind: kind("value"), id, text: json }),
  fc.record(
    { kind: kind("error"), id, code: text, message: text, tool: text, content: text },
    { requiredKeys: ["kind", "id", "code", "message"] },
  ),
  fc.record({
    kind: kind("run"),
    main: fc.record(unit),
    capabilities: fc.array(
      fc.record({
        ...unit,
        ref: text,
        displayName: text,
        version: id,
        schema: fc.constant({ type: "object" }),
      }),
    ),
    args: fc.constant({ a: [1, null] }),
    toolCalls: id,
    seed: text,
    startedAt: fc.nat(),
    clock: fc.array(entry),
  }),
) as fc.Arbitrary<HostFrame>;

describe("frames of a guest", () => {
  it("read as they were written, on one line", () => {
    fc.assert(
      fc.property(guestFrame, (frame) => {
        const line = writeGuestFrame(frame);
        expect(line).not.toContain("\n");
        expect(readGuestFrame(line)).toEqual(frame);
      }),
    );
  });

  it("[EX-1] are written the same where the code has replaced what it could", () => {
    const frame: GuestFrame = {
      kind: "call",
      id: 1,
      object: "mcp",
      path: ["a"],
      by: { call: 0, handle: "h" },
      seen: 0,
      text: "{}",
    };
    const line = writeGuestFrame(frame);
    const prototype = Array.prototype as { toJSON?: unknown };
    prototype.toJSON = () => "hooked";
    try {
      expect(writeGuestFrame(frame)).toBe(line);
    } finally {
      delete prototype.toJSON;
    }
  });

  it("anything else is no frame, and breaks nothing", () => {
    fc.assert(
      fc.property(text, (line) => {
        expect(() => readGuestFrame(line)).not.toThrow();
      }),
    );
  });

  it.each([
    "",
    "returned",
    "nonsense\t{}",
    "toString\t{}",
    "returned\t{}\t1",
    'returned\t{"usedRandomness":false,"warnings":[]}',
    'log\t{"level":"fatal","text":"x"}',
    'log\t{"level":"info","text":5}',
    'log\t{"level":"info","text":"x"}\tmore',
    'log\t["info","x"]',
    'call\t{"id":0,"seen":0,"object":"mcp","path":["a"]}\t{}',
    'call\t{"id":1.5,"seen":0,"object":"mcp","path":["a"]}\t{}',
    'call\t{"id":1,"seen":0,"object":"process","path":["a"]}\t{}',
    'call\t{"id":1,"seen":0,"object":"mcp","path":"a"}\t{}',
    'call\t{"id":1,"seen":0,"object":"mcp","path":[{}]}\t{}',
    'call\t{"id":1,"seen":0,"object":"mcp","path":["a"],"node":1}\t{}',
    'call\t{"id":1,"object":"mcp","path":["a"]}\t{}',
    'call\t{"id":1,"seen":-1,"object":"mcp","path":["a"]}\t{}',
    'call\t{"id":1,"seen":0.5,"object":"mcp","path":["a"]}\t{}',
    'call\t{"id":1,"seen":"0","object":"mcp","path":["a"]}\t{}',
    'clock\t{"entries":[[-1,1]]}',
    'clock\t{"entries":[[-1,1,"timer"]]}',
    'clock\t{"entries":[[1,-1,"timer"]]}',
    'clock\t{"entries":[[1,1,"other"]]}',
    'clock\t{"entries":[[1,1,"timer",1]]}',
    'clock\t{"entries":[[1,0]]}',
    'clock\t{"entries":[[1]]}',
    "passed\t{}",
    'passed\t{"marks":{}}',
    'passed\t{"marks":["d1"]}',
    'passed\t{"marks":[["d1","true"]]}',
    'passed\t{"marks":[["d1","true",1,1]]}',
    'passed\t{"marks":[["d1","true",0]]}',
    'passed\t{"marks":[["d1","true",1.5]]}',
    'passed\t{"marks":[["d1","true","1"]]}',
    'passed\t{"marks":[["d1",true,1]]}',
    'passed\t{"marks":[["n1","",1]]}',
    'passed\t{"marks":[["d0","true",1]]}',
    'passed\t{"marks":[["d1 ","true",1]]}',
    'passed\t{"marks":[["d1234567","true",1]]}',
    'passed\t{"marks":[["__proto__","true",1]]}',
    `passed\t{"marks":[["d1","${"x".repeat(201)}",1]]}`,
    'passed\t{"marks":[]}\tmore',
    'passed\t{"marks":[],"parent":0}',
    'passed\t{"marks":[],"parent":"1"}',
    'progress\t{"done":null}',
    'capability-end\t{"id":1,"success":"yes"}',
    'limit\t{"limit":"patience","warnings":[]}',
    'threw\t{"usedRandomness":false,"warnings":[],"name":"E","message":"m","positions":[{"line":0,"column":1}]}',
    'threw\t{"usedRandomness":false,"warnings":[],"name":"E","message":"m","positions":[],"tool":{}}',
  ])("%s is no frame", (line) => {
    expect(readGuestFrame(line)).toBeUndefined();
  });

  it("more marks than a guest holds are no frame", () => {
    const line = (count: number) =>
      `passed\t{"marks":[${Array(count).fill('["d1","true",1]').join()}],"by":0,"handle":"h"}`;
    expect(readGuestFrame(line(20_000))).toMatchObject({ kind: "passed" });
    expect(readGuestFrame(line(20_001))).toBeUndefined();
  });
});

describe("frames of the host", () => {
  it("read as they were written, on one line", () => {
    fc.assert(
      fc.property(hostFrame, (frame) => {
        const line = writeHostFrame(frame);
        expect(line).not.toContain("\n");
        expect(readHostFrame(line)).toEqual(frame);
      }),
    );
  });
});

describe("lines of the broker", () => {
  const bytes = text.map((part) => Buffer.from(part.replaceAll("\n", " ")));
  const end = fc.record({ kind: kind("exit"), code: fc.constant(null), signal: text, stderr: text });
  const order: fc.Arbitrary<BrokerOrder> = fc.oneof(
    fc.record({
      kind: kind("start"),
      order: fc.record({ run: id, memoryMb: id, timeMs: id, guest: id }),
      text: bytes,
    }),
    fc.record({ kind: kind("line"), run: id, text: bytes }),
    fc.record({ kind: kind("kill"), run: id, end }),
    fc.record({ kind: kind("release"), run: id }),
    fc.record({ kind: kind("ready"), guest: id }),
    fc.record({ kind: kind("status"), id }),
  );
  const report: fc.Arbitrary<BrokerReport> = fc.oneof(
    fc.record({ kind: kind("started"), run: id, guest: id }),
    fc.record({ kind: kind("waiting"), guest: id }),
    fc.record({ kind: kind("refused"), run: id }),
    fc.record({ kind: kind("line"), run: id, text: bytes }),
    fc.record({ kind: kind("end"), run: id, end }),
  );

  it("read as they were written", () => {
    fc.assert(
      fc.property(order, (message) => {
        expect(readBrokerOrder(lineOf(message))).toEqual(message);
      }),
    );
    fc.assert(
      fc.property(report, (message) => {
        expect(readBrokerReport(lineOf(message))).toEqual(message);
      }),
    );
  });

  function lineOf(message: BrokerOrder | BrokerReport): Buffer {
    const line = writeBrokerLine(message);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    return line.subarray(0, -1);
  }
});

it("[EX-2] the limits that a guest keeps are those of the gateway", () => {
  expect({ log: LOG_BYTES_MOST, text: TEXT_BYTES_MOST }).toEqual({
    log: LIMITS.runLogBytes,
    text: LIMITS.runOutputBytes,
  });
});
