import { StringDecoder } from "node:string_decoder";
import type { KeyInput } from "./key-reader.js";
import { endSpinner } from "./spinner.js";

const LEAVE = new Set(["\u0003", "\u0004"]);
const ENTER = new Set(["\r", "\n"]);
const BACKSPACE = new Set(["\u007f", "\b"]);
const ESCAPE = "\u001b";

/**
 * Reads a person's input at a terminal up to Enter, without showing it. Undefined if the person stops: Ctrl-C, Ctrl-D,
 * the end of the input.
 */
export function hiddenAnswerTo(
  question: string,
  input: KeyInput,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  endSpinner();
  const decoder = new StringDecoder("utf8");
  const typed: string[] = [];
  return new Promise((resolve) => {
    const end = (answer: string | undefined) => {
      input.off("data", onData);
      input.off("end", onEnd);
      input.setRawMode?.(false);
      input.pause();
      output.write("\n");
      resolve(answer);
    };
    const onEnd = () => end(undefined);
    const onData = (chunk: Buffer | string) => {
      const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
      // Arrow keys send escape sequences that contain letters.
      if (text.startsWith(ESCAPE)) return;
      for (const sign of text) {
        if (LEAVE.has(sign)) return end(undefined);
        if (ENTER.has(sign)) return end(typed.join(""));
        if (BACKSPACE.has(sign)) typed.pop();
        else if (sign >= " ") typed.push(sign);
      }
    };
    // Before the question is shown, so that nothing typed after it is echoed.
    input.setRawMode?.(true);
    input.on("data", onData);
    input.once("end", onEnd);
    input.resume();
    output.write(question);
  });
}
