import { readFileSync } from "node:fs";

/** Where code comes from when it is in no file. */
export interface Stdin {
  readonly isTerminal: boolean;
  read(): string;
}

export const STDIN: Stdin = {
  isTerminal: process.stdin.isTTY === true,
  read: () => readFileSync(0, "utf8"),
};
