/**
 * Whether an address could have been made from a URI template (RFC 6570), decided in one pass.
 *
 * Templates come from servers. Turned into regular expressions they can take exponential time, on the thread that
 * serves everybody; here the fixed parts are looked for in order, each at its first place. That may claim an address
 * for a template that a careful match would refuse, which costs no more than the server's own "not found".
 *
 * @module
 */
export function matchesTemplate(template: string, uri: string): boolean {
  const [start = "", ...rest] = template.split("{");
  if (!uri.startsWith(start)) return false;
  let at = start.length;
  for (const [index, piece] of rest.entries()) {
    const close = piece.indexOf("}");
    if (close < 0) return false;
    const [operator = ""] = piece;
    const fixed = piece.slice(close + 1);
    const isLast = index === rest.length - 1;
    const end = endOfValue(uri, at, fixed, isLast);
    if (end < at) return false;
    // Only an expression with an operator may hold a slash.
    if (/[\w%]/.test(operator) && uri.slice(at, end).includes("/")) return false;
    at = end + fixed.length;
  }
  return at === uri.length;
}

function endOfValue(uri: string, at: number, fixed: string, isLast: boolean): number {
  if (!isLast) return uri.indexOf(fixed, at);
  return uri.endsWith(fixed) ? uri.length - fixed.length : -1;
}
