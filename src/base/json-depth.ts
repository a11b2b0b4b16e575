/**
 * Finds how deep JSON text is nested without parsing it: V8 can parse deeper values than it can write, and writing
 * those crashes.
 *
 * @module
 */
import { LIMITS } from "./limits.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Whether objects and lists are nested deeper than `levels`. */
export function isDeeperThan(text: string, levels: number): boolean {
  if (text.length <= levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at + 1);
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
  return false;
}

/** Parses untrusted JSON; throws `SyntaxError` if it is not JSON or is nested too deep. */
export function parseShallow(text: string): unknown {
  if (isDeeperThan(text, LIMITS.jsonLevels))
    throw new SyntaxError(`it is nested deeper than ${LIMITS.jsonLevels} levels`);
  return JSON.parse(text);
}

/** The end of the string that began before `from`; the engine's own search skips long ones fast. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
