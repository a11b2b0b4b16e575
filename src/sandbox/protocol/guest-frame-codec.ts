/**
 * Lines from guest to host: `kind TAB header`, and `TAB text` if a frame contains JSON.
 *
 * Writing happens in the guest's realm, where the code may have replaced every method; so headers are built from
 * primitives, and the two functions that are needed are captured before the code runs. Reading happens on the host,
 * which assumes nothing: anything that is not exactly a frame is `undefined`.
 *
 * @module
 */
import {
  type ClockEntry,
  type FramePosition,
  type GuestFrame,
  MARKS_MOST,
  OUTCOME_CHARS_MOST,
  type PassedMark,
  type Speaker,
  type TimerEntry,
} from "./frames.js";

const { stringify, parse } = JSON;
const { hasOwn } = Object;
const TAB = "\t";
const MARKED_NODE = /^[dfjl][1-9]\d{0,5}$/;

/** One line, without its end. Needs no method of the realm, so it works beside code that replaced them. */
export function writeGuestFrame(frame: GuestFrame): string {
  switch (frame.kind) {
    case "call": {
      const header = `{"id":${frame.id},"seen":${frame.seen},"object":${stringify(frame.object)},"path":${texts(frame.path)},${speaker(frame)}${text(frame, "node")}}`;
      return `call\t${header}\t${frame.text}`;
    }
    case "clock":
      return `clock\t{"entries":${list(frame.entries, clockEntry)}}`;
    case "passed":
      return `passed\t{"marks":${list(frame.marks, passedMark)},${speaker(frame)}}`;
    case "log":
      return `log\t{"level":${stringify(frame.level)},"text":${stringify(frame.text)}}`;
    case "progress":
      return `progress\t{"done":${frame.done}${number(frame, "total")}${text(frame, "message")}}`;
    case "hint":
      return `hint\t{"x":0${text(frame, "name")}${text(frame, "description")}}`;
    case "capability-start": {
      const header = `{"id":${frame.id},"ref":${stringify(frame.ref)},${speaker(frame)}${text(frame, "node")}}`;
      return hasOwn(frame, "text")
        ? `capability-start\t${header}\t${frame.text}`
        : `capability-start\t${header}`;
    }
    case "capability-end": {
      const header = `{${speaker(frame)},"success":${frame.success}}`;
      return hasOwn(frame, "text") ? `capability-end\t${header}\t${frame.text}` : `capability-end\t${header}`;
    }
    case "limit":
      return `limit\t{"limit":${stringify(frame.limit)},"warnings":${texts(frame.warnings)}}`;
    case "returned":
      return `returned\t{"usedRandomness":${frame.usedRandomness},"warnings":${texts(frame.warnings)}}\t${frame.text}`;
    case "threw": {
      const what = `"name":${stringify(frame.name)},"message":${stringify(frame.message)}`;
      const where = `"positions":${list(frame.positions, position)}${hasOwn(frame, "tool") ? toolPart(frame.tool) : ""}`;
      return `threw\t{"usedRandomness":${frame.usedRandomness},"warnings":${texts(frame.warnings)},${what},${where}}`;
    }
  }
}

function speaker({ by }: { readonly by: Speaker }): string {
  return `"by":${by.call},"handle":${stringify(by.handle)}`;
}

function toolPart(
  tool: { readonly code: string; readonly tool?: string; readonly content?: string } | undefined,
): string {
  if (tool === undefined) return "";
  return `,"tool":{"code":${stringify(tool.code)}${text(tool, "tool")}${text(tool, "content")}}`;
}

/** An optional field, only if it is the frame's own: code may have put one on `Object.prototype`. */
function text<K extends string>(frame: { readonly [key in K]?: string }, key: K): string {
  const value = hasOwn(frame, key) ? frame[key] : undefined;
  return value === undefined ? "" : `,"${key}":${stringify(value)}`;
}

function number<K extends string>(frame: { readonly [key in K]?: number }, key: K): string {
  const value = hasOwn(frame, key) ? frame[key] : undefined;
  return value === undefined ? "" : `,"${key}":${value}`;
}

function texts(items: readonly string[]): string {
  return list(items, stringify);
}

function clockEntry(entry: ClockEntry): string {
  return entry.length === 2 ? `[${entry[0]},${entry[1]}]` : `[${entry[0]},${entry[1]},"timer"]`;
}

function passedMark(mark: PassedMark): string {
  return `[${stringify(mark[0])},${stringify(mark[1])},${mark[2]}]`;
}

function position(place: FramePosition): string {
  return `{"line":${place.line},"column":${place.column}${text(place, "unit")}}`;
}

function list<T>(items: readonly T[], write: (item: T) => string): string {
  let out = "[";
  for (let index = 0; index < items.length; index += 1)
    out += (index === 0 ? "" : ",") + write(items[index] as T);
  return `${out}]`;
}

/** The frame of a line, or `undefined` if it is not a frame. Its `text` is not checked. */
export function readGuestFrame(line: string): GuestFrame | undefined {
  const headerAt = line.indexOf(TAB) + 1;
  if (headerAt === 0) return undefined;
  const kind = line.slice(0, headerAt - 1);
  const textAt = line.indexOf(TAB, headerAt) + 1;
  const header = parseObject(textAt === 0 ? line.slice(headerAt) : line.slice(headerAt, textAt - 1));
  if (header === undefined) return undefined;
  return frameOf(kind, header, textAt === 0 ? undefined : line.slice(textAt));
}

