/**
 * Lines of an untrusted file. A line that is too long is not kept in memory; a problem is returned instead.
 *
 * @module
 */

export interface FileLine {
  /** Counted from 1. */
  readonly line: number;
  readonly text?: string;
  /** Why there is no text. */
  readonly problem?: string;
}

const NEWLINE = 0x0a;

/** Without empty lines. Split only at line feeds: JSON may contain all other line separators. */
export async function* fileLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytes: number,
): AsyncGenerator<FileLine> {
  let line = 1;
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array) => {
    size += part.length;
    if (size <= lineBytes) parts.push(part);
    else parts = [];
  };
  const end = (): FileLine | undefined => {
    const ended = size > lineBytes ? { line, problem: tooLong(lineBytes) } : decoded(line, parts);
    parts = [];
    size = 0;
    line += 1;
    return ended;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      const ended = end();
      if (ended !== undefined) yield ended;
      from = at + 1;
    }
    take(chunk.subarray(from));
  }
  const last = end();
  if (last !== undefined) yield last;
}

function tooLong(lineBytes: number): string {
  return `it is longer than ${lineBytes} bytes`;
}

function decoded(line: number, parts: readonly Uint8Array[]): FileLine | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)).trim();
    return text === "" ? undefined : { line, text };
  } catch {
    return { line, problem: "it is not UTF-8" };
  }
}
