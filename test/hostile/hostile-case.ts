/**
 * Hostile code as data: what is run, and what may become of it. Every engine is judged by the same table.
 *
 * In code, `%FILE%` is a file that holds a secret, `%URL%` a server that code may not reach, and `%ENV%` the name of an
 * environment variable of the test that holds another secret.
 *
 * @module
 */
import type { Json } from "../../src/base/canonical-json.js";
import type { SandboxLimitName, SandboxLimits } from "../../src/execution/ports/sandbox.js";

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
  /** So many calls are cancelled at its end. */
  readonly cancelled: number | undefined;
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
  readonly cancelled?: number;
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
    cancelled: options.cancelled,
    isReplayed: options.isReplayed ?? false,
  };
}

/**
 * A case that changes built-ins, twice: where they are frozen it may fail as well, and where the defence is off, which
 * Deno alone can run without, it must hold as it is written.
 */
export function changingBuiltIns(one: HostileCase): readonly HostileCase[] {
  const values = one.expect.kind === "value" ? [one.expect.value] : [];
  const expect: Expectation =
    one.expect.kind === "value" || one.expect.kind === "error" ? { kind: "contained", values } : one.expect;
  const unfrozen = [...one.without, "frozen-built-ins"];
  return [
    {
      ...one,
      expect,
      behindGate: one.behindGate === one.expect ? expect : one.behindGate,
      warnings: undefined,
    },
    { ...one, id: `${one.id} unfrozen`, without: unfrozen, engines: ["deno"] },
  ];
}

/** Tries to replace, redefine and delete every built-in, and to add traps to those that all others inherit from. */
const REPLACE_ALL = `(() => { const evil = function () { throw new Error("replaced"); }, found = new Set();
  const all = [Object, Array, Map, Set, Promise, JSON, Reflect, Math, String, Number, Symbol, RegExp, Error, Date, Proxy, Uint8Array, BigInt, setTimeout, async () => {}, function* () {}, [][Symbol.iterator]()];
  for (const one of all) found.add(one); for (const get of [() => console, () => pml]) try { found.add(get()); } catch {}
  for (const one of found) { const next = [Object.getPrototypeOf(one)];
    for (const key of Reflect.ownKeys(one)) { const own = Object.getOwnPropertyDescriptor(one, key); next.push(own.value, own.get, own.set); }
    for (const each of next) if ((typeof each === "object" && each !== null) || typeof each === "function") found.add(each); }
  const { defineProperty } = Object, { deleteProperty, ownKeys } = Reflect;
  for (const one of found) for (const key of [...ownKeys(one), "toJSON", "then", "0", "1", "6", "get", "set", "value", "text", "by", "handle", "node"]) {
    if (key === "__proto__") continue;
    try { one[key] = evil; } catch {} try { defineProperty(one, key, { get: evil, set: evil, configurable: true }); } catch {}
    try { defineProperty(one, key, { value: evil }); } catch {} try { deleteProperty(one, key); } catch {} } })(); `.replaceAll(
  "\n",
  " ",
);

/** The case with every built-in replaced first, or tried to be: it must hold all the same. */
export function withAllReplaced(one: HostileCase): HostileCase {
  return { ...one, id: `${one.id} with all replaced`, steps: one.steps.map((code) => REPLACE_ALL + code) };
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

/** Any outcome; but a value that the code returns must be one of these. */
export function contained(...values: readonly Json[]): Expectation {
  return { kind: "contained", values };
}

/** The codes of an analysis that refuses. */
export const REFUSED: readonly string[] = ["CODE_REFUSED"];
export const SYNTAX: readonly string[] = ["CODE_SYNTAX"];
export const UNKNOWN_TOOL: readonly string[] = ["TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND"];
