import { describe, expect, it } from "vitest";
import { capability, resultOf, runOf, type TryOptions, value } from "../../../test/suites/sandbox-runs.js";
import type { OrderedCallAnswer, SandboxCall, SandboxEvent } from "../../execution/ports/sandbox.js";
import type { GuestFrame, RunFrame } from "../protocol/frames.js";
import { writeGuestFrame } from "../protocol/guest-frame-codec.js";
import { readHostFrame } from "../protocol/host-frame-codec.js";
import { createRunSession } from "./run-session.js";

/** A session whose guest says what the test says. */
function begin(options: TryOptions & { readonly off?: readonly string[] } = {}) {
  const sent: string[] = [];
  const calls: SandboxCall[] = [];
  const signals: AbortSignal[] = [];
  const events: SandboxEvent[] = [];
  const answers: ((answer: OrderedCallAnswer) => void)[] = [];
  let kills = 0;
  const kill = (): void => {
    kills += 1;
  };
  const session = createRunSession({
    run: runOf("return 1", options),
    bridge: {
      call(call, signal) {
        calls.push(call);
        signals.push(signal);
        return new Promise((resolve) => answers.push(resolve));
      },
      event: (event) => events.push(event),
    },
    wire: { send: (line) => sent.push(line), kill, release: kill },
    off: options.off ?? [],
  });
  const { main, capabilities } = readHostFrame(session.firstLine) as RunFrame;
  const handles = [main.handle];
  /** As the unit would that the frame claims to be of. */
  const say = (frame: GuestFrame): void => {
    const isSpoken = "by" in frame && frame.by.handle === "";
    const by = isSpoken ? { call: frame.by.call, handle: handles[frame.by.call] ?? "?" } : undefined;
    if (frame.kind === "capability-start")
      handles[frame.id] = capabilities.find(({ ref }) => ref === frame.ref)?.handle ?? "?";
    session.receive(writeGuestFrame(by === undefined ? frame : ({ ...frame, by } as GuestFrame)));
  };
  return { session, say, sent, calls, signals, events, answers, kills: () => kills };
}

const MAIN = { call: 0, handle: "" };
const call = (id: number, text = "{}", seen = 0): GuestFrame => ({
  kind: "call",
  id,
  object: "mcp",
  path: ["a", "b"],
  by: MAIN,
  seen,
  text,
});
const returned: GuestFrame = { kind: "returned", usedRandomness: false, warnings: [], text: "1" };
const outcomeOf = async (session: { readonly outcome: Promise<unknown> }): Promise<unknown> =>
  resultOf((await session.outcome) as never);

