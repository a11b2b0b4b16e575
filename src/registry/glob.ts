/**
 * Patterns with `*` for any text; case is ignored.
 *
 * Without backtracking: patterns come from callers, and a regular expression with many stars can take exponential time.
 * One pattern is compared with a hundred thousand texts; most begin differently and are not worth a lowercase copy.
 *
 * @module
 */

/** Undefined if there is no pattern. */
export function globMatcher(pattern: string | undefined): ((text: string) => boolean) | undefined {
  if (pattern === undefined) return undefined;
  const pieces = pattern.toLowerCase().split("*");
  const [first = ""] = pieces;
  const last = pieces.at(-1) ?? "";
  const middle = pieces.slice(1, -1);
  const isPrefix = pieces.length > 1 && pieces.slice(1).every((piece) => piece === "");
  return (given) => {
    const begins = beginsWith(given, first);
    if (begins === false || (begins === true && isPrefix)) return begins;
    const text = given.toLowerCase();
    if (pieces.length === 1) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/** Whether `text` in lower case begins with `lower`; undefined if that cannot be decided with ASCII alone. */
function beginsWith(text: string, lower: string): boolean | undefined {
  for (let at = 0; at < lower.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return undefined;
    const lowered = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (lowered !== lower.charCodeAt(at)) return false;
  }
  return true;
}
