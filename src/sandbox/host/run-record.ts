/**
 * The reports of a run: log, progress, capability calls, path, clock. They are limited in size and checked for
 * plausibility before they are passed on.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { isDeeperThan } from "../../base/json-depth.js";
import { isJsonObject } from "../../base/json-object.js";
import type {
  ClockReadings,
  SandboxBridge,
  SandboxCapability,
  SandboxEvent,
  SandboxPosition,
  SandboxRun,
} from "../../execution/ports/sandbox.js";
import {
  ARGS_CHARS_MOST,
  ARGS_IN_ALL_CHARS_MOST,
  CLOCK_ENTRIES_MOST,
  type ClockEntry,
  type FramePosition,
  type GuestFrame,
  JSON_LEVELS_MOST,
  LOG_BYTES_MOST,
  RESULTS_IN_ALL_CHARS_MOST,
  type Speaker,
  TEXT_BYTES_MOST,
} from "../protocol/frames.js";

type Ref = SandboxCapability["ref"];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type CapabilityStart = Extract<SandboxEvent, { kind: "capability-start" }>;

type RecordFrame = Exclude<GuestFrame, { kind: "call" | "returned" | "threw" | "limit" }>;

export interface RunRecord {
  /** Passes a frame on as an event; false if it cannot be true. `answers` is the number of answers sent so far. */
  take(frame: RecordFrame, answers: number): boolean;
  /** Whether there were more capability calls than a run may make. */
  isOverfull(): boolean;
  /** The secret that a unit must send with every message; `undefined` means the main code. */
  handleOf(unit: Ref | undefined): string;
  /**
   * Whether a message comes from the unit that it claims. Valid also after the capability call has ended,
   * because work that it started may continue.
   */
  isFrom(speaker: Speaker): boolean;
  clock(): ClockReadings;
  /** The clock readings since the last request for them; they are recorded with the next call. */
  clockSinceCall(): { readonly clock?: ClockReadings };
  knownPositions(positions: readonly FramePosition[]): readonly SandboxPosition[];
  /** Ends the capability calls that are still open. */
  close(): void;
}

/** The note at the end of a truncated log, and line ends, are in addition to the guest's own limit. */
const LOG_SLACK_BYTES = 4_096;
const LINES_MOST = LOG_BYTES_MOST;
/** A real guest keeps a lower limit itself. */
const PROGRESS_PER_SECOND = 50;
const HINTS_MOST = 20;
/** Real guests keep a lower limit themselves. */
const MARKS_IN_ALL_MOST = 200_000;
/** Capability calls stay inside the sandbox, but each is an event. */
const CAPABILITY_CALLS_PER_TOOL_CALL = 10;

export interface RecordDefences {
  readonly capsLog: boolean;
  readonly checksHandles: boolean;
}

