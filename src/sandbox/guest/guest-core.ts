/**
 * The guest: PML's code next to untrusted code inside the sandbox, the same in every engine.
 *
 * An engine provides what the language does not have; everything else is taken from the realm before code runs in it.
 * Security does not depend on this code: the host counts, measures and validates everything that comes from a guest.
 * The guest must only guarantee that code cannot reach {@link GuestPlatform.evaluate}, and that it can break only its
 * own run.
 *
 * @module
 */
import type { GuestFrame, RunFrame, Speaker } from "../protocol/frames.js";
import { readHostFrame } from "../protocol/host-frame-codec.js";
import { createCallObject } from "./call-object.js";
import { type CapabilityCalls, createCapabilityCalls } from "./capability-calls.js";
import { createConsole, createLog } from "./captured-console.js";
import { createRandomStream, type RandomStream } from "./chacha20.js";
import { compileUnit, LINES_BEFORE, positionsIn, type Unit } from "./compile-unit.js";
import { createFlowObject, type FlowUses, flowUses } from "./flow-object.js";
import { inspect } from "./inspect.js";
import { createOutbox } from "./outbox.js";
import { createPassedMarks, type PassedMarks, type ToldMarks } from "./passed-marks.js";
import { defineProperty, MapOf, mapDelete, mapGet, mapSet, push, whenSettled } from "./primordials.js";
import { createPmlObject, type PmlObject } from "./progress.js";
import { closeCodeGeneration, closeGlobals } from "./realm.js";
import { installRandom } from "./realm-random.js";
import { installClock } from "./realm-time.js";
import { installTimers } from "./realm-timers.js";
import { createRunClock, type RunClock } from "./run-clock.js";
import { installStackText } from "./stack-text.js";
import { isError, messageOfThrown, nameOfThrown } from "./thrown-text.js";
import { createToolCalls, type ToolCalls } from "./tool-calls.js";
import { stackOf, toolErrorFrame } from "./tool-error.js";
import { createTurns } from "./turns.js";
import { writeJson } from "./write-json.js";

/** The functions of an engine. They must not depend on globals that code could replace. */
export interface GuestPlatform {
  /** Sends one or more lines, with a line break between them and none at the end. */
  send(lines: string): void;
  /** Monotonic milliseconds from any start. */
  now(): number;
  setTimer(job: () => void, ms: number): number;
  clearTimer(timer: number): void;
  /** Indirect eval of a script; `name` is its name in stacks, for engines that do not read `sourceURL`. */
  evaluate(source: string, name: string): unknown;
}

/** Defences of the guest that a test disables, to show that another one holds. */
type GuestDefence = "deleted-globals" | "no-code-generation" | "private-console";

export interface Guest {
  /** Handles one line of the host, without its end. */
  receive(line: string): void;
  /** Reports unhandled promise rejections; the run continues. */
  rejected(reason: unknown): void;
}

