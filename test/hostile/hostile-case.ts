/**
 * Hostile code as data: what is run, and what may become of it. Every engine is judged by the same table.
 *
 * In code, `%FILE%` is a file that holds a secret, `%URL%` a server that nobody may reach, and `%ENV%` the name of an
 * environment variable of the test that holds another secret.
 *
 * @module
 */
import type { Json } from "../../src/base/canonical-json.js";
import type { SandboxLimitName, SandboxLimits } from "../../src/execution/sandbox.js";

export type EngineName = "deno" | "quickjs";

/** What may become of a run, beside what holds for all: no secret comes out, and the next run is well. */
export type Expectation =
  | { readonly kind: "value"; readonly value: Json }
  /** The code threw, and the message, with its name before it, is like this. */
  | { readonly kind: "error"; readonly like: RegExp }
  | { readonly kind: "limit"; readonly limits: readonly SandboxLimitName[] }
  /** Nothing but what holds for all. */
  | { readonly kind: "anything" }
  /** Any failure will do, and these values. */
  | { readonly kind: "contained"; readonly values: readonly Json[] };

export interface HostileCase {
  readonly id: string;
  /** Runs one after the other; the last one is judged, the others may end as they like. */
  readonly steps: readonly string[];
  readonly expect: Expectation;
  /** Refused before the run, with one of these codes; the code is then run as it is all the same. */
  readonly gate: readonly string[];
  /** What may become of it then, where that is more: some things the gate alone keeps away. */
  readonly behindGate: Expectation;
  /** Defences that this case is there for. */
  readonly defences: readonly string[];
  /** Defences that are switched off to let the code come as far as the one that it is there for. */
  readonly without: readonly string[];
  readonly engines: readonly EngineName[];
  readonly limits: SandboxLimits;
  readonly args: Readonly<Record<string, Json>>;
  /** Calls of tools that may reach the outside, at most. */
  readonly callsMost: number;
  /** How many of them at the same time, at most. */
  readonly callsAtOnceMost: number;
  /** The warnings of the run, one after the other, are like this. */
  readonly warnings: RegExp | undefined;
  /** Runs again with the same seed and the clock of the first run, and must give the same value. */
  readonly isReplayed: boolean;
}

export interface CaseOptions {
  readonly gate?: readonly string[];
  readonly behindGate?: Expectation;
  readonly defences?: readonly string[];
  readonly without?: readonly string[];
  readonly engines?: readonly EngineName[];
  readonly limits?: Partial<SandboxLimits>;
  readonly args?: Readonly<Record<string, Json>>;
  readonly callsMost?: number;
  readonly callsAtOnceMost?: number;
  readonly warnings?: RegExp;
  readonly isReplayed?: boolean;
}

/** Enough for anything that does not try to use it up, also on a machine that is busy. */
const LIMITS: SandboxLimits = { timeMs: 20_000, memoryMb: 64, toolCalls: 50 };

/** The time that loops are given. */
export const LOOP_MS = 250;

/** A case; several steps are runs one after the other. */
export function hostile(
  id: string,
  code: string | readonly string[],
  expect: Expectation,
  options: CaseOptions = {},
): HostileCase {
  return {
    id,
    steps: typeof code === "string" ? [code] : code,
    expect,
    gate: options.gate ?? [],
    behindGate: options.behindGate ?? expect,
    defences: options.defences ?? [],
    without: options.without ?? [],
    engines: options.engines ?? ["deno", "quickjs"],
    limits: { ...LIMITS, ...options.limits },
    args: options.args ?? {},
    callsMost: options.callsMost ?? 0,
    callsAtOnceMost: options.callsAtOnceMost ?? options.callsMost ?? 0,
    warnings: options.warnings,
    isReplayed: options.isReplayed ?? false,
  };
}

export function value(expected: Json): Expectation {
  return { kind: "value", value: expected };
}

export function error(like: RegExp = /./): Expectation {
  return { kind: "error", like };
}

export function limit(...limits: readonly SandboxLimitName[]): Expectation {
  return { kind: "limit", limits };
}

/** Whatever happens, as long as it is none of the values that are not named. */
export function contained(...values: readonly Json[]): Expectation {
  return { kind: "contained", values };
}

/** The codes of an analysis that refuses. */
export const REFUSED: readonly string[] = ["CODE_REFUSED"];
export const SYNTAX: readonly string[] = ["CODE_SYNTAX"];
export const UNKNOWN_TOOL: readonly string[] = ["TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND"];
