/**
 * What would stop a run, beside what analysis finds in the code itself: each with its place, where it has one.
 *
 * @module
 */
import type { Analysis, CallSite, CodePosition } from "../../analysis/analysis.js";
import { SourceText } from "../../analysis/syntax/source-text.js";
import { PmlError } from "../../base/pml-error.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { DryRunProblem } from "../ports/execute-answer.js";

/** The longest line that a problem quotes whole. */
const LINE_CHARS = 500;

/** Problems of one piece of code, gathered one by one. */
export class DryRunProblems {
  readonly #source: SourceText;
  readonly #calls: readonly CallSite[];
  readonly #found: DryRunProblem[] = [];

  constructor(code: string, { calls, problems }: Pick<Analysis, "calls" | "problems">) {
    this.#source = new SourceText(code);
    this.#calls = calls;
    this.#found.push(...problems);
  }

  /** Adds the error of `check` instead of throwing it. */
  async attempt<T>(check: () => T | Promise<T>, at?: CapabilityRef | ToolId): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      this.add(error, at);
      return undefined;
    }
  }

  /** `at` is what the code calls where it goes wrong. */
  add(error: PmlError, at?: CapabilityRef | ToolId): void {
    const { code, message, hint, data } = error;
    const nearest = data?.nearest;
    this.#found.push({
      code,
      message,
      ...(at === undefined ? {} : this.#placeOf(at)),
      ...(hint === undefined ? {} : { hint }),
      ...(isTexts(nearest) && nearest.length > 0 ? { nearest } : {}),
    });
  }

  /** Those that have a place come first, in its order; each is said once. */
  all(): readonly DryRunProblem[] {
    const distinct = new Map(
      this.#found.map((one) => [`${one.line}:${one.column}:${one.code}:${one.message}`, one]),
    );
    const order = ({ line = Number.MAX_SAFE_INTEGER, column = 0 }: DryRunProblem) => ({ line, column });
    return [...distinct.values()].sort((a, b) => {
      const [first, second] = [order(a), order(b)];
      return first.line - second.line || first.column - second.column;
    });
  }

  /** Where the code first calls it. */
  #placeOf(callee: CapabilityRef | ToolId): Partial<CodePosition & { readonly text: string }> {
    const site = this.#calls.find(
      ({ target }) => (target.kind === "tool" ? target.id : target.ref) === callee,
    );
    if (site === undefined) return {};
    const { line, column } = site;
    const text = this.#source.line(line);
    return { line, column, text: text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text };
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
