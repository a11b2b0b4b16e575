import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { PmlError } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";

/**
 * The limit on all systems: 104 bytes on macOS, 108 on Linux, including a zero at the end. Longer paths are truncated
 * silently.
 */
const PATH_BYTES = 103;
const PIPES = "\\\\.\\pipe\\";

/**
 * The path of a gateway's socket. Paths of sockets are short and data directories may be deep, so the socket is in a
 * separate directory that only its owner may enter.
 */
export function socketPath(dataDir: string): string {
  if (process.platform === "win32") return `${PIPES}${socketName(dataDir)}`;
  const { uid } = userInfo();
  const paths = [tmpdir(), "/tmp"].map((parent) => join(parent, `pml-${uid}`, socketName(dataDir)));
  const path = paths.find((candidate) => Buffer.byteLength(candidate) <= PATH_BYTES) ?? paths[1] ?? "";
  makePrivate(join(path, ".."), uid);
  return path;
}

/**
 * Whether a socket belongs to this directory and is in a place where no other user could have created it. The owner
 * file contains its path, since the temporary directory may differ from client to client. But a copy of the directory
 * contains the same path, and a directory that came with a repository may contain any path.
 */
export function isSocketOf(dataDir: string, socket: string): boolean {
  if (basename(socket.replaceAll("\\", "/")) !== socketName(dataDir)) return false;
  if (process.platform === "win32") return socket.startsWith(PIPES);
  return isAbsolute(socket) && isPrivate(dirname(socket), userInfo().uid);
}

function socketName(dataDir: string): string {
  return `${sha256(realpathSync(dataDir)).slice(0, 24)}.sock`;
}

/** Throws if another user created the directory, or could create a socket in it. */
function makePrivate(directory: string, uid: number): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (isPrivate(directory, uid)) return;
  throw new PmlError(
    "GATEWAY_UNREACHABLE",
    `Cannot use "${directory}" for the gateway's socket: other users may write to it`,
    {
      hint: `Remove it, or take ownership and set mode 700, or set TMPDIR to a directory of your own.`,
    },
  );
}

function isPrivate(directory: string, uid: number): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o077) === 0;
}
