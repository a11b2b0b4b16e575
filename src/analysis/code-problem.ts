import type { CodeProblem } from "./analysis.js";
import type { SourceText } from "./syntax/source-text.js";

export interface ProblemDetails {
  readonly code: CodeProblem["code"];
  readonly message: string;
  readonly hint?: string | undefined;
  readonly nearest?: readonly string[] | undefined;
}

/** The longest line that a problem quotes completely. */
const LINE_CHARS = 500;
/** Code with more of them has larger problems. A search for one kind may stop at one more than this. */
export const PROBLEMS = 100;

/** A problem at an offset of the code; an offset outside of the code is moved to its nearest end. */
export function problemAt(source: SourceText, offset: number, details: ProblemDetails): CodeProblem {
  const position = source.position(offset);
  const text = source.line(position.line, LINE_CHARS + 1);
  return {
    code: details.code,
    message: details.message,
    ...position,
    text: text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text,
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.nearest === undefined || details.nearest.length === 0 ? {} : { nearest: details.nearest }),
  };
}

/** In order of position, without duplicates; if there are too many, the last one says so. */
export function inOrder(problems: readonly CodeProblem[]): readonly CodeProblem[] {
  const seen = new Set<string>();
  const sorted = [...problems]
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .filter(({ code, message, line, column }) => {
      const key = `${line}:${column}:${code}:${message}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  const next = sorted[PROBLEMS];
  if (next === undefined) return sorted;
  const { code, line, column, text } = next;
  const message = `There are more than ${PROBLEMS} problems; the rest are not listed`;
  return [...sorted.slice(0, PROBLEMS), { code, message, line, column, text }];
}

/** The first positions of as many problems as can be reported, in order. */
export function firstPlaces<T>(places: readonly T[], offsetOf: (place: T) => number): readonly T[] {
  if (places.length <= PROBLEMS) return places;
  return [...places].sort((a, b) => offsetOf(a) - offsetOf(b)).slice(0, PROBLEMS + 1);
}
