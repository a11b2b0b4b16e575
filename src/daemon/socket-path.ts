import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";
import { PmlError } from "../base/pml-error.js";

/** What fits everywhere: 104 bytes on macOS, 108 on Linux, with a zero at the end. Longer paths are cut silently. */
const PATH_BYTES = 103;

/**
 * Where the gateway of a data directory listens. Paths of sockets are short and data directories may lie deep, so
 * the socket has a place of its own, in a directory that only its owner may enter.
 */
export function socketPath(dataDir: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\${socketName(dataDir)}`;
  const { uid } = userInfo();
  const paths = [tmpdir(), "/tmp"].map((parent) => join(parent, `pml-${uid}`, socketName(dataDir)));
  const path = paths.find((candidate) => Buffer.byteLength(candidate) <= PATH_BYTES) ?? paths[1] ?? "";
  makePrivate(join(path, ".."), uid);
  return path;
}

/**
 * Whether a socket is that of this very directory. The owner file says where it is, since a temporary directory may
 * differ from client to client; but it says so in a copy of the directory, too.
 */
export function isSocketOf(dataDir: string, socket: string): boolean {
  return basename(socket.replaceAll("\\", "/")) === socketName(dataDir);
}

function socketName(dataDir: string): string {
  return `${createHash("sha256").update(realpathSync(dataDir)).digest("hex").slice(0, 24)}.sock`;
}

/** Throws where somebody else made the directory, or could put a socket of their own into it. */
function makePrivate(directory: string, uid: number): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stats = lstatSync(directory);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return;
  throw new PmlError(
    "GATEWAY_UNREACHABLE",
    `Cannot use "${directory}" for the gateway's socket: others may write to it`,
    {
      hint: `Remove it, or make it yours with mode 700, or set TMPDIR to a directory of your own.`,
    },
  );
}
