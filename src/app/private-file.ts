/**
 * Files that no other user may read or write: the keys, and a person's decisions about them. A file that others can
 * access is refused, not repaired: they may already have read or written it.
 *
 * @module
 */
import { type Stats, statSync } from "node:fs";
import { shellWord } from "../base/shell-word.js";
import { readRegularFile } from "../daemon/regular-file.js";

const OTHERS_MAY_ANYTHING = 0o077;
const OTHERS_MAY_WRITE = 0o022;
const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/** Why a file or directory is not trusted, and what to do; without a hint if there is no simple remedy. */
export class NotPrivate extends Error {
  override readonly name = "NotPrivate";
  readonly hint: string | undefined;

  constructor(why: string, hint?: string) {
    super(why);
    this.hint = hint;
  }
}

/** The text of the file, if it exists. Throws {@link NotPrivate} if other users can access it. */
export function readPrivateFile(file: string, most?: number): string | undefined {
  try {
    return readRegularFile(file, {
      ...(most === undefined ? {} : { most }),
      check: (stats) => {
        refuseForeign(stats);
        if (isOpenTo(stats, OTHERS_MAY_ANYTHING))
          throw new NotPrivate(
            `other users may read or write it (mode ${modeText(stats)}, expected 0600)`,
            `\`chmod 600 ${shellWord(file)}\``,
          );
      },
    });
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

/** Throws {@link NotPrivate} if another user owns the file or can write to it. */
export function refuseWritable(file: string, stats: Stats): void {
  refuseForeign(stats);
  if (isOpenTo(stats, OTHERS_MAY_WRITE))
    throw new NotPrivate(
      `other users may write to it (mode ${modeText(stats)})`,
      `\`chmod go-w ${shellWord(file)}\``,
    );
}

/** Throws {@link NotPrivate} if another user can create files in the directory. A missing directory is accepted. */
export function checkPrivateDirectory(directory: string): void {
  const stats = statsOf(directory);
  if (stats === undefined) return;
  refuseForeign(stats);
  if (isOpenTo(stats, OTHERS_MAY_WRITE))
    throw new NotPrivate(
      `other users may write to its directory (mode ${modeText(stats)}, expected 0700)`,
      `\`chmod 700 ${shellWord(directory)}\``,
    );
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

function refuseForeign({ uid }: Stats): void {
  if (process.getuid === undefined || uid === process.getuid()) return;
  throw new NotPrivate(`it belongs to user ${uid}, this is user ${process.getuid()}`);
}

/** Windows has no such modes. */
function isOpenTo({ mode }: Stats, rights: number): boolean {
  return process.platform !== "win32" && (mode & rights) !== 0;
}

function modeText({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
