/**
 * The port to the sandbox, which runs an analysed program within limits and returns the outcome.
 *
 * The code reaches the outside only through {@link SandboxBridge}. Results cross as JSON text of limited size, never as
 * objects of the guest.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";

/** One function of a program: JavaScript without types, the body of an async function, in strict mode. */
export interface SandboxUnit {
  readonly code: string;
  /** Identifiers that the code uses without declaring them: bound to the arguments with these names. */
  readonly parameters: readonly string[];
  /** Arguments that the code does not see in `args`: each replaces a literal, if it is given. */
  readonly lifted: readonly string[];
  /**
   * The capabilities of the program that this code names (default: all). The author of this code may not be
   * allowed to call a capability that only another unit names.
   */
  readonly calls?: readonly CapabilityRef[];
}

/** A capability of the program: calling it is a plain function call inside the sandbox. */
export interface SandboxCapability extends SandboxUnit {
  /** The reference in the code: a pinned version is a separate unit from the newest. */
  readonly ref: CapabilityRef;
  /** For messages, which add the version if it is pinned. */
  readonly displayName: string;
  readonly version: number;
  /** JSON Schema of its arguments: defaults are filled in; missing, unknown and wrong arguments are rejected. */
  readonly schema: Json;
  /**
   * The guest sends all arguments of its calls to the host, which compares them with what a person was shown.
   */
  readonly tellsArguments?: boolean;
}

export interface SandboxProgram {
  readonly main: SandboxUnit;
  /** All capabilities that the code calls as `mcp["<ref>"]`, directly or indirectly. */
  readonly capabilities: readonly SandboxCapability[];
}

export interface SandboxLimits {
  readonly timeMs: number;
  readonly memoryMb: number;
  readonly toolCalls: number;
}

/**
 * What a run has read of the time, in order: readings of its clock, `[milliseconds since the last one, number of equal
 * readings]`; and timers, `[timer, number of answers that the code had received, "timer"]` for a timer that fired then,
 * or with timer 0 for none until then. Concatenated over all calls, this covers the run so far.
 */
export type ClockReadings = readonly (readonly [number, number] | readonly [number, number, "timer"])[];

export interface SandboxRun {
  readonly program: SandboxProgram;
  readonly args: Readonly<Record<string, Json>>;
  readonly limits: SandboxLimits;
  /** 64 hex digits: all randomness of the run follows from it. */
  readonly seed: string;
  /** Milliseconds since 1970 at which the run's own clock starts. */
  readonly startedAt: number;
  /** Readings of an earlier part of the run, to be replayed before real time is used. */
  readonly clock?: ClockReadings;
}

/** A tool call as written in the code. */
export interface SandboxCall {
  /** Counts from 1 within the run. */
  readonly id: number;
  readonly object: "mcp" | "capabilities";
  /** `["fs", "readFile"]` for `mcp.fs.readFile`, `["fs:read_file"]` for `mcp["fs:read_file"]`. */
  readonly path: readonly string[];
  readonly args: Readonly<Record<string, Json>>;
  /** The node of the static structure that makes the call, if known. */
  readonly node?: string;
  /** The capability call that it belongs to; absent in the main code. */
  readonly parent?: number;
  /**
   * Readings of the clock and timers since the previous call. They are kept with the call, so that a run that ended in
   * between can be replayed.
   */
  readonly clock?: ClockReadings;
  /**
   * How many answers the code had received when it made the call; never fewer than at the call before. All calls that
   * have seen fewer than k answers are made before the k-th arrives: so a replay, which gives the same answers in the
   * same order, can wait for these calls before it gives the k-th.
   */
  readonly seen: number;
}

/** An answer with its position among the answers of the run, counted from 1: it waits for the earlier ones. */
export type OrderedCallAnswer = SandboxCallAnswer & { readonly order?: number | undefined };

/** The answer to the code: `text` is JSON. */
export type SandboxCallAnswer =
  | { readonly kind: "value"; readonly text: string }
  /** Thrown in the code as a `ToolError`; `content` is the tool's content as JSON. */
  | {
      readonly kind: "error";
      readonly code: string;
      readonly message: string;
      readonly tool?: string;
      readonly content?: string;
    };

