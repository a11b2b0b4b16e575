/**
 * Everything that analysis found wrong with code, as one error.
 *
 * @module
 */
import type { CodeProblem } from "../../analysis/analysis.js";
import { PmlError } from "../../base/pml-error.js";

const PROBLEMS_SHOWN = 20;
const LINE_CHARS = 200;

/** The first decides the code; all are in the message, each with its place and its line. */
export function problemsError(problems: readonly CodeProblem[]): PmlError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  const message = `${shown.map(describe).join("\n")}${more > 0 ? `\n… and ${more} more` : ""}`;
  return new PmlError(first.code, message, {
    hint: first.hint,
    data: { line: first.line, column: first.column, problems: shown.map(asData) },
  });
}

function describe({ message, line, column, text, hint }: CodeProblem, index: number): string {
  const source = text.trim() === "" ? "" : `\n  ${text.slice(0, LINE_CHARS)}`;
  const advice = index > 0 && hint !== undefined ? ` ${hint}` : "";
  return `${message} (line ${line}, column ${column})${advice}${source}`;
}

function asData({ code, message, line, column, nearest }: CodeProblem): Readonly<Record<string, unknown>> {
  return { code, message, line, column, ...(nearest === undefined ? {} : { nearest }) };
}
