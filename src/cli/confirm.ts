import { createInterface } from "node:readline/promises";

/** Asks a person at a terminal; everything but yes is no, and so is the end of the input. */
export async function isConfirmed(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const lines = createInterface({ input, output });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: ended.signal });
    return /^\s*y(es)?\s*$/i.test(answer);
  } catch (error) {
    if (ended.signal.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}
