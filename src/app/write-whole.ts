import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";

/**
 * Writes a file that only its owner can read. Readers see either the old or the new content, even with two concurrent
 * writers.
 */
export function writeWhole(file: string, text: string): void {
  withDraft(file, text, (draft) => renameSync(draft, file));
}

/** The same for a file of another program, which keeps its permissions; the data is on disk when this returns. */
export function replaceWhole(file: string, text: string, mode: number): void {
  withDraft(file, text, (draft, descriptor) => {
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
    renameSync(draft, file);
  });
}

/**
 * The same, but an existing file is kept, even if another writer created it meanwhile. The data is on disk when this
 * returns.
 */
export function writeFirst(file: string, text: string): void {
  withDraft(file, text, (draft, descriptor) => {
    fsyncSync(descriptor);
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

function withDraft(file: string, text: string, publish: (draft: string, descriptor: number) => void): void {
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  // Never writes through an existing link.
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    publish(draft, descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
