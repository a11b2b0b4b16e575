/**
 * Code as the sandbox runs it: every call that is known before the run says which node it is.
 *
 * @module
 */
import type { Edit } from "./edits.js";
import { WRAPPER_CHARS } from "./parse-code.js";
import type { Use } from "./references.js";

/** The node's id as second argument of each call; `node` names the use at that index. */
export function nodeEdits(
  code: string,
  uses: readonly Use[],
  node: (index: number) => string,
): readonly Edit[] {
  const edits: Edit[] = [];
  for (const [index, { call }] of uses.entries()) {
    if (call === undefined || call.arguments.length > 1) continue;
    const [argument] = call.arguments;
    const close = call.end - 1 - WRAPPER_CHARS;
    const id = JSON.stringify(node(index));
    if (argument === undefined) edits.push({ start: close, end: close, text: `undefined, ${id}` });
    else if (argument.type !== "SpreadElement") {
      const comma = hasTrailingComma(code, argument.end - WRAPPER_CHARS, close);
      edits.push({ start: close, end: close, text: comma ? id : `, ${id}` });
    }
  }
  return edits;
}

/** Whether a comma stands between the last argument and the closing bracket, outside of comments. */
function hasTrailingComma(code: string, from: number, to: number): boolean {
  return code
    .slice(from, to)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\r\n\u2028\u2029]*/g, "")
    .includes(",");
}
