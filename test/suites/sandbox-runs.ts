import type { Json } from "../../src/base/canonical-json.js";
import type {
  ClockReadings,
  OrderedCallAnswer,
  Sandbox,
  SandboxCall,
  SandboxCallAnswer,
  SandboxCapability,
  SandboxEvent,
  SandboxLimits,
  SandboxOutcome,
  SandboxRun,
} from "../../src/execution/ports/sandbox.js";
import type { CapabilityRef } from "../../src/registry/capability-ref.js";
import type { Fqdn } from "../../src/registry/fqdn.js";

export interface TryOptions {
  readonly args?: Readonly<Record<string, Json>>;
  readonly parameters?: readonly string[];
  readonly lifted?: readonly string[];
  readonly calls?: readonly CapabilityRef[];
  readonly capabilities?: readonly SandboxCapability[];
  readonly limits?: Partial<SandboxLimits>;
  readonly seed?: string;
  readonly startedAt?: number;
  readonly clock?: ClockReadings;
  readonly signal?: AbortSignal;
  /** The answer of a tool; default: its path and arguments. */
  readonly call?: (call: SandboxCall, signal: AbortSignal) => Promise<OrderedCallAnswer>;
  readonly onEvent?: (event: SandboxEvent) => void;
  readonly onStarted?: () => void;
}

export interface Tried {
  readonly outcome: SandboxOutcome;
  readonly calls: readonly SandboxCall[];
  readonly events: readonly SandboxEvent[];
}

const SEED = "00112233445566778899aabbccddeeff".repeat(2);
export const STARTED_AT = Date.UTC(2026, 10, 15, 12);

export function value(of: Json): SandboxCallAnswer {
  return { kind: "value", text: JSON.stringify(of) };
}

/** Runs code once, and returns what could be observed from outside. */
export async function tryCode(sandbox: Sandbox, code: string, options: TryOptions = {}): Promise<Tried> {
  const calls: SandboxCall[] = [];
  const events: SandboxEvent[] = [];
  const answer = options.call ?? (async ({ path, args }) => value({ path, args }));
  const outcome = await sandbox.run(
    runOf(code, options),
    {
      started: () => options.onStarted?.(),
      call(call, signal) {
        calls.push(call);
        return answer(call, signal);
      },
      event(event) {
        events.push(event);
        options.onEvent?.(event);
      },
    },
    options.signal ?? new AbortController().signal,
  );
  return { outcome, calls, events };
}

export function runOf(code: string, options: TryOptions = {}): SandboxRun {
  const { args = {}, parameters = [], lifted = [], calls, capabilities = [], clock } = options;
  const main = { code, parameters, lifted, ...(calls === undefined ? {} : { calls }) };
  return {
    program: { main, capabilities },
    args,
    limits: { timeMs: 10_000, memoryMb: 128, toolCalls: 1_000, ...options.limits },
    seed: options.seed ?? SEED,
    startedAt: options.startedAt ?? STARTED_AT,
    ...(clock === undefined ? {} : { clock }),
  };
}

/** The result of the code, or a sentence that says how it ended instead. */
export async function result(sandbox: Sandbox, code: string, options: TryOptions = {}): Promise<unknown> {
  return resultOf((await tryCode(sandbox, code, options)).outcome);
}

export function resultOf(outcome: SandboxOutcome): unknown {
  switch (outcome.kind) {
    case "returned":
      return JSON.parse(outcome.text);
    case "threw":
      return `threw ${outcome.name}: ${outcome.message}`;
    case "limit":
      return `limit ${outcome.limit}: ${outcome.message}`;
    case "lost":
      return `lost: ${outcome.message}`;
    case "cancelled":
      return "cancelled";
  }
}

export function capability(
  action: string,
  code: string,
  more: Partial<Omit<SandboxCapability, "code">> = {},
): SandboxCapability {
  return {
    ref: fqdn(action),
    displayName: `fs:${action}`,
    version: 1,
    code,
    parameters: [],
    lifted: [],
    schema: { type: "object", properties: {} },
    ...more,
  };
}

export function fqdn(action: string): Fqdn {
  return `acme.web.fs.${action}.0000000000ab` as Fqdn;
}
