/**
 * Converts a recording for the changed tools: old arguments to new ones, and old results to new ones.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import type { RecordedCall, Recording } from "../../registry/recording.js";
import type { DriftStep } from "./compare-tools.js";
import type { ToolChange } from "./repairs.js";

export function movedRecording(recording: Recording, drifts: ReadonlyMap<string, ToolChange>): Recording {
  return { ...recording, calls: recording.calls.map((call) => movedCall(call, drifts.get(call.tool))) };
}

function movedCall(call: RecordedCall, change: ToolChange | undefined): RecordedCall {
  if (change === undefined) return call;
  const { drift, renamed } = change;
  const { result, args } = call;
  return {
    ...call,
    tool: renamed ?? call.tool,
    args: movedArguments(args, drift.input),
    ...(result !== undefined && { result: newResult(result, drift.output) }),
  };
}

function movedArguments(
  args: Readonly<Record<string, Json>>,
  steps: readonly DriftStep[],
): Readonly<Record<string, Json>> {
  let made: Json = args;
  for (const step of steps) {
    const at = step.kind === "move" ? step.from : step.path;
    const value = valueAt(made, at);
    if (step.kind === "add") {
      if (value === undefined) made = withValue(made, at, step.value);
    } else if (value === undefined) continue;
    else if (step.kind === "move") made = withValue(withoutValue(made, at), step.to, value);
    else if (step.kind === "convert")
      made = withValue(made, at, step.to === "text" ? String(value) : [value]);
    else if (canonicalJson(value) === canonicalJson(step.from)) made = withValue(made, at, step.to);
  }
  return made as Readonly<Record<string, Json>>;
}

/** Steps convert new results to old ones; this applies them in reverse. */
function newResult(result: Json, steps: readonly DriftStep[]): Json {
  let made = result;
  for (const step of steps) {
    if (step.kind === "convert") {
      const value = valueAt(made, step.path);
      const back =
        step.to === "list" && Array.isArray(value)
          ? value[0]
          : typeof value === "string" && value.trim() !== ""
            ? fromText(value)
            : value;
      if (value !== undefined && back !== undefined) made = withValue(made, step.path, back as Json);
    }
  }
  for (const step of steps) {
    if (step.kind !== "move") continue;
    const value = valueAt(made, step.from);
    if (value !== undefined) made = withValue(withoutValue(made, step.from), step.to, value);
  }
  return made;
}

function fromText(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return String(number) === text ? number : text;
}

function valueAt(value: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path)
    at = isJsonObject(at) ? ((at as Readonly<Record<string, Json>>)[key] as Json | undefined) : undefined;
  return at;
}

function withValue(value: Json, path: readonly string[], set: Json): Json {
  const [first, ...rest] = path;
  if (first === undefined) return set;
  const object = isJsonObject(value) ? (value as Readonly<Record<string, Json>>) : {};
  return { ...object, [first]: withValue(object[first] ?? {}, rest, set) };
}

/** Also removes objects that become empty. */
function withoutValue(value: Json, path: readonly string[]): Json {
  const [first, ...rest] = path;
  if (first === undefined || !isJsonObject(value)) return value;
  const { [first]: inner, ...others } = value as Readonly<Record<string, Json>>;
  if (rest.length === 0 || inner === undefined) return others;
  const left = withoutValue(inner, rest);
  return isJsonObject(left) && Object.keys(left).length === 0 ? others : { ...others, [first]: left };
}
