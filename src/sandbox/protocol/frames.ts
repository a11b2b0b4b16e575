/**
 * The messages between the two sides of the sandbox: the guest, beside untrusted code, and the host.
 *
 * A frame is one line of text. Data that is JSON already (results, arguments, answers) follows unchanged behind a tab,
 * so that it is written and read once. The host does not trust frames of a guest; see `guest-frame-codec.ts`.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";

/** What a guest says when it is ready for its run, before any frame. */
export const READY_LINE = "ready";

/** What a guest that can be used again is told after its run: it becomes ready once more, or leaves. */
export const AGAIN_LINE = "again";

/** Objects and lists within one another in results and arguments. */
export const JSON_LEVELS_MOST = 200;

/** A result, and the arguments of one call, as JSON. */
export const TEXT_BYTES_MOST = 8 * 1024 * 1024;

/** Calls that a guest has under way at once; more wait inside it. */
export const CALLS_IN_FLIGHT_MOST = 256;

/** Distinct readings of the clock that are kept for a replay. */
export const CLOCK_ENTRIES_MOST = 10_000;

/** Text that one run may log. */
export const LOG_BYTES_MOST = 64 * 1024;

/** Distinct marks that a guest holds at once; more are dropped. */
export const MARKS_MOST = 20_000;

/** Of the outcome of a decision. */
export const OUTCOME_CHARS_MOST = 200;

/** Arguments of one capability call, as JSON, that the host is told. */
export const ARGS_CHARS_MOST = 64 * 1024;

/** The same of all capability calls of a run. */
export const ARGS_IN_ALL_CHARS_MOST = 4 * 1024 * 1024;

/** Results of capability calls that one run tells of, together: half of what may wait to be read. */
export const RESULTS_IN_ALL_CHARS_MOST = 32 * 1024 * 1024;

/** `[milliseconds since the reading before, how many times it read so]`. */
export type ReadingEntry = readonly [number, number];

/** `[timer, answers that the code had taken in, "timer"]`: it went off then; with 0, none did until then. */
export type TimerEntry = readonly [number, number, "timer"];

/** What a run had of time. */
export type ClockEntry = ReadingEntry | TimerEntry;

/** `[node, outcome, how often]`: the run passed a node that is not a call. */
export type PassedMark = readonly [string, string, number];

/**
 * Which unit of the program says something: the number of the capability call that it runs for, 0 for the main code, and
 * the handle that the host gave to that unit. Code of another unit cannot know it.
 */
export interface Speaker {
  readonly call: number;
  readonly handle: string;
}

export interface GuestUnit {
  /** What the unit shows with all that it says; made by the host for this run. */
  readonly handle: string;
  readonly code: string;
  readonly parameters: readonly string[];
  readonly lifted: readonly string[];
  /** The refs that it may call; all by default. */
  readonly calls?: readonly string[];
}

export interface GuestCapability extends GuestUnit {
  /** An FQDN, or `<fqdn>@<number>` where the code pins a version: two versions of one capability are two units. */
  readonly ref: string;
  readonly displayName: string;
  readonly version: number;
  readonly schema: Json;
  /** All arguments of its calls are told, however many they are. */
  readonly tellsArguments?: boolean;
}

/** The one run of a guest. */
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
  /** How many answers the code had taken in when the call left it. */
  readonly seen: number;
  /** JSON of an object. */
  readonly text: string;
}

/** What there was of time since the last such frame; sent before a call and before the end. */
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
  /** JSON of its arguments with defaults filled in, where they are few or the capability tells all of them. */
  readonly text?: string;
}

export interface CapabilityEndFrame {
  readonly kind: "capability-end";
  /** The unit that has ended. */
  readonly by: Speaker;
  readonly success: boolean;
  /** JSON of what it returned, as far as {@link RESULTS_IN_ALL_CHARS_MOST} goes. */
  readonly text?: string;
}

/** The code went beyond what the guest itself counts; the run is over. */
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