describe("what a guest may not say", () => {
  const one = capability("one", "return 1");
  const START_ONE = `capability-start\t{"id":1,"ref":"${one.ref}","by":0,"handle":"MAIN"}`;

  it.each<readonly [string, readonly string[]]>([
    ["no frame", ["hello"]],
    ["an unknown kind", ["fetch\t{}"]],
    ["a result that is not JSON", ['returned\t{"usedRandomness":false,"warnings":[]}\tnonsense']],
    ["two results in one line", ['returned\t{"usedRandomness":false,"warnings":[]}\t1\t2']],
    [
      "a result that is too deep",
      [`returned\t{"usedRandomness":false,"warnings":[]}\t${"[".repeat(201)}${"]".repeat(201)}`],
    ],
    ["a header that is too deep", [`log\t${"[".repeat(100_000)}${"]".repeat(100_000)}`]],
    ["arguments that are not an object", [writeGuestFrame(call(1, "[1]"))]],
    ["arguments that are too deep", [writeGuestFrame(call(1, `{"a":${"[".repeat(200)}${"]".repeat(200)}}`))]],
    ["a call out of turn", [writeGuestFrame(call(2))]],
    ["a call twice", [writeGuestFrame(call(1)), writeGuestFrame(call(1))]],
    ["a call that has seen an answer that nobody gave", [writeGuestFrame(call(1, "{}", 1))]],
    ["a timer after an answer that nobody gave", ['clock\t{"entries":[[1,1,"timer"]]}']],
    [
      "what a capability passed that is not running",
      ['passed\t{"marks":[["d1","true",1]],"by":1,"handle":"ONE"}'],
    ],
    [
      "a call without a path",
      ['call\t{"id":1,"seen":0,"object":"mcp","path":[],"by":0,"handle":"MAIN"}\t{}'],
    ],
    [
      "a call with a path that is too long",
      ['call\t{"id":1,"seen":0,"object":"mcp","path":["a","b","c"],"by":0,"handle":"MAIN"}\t{}'],
    ],
    [
      "a call with a node of its own making",
      ['call\t{"id":1,"seen":0,"object":"mcp","path":["a"],"by":0,"handle":"MAIN","node":"n1; x"}\t{}'],
    ],
    [
      "a call of a capability that has not started",
      ['call\t{"id":1,"seen":0,"object":"mcp","path":["a"],"by":1,"handle":"ONE"}\t{}'],
    ],
    [
      "a capability that is not in the program",
      ['capability-start\t{"id":1,"ref":"a.b.c.d.e","by":0,"handle":"MAIN"}'],
    ],
    [
      "the end of a capability that did not start",
      ['capability-end\t{"by":1,"handle":"ONE","success":true}'],
    ],
    ["a capability out of turn", [`capability-start\t{"id":2,"ref":"${one.ref}","by":0,"handle":"MAIN"}`]],
    ["a call that shows no handle", ['call\t{"id":1,"seen":0,"object":"mcp","path":["a"],"by":0}\t{}']],
    [
      "a call of the main code with the handle of a capability",
      [START_ONE, 'call\t{"id":1,"seen":0,"object":"mcp","path":["a"],"by":0,"handle":"ONE"}\t{}'],
    ],
    [
      "a call of a capability with the handle of the main code",
      [START_ONE, 'call\t{"id":1,"seen":0,"object":"mcp","path":["a"],"by":1,"handle":"MAIN"}\t{}'],
    ],
    [
      "the end of a capability, said by the main code",
      [START_ONE, 'capability-end\t{"by":1,"handle":"MAIN","success":true}'],
    ],
    [
      "a capability that nobody calls",
      [`capability-start\t{"id":1,"ref":"${one.ref}","by":0,"handle":"ONE"}`],
    ],
    [
      "marks of a capability, said by the main code",
      [START_ONE, 'passed\t{"marks":[["d1","true",1]],"by":1,"handle":"MAIN"}'],
    ],
  ])("[EX-2, TB-3] %s", async (_what, lines) => {
    const { session, kills, signals } = begin({ capabilities: [one] });
    const { main, capabilities } = readHostFrame(session.firstLine) as RunFrame;
    const shown = { MAIN: main.handle, ONE: capabilities[0]?.handle ?? "", "": main.handle };
    for (const line of lines)
      session.receive(
        line.replace(/"handle":"(MAIN|ONE|)"/, (_, unit: keyof typeof shown) => `"handle":"${shown[unit]}"`),
      );
    expect(await outcomeOf(session)).toMatch(/^threw SandboxError: The run was stopped: its sandbox sent /);
    expect(kills()).toBe(1);
    for (const signal of signals) expect(signal.aborted).toBe(true);
  });

  it("[EX-8] fewer answers seen than before", async () => {
    const { session, say, answers, sent } = begin();
    say(call(1));
    answers[0]?.(value(1));
    await expect.poll(() => sent).toHaveLength(1);
    say(call(2, "{}", 1));
    say(call(3, "{}", 0));
    expect(await outcomeOf(session)).toMatch(/a call that is invalid/);
  });

  it("[EX-8] a timer after fewer answers than one before", async () => {
    const { session, say, answers, sent } = begin();
    say(call(1));
    answers[0]?.(value(1));
    await expect.poll(() => sent).toHaveLength(1);
    say({ kind: "clock", entries: [[1, 1, "timer"]] });
    say({ kind: "clock", entries: [[2, 0, "timer"]] });
    expect(await outcomeOf(session)).toMatch(/a clock frame that is invalid/);
  });

  it("[EX-11] arguments of capabilities without end, too long or too deep: they are left out", async () => {
    const { session, say, events } = begin({ capabilities: [one] });
    const much = `{"a":"${"x".repeat(64_992)}"}`;
    const deep = `{"a":${"[".repeat(300)}${"]".repeat(300)}}`;
    const texts = [`{"a":"${"x".repeat(65_530)}"}`, deep, "{", "[]", ...Array<string>(80).fill(much)];
    texts.forEach((text, index) => {
      say({ kind: "capability-start", id: index + 1, ref: one.ref, by: MAIN, text });
    });
    session.cancel();
    expect(events.filter((event) => event.kind === "capability-start" && "argsText" in event)).toHaveLength(
      65,
    );
  });

  it("[EX-10, TB-3] results of capabilities without end, too deep or no JSON: they are left out", () => {
    const { session, say, events } = begin({ capabilities: [one] });
    const much = JSON.stringify("x".repeat(8_000_000));
    const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
    const texts = ["1", deep, "{", JSON.stringify("x".repeat(9_000_000)), ...Array<string>(6).fill(much)];
    texts.forEach((text, index) => {
      const id = index + 1;
      say({ kind: "capability-start", id, ref: one.ref, by: MAIN });
      say({ kind: "capability-end", by: { call: id, handle: "" }, success: id !== 1, text });
    });
    session.cancel();
    const told = events.flatMap((event) => (event.kind === "capability-end" ? [event.text?.length] : []));
    expect(told).toEqual([
      ...[undefined, undefined, undefined, undefined],
      ...Array<number>(4).fill(much.length),
      ...[undefined, undefined],
    ]);
  });

  it("[TB-1] arguments of a capability that tells them are read in full, but for those that are no object", () => {
    const { session, say, events } = begin({ capabilities: [{ ...one, tellsArguments: true }] });
    const much = "x".repeat(100_000);
    [`{"a":"${much}"}`, "[]", "{", undefined].forEach((text, index) => {
      say({
        kind: "capability-start",
        id: index + 1,
        ref: one.ref,
        by: MAIN,
        ...(text === undefined ? {} : { text }),
      });
    });
    session.cancel();
    const told = events.flatMap((event) => (event.kind === "capability-start" ? [event.args] : []));
    expect(told).toEqual([{ a: much }, undefined, undefined, undefined]);
  });

  it("[EX-2] more calls at once than are allowed", async () => {
    const { session, say, calls } = begin();
    for (let id = 1; id <= 257; id += 1) say(call(id));
    expect(await outcomeOf(session)).toMatch(/^limit pending-calls: .*256/);
    expect(calls).toHaveLength(256);
  });

  it("[EX-2] more calls in all than are allowed; the one too many is not sent", async () => {
    const { session, say, calls } = begin({ limits: { toolCalls: 2 } });
    for (const id of [1, 2, 3]) say(call(id));
    expect(await outcomeOf(session)).toMatch(/^limit tool-calls: /);
    expect(calls).toHaveLength(2);
  });

  it("[EX-2] more capability calls than anybody needs", async () => {
    const { session, say } = begin({ limits: { toolCalls: 1 }, capabilities: [one] });
    for (let id = 1; id <= 11; id += 1) {
      say({ kind: "capability-start", id, ref: one.ref, by: MAIN });
      say({ kind: "capability-end", by: { call: id, handle: "" }, success: true });
    }
    expect(await outcomeOf(session)).toMatch(/^limit tool-calls: /);
  });

  it("[EX-2] a result over the limit, whatever the guest has measured", async () => {
    const { session, say } = begin();
    say({ ...returned, text: `"${"é".repeat(4 * 1024 * 1024)}"` } as GuestFrame);
    expect(await outcomeOf(session)).toMatch(/^limit output: /);
  });

  it("[EX-2] more than all frames together may have", async () => {
    const { session, say } = begin();
    const text = `{"a":"${"x".repeat(7 * 1024 * 1024)}"}`;
    for (let id = 1; id <= 37; id += 1) say(call(id, text));
    expect(await outcomeOf(session)).toMatch(/^limit output: /);
  });

  it("[EX-2, FP-4] a log without end, progress without end, hints without end", async () => {
    const { session, say, events } = begin();
    for (let index = 0; index < 200; index += 1) {
      say({ kind: "log", level: "info", text: "x".repeat(1_000) });
      say({ kind: "progress", done: index });
      say({ kind: "hint", name: "a" });
    }
    say(returned);
    await session.outcome;
    const count = (kind: string) => events.filter((event) => event.kind === kind).length;
    expect(count("log")).toBe(69);
    expect(count("progress")).toBeLessThan(100);
    expect(count("hint")).toBe(20);
  });

  it("[EX-2] marks without end", async () => {
    const { session, say, events } = begin();
    const marks = Array.from({ length: 20_000 }, (_, index) => [`d${index + 1}`, "true", 1] as const);
    for (let index = 0; index < 15; index += 1) say({ kind: "passed", by: MAIN, marks });
    say(returned);
    expect(await outcomeOf(session)).toBe(1);
    expect(events).toHaveLength(10);
  });
});

