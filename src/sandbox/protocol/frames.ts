/**
 * The messages between the two sides of the sandbox: the guest, next to untrusted code, and the host.
 *
 * A frame is one line of text. Data that already is JSON (results, arguments, answers) follows unchanged after a tab,
 * so that it is written and parsed once. The host does not trust frames of a guest; see `guest-frame-codec.ts`.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";

/** A guest sends this when it is ready for its run, before any frame. */
export const READY_LINE = "ready";

/** A reusable guest receives this after its run: it becomes ready again, or exits. */
export const AGAIN_LINE = "again";

/** Maximum nesting of results and arguments. */
export const JSON_LEVELS_MOST = 200;

/** A result, and the arguments of one call, as JSON. */
export const TEXT_BYTES_MOST = 8 * 1024 * 1024;

/** Open calls of a guest; more wait inside it. */
export const CALLS_IN_FLIGHT_MOST = 256;

/** Distinct clock readings that are recorded for a replay. */
export const CLOCK_ENTRIES_MOST = 10_000;

/** Text that one run may log. */
export const LOG_BYTES_MOST = 64 * 1024;

/** Distinct marks that a guest stores; more are dropped. */
export const MARKS_MOST = 20_000;

/** The length of a decision's outcome. */
export const OUTCOME_CHARS_MOST = 200;

/** Arguments of one capability call, as JSON, that are sent to the host. */
export const ARGS_CHARS_MOST = 64 * 1024;

/** The same for all capability calls of a run. */
export const ARGS_IN_ALL_CHARS_MOST = 4 * 1024 * 1024;

/** Results of capability calls that one run sends in total: half of what may wait to be read. */
export const RESULTS_IN_ALL_CHARS_MOST = 32 * 1024 * 1024;

/** `[milliseconds since the last reading, number of equal readings]`. */
export type ReadingEntry = readonly [number, number];

/**
 * `[timer, number of answers that the code had received, "timer"]`: the timer fired then; with timer 0, none fired
 * until then.
 */
export type TimerEntry = readonly [number, number, "timer"];

/** A recorded reading or timer. */
export type ClockEntry = ReadingEntry | TimerEntry;

/** `[node, outcome, how often]`: the run passed a node that is not a call. */
export type PassedMark = readonly [string, string, number];

/**
 * Identifies the unit of the program that sends a message: by the number of its capability call, 0 for the main code,
 * and by the handle that the host gave to that unit. Code of another unit cannot know the handle.
 */
export interface Speaker {
  readonly call: number;
  readonly handle: string;
}

export interface GuestUnit {
  /** Proof of identity in every message of the unit; created by the host for this run. */
  readonly handle: string;
  readonly code: string;
  readonly parameters: readonly string[];
  readonly lifted: readonly string[];
  /** The refs that it may call; default: all. */
  readonly calls?: readonly string[];
}

export interface GuestCapability extends GuestUnit {
  /** An FQDN, or `<fqdn>@<number>` if the code pins a version: two versions of one capability are two units. */
  readonly ref: string;
  readonly displayName: string;
  readonly version: number;
  readonly schema: Json;
  /** All arguments of its calls are sent, regardless of how many they are. */
  readonly tellsArguments?: boolean;
}

/** The start of a guest's run. */
export interface RunFrame {
  readonly kind: "run";
  readonly main: GuestUnit;
  readonly capabilities: readonly GuestCapability[];
  readonly args: Readonly<Record<string, Json>>;
  readonly toolCalls: number;
  /** 64 hex digits. */
  readonly seed: string;
  readonly startedAt: number;
  readonly clock: readonly ClockEntry[];
}

/** An answer to the call `id`; `text` is JSON. */
export interface ValueFrame {
  readonly kind: "value";
  readonly id: number;
  readonly text: string;
}

export interface ErrorFrame {
  readonly kind: "error";
  readonly id: number;
  readonly code: string;
  readonly message: string;
  readonly tool?: string;
  /** JSON. */
  readonly content?: string;
}

export type HostFrame = RunFrame | ValueFrame | ErrorFrame;

export type CallObject = "mcp" | "capabilities";

export interface CallFrame {
  readonly kind: "call";
  readonly id: number;
  /** Which of the two objects the code called. */
  readonly object: CallObject;
  readonly path: readonly string[];
  readonly node?: string;
  readonly by: Speaker;
  /** How many answers the code had received when the call was made. */
  readonly seen: number;
  /** JSON of an object. */
  readonly text: string;
}

/** Clock entries since the last such frame; sent before a call and before the end. */
interface ClockFrame {
  readonly kind: "clock";
  readonly entries: readonly ClockEntry[];
}

/** Marks since the last such frame, in the order of first passing; sent before a call and before the end. */
interface PassedFrame {
  readonly kind: "passed";
  readonly by: Speaker;
  readonly marks: readonly PassedMark[];
}

export type LogFrameLevel = "debug" | "info" | "warn" | "error";

interface LogFrame {
  readonly kind: "log";
  readonly level: LogFrameLevel;
  readonly text: string;
}

export interface ProgressFrame {
  readonly kind: "progress";
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface HintFrame {
  readonly kind: "hint";
  readonly name?: string;
  readonly description?: string;
}

export interface CapabilityStartFrame {
  readonly kind: "capability-start";
  readonly id: number;
  readonly ref: string;
  readonly node?: string;
  /** The caller. */
  readonly by: Speaker;
  /** JSON of its arguments with defaults, if they are few or the capability sends all of them. */
  readonly text?: string;
}

export interface CapabilityEndFrame {
  readonly kind: "capability-end";
  /** The unit that has ended. */
  readonly by: Speaker;
  readonly success: boolean;
  /** JSON of its result, within {@link RESULTS_IN_ALL_CHARS_MOST}. */
  readonly text?: string;
}

/** The code exceeded a limit that the guest itself checks; the run is over. */
export interface LimitFrame {
  readonly kind: "limit";
  readonly limit: "output" | "arguments" | "tool-calls";
  readonly warnings: readonly string[];
}

export interface ReturnedFrame {
  readonly kind: "returned";
  readonly warnings: readonly string[];
  readonly usedRandomness: boolean;
  /** JSON. */
  readonly text: string;
}

/** `unit` is an FQDN, or absent for the main code. */
export interface FramePosition {
  readonly unit?: string;
  readonly line: number;
  readonly column: number;
}

export interface ThrewFrame {
  readonly kind: "threw";
  readonly warnings: readonly string[];
  readonly usedRandomness: boolean;
  readonly name: string;
  readonly message: string;
  readonly positions: readonly FramePosition[];
  readonly tool?: { readonly code: string; readonly tool?: string; readonly content?: string };
}

export type GuestFrame =
  | CallFrame
  | ClockFrame
  | PassedFrame
  | LogFrame
  | ProgressFrame
  | HintFrame
  | CapabilityStartFrame
  | CapabilityEndFrame
  | LimitFrame
  | ReturnedFrame
  | ThrewFrame;
