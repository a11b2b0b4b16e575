/**
 * Lines from host to guest, in the same form as those of `guest-frame-codec.ts`. Here the reader is the guest, after
 * the code may have replaced every method of the realm, so the functions for reading are captured beforehand.
 *
 * @module
 */
import type { ErrorFrame, HostFrame, RunFrame } from "./frames.js";

const { parse, stringify } = JSON;
const { bind, call } = Function.prototype;
const indexOf = bind.call(call, String.prototype.indexOf) as (
  text: string,
  part: string,
  from: number,
) => number;
const slice = bind.call(call, String.prototype.slice) as (text: string, from: number, to?: number) => string;
const TAB = "\t";

/** One line, without its end. */
export function writeHostFrame(frame: HostFrame): string {
  if (frame.kind === "value") return `value\t${frame.id}\t${frame.text}`;
  return `${frame.kind}\t${stringify(frame)}`;
}

/** Parses a line of {@link writeHostFrame}; throws on any other line. */
export function readHostFrame(line: string): HostFrame {
  const restAt = indexOf(line, TAB, 0) + 1;
  const kind = slice(line, 0, restAt - 1);
  if (kind === "value") {
    const textAt = indexOf(line, TAB, restAt) + 1;
    return { kind, id: +slice(line, restAt, textAt - 1), text: slice(line, textAt) };
  }
  if (kind === "run" || kind === "error") return parse(slice(line, restAt)) as RunFrame | ErrorFrame;
  throw new TypeError("Not a frame of the host");
}
