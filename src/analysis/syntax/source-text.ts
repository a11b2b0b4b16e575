import type { CodePosition } from "../analysis.js";

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** The text that another one was derived from, and the mapping back to it. */
export interface Origin {
  readonly given: SourceText;
  originalOffset(offset: number): number;
}

/**
 * Code with its lines: maps offsets to lines and columns, and back. Lines end as in JavaScript. For a derived text,
 * positions and lines are those of the original.
 */
export class SourceText {
  readonly text: string;
  readonly #starts: readonly number[];
  readonly #origin: Origin | undefined;

  constructor(text: string, origin?: Origin) {
    this.text = text;
    this.#origin = origin;
    const starts = [0];
    for (const match of text.matchAll(LINE_BREAK)) starts.push(match.index + match[0].length);
    this.#starts = starts;
  }

  /** An offset outside of the text is moved to the nearest one inside. */
  position(offset: number): CodePosition {
    const at = Math.max(0, Math.min(offset, this.text.length));
    if (this.#origin !== undefined) return this.#origin.given.position(this.#origin.originalOffset(at));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#starts[low] as number) + 1 };
  }

  /** A position outside of the text is moved to the nearest one inside. */
  offset({ line, column }: CodePosition): number {
    const index = Math.max(0, Math.min(line - 1, this.#starts.length - 1));
    const start = this.#starts[index] as number;
    const end = this.#starts[index + 1] ?? this.text.length;
    return Math.max(start, Math.min(start + column - 1, end));
  }

  /** The text of a line, counted from 1, without its end, truncated to `limit` characters. */
  line(line: number, limit = Number.POSITIVE_INFINITY): string {
    if (this.#origin !== undefined) return this.#origin.given.line(line, limit);
    const start = this.#starts[line - 1];
    if (start === undefined) return "";
    const end = Math.min(this.#starts[line] ?? this.text.length, start + limit);
    return this.text.slice(start, end).replace(/[\r\n\u2028\u2029]+$/, "");
  }

  /** Of every line, including its end. */
  lineLengths(): readonly number[] {
    return this.#starts.map((start, index) => (this.#starts[index + 1] ?? this.text.length) - start);
  }
}
