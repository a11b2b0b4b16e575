/**
 * Capabilities of the program as plain functions: compiled when first called, each call with objects of its own, so
 * that what it calls is known to be part of it.
 *
 * @module
 */
import {
  ARGS_CHARS_MOST,
  ARGS_IN_ALL_CHARS_MOST,
  type CapabilityEndFrame,
  type CapabilityStartFrame,
  type GuestCapability,
} from "../protocol/frames.js";
import { type ArgumentRules, argumentRules } from "./check-arguments.js";
import type { Unit } from "./compile-unit.js";
import { type FlowUses, flowUses } from "./flow-object.js";
import { isPlain } from "./plain-json.js";
import { indexOfText, MapOf, mapGet, mapSet, PromiseOf, stringify, whenSettled } from "./primordials.js";
import { checkArgumentsObject } from "./write-json.js";

export interface CapabilityCalls {
  /** Whether there is one that a unit with these `calls` may call. */
  has(ref: string, calls: readonly string[] | undefined): boolean;
  /** What the code of the capability returns. */
  call(ref: string, args: unknown, node: string | undefined, parent: number | undefined): Promise<unknown>;
}

export interface CapabilityCallsOptions {
  readonly capabilities: readonly GuestCapability[];
  compile(capability: GuestCapability): Unit;
  /** Runs a compiled unit as part of the capability call `id`. */
  start(
    unit: Unit,
    args: Readonly<Record<string, unknown>>,
    id: number,
    of: { readonly calls: readonly string[] | undefined; readonly uses: FlowUses },
  ): Promise<unknown>;
  post(frame: CapabilityStartFrame | CapabilityEndFrame): void;
}

interface Entry {
  readonly capability: GuestCapability;
  readonly calls: readonly string[] | undefined;
  readonly uses: FlowUses;
  unit: Unit | undefined;
  rules: ArgumentRules | undefined;
}

/** Arguments with their defaults, or what was thrown because of them. */
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

  /** Reading the arguments may run code, and that may call others: so this comes before the call has its number. */
  function prepare(entry: Entry, given: unknown): Prepared {
    try {
      const args = completed(entry, given);
      return { args, text: argsText(args), thrown: undefined };
    } catch (thrown) {
      return { args: undefined, text: undefined, thrown };
    }
  }

  function completed(entry: Entry, given: unknown): Readonly<Record<string, unknown>> {
    const { capability } = entry;
    const { displayName, ref, version } = capability;
    const name = indexOfText(ref, "@") < 0 ? displayName : `${displayName}@${version}`;
    const callee = `capability "${name}"`;
    if (given !== undefined) checkArgumentsObject(given, callee);
    entry.rules ??= argumentRules(capability.schema, callee);
    return entry.rules.complete(given ?? {});
  }

  /** For the record only, so it may cost little: much of it, and what is no plain data, is left out. */
  function argsText(args: object): string | undefined {
    if (argsLeft <= 0) return undefined;
    try {
      const text = isPlain(args, ARGS_CHARS_MOST) ? stringify(args) : undefined;
      const isShort = text !== undefined && text.length <= ARGS_CHARS_MOST;
      // Looking at much of it has its price too.
      argsLeft -= isShort ? text.length : ARGS_CHARS_MOST;
      return isShort ? text : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    has: (ref, calls) => mapGet(entries, ref) !== undefined && isAmong(ref, calls),
    call(ref, args, node, parent) {
      return new PromiseOf((resolve, reject) => {
        const entry = mapGet(entries, ref);
        if (entry === undefined) return;
        const prepared = prepare(entry, args);
        const { text } = prepared;
        const id = count + 1;
        const from = { ...(node === undefined ? {} : { node }), ...(parent === undefined ? {} : { parent }) };
        post({ kind: "capability-start", id, ref, ...from, ...(text === undefined ? {} : { text }) });
        // Only now: where the stack was used up on the way, the number is free.
        count = id;
        const end = (success: boolean): void => post({ kind: "capability-end", id, success });
        try {
          if (prepared.args === undefined) throw prepared.thrown;
          entry.unit ??= options.compile(entry.capability);
          whenSettled(
            options.start(entry.unit, prepared.args, id, entry),
            (value) => {
              end(true);
              resolve(value);
            },
            (reason) => {
              end(false);
              reject(reason);
            },
          );
        } catch (thrown) {
          end(false);
          reject(thrown);
        }
      });
    },
  };
}

function isAmong(ref: string, calls: readonly string[] | undefined): boolean {
  if (calls === undefined) return true;
  for (let index = 0; index < calls.length; index += 1) if (calls[index] === ref) return true;
  return false;
}