export function createRunRecord(
  run: SandboxRun,
  bridge: SandboxBridge,
  { capsLog, checksHandles }: RecordDefences,
): RunRecord {
  const known = new Set<string>(run.program.capabilities.map(({ ref }) => ref));
  const telling = new Set<string>(
    run.program.capabilities.flatMap(({ ref, tellsArguments }) => (tellsArguments === true ? [ref] : [])),
  );
  /** By unit; the chance of guessing one is 1 in 2^64. */
  const handles = new Map<string | undefined, string>(
    [undefined, ...known].map((ref) => [ref, randomBytes(8).toString("hex")]),
  );
  /** Units of capability calls, by their numbers from 1. */
  const started: (string | undefined)[] = [undefined];
  const open = new Set<number>();
  const startedAt = performance.now();
  const clock: Mutable<ClockEntry>[] = [];
  let sinceCall: Mutable<ClockEntry>[] = [];
  let timersSeen = 0;
  let argsChars = 0;
  let resultChars = 0;
  let logBytes = 0;
  let logLines = 0;
  let progresses = 0;
  let hints = 0;
  let marks = 0;

  function isFrom({ call, handle }: Speaker): boolean {
    return call < started.length && (!checksHandles || handles.get(started[call]) === handle);
  }

  function tell(event: SandboxEvent): true {
    try {
      bridge.event(event);
    } catch {
      // An error of the listener is not an error of the run.
    }
    return true;
  }

  function takeClock(entries: readonly ClockEntry[], answers: number): boolean {
    for (const entry of entries) {
      if (entry.length === 3) {
        if (entry[1] < timersSeen || entry[1] > answers) return false;
        timersSeen = entry[1];
      }
      if (clock.length >= CLOCK_ENTRIES_MOST && !isSameAgain(entry, clock.at(-1))) return true;
      addEntry(clock, entry);
      addEntry(sinceCall, entry);
    }
    return true;
  }

  function takePassed(frame: Extract<RecordFrame, { kind: "passed" }>): boolean {
    const { call } = frame.by;
    if (!isFrom(frame.by) || (call !== 0 && !open.has(call))) return false;
    marks += frame.marks.length;
    if (marks > MARKS_IN_ALL_MOST) return true;
    return tell({
      kind: "passed",
      ...(call === 0 ? {} : { parent: call }),
      marks: frame.marks.map(([id, outcome, count]) => ({ id, outcome, count })),
    });
  }

  /** The arguments, within the limits that a real guest keeps itself. */
  function argsOf(ref: string, text: string | undefined): Pick<CapabilityStart, "args" | "argsText"> {
    if (text === undefined || isDeeperThan(text, JSON_LEVELS_MOST)) return {};
    const isKept =
      text.length <= ARGS_CHARS_MOST && argsChars + text.length <= ARGS_IN_ALL_CHARS_MOST + ARGS_CHARS_MOST;
    if (!isKept && !telling.has(ref)) return {};
    if (isKept) argsChars += text.length;
    try {
      const args: unknown = JSON.parse(text);
      if (!isJsonObject(args)) return {};
      return {
        ...(isKept ? { argsText: text } : {}),
        ...(telling.has(ref) ? { args: args as CapabilityStart["args"] & object } : {}),
      };
    } catch {
      return {};
    }
  }

  /** The result, within the limits that a real guest keeps itself. */
  function resultOf(text: string | undefined): { readonly text?: string } {
    if (text === undefined || Buffer.byteLength(text) > TEXT_BYTES_MOST) return {};
    resultChars += text.length;
    if (resultChars > RESULTS_IN_ALL_CHARS_MOST || isDeeperThan(text, JSON_LEVELS_MOST)) return {};
    try {
      JSON.parse(text);
      return { text };
    } catch {
      return {};
    }
  }

  function takeLog(frame: Extract<RecordFrame, { kind: "log" }>): boolean {
    logBytes += Buffer.byteLength(frame.text);
    logLines += 1;
    const isFull = logBytes > LOG_BYTES_MOST + LOG_SLACK_BYTES || logLines > LINES_MOST;
    return capsLog && isFull ? true : tell(frame);
  }

  function takeProgress(frame: Extract<RecordFrame, { kind: "progress" }>): boolean {
    progresses += 1;
    const most = PROGRESS_PER_SECOND * (1 + (performance.now() - startedAt) / 1000);
    return progresses > most ? true : tell(frame);
  }

  return {
    take(frame, answers) {
      switch (frame.kind) {
        case "clock":
          return takeClock(frame.entries, answers);
        case "passed":
          return takePassed(frame);
        case "log":
          return takeLog(frame);
        case "progress":
          return takeProgress(frame);
        case "hint":
          hints += 1;
          return hints > HINTS_MOST ? true : tell(frame);
        case "capability-start": {
          const { kind, id, ref, node, by, text } = frame;
          if (id !== started.length || !known.has(ref) || !isFrom(by)) return false;
          started.push(ref);
          open.add(id);
          return tell({
            kind,
            id,
            ref: ref as Ref,
            ...(node === undefined ? {} : { node }),
            ...(by.call === 0 ? {} : { parent: by.call }),
            ...argsOf(ref, text),
          });
        }
        case "capability-end":
          return (
            isFrom(frame.by) &&
            open.delete(frame.by.call) &&
            tell({
              kind: frame.kind,
              id: frame.by.call,
              success: frame.success,
              ...(frame.success ? resultOf(frame.text) : {}),
            })
          );
      }
    },
    isOverfull: () => started.length - 1 > run.limits.toolCalls * CAPABILITY_CALLS_PER_TOOL_CALL,
    handleOf: (unit) => handles.get(unit) ?? "",
    isFrom,
    clock: () => clock,
    clockSinceCall() {
      if (sinceCall.length === 0) return {};
      const readings = sinceCall;
      sinceCall = [];
      return { clock: readings };
    },
    knownPositions: (positions) =>
      positions.flatMap(({ unit, line, column }) => {
        if (unit === undefined) return [{ line, column }];
        return known.has(unit) ? [{ unit: unit as Ref, line, column }] : [];
      }),
    close() {
      for (const id of [...open].reverse())
        tell({ kind: "capability-end", id, success: false, isUnfinished: true });
      open.clear();
    },
  };
}

/** Adds an entry; equal consecutive readings are counted in one entry. */
function addEntry(entries: Mutable<ClockEntry>[], entry: ClockEntry): void {
  const last = entries.at(-1);
  if (last !== undefined && isSameAgain(entry, last)) last[1] += entry[1];
  else entries.push([...entry]);
}

function isSameAgain(entry: ClockEntry, last: ClockEntry | undefined): boolean {
  return entry.length === 2 && entry[0] === 0 && last?.length === 2;
}
