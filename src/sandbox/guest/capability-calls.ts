/**
 * Capabilities of the program as plain functions: compiled when first called, each call with objects of its own, so
 * that what it calls is known to be part of it.
 *
 * @module
 */
import type { CapabilityEndFrame, CapabilityStartFrame, GuestCapability } from "../protocol/frames.js";
import { type ArgumentRules, argumentRules } from "./check-arguments.js";
import type { Unit } from "./compile-unit.js";
import { indexOfText, MapOf, mapGet, mapSet, PromiseOf, whenSettled } from "./primordials.js";
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
  /** Runs a compiled unit as part of the capability call `id`; `calls` are the refs that it may call. */
  start(
    unit: Unit,
    args: Readonly<Record<string, unknown>>,
    id: number,
    calls: readonly string[] | undefined,
  ): Promise<unknown>;
  post(frame: CapabilityStartFrame | CapabilityEndFrame): void;
}

interface Entry {
  readonly capability: GuestCapability;
  unit: Unit | undefined;
  rules: ArgumentRules | undefined;
}

export function createCapabilityCalls(options: CapabilityCallsOptions): CapabilityCalls {
  const { capabilities, post } = options;
  const entries = new MapOf<string, Entry>();
  for (let index = 0; index < capabilities.length; index += 1) {
    const capability = capabilities[index] as GuestCapability;
    mapSet(entries, capability.ref, { capability, unit: undefined, rules: undefined });
  }
  let count = 0;

  function begin(entry: Entry, given: unknown, id: number): Promise<unknown> {
    const { capability } = entry;
    const { displayName, ref, version } = capability;
    const name = indexOfText(ref, "@") < 0 ? displayName : `${displayName}@${version}`;
    const callee = `capability "${name}"`;
    if (given !== undefined) checkArgumentsObject(given, callee);
    entry.rules ??= argumentRules(capability.schema, callee);
    const args = entry.rules.complete(given ?? {});
    entry.unit ??= options.compile(capability);
    return options.start(entry.unit, args, id, capability.calls);
  }

  return {
    has: (ref, calls) => mapGet(entries, ref) !== undefined && isAmong(ref, calls),
    call(ref, args, node, parent) {
      return new PromiseOf((resolve, reject) => {
        const entry = mapGet(entries, ref);
        if (entry === undefined) return;
        const id = count + 1;
        const from = { ...(node === undefined ? {} : { node }), ...(parent === undefined ? {} : { parent }) };
        post({ kind: "capability-start", id, ref, ...from });
        // Only now: where the stack was used up on the way, the number is free.
        count = id;
        const end = (success: boolean): void => post({ kind: "capability-end", id, success });
        try {
          whenSettled(
            begin(entry, args, id),
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