/** Closes the realm and waits for the run. Call it once, before the first line arrives. */
export function startGuest(platform: GuestPlatform, off: readonly string[] = []): Guest {
  const isOn = (defence: GuestDefence): boolean => !off.includes(defence);
  const { evaluate } = platform;
  const outbox = createOutbox(platform.send);
  const warnings: string[] = [];
  const told: ToldMarks = { count: 0 };
  const marks = createPassedMarks(told);
  /** Marks of the open capability calls, by number. */
  const marksInside = new MapOf<number, PassedMarks>();
  let clock: RunClock | undefined;
  let random: RandomStream = createRandomStream("");
  let calls: ToolCalls | undefined;
  /** The speaker of the main code. */
  let speaker: Speaker | undefined;
  let isOver = false;

  const log = createLog((level, text) => {
    if (isOver) return;
    outbox.post({ kind: "log", level, text });
    // The last output before an endless loop is what people look for.
    outbox.flush();
  });
  const console = isOn("private-console") ? createConsole(log) : globalThis.console;

  const linesBefore = installStackText(LINES_BEFORE) ? 0 : LINES_BEFORE;
  installClock(() => clock?.read() ?? 0);
  installRandom(() => random);
  const turns = createTurns({
    setTimer: platform.setTimer,
    clearTimer: platform.clearTimer,
    isWaiting: () => calls?.isWaiting() === true,
    note: (entry) => clock?.note(entry),
  });
  installTimers({
    setTimer: turns.setTimer,
    clearTimer: turns.clearTimer,
    thrown: (reason) => log("error", ["Uncaught in a timer:", reason]),
  });
  defineProperty(globalThis, "console", {
    value: console,
    writable: true,
    enumerable: false,
    configurable: true,
  });
  if (isOn("deleted-globals")) closeGlobals();
  if (isOn("no-code-generation")) closeCodeGeneration();
  return {
    receive(line) {
      const frame = readHostFrame(line);
      if (frame.kind !== "run") turns.answer(() => calls?.settle(frame));
      else if (calls === undefined) run(frame);
    },
    rejected: (reason) => log("warn", ["Unhandled promise rejection:", reason]),
  };

  function run(frame: RunFrame): void {
    const time = createRunClock(frame.startedAt, frame.clock, platform.now);
    clock = time;
    random = createRandomStream(frame.seed);
    turns.begin(frame.clock);
    const post = (next: GuestFrame): void => {
      if (isOver) return;
      if (next.kind === "capability-start") postMarks(next.by);
      else if (next.kind === "capability-end") postLastMarks(next.by);
      outbox.post(next);
    };
    const pml = createPmlObject({ post, now: platform.now, setTimer: platform.setTimer });
    const toolCalls = createToolCalls({
      callsMost: frame.toolCalls,
      seen: turns.seen,
      post(call) {
        if (isOver) return;
        postClock();
        postMarks(call.by);
        outbox.post(call);
      },
      exceed: (limit) => finish(pml, toolCalls, (all) => ({ kind: "limit", limit, warnings: all })),
      warn: (message) => warnOnce(message),
    });
    calls = toolCalls;
    const capabilities: CapabilityCalls = createCapabilityCalls({
      capabilities: frame.capabilities,
      compile: (capability) => compileUnit(capability, capability.ref, evaluate),
      start: (unit, args, by, { calls: named, uses }) =>
        start(unit, args, by, named, uses, uses.isMarking ? marksOfCall(by.call) : undefined),
      post,
      warn: warnOnce,
    });
    const self: Speaker = { call: 0, handle: frame.main.handle };
    speaker = self;

    function start(
      unit: Unit,
      args: Readonly<Record<string, unknown>>,
      by: Speaker,
      named: readonly string[] | undefined,
      uses: FlowUses,
      own: PassedMarks | undefined,
    ): Promise<unknown> {
      const flow = (lifted: object): object => createFlowObject(lifted, own, uses);
      const mcp = createCallObject((path, given, node) =>
        path.length === 1 && capabilities.has(path[0] as string, named)
          ? capabilities.call(path[0] as string, given, node, by)
          : toolCalls.call({ object: "mcp", path, args: given, node, by }),
      );
      const others = createCallObject((path, given, node) =>
        toolCalls.call({ object: "capabilities", path, args: given, node, by }),
      );
      return unit(mcp, others, args, console, pml.object, flow)();
    }

    try {
      const main = compileUnit(frame.main, undefined, evaluate);
      whenSettled(
        start(main, frame.args, self, frame.main.calls, flowUses(frame.main.code), marks),
        (value) => returned(value, pml, toolCalls),
        (reason) => threw(reason, pml, toolCalls),
      );
    } catch (reason) {
      threw(reason, pml, toolCalls);
    }
  }

  function returned(value: unknown, pml: PmlObject, toolCalls: ToolCalls): void {
    const written = writeJson(value, "result");
    switch (written.kind) {
      case "too-large":
        finish(pml, toolCalls, (all) => ({ kind: "limit", limit: "output", warnings: all }));
        return;
      case "refused": {
        const message = `Cannot write the result as JSON: ${written.message}`;
        finish(pml, toolCalls, (all) => threwFrame({ name: "TypeError", message, positions: [] }, all));
        return;
      }
      case "written": {
        const { notFinite, text } = written;
        if (notFinite !== undefined)
          warnOnce(
            `${notFinite.count} number(s) of the result, the first at ${notFinite.first}, are not finite and became null`,
          );
        const usedRandomness = random.isUsed();
        finish(pml, toolCalls, (all) => ({ kind: "returned", usedRandomness, warnings: all, text }));
      }
    }
  }

  function threw(reason: unknown, pml: PmlObject, toolCalls: ToolCalls): void {
    const frame = toolErrorFrame(reason);
    const isPlain = isError(reason) || typeof reason !== "object" || reason === null;
    const thrown = {
      name: nameOfThrown(reason),
      message: isPlain ? messageOfThrown(reason) : inspect(reason),
      positions: positionsIn(stackOf(reason), linesBefore),
      ...(frame === undefined ? {} : { tool: toolPart(frame) }),
    };
    finish(pml, toolCalls, (all) => threwFrame(thrown, all));
  }

  function threwFrame(
    thrown: Omit<Extract<GuestFrame, { kind: "threw" }>, "kind" | "warnings" | "usedRandomness">,
    all: readonly string[],
  ): GuestFrame {
    return { kind: "threw", usedRandomness: random.isUsed(), warnings: all, ...thrown };
  }

  /** Sends the final frame of the run. */
  function finish(pml: PmlObject, toolCalls: ToolCalls, last: (all: readonly string[]) => GuestFrame): void {
    if (isOver) return;
    toolCalls.end();
    if (clock?.isOverfull() === true)
      push(warnings, "The code read the clock too often: the run cannot be replayed");
    pml.end();
    postClock();
    if (speaker !== undefined) postAll(marks, speaker);
    outbox.post(last(warnings));
    isOver = true;
    outbox.flush();
  }

  function postClock(): void {
    turns.tell();
    const entries = clock?.entries() ?? [];
    if (entries.length === 0) return;
    outbox.post({ kind: "clock", entries });
    clock?.clear();
  }

  function marksOfCall(id: number): PassedMarks {
    const own = createPassedMarks(told);
    mapSet(marksInside, id, own);
    return own;
  }

  /** Sends the marks of the calling code before its call. */
  function postMarks(by: Speaker): void {
    const own = by.call === 0 ? marks : mapGet(marksInside, by.call);
    if (own !== undefined && !own.isTalkative()) postAll(own, by);
  }

  function postLastMarks(by: Speaker): void {
    postMarks(by);
    mapDelete(marksInside, by.call);
  }

  function postAll(own: PassedMarks, by: Speaker): void {
    const entries = own.entries();
    if (entries.length === 0) return;
    outbox.post({ kind: "passed", marks: entries, by });
    own.clear();
  }

  function warnOnce(message: string): void {
    if (warnings.length < 20) push(warnings, message);
  }
}

function toolPart(frame: { readonly code: string; readonly tool?: string; readonly content?: string }): {
  readonly code: string;
  readonly tool?: string;
  readonly content?: string;
} {
  return {
    code: frame.code,
    ...(frame.tool === undefined ? {} : { tool: frame.tool }),
    ...(frame.content === undefined ? {} : { content: frame.content }),
  };
}
