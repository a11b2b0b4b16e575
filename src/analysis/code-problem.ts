import type { CodeProblem } from "./analysis.js";
import type { SourceText } from "./source-text.js";

export interface ProblemDetails {
  readonly code: CodeProblem["code"];
  readonly message: string;
  readonly hint?: string | undefined;
  readonly nearest?: readonly string[] | undefined;
}

/** The longest line that a problem quotes whole. */
const LINE_CHARS = 500;

/** A problem at an offset of the code; one outside of it is at its nearest end. */
export function problemAt(source: SourceText, offset: number, details: ProblemDetails): CodeProblem {
  const position = source.position(offset);
  const text = source.line(position.line);
  return {
    code: details.code,
    message: details.message,
    ...position,
    text: text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text,
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.nearest === undefined || details.nearest.length === 0 ? {} : { nearest: details.nearest }),
  };
}

/** In order of position, each said once. */
export function inOrder(problems: readonly CodeProblem[]): readonly CodeProblem[] {
  const seen = new Set<string>();
  return [...problems]
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .filter(({ code, message, line, column }) => {
      const key = `${line}:${column}:${code}:${message}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}
