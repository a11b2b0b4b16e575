import { createInterface } from "node:readline/promises";
import { endSpinner } from "./spinner.js";

/** Asks a person at a terminal; every answer but yes, and the end of the input, means no. */
export async function isConfirmed(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test((await answerTo(`${question} [y/N] `, input, output)) ?? "");
}

/** A line that the person types at a terminal; undefined at the end of the input. */
export async function answerTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  endSpinner();
  const lines = createInterface({ input, output });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  try {
    return await lines.question(question, { signal: ended.signal });
  } catch (error) {
    if (ended.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}
