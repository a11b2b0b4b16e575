/** A text with invalid syntax, and the line of the error. */
export class BrokenText extends Error {
  override readonly name = "BrokenText";
  readonly line: number | undefined;

  constructor(why: string, line?: number) {
    super(why);
    this.line = line;
  }
}

/** The line of a position in a text, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
