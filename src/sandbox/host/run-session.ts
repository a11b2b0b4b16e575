/**
 * The host's side of one run: validates every line of a guest, passes calls to the bridge, and determines the outcome
 * of the run. The same for every engine; an engine transports lines, and reports the end of its guest.
 *
 * Nothing that a guest sends is trusted. Its frames are counted and measured again here, parsed values are passed on
 * and never merged into others, and the first invalid line ends the run.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { isDeeperThan } from "../../base/json-depth.js";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { messageOf } from "../../base/pml-error.js";
import type {
  OrderedCallAnswer,
  SandboxBridge,
  SandboxCall,
  SandboxCallAnswer,
  SandboxLimitName,
  SandboxLimits,
  SandboxOutcome,
  SandboxRun,
} from "../../execution/ports/sandbox.js";
import type { GuestEnd } from "../protocol/broker-frames.js";
import {
  CALLS_IN_FLIGHT_MOST,
  type CallFrame,
  type GuestFrame,
  JSON_LEVELS_MOST,
  type ReturnedFrame,
  TEXT_BYTES_MOST,
  type ThrewFrame,
} from "../protocol/frames.js";
import { readGuestFrame } from "../protocol/guest-frame-codec.js";
import { writeHostFrame } from "../protocol/host-frame-codec.js";
import { createRunRecord } from "./run-record.js";

/** How a session reaches its guest. */
interface GuestWire {
  send(line: string): void;
  /** Kills the guest. This or {@link release} is called once, when the run is over. */
  kill(): void;
  /** Releases the guest, which has sent the final frame of its run itself. */
  release(): void;
}

export interface RunSession {
  /** The line that starts the run. */
  readonly firstLine: string;
  readonly outcome: Promise<SandboxOutcome>;
  receive(line: string): void;
  /** The guest has ended. After the final frame of the run this is ignored. */
  ended(end: SessionEnd): void;
  cancel(): void;
}

export type SessionEnd = GuestEnd | { readonly kind: "lost"; readonly message: string };

/** Defences on this side that a test disables. */
type SessionDefence =
  | "frame-cap"
  | "depth-scan"
  | "pending-calls-cap"
  | "tool-calls-cap"
  | "log-cap"
  | "unit-handles";

export interface RunSessionOptions {
  readonly run: SandboxRun;
  readonly bridge: SandboxBridge;
  readonly wire: GuestWire;
  readonly off?: readonly string[];
}

/** An outcome without the fields that every outcome has. */
type Ending<Outcome = SandboxOutcome> = Outcome extends SandboxOutcome
  ? Omit<Outcome, "clock" | "warnings">
  : never;

const PATH_PARTS_MOST = 2;
const NODE = /^n[1-9]\d{0,5}$/;
const OUT_OF_MEMORY = /out of memory|memory allocation of \d+ bytes failed|Last few GCs/i;
const ALLOCATION_FAILED = "Array buffer allocation failed";

