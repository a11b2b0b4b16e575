import { StringDecoder } from "node:string_decoder";
import { answerTo } from "./confirm.js";

/** The source of keys: a terminal, or a replacement in tests. */
export interface KeyInput extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

const END = new Set(["\u0003", "\u0004"]);
const ESCAPE = "\u001b";

/** Reads one key at a time, without Enter. */
export class KeyReader {
  readonly #input: KeyInput;
  readonly #output: NodeJS.WritableStream;
  readonly #waiting: string[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;
  #decoder = new StringDecoder("utf8");
  readonly #onData = (chunk: Buffer | string) => {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    // Arrow keys send escape sequences that contain letters.
    if (!text.startsWith(ESCAPE)) this.#waiting.push(...text);
    this.#wake?.();
  };
  readonly #onEnd = () => {
    this.#hasEnded = true;
    this.#wake?.();
  };

  constructor(input: KeyInput, output: NodeJS.WritableStream) {
    this.#input = input;
    this.#output = output;
    this.#open();
  }

  /** Undefined if the person stops: Ctrl-C, Ctrl-D, the end of the input. */
  async key(question: string): Promise<string | undefined> {
    this.#output.write(question);
    while (this.#waiting.length === 0 && !this.#hasEnded)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const key = this.#waiting.shift();
    const isOver = key === undefined || END.has(key);
    this.#output.write(isOver || key < " " ? "\n" : `${key}\n`);
    return isOver ? undefined : key;
  }

  /** Reads a line that the person can edit. */
  async line(question: string): Promise<string | undefined> {
    this.close();
    try {
      return await answerTo(question, this.#input, this.#output);
    } finally {
      this.#open();
    }
  }

  /** Restores the terminal. */
  close(): void {
    this.#input.off("data", this.#onData);
    this.#input.off("end", this.#onEnd);
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  #open(): void {
    this.#input.setRawMode?.(true);
    this.#input.on("data", this.#onData);
    this.#input.once("end", this.#onEnd);
    this.#input.resume();
  }
}
