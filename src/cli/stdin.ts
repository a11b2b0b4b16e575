import { readSync } from "node:fs";

const CHUNK_BYTES = 65_536;
const WAIT_MS = 10;

/** The source of input that is not in a file. */
export interface Stdin {
  readonly isTerminal: boolean;
  read(): string;
}

export const STDIN: Stdin = {
  get isTerminal() {
    return process.stdin.isTTY === true;
  },
  read() {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = nextChunk();
      if (chunk?.length === 0) return Buffer.concat(chunks).toString("utf8");
      if (chunk !== undefined) chunks.push(chunk);
    }
  },
};

/** Undefined if the other end of a pipe has not written yet: Node.js creates non-blocking pipes. */
function nextChunk(): Buffer | undefined {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    return chunk.subarray(0, readSync(process.stdin.fd, chunk));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    return undefined;
  }
}