export function createRunSession({ run, bridge, wire, off = [] }: RunSessionOptions): RunSession {
  const isOn = (defence: SessionDefence): boolean => !off.includes(defence);
  const record = createRunRecord(run, bridge, {
    capsLog: isOn("log-cap"),
    checksHandles: isOn("unit-handles"),
  });
  const inFlight = new Map<number, AbortController>();
  /** Answers whose turn has not come, by position. */
  const early = new Map<number, () => void>();
  let lastCall = 0;
  let answers = 0;
  let lastSeen = 0;
  let frameBytes = 0;
  let settle: (outcome: SandboxOutcome) => void = () => {};
  let isOver = false;
  const outcome = new Promise<SandboxOutcome>((resolve) => {
    settle = resolve;
  });

  function finish(ending: Ending, warnings: readonly string[] = [], isOrderly = false): void {
    if (isOver) return;
    isOver = true;
    if (isOrderly) wire.release();
    else wire.kill();
    for (const controller of inFlight.values()) controller.abort();
    inFlight.clear();
    record.close();
    settle({ clock: record.clock(), warnings, ...ending } as SandboxOutcome);
  }

  function exceed(limit: SandboxLimitName, warnings: readonly string[] = []): void {
    finish({ kind: "limit", limit, message: limitMessage(limit, run.limits) }, warnings);
  }

  function misbehave(how: string): void {
    finish({
      kind: "threw",
      name: "SandboxError",
      message: `The run was stopped: its sandbox ${how}`,
      positions: [],
    });
  }

  function take(frame: GuestFrame): void {
    switch (frame.kind) {
      case "call":
        takeCall(frame);
        return;
      case "returned":
        takeReturned(frame);
        return;
      case "threw":
        takeThrew(frame);
        return;
      case "limit":
        exceed(frame.limit, frame.warnings);
        return;
      default:
        if (!record.take(frame, answers)) misbehave(`sent a ${frame.kind} frame that is invalid`);
        else if (record.isOverfull()) exceed("tool-calls");
    }
  }

  function takeCall(frame: CallFrame): void {
    const { id, object, path, node, by, seen, text } = frame;
    if (
      id !== lastCall + 1 ||
      seen < lastSeen ||
      seen > answers ||
      path.length === 0 ||
      path.length > PATH_PARTS_MOST ||
      (node !== undefined && !NODE.test(node)) ||
      !record.isFrom(by)
    ) {
      misbehave("sent a call that is invalid");
      return;
    }
    lastCall = id;
    lastSeen = seen;
    if (isOn("tool-calls-cap") && id > run.limits.toolCalls) {
      exceed("tool-calls");
      return;
    }
    if (isOn("pending-calls-cap") && inFlight.size >= CALLS_IN_FLIGHT_MOST) {
      exceed("pending-calls");
      return;
    }
    const args = parseArguments(text);
    if (args === undefined) {
      misbehave("sent arguments that are not an object");
      return;
    }
    const controller = new AbortController();
    inFlight.set(id, controller);
    const call: SandboxCall = {
      id,
      object,
      path,
      args,
      ...(node === undefined ? {} : { node }),
      ...(by.call === 0 ? {} : { parent: by.call }),
      ...record.clockSinceCall(),
      seen,
    };
    void answer(call, controller.signal);
  }

  function parseArguments(text: string): Readonly<Record<string, Json>> | undefined {
    const parsed = parseJson(text);
    return parsed !== undefined && isJsonObject(parsed.value)
      ? (parsed.value as Readonly<Record<string, Json>>)
      : undefined;
  }

  function parseJson(text: string): { readonly value: unknown } | undefined {
    if (isOn("depth-scan") && isDeeperThan(text, JSON_LEVELS_MOST)) return undefined;
    try {
      return { value: JSON.parse(text) };
    } catch {
      return undefined;
    }
  }

  async function answer(call: SandboxCall, signal: AbortSignal): Promise<void> {
    let given: OrderedCallAnswer;
    try {
      given = await bridge.call(call, signal);
    } catch (error) {
      given = { kind: "error", code: "TOOL_FAILED", message: messageOf(error) };
    }
    if (isOver) return;
    const line = answerLine(call.id, given);
    if (given.order === undefined || given.order <= answers + 1) give(call.id, line);
    else early.set(given.order, () => give(call.id, line));
    for (let next = early.get(answers + 1); next !== undefined; next = early.get(answers + 1)) {
      early.delete(answers + 1);
      next();
    }
  }

  function give(id: number, line: string): void {
    inFlight.delete(id);
    answers += 1;
    wire.send(line);
  }

  function takeReturned({ text, warnings, usedRandomness }: ReturnedFrame): void {
    if (isOn("frame-cap") && Buffer.byteLength(text) > TEXT_BYTES_MOST) {
      exceed("output", warnings);
      return;
    }
    if (parseJson(text) === undefined) {
      misbehave("sent a result that is not JSON");
      return;
    }
    finish({ kind: "returned", text, usedRandomness }, warnings, true);
  }

  function takeThrew({ name, message, positions, tool, warnings, usedRandomness }: ThrewFrame): void {
    // The engine throws this only when the system has refused it memory.
    if (name === "RangeError" && message === ALLOCATION_FAILED) {
      exceed("memory", warnings);
      return;
    }
    const known = record.knownPositions(positions);
    const part = tool === undefined ? {} : { tool };
    finish({ kind: "threw", name, message, positions: known, ...part, usedRandomness }, warnings, true);
  }

  function endedBy(end: SessionEnd): void {
    if (end.kind === "time") exceed("time");
    else if (end.kind === "memory" || end.kind === "backlog") exceed("memory");
    else if (end.kind === "line") exceed("output");
    else if (end.kind === "exit" && OUT_OF_MEMORY.test(end.stderr)) exceed("memory");
    else finish({ kind: "lost", message: lostMessage(end) });
  }

  return {
    firstLine: writeHostFrame({
      kind: "run",
      main: { ...run.program.main, handle: record.handleOf(undefined) },
      capabilities: run.program.capabilities.map((unit) => ({ ...unit, handle: record.handleOf(unit.ref) })),
      args: run.args,
      toolCalls: run.limits.toolCalls,
      seed: run.seed,
      startedAt: run.startedAt,
      clock: run.clock ?? [],
    }),
    outcome,
    receive(line) {
      if (isOver) return;
      frameBytes += line.length;
      if (isOn("frame-cap") && frameBytes > LIMITS.runFrameBytes) {
        exceed("output");
        return;
      }
      const headerEnd = line.indexOf("\t", line.indexOf("\t") + 1);
      const header = headerEnd === -1 ? line : line.slice(0, headerEnd);
      const isSane = !isOn("depth-scan") || !isDeeperThan(header, JSON_LEVELS_MOST);
      const frame = isSane ? readGuestFrame(line) : undefined;
      if (frame === undefined) misbehave("sent an invalid frame");
      else take(frame);
    },
    ended: (end) => endedBy(end),
    cancel: () => finish({ kind: "cancelled" }),
  };
}