describe("a session", () => {
  it("[AN-11] tells what was passed, in its turn", () => {
    const { say, calls, events } = begin();
    const told: number[] = [];
    const next = (frame: GuestFrame): void => {
      say(frame);
      told.push(calls.length * 10 + events.length);
    };
    next({ kind: "passed", by: MAIN, marks: [["d1", "true", 2]] });
    next(call(1));
    next({
      kind: "passed",
      by: MAIN,
      marks: [
        ["l1", "", 1],
        ["l1", "again", 7],
      ],
    });
    expect(told).toEqual([1, 11, 12]);
    expect(events).toEqual([
      { kind: "passed", marks: [{ id: "d1", outcome: "true", count: 2 }] },
      {
        kind: "passed",
        marks: [
          { id: "l1", outcome: "", count: 1 },
          { id: "l1", outcome: "again", count: 7 },
        ],
      },
    ]);
  });

  it("answers calls, each once, and not after the end", async () => {
    const { session, say, sent, answers, signals } = begin();
    say(call(1));
    say(call(2));
    answers[0]?.({ kind: "value", text: '{\n"a": 1\n}' });
    await Promise.resolve();
    await Promise.resolve();
    expect(sent.map(readHostFrame)).toEqual([{ kind: "value", id: 1, text: '{"a":1}' }]);
    say(returned);
    expect(await outcomeOf(session)).toBe(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    answers[1]?.({ kind: "value", text: "2" });
    await Promise.resolve();
    await Promise.resolve();
    expect(sent).toHaveLength(1);
  });

  it("[EX-1] passes arguments on without merging them into anything", () => {
    const { say, calls } = begin();
    say(call(1, '{"__proto__":{"polluted":true},"constructor":1}'));
    expect(JSON.stringify(calls[0]?.args)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    expect((Object.prototype as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("[EX-8] hands each call the readings since the one before, and keeps them all, however it ends", async () => {
    const { session, say, calls } = begin();
    say({ kind: "clock", entries: [[5, 2]] });
    say(call(1));
    say({
      kind: "clock",
      entries: [
        [0, 1],
        [3, 1],
      ],
    });
    say(call(2));
    say(call(3));
    session.ended({ kind: "time" });
    expect(calls.map(({ clock }) => clock)).toEqual([
      [[5, 2]],
      [
        [0, 1],
        [3, 1],
      ],
      undefined,
    ]);
    expect((await session.outcome).clock).toEqual([
      [5, 3],
      [3, 1],
    ]);
  });

  it.each([
    [{ kind: "time" }, /^limit time: /],
    [{ kind: "memory" }, /^limit memory: /],
    [{ kind: "backlog" }, /^limit memory: /],
    [{ kind: "line" }, /^limit output: /],
    [{ kind: "killed" }, /^lost: /],
    [{ kind: "lost", message: "gone" }, /^lost: gone$/],
    [
      { kind: "exit", code: null, signal: "SIGTRAP", stderr: "# Fatal JavaScript out of memory: x" },
      /^limit memory: /,
    ],
    [
      { kind: "exit", code: null, signal: "SIGABRT", stderr: "memory allocation of 8 bytes failed" },
      /^limit memory: /,
    ],
    [
      { kind: "exit", code: 1, signal: null, stderr: "panic" },
      /^lost: The process of the run ended with code 1$/,
    ],
  ] as const)("[EX-2] a guest that is gone by %j", async (end, expected) => {
    const { session } = begin();
    session.ended(end);
    expect(await outcomeOf(session)).toMatch(expected);
  });

  it("has one outcome: the first", async () => {
    const { session, say, kills } = begin();
    say(returned);
    session.ended({ kind: "time" });
    session.cancel();
    session.receive("nonsense");
    expect(await outcomeOf(session)).toBe(1);
    expect(kills()).toBe(1);
  });
});

it("[EX-8] gives answers that have a place in the order of their places, whichever comes first", async () => {
  const { session, say, answers, sent } = begin();
  for (const id of [1, 2, 3]) say(call(id));
  answers[1]?.({ ...value("third"), order: 3 });
  answers[2]?.({ ...value("second"), order: 2 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([]);
  answers[0]?.({ ...value("first"), order: 1 });
  await expect.poll(() => sent).toHaveLength(3);
  expect(sent.map((line) => readHostFrame(line))).toMatchObject([{ id: 1 }, { id: 3 }, { id: 2 }]);
  session.cancel();
});