/** A passed node that is not a call; decisions have an outcome, and an iteration is `again`. */
export interface PassedNode {
  readonly id: string;
  readonly outcome: string;
  readonly count: number;
}

export type SandboxEvent =
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly text: string }
  | { readonly kind: "progress"; readonly done: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "hint"; readonly name?: string; readonly description?: string }
  /** Nodes passed since the last such event and before the next call, in the order of first passing. */
  | {
      readonly kind: "passed";
      /** The capability call that the code belongs to; absent for the main code. */
      readonly parent?: number;
      readonly marks: readonly PassedNode[];
    }
  /** `id` counts capability calls within the run; `parent` is the capability call it belongs to. */
  | {
      readonly kind: "capability-start";
      readonly id: number;
      readonly ref: CapabilityRef;
      readonly node?: string;
      readonly parent?: number;
      /** The arguments with defaults as JSON, if they are plain data and few; reported by the code. */
      readonly argsText?: string;
      /** The arguments, for a capability that sends them, regardless of how many they are. */
      readonly args?: Readonly<Record<string, Json>>;
    }
  | {
      readonly kind: "capability-end";
      readonly id: number;
      readonly success: boolean;
      /** Its result as JSON, reported by the code; absent if the run has already reported too much. */
      readonly text?: string;
      /** It had not ended when the run ended. */
      readonly isUnfinished?: true;
    };

/** The functions that the gateway provides to a run. */
export interface SandboxBridge {
  /** The program has a process and starts now. */
  started?(): void;
  /**
   * Never rejects; `signal` is aborted when the answer is no longer needed. Either all answers of a run have an
   * `order`, or none has: then the code gets them in order of arrival.
   */
  call(call: SandboxCall, signal: AbortSignal): Promise<OrderedCallAnswer>;
  event(event: SandboxEvent): void;
}

/** The position in the code where something was thrown: which unit (absent: the main code), line and column from 1. */
export interface SandboxPosition {
  readonly unit?: CapabilityRef;
  readonly line: number;
  readonly column: number;
}

export type SandboxLimitName = "time" | "memory" | "output" | "tool-calls" | "pending-calls" | "arguments";

interface SandboxEnd {
  readonly clock: ClockReadings;
  readonly warnings: readonly string[];
  /** Whether the code used random values; absent if the guest did not survive to report it. */
  readonly usedRandomness?: boolean;
}

interface SandboxReturned extends SandboxEnd {
  readonly kind: "returned";
  readonly text: string;
}

/** The code threw, or returned a value that is not JSON. */
export interface SandboxThrew extends SandboxEnd {
  readonly kind: "threw";
  readonly name: string;
  readonly message: string;
  /** Innermost first; only positions in the program's code. */
  readonly positions: readonly SandboxPosition[];
  /** Present if a tool's error was not caught. */
  readonly tool?: { readonly code: string; readonly tool?: string; readonly content?: string };
}

export type SandboxFailure =
  | SandboxThrew
  | (SandboxEnd & { readonly kind: "limit"; readonly limit: SandboxLimitName; readonly message: string })
  /** Its process ended, probably not because of the code. */
  | (SandboxEnd & { readonly kind: "lost"; readonly message: string })
  | (SandboxEnd & { readonly kind: "cancelled" });

export type SandboxOutcome = SandboxReturned | SandboxFailure;

export interface SandboxDefence {
  readonly name: string;
  readonly active: boolean;
  /** Why it is not active, or its setting. */
  readonly detail?: string;
}

export interface SandboxStatus {
  readonly engine: "deno" | "quickjs";
  readonly version: string;
  readonly state: "ready" | "failed";
  readonly problem?: string;
  /** Why this engine was chosen. */
  readonly reason?: string;
  /** Processes that wait for a run. */
  readonly ready: number;
  readonly running: number;
  readonly defences: readonly SandboxDefence[];
}

export interface Sandbox {
  /** Returns the outcome of the run; rejects only for faults of PML itself. */
  run(run: SandboxRun, bridge: SandboxBridge, signal: AbortSignal): Promise<SandboxOutcome>;
  status(): Promise<SandboxStatus>;
  close(): Promise<void>;
}