function lostMessage(end: SessionEnd): string {
  switch (end.kind) {
    case "lost":
      return end.message;
    case "unstartable":
      return `Cannot start the sandbox: ${end.message}`;
    case "exit":
      return `The process of the run ended with ${end.signal === null ? `code ${end.code}` : `signal ${end.signal}`}`;
    default:
      return "The process of the run was killed from outside";
  }
}

/** An answer must be one line of JSON, regardless of its source. */
function answerLine(id: number, answer: SandboxCallAnswer): string {
  if (answer.kind === "error") {
    const { code, message, tool, content } = answer;
    return writeHostFrame({
      kind: "error",
      id,
      code,
      message,
      ...(tool === undefined ? {} : { tool }),
      ...(content === undefined ? {} : { content }),
    });
  }
  try {
    const text = /[\n\r]/.test(answer.text) ? JSON.stringify(JSON.parse(answer.text)) : answer.text;
    return writeHostFrame({ kind: "value", id, text });
  } catch {
    const message = "The answer of the tool is not JSON";
    return writeHostFrame({ kind: "error", id, code: "TOOL_FAILED", message });
  }
}

/** A sentence without a final period. */
function limitMessage(limit: SandboxLimitName, limits: SandboxLimits): string {
  const most = count(LIMITS.runTimeMostMs);
  switch (limit) {
    case "time":
      return `The run reached its time limit of ${limits.timeMs} ms; raise options.timeout (${most} at most) or sandbox.timeoutMs in the configuration`;
    case "memory":
      return `The run reached its memory limit of ${limits.memoryMb} MiB; work on less at a time, or raise sandbox.memoryMb in the configuration`;
    case "tool-calls":
      return `The run reached its limit of ${count(limits.toolCalls)} tool calls; make fewer, or raise sandbox.toolCalls in the configuration`;
    case "output":
      return `The result is over the output limit of ${mebibytes(LIMITS.runOutputBytes)} MiB, which is fixed; return less, or write the result somewhere with a tool`;
    case "arguments":
      return `The arguments of a call are over the limit of ${mebibytes(TEXT_BYTES_MOST)} MiB, which is fixed; send less at a time`;
    case "pending-calls":
      return `The run had more than ${CALLS_IN_FLIGHT_MOST} tool calls in progress at once, which is the limit; await some before making more`;
  }
}

function mebibytes(bytes: number): number {
  return bytes / (1024 * 1024);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
