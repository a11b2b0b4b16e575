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

/** Writes a file that only its owner can read. Readers see the old or the new content, also with two writers at once. */
export function writeWhole(file: string, text: string): void {
  withDraft(file, text, (draft) => renameSync(draft, file));
}

/** The same for a file of another program, which keeps its permissions; it is on the disk when this returns. */
export function replaceWhole(file: string, text: string, mode: number): void {
  withDraft(file, text, (draft, descriptor) => {
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
    renameSync(draft, file);
  });
}

/** The same, but an existing file is kept, also one of another writer. The file is on the disk when this returns. */
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
  // Never through a link that lies there.
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(descriptor, text);
    publish(draft, descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
