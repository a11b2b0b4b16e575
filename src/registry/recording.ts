/**
 * A recording: one run of a capability with everything that came from outside, so that it can be replayed without any
 * tool and compared.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { sha256Hex } from "../base/sha256.js";
import type { Fqdn } from "./fqdn.js";

/** A tool call and its answer. */
export type RecordedCall = {
  /** The node, prefixed by the capability calls that lead to it, with `#k` from its second occurrence on. */
  readonly task: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly result?: Json;
  readonly error?: Readonly<Record<string, Json>>;
  /** The position of its answer, if the code got answers in another order than it called. */
  readonly answer?: number;
};

export type Recording = {
  readonly format: 1;
  /** As the caller gave them. */
  readonly args: Readonly<Record<string, Json>>;
  /** Identifies the structure of the code: for code with another structure, the path is not compared. */
  readonly structure: string;
  readonly calls: readonly RecordedCall[];
  readonly result?: Json;
  /** Name and message of the error that was thrown, if the run failed. */
  readonly error?: { readonly name: string; readonly message: string };
  readonly path: readonly string[];
  /** `d1=true`, and `l1=3` for a loop with three iterations. */
  readonly decisions: readonly string[];
  /** Milliseconds since 1970, if the code read the clock, and what it read; its random values follow from the seed. */
  readonly time?: {
    readonly start: number;
    readonly readings: readonly (readonly [number, number] | readonly [number, number, "timer"])[];
  };
  readonly seed?: string;
};

/** A recording, and its version. */
export interface KeptRecording {
  readonly version: number;
  readonly digest: string;
  readonly recording: Recording;
}

export interface RecordingStore {
  /** The capabilities that have recordings. */
  recorded(): Promise<ReadonlySet<Fqdn>>;
  /** All recordings of a capability, by version and digest. */
  of(fqdn: Fqdn): Promise<readonly KeptRecording[]>;
  /** Replaces the recordings of a version. */
  replace(
    fqdn: Fqdn,
    version: number,
    recordings: readonly Recording[],
    by: string,
  ): Promise<readonly KeptRecording[]>;
}

export function digestOf(recording: Recording): Promise<string> {
  return sha256Hex(canonicalJson(recording));
}

/** The recordings that a version is tested with: those of the newest version up to it that has any. */
export function recordingsFor(all: readonly KeptRecording[], version: number): readonly KeptRecording[] {
  const from = Math.max(0, ...all.filter((one) => one.version <= version).map((one) => one.version));
  return all.filter((one) => one.version === from);
}

/** Whether a value from a file or a database is a valid recording. */
export function isRecording(value: unknown): value is Recording {
  return (
    isJsonObject(value) &&
    value.format === 1 &&
    isJsonObject(value.args) &&
    typeof value.structure === "string" &&
    Array.isArray(value.calls) &&
    value.calls.every(
      (call: unknown) =>
        isJsonObject(call) &&
        typeof call.task === "string" &&
        typeof call.tool === "string" &&
        isJsonObject(call.args) &&
        (call.error === undefined || isJsonObject(call.error)) &&
        (call.answer === undefined || (Number.isSafeInteger(call.answer) && (call.answer as number) > 0)),
    ) &&
    isTexts(value.path) &&
    isTexts(value.decisions) &&
    (value.error === undefined ||
      (isJsonObject(value.error) &&
        typeof value.error.message === "string" &&
        typeof value.error.name === "string")) &&
    (value.seed === undefined || (typeof value.seed === "string" && /^[0-9a-f]{64}$/.test(value.seed))) &&
    (value.time === undefined || isTime(value.time))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTime(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.start === "number" &&
    Number.isFinite(value.start) &&
    Array.isArray(value.readings) &&
    value.readings.every(
      (reading: unknown) =>
        Array.isArray(reading) &&
        reading.length >= 2 &&
        reading.slice(0, 2).every(Number.isFinite) &&
        (reading.length === 2 || (reading.length === 3 && reading[2] === "timer")),
    )
  );
}
