/**
 * Capabilities of the program: compiled at their first call. Each call gets its own objects, so that its inner calls
 * are known to belong to it. Values between two units are copied as JSON; functions and objects never cross.
 *
 * @module
 */
import {
  ARGS_CHARS_MOST,
  ARGS_IN_ALL_CHARS_MOST,
  type CapabilityEndFrame,
  type CapabilityStartFrame,
  type GuestCapability,
  RESULTS_IN_ALL_CHARS_MOST,
  type Speaker,
  TEXT_BYTES_MOST,
} from "../protocol/frames.js";
import { type ArgumentRules, argumentRules } from "./check-arguments.js";
import type { Unit } from "./compile-unit.js";
import { type FlowUses, flowUses } from "./flow-object.js";
import {
  ErrorOf,
  indexOfText,
  MapOf,
  mapGet,
  mapSet,
  PromiseOf,
  parse,
  RangeErrorOf,
  stringify,
  TypeErrorOf,
  whenSettled,
} from "./primordials.js";
import { crossedError } from "./tool-error.js";
import { checkArgumentsObject, writeJson } from "./write-json.js";

export interface CapabilityCalls {
  /** Whether a unit with these `calls` may call the capability. */
  has(ref: string, calls: readonly string[] | undefined): boolean;
  /** Returns the result of the capability's code. */
  call(ref: string, args: unknown, node: string | undefined, by: Speaker): Promise<unknown>;
}

export interface CapabilityCallsOptions {
  readonly capabilities: readonly GuestCapability[];
  compile(capability: GuestCapability): Unit;
  /** Runs a compiled unit, which identifies itself as `by`. */
  start(
    unit: Unit,
    args: Readonly<Record<string, unknown>>,
    by: Speaker,
    of: { readonly calls: readonly string[] | undefined; readonly uses: FlowUses },
  ): Promise<unknown>;
  post(frame: CapabilityStartFrame | CapabilityEndFrame): void;
  warn(message: string): void;
}

interface Entry {
  readonly capability: GuestCapability;
  readonly calls: readonly string[] | undefined;
  readonly uses: FlowUses;
  unit: Unit | undefined;
  rules: ArgumentRules | undefined;
}

/** Arguments with their defaults, or the error that they caused. */
interface Prepared {
  readonly args: Readonly<Record<string, unknown>> | undefined;
  readonly text: string | undefined;
  readonly thrown: unknown;
}

export function createCapabilityCalls(options: CapabilityCallsOptions): CapabilityCalls {
  const { capabilities, post } = options;
  const entries = new MapOf<string, Entry>();
  for (let index = 0; index < capabilities.length; index += 1) {
    const capability = capabilities[index] as GuestCapability;
    const { ref, calls, code } = capability;
    mapSet(entries, ref, { capability, calls, uses: flowUses(code), unit: undefined, rules: undefined });
  }
  let count = 0;
  let argsLeft = ARGS_IN_ALL_CHARS_MOST;
  let resultsLeft = RESULTS_IN_ALL_CHARS_MOST;

  /**
   * Reading the arguments may run code, which may call other capabilities: so this happens before the call gets its
   * number.
   */
  function prepare(entry: Entry, given: unknown): Prepared {
    try {
      const args = completed(entry, given);
      return { args, text: argsText(args, entry.capability), thrown: undefined };
    } catch (thrown) {
      return { args: undefined, text: undefined, thrown };
    }
  }

  function completed(entry: Entry, given: unknown): Readonly<Record<string, unknown>> {
    const callee = calleeOf(entry);
    if (given !== undefined) checkArgumentsObject(given, callee);
    entry.rules ??= argumentRules(entry.capability.schema, callee);
    return entry.rules.complete(
      given === undefined ? {} : (parse(jsonOf(given, `arguments of ${callee}`)) as object),
    );
  }

  /** Converts a value for another unit. Throws if it cannot be written as JSON. */
  function jsonOf(value: unknown, what: string): string {
    const written = writeJson(value, what);
    if (written.kind === "too-large")
      throw new RangeErrorOf(`Cannot forward ${what}: more than ${TEXT_BYTES_MOST} bytes of JSON`);
    if (written.kind === "refused") throw new TypeErrorOf(`Cannot forward ${what}: ${written.message}`);
    if (written.notFinite !== undefined)
      options.warn(`${written.notFinite.first} is not a finite number, and was sent as null`);
    return written.text;
  }

  /** For traces, long arguments are omitted to save time. If the host compares the arguments, it gets all of them. */
  function argsText(args: object, { tellsArguments }: GuestCapability): string | undefined {
    if (tellsArguments === true) return stringify(args);
    if (argsLeft <= 0) return undefined;
    const text = stringify(args);
    const isShort = text.length <= ARGS_CHARS_MOST;
    // Checking long arguments costs time too.
    argsLeft -= isShort ? text.length : ARGS_CHARS_MOST;
    return isShort ? text : undefined;
  }

  return {
    has: (ref, calls) => mapGet(entries, ref) !== undefined && isAmong(ref, calls),
    call(ref, args, node, by) {
      return new PromiseOf((resolve, reject) => {
        const entry = mapGet(entries, ref);
        if (entry === undefined) return;
        const prepared = prepare(entry, args);
        const { text } = prepared;
        const callSite = new ErrorOf();
        const id = count + 1;
        const own: Speaker = { call: id, handle: entry.capability.handle };
        const at = node === undefined ? {} : { node };
        post({ kind: "capability-start", id, ref, ...at, by, ...(text === undefined ? {} : { text }) });
        // Set only now: if the stack overflows before, the number stays free.
        count = id;
        const succeed = (value: unknown): void => {
          let result: string;
          let copy: unknown;
          try {
            result = jsonOf(value, `the result of ${calleeOf(entry)}`);
            copy = parse(result);
          } catch (thrown) {
            fail(thrown);
            return;
          }
          const isTold = result.length <= resultsLeft;
          if (isTold) resultsLeft -= result.length;
          post({ kind: "capability-end", by: own, success: true, ...(isTold ? { text: result } : {}) });
          resolve(copy);
        };
        const fail = (reason: unknown): void => {
          post({ kind: "capability-end", by: own, success: false });
          reject(crossedError(reason, callSite));
        };
        try {
          if (prepared.args === undefined) throw prepared.thrown;
          entry.unit ??= options.compile(entry.capability);
          whenSettled(options.start(entry.unit, prepared.args, own, entry), succeed, fail);
        } catch (thrown) {
          fail(thrown);
        }
      });
    },
  };
}

/** The name for messages. */
function calleeOf({ capability: { displayName, ref, version } }: Entry): string {
  return `capability "${indexOfText(ref, "@") < 0 ? displayName : `${displayName}@${version}`}"`;
}

function isAmong(ref: string, calls: readonly string[] | undefined): boolean {
  if (calls === undefined) return true;
  for (let index = 0; index < calls.length; index += 1) if (calls[index] === ref) return true;
  return false;
}
