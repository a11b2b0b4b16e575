/**
 * A recording: one run of a capability with everything that came from outside, so that it can be run again without
 * any tool and compared.
 *
 * @module
 */
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { sha256Hex } from "../base/sha256.js";
import type { Fqdn } from "./fqdn.js";

/** A call of a tool, and what it answered. */
export type RecordedCall = {
  /** The node, with the capability calls that lead to it and `#k` from its second occurrence on. */
  readonly task: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly result?: Json;
  readonly error?: Readonly<Record<string, Json>>;
  /** Which of the answers it was, where the code got them in another order than it called. */
  readonly answer?: number;
};

export type Recording = {
  readonly format: 1;
  /** As the caller gave them. */
  readonly args: Readonly<Record<string, Json>>;
  /** Names the nodes of the code: of code with other nodes, the path is not compared. */
  readonly structure: string;
  readonly calls: readonly RecordedCall[];
  readonly result?: Json;
  /** Of a run that failed: name and message of what was thrown. */
  readonly error?: { readonly name: string; readonly message: string };
  readonly path: readonly string[];
  /** `d1=true`, and `l1=3` for a loop that went round three times. */
  readonly decisions: readonly string[];
  /** Milliseconds since 1970, where the code read the clock, and what it read; its random values follow from the seed. */
  readonly time?: {
    readonly start: number;
    readonly readings: readonly (readonly [number, number] | readonly [number, number, "timer"])[];
  };
  readonly seed?: string;
};

/** A recording, and the version that made it. */
export interface KeptRecording {
  readonly version: number;
  readonly digest: string;
  readonly recording: Recording;
}

export interface RecordingStore {
  /** The capabilities that have any. */
  recorded(): Promise<ReadonlySet<Fqdn>>;
  /** All of a capability, by version and digest. */
  of(fqdn: Fqdn): Promise<readonly KeptRecording[]>;
  /** Those of a version from now on. */
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

/** Those that a version is tested with: of the newest version up to it that has any. */
export function recordingsFor(all: readonly KeptRecording[], version: number): readonly KeptRecording[] {
  const from = Math.max(0, ...all.filter((one) => one.version <= version).map((one) => one.version));
  return all.filter((one) => one.version === from);
}

/** Whether a value that came from a file or a database is one. */
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
