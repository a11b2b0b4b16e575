import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { PmlError } from "../base/pml-error.js";

/**
 * Where the gateway of a data directory listens. Paths of sockets are short (107 bytes on Linux) and data
 * directories may lie deep, so the socket has a place of its own, in a directory that only its owner may enter.
 */
export function socketPath(dataDir: string): string {
  const id = createHash("sha256").update(realpathSync(dataDir)).digest("hex").slice(0, 24);
  if (process.platform === "win32") return `\\\\.\\pipe\\pml-${id}`;
  return join(privateDirectory(), `${id}.sock`);
}

/** Throws where somebody else made the directory, or could put a socket of their own into it. */
function privateDirectory(): string {
  const { uid } = userInfo();
  const directory = join(tmpdir(), `pml-${uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stats = lstatSync(directory);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return directory;
  throw new PmlError(
    "GATEWAY_UNREACHABLE",
    `Cannot use "${directory}" for the gateway's socket: others may write to it`,
    {
      hint: `Remove it, or make it yours with mode 700, or set TMPDIR to a directory of your own.`,
    },
  );
}
