import { renameSync, writeFileSync } from "node:fs";

/** Writes a file that only its owner reads, and that nobody ever finds half written. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
