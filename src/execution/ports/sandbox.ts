/**
 * The port to the sandbox: what runs a program that has been analysed, within limits, and answers what became of it.
 *
 * The code reaches the outside through {@link SandboxBridge} and nothing else. Results cross as JSON text that has
 * been measured, never as objects of the guest.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";

/** One function of a program: JavaScript without types, the body of an async function, in strict mode. */
export interface SandboxUnit {
  readonly code: string;
  /** Identifiers that the code uses without declaring them: bound to the arguments of these names. */
  readonly parameters: readonly string[];
  /** Arguments that the code does not see in `args`: each stands for a literal, where it is given. */
  readonly lifted: readonly string[];
  /**
   * The capabilities of the program that this code names (default: all). The author of this code may not be
   * allowed to call a capability that only another unit names.
   */
  readonly calls?: readonly CapabilityRef[];
}

/** A capability beside the main code: calling it is a plain function call inside the sandbox. */
export interface SandboxCapability extends SandboxUnit {
  /** What code calls it by: one version that is pinned is a unit beside the newest. */
  readonly ref: CapabilityRef;
  /** For messages, which add a version that is pinned. */
  readonly displayName: string;
  readonly version: number;
  /** JSON Schema of its arguments: defaults are filled in, missing, unknown and wrong ones refused. */
  readonly schema: Json;
  /**
   * The guest sends all arguments of its calls to the host, which compares them with what a person was shown.
   */
  readonly tellsArguments?: boolean;
}

export interface SandboxProgram {
  readonly main: SandboxUnit;
  /** All that the code calls as `mcp["<ref>"]`, and all that those call. */
  readonly capabilities: readonly SandboxCapability[];
}

export interface SandboxLimits {
  readonly timeMs: number;
  readonly memoryMb: number;
  readonly toolCalls: number;
}

/**
 * What a run had of time, in order: readings of its clock, `[milliseconds since the one before, how many times it read
 * so]`; and timers, `[timer, answers that the code had taken in, "timer"]`, for one that went off then, or with 0 for
 * none until then. That of all calls of a run, one behind the other, is that of the run so far.
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
  /** Of an earlier run, to be had again before real time is. */
  readonly clock?: ClockReadings;
}

/** A call of a tool, as the code wrote it. */
export interface SandboxCall {
  /** Counts from 1 within the run. */
  readonly id: number;
  readonly object: "mcp" | "capabilities";
  /** `["fs", "readFile"]` for `mcp.fs.readFile`, `["fs:read_file"]` for `mcp["fs:read_file"]`. */
  readonly path: readonly string[];
  readonly args: Readonly<Record<string, Json>>;
  /** The node of the static structure that calls, as far as known. */
  readonly node?: string;
  /** The capability call that it is part of; absent in the main code. */
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

/** An answer with its place among the answers of the run, counted from 1: it waits for those that come before it. */
export type OrderedCallAnswer = SandboxCallAnswer & { readonly order?: number | undefined };

/** The answer to the code: `text` is JSON. */
export type SandboxCallAnswer =
  | { readonly kind: "value"; readonly text: string }
  /** Thrown in the code as a `ToolError`; `content` is the tool's own, as JSON. */
  | {
      readonly kind: "error";
      readonly code: string;
      readonly message: string;
      readonly tool?: string;
      readonly content?: string;
    };

/** A node that is no call, and was passed; decisions have an outcome, and an iteration is `again`. */
export interface PassedNode {
  readonly id: string;
  readonly outcome: string;
  readonly count: number;
}

export type SandboxEvent =
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly text: string }
  | { readonly kind: "progress"; readonly done: number; readonly total?: number; readonly message?: string }
  | { readonly kind: "hint"; readonly name?: string; readonly description?: string }
  /** In the order of first passing since the last such event, and before the call that followed. */
  | {
      readonly kind: "passed";
      /** The capability call whose code it is; absent for the main code. */
      readonly parent?: number;
      readonly marks: readonly PassedNode[];
    }
  /** `id` counts capability calls within the run; `parent` is the capability call it is part of. */
  | {
      readonly kind: "capability-start";
      readonly id: number;
      readonly ref: CapabilityRef;
      readonly node?: string;
      readonly parent?: number;
      /** The arguments with defaults filled in, as JSON, where they are plain data and few; as the code says. */
      readonly argsText?: string;
      /** The same for a capability that tells its arguments, however many they are. */
      readonly args?: Readonly<Record<string, Json>>;
    }
  | {
      readonly kind: "capability-end";
      readonly id: number;
      readonly success: boolean;
      /** What it returned, as JSON, as the code says; left out where a run has told too much of that already. */
      readonly text?: string;
      /** It was still under way when the run ended. */
      readonly isUnfinished?: true;
    };

/** The functions that the gateway provides to a run. */
export interface SandboxBridge {
  /** The program has a process, and starts now. */
  started?(): void;
  /**
   * Never rejects; `signal` is aborted when the answer is no longer needed. Either all answers of a run have an `order`,
   * or none has: then the code gets them as they come.
   */
  call(call: SandboxCall, signal: AbortSignal): Promise<OrderedCallAnswer>;
  event(event: SandboxEvent): void;
}

/** Where in the code something was thrown: which unit (absent: the main code), line and column from 1. */
export interface SandboxPosition {
  readonly unit?: CapabilityRef;
  readonly line: number;
  readonly column: number;
}

export type SandboxLimitName = "time" | "memory" | "output" | "tool-calls" | "pending-calls" | "arguments";

interface SandboxEnd {
  readonly clock: ClockReadings;
  readonly warnings: readonly string[];
  /** Whether the code drew random values; absent where it was not there to say so at the end. */
  readonly usedRandomness?: boolean;
}

interface SandboxReturned extends SandboxEnd {
  readonly kind: "returned";
  readonly text: string;
}

/** The code threw, or returned what is no JSON. */
export interface SandboxThrew extends SandboxEnd {
  readonly kind: "threw";
  readonly name: string;
  readonly message: string;
  /** Innermost first; only positions in code of the program. */
  readonly positions: readonly SandboxPosition[];
  /** Where a tool's error was not caught. */
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
  /** Why it is not active, or what it is set to. */
  readonly detail?: string;
}

export interface SandboxStatus {
  readonly engine: "deno" | "quickjs";
  readonly version: string;
  readonly state: "ready" | "failed";
  readonly problem?: string;
  /** Why this engine, and not another one. */
  readonly reason?: string;
  /** Processes that wait for a run. */
  readonly ready: number;
  readonly running: number;
  readonly defences: readonly SandboxDefence[];
}

export interface Sandbox {
  /** Answers what became of the run; rejects only for faults of our own. */
  run(run: SandboxRun, bridge: SandboxBridge, signal: AbortSignal): Promise<SandboxOutcome>;
  status(): Promise<SandboxStatus>;
  close(): Promise<void>;
}
