/**
 * Reads small files of PML's own directories.
 *
 * Such a directory may come from elsewhere. A pipe or a device instead of a file would block a reader for ever, and a
 * huge file would fill the memory: so only regular files up to a size are read.
 *
 * @module
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

/** Enough for every file of PML except lists of tools and capabilities. */
const SMALL_BYTES = 1024 * 1024;

/**
 * The text of the file. Throws if it is missing (`ENOENT`), if it is not a regular file, and if it is larger
 * than `most` bytes. `check` gets the status of the opened file, and throws to refuse it.
 */
export function readRegularFile(file: string, options: RegularFileOptions = {}): string {
  return readRegularBytes(file, options).toString("utf8");
}

interface RegularFileOptions {
  readonly most?: number;
  readonly check?: (stats: Stats) => void;
}

/** The same, as bytes. */
export function readRegularBytes(
  file: string,
  { most = SMALL_BYTES, check }: RegularFileOptions = {},
): Buffer {
  // Without O_NONBLOCK, opening a pipe waits for a writer. Windows has neither.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    check?.(stats);
    return readUpTo(descriptor, most);
  } finally {
    closeSync(descriptor);
  }
}

/** Counts the bytes that it reads and does not rely on the reported size, because the file may grow meanwhile. */
function readUpTo(descriptor: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks);
    bytes += count;
    if (bytes > most) throw new Error(`it has more than ${most} bytes`);
    chunks.push(chunk.subarray(0, count));
  }
}