type Header = Readonly<Record<string, unknown>>;

function frameOf(kind: string, header: Header, payload: string | undefined): GuestFrame | undefined {
  const hasPayload = payload !== undefined;
  const isEither = kind === "capability-start" || kind === "capability-end";
  if (!isEither && (kind === "call" || kind === "returned") !== hasPayload) return undefined;
  switch (kind) {
    case "call":
      return readCall(header, payload ?? "");
    case "clock":
      return isList(header.entries, isClockEntry) ? { kind, entries: header.entries } : undefined;
    case "passed": {
      const { marks } = header;
      const by = readSpeaker(header);
      if (!isList(marks, isMark) || marks.length > MARKS_MOST || by === undefined) return undefined;
      return { kind, marks, by };
    }
    case "log": {
      const { level, text } = header;
      if (level !== "debug" && level !== "info" && level !== "warn" && level !== "error") return undefined;
      return typeof text === "string" ? { kind, level, text } : undefined;
    }
    case "progress": {
      const { done, total, message } = header;
      if (!isNumber(done) || !isMaybe(total, isNumber) || !isMaybe(message, isText)) return undefined;
      return {
        kind,
        done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      };
    }
    case "hint": {
      const { name, description } = header;
      if (!isMaybe(name, isText) || !isMaybe(description, isText)) return undefined;
      return {
        kind,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
      };
    }
    case "capability-start": {
      const { id, ref, node } = header;
      const by = readSpeaker(header);
      if (!isId(id) || !isText(ref) || !isMaybe(node, isText) || by === undefined) return undefined;
      return {
        kind,
        id,
        ref,
        by,
        ...(node === undefined ? {} : { node }),
        ...(hasPayload ? { text: payload } : {}),
      };
    }
    case "capability-end": {
      const { success } = header;
      const by = readSpeaker(header);
      if (by === undefined || typeof success !== "boolean") return undefined;
      return { kind, by, success, ...(hasPayload ? { text: payload } : {}) };
    }
    case "limit": {
      const { limit, warnings } = header;
      if (limit !== "output" && limit !== "arguments" && limit !== "tool-calls") return undefined;
      return isList(warnings, isText) ? { kind, limit, warnings } : undefined;
    }
    case "returned": {
      const { usedRandomness, warnings } = header;
      if (typeof usedRandomness !== "boolean" || !isList(warnings, isText)) return undefined;
      return { kind, usedRandomness, warnings, text: payload ?? "" };
    }
    case "threw":
      return readThrew(header);
    default:
      return undefined;
  }
}

function readCall(header: Header, payload: string): GuestFrame | undefined {
  const { id, object, path, seen, node } = header;
  const by = readSpeaker(header);
  if (!isId(id) || by === undefined || (object !== "mcp" && object !== "capabilities")) return undefined;
  if (!isList(path, isText) || !isCount(seen) || !isMaybe(node, isText)) return undefined;
  return { kind: "call", id, object, path, ...(node === undefined ? {} : { node }), by, seen, text: payload };
}

function readThrew(header: Header): GuestFrame | undefined {
  const { usedRandomness, warnings, name, message, positions, tool } = header;
  if (typeof usedRandomness !== "boolean" || !isList(warnings, isText)) return undefined;
  if (!isText(name) || !isText(message) || !isList(positions, isPosition)) return undefined;
  if (!isMaybe(tool, isTool)) return undefined;
  return {
    kind: "threw",
    usedRandomness,
    warnings,
    name,
    message,
    positions,
    ...(tool === undefined ? {} : { tool }),
  };
}

function readSpeaker({ by, handle }: Header): Speaker | undefined {
  return isCount(by) && isText(handle) ? { call: by, handle } : undefined;
}

function parseObject(json: string): Header | undefined {
  try {
    const value: unknown = parse(json);
    return isHeader(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is Header {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMaybe<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}

function isList<T>(value: unknown, is: (value: unknown) => value is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isClockEntry(value: unknown): value is ClockEntry {
  if (!Array.isArray(value) || !isCount(value[0])) return false;
  return value.length === 2 ? isId(value[1]) : isTimerEntry(value);
}

function isTimerEntry(value: readonly unknown[]): value is TimerEntry {
  return value.length === 3 && isCount(value[1]) && value[2] === "timer";
}

function isMark(value: unknown): value is PassedMark {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [node, outcome, count] = value as readonly unknown[];
  return (
    isText(node) &&
    MARKED_NODE.test(node) &&
    isText(outcome) &&
    outcome.length <= OUTCOME_CHARS_MOST &&
    isId(count)
  );
}

function isPosition(value: unknown): value is FramePosition {
  return isHeader(value) && isId(value.line) && isId(value.column) && isMaybe(value.unit, isText);
}

function isTool(value: unknown): value is { code: string; tool?: string; content?: string } {
  return (
    isHeader(value) && isText(value.code) && isMaybe(value.tool, isText) && isMaybe(value.content, isText)
  );
}
