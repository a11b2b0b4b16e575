/**
 * The configuration file of an MCP client. The file belongs to another program: PML reads it with limits, refuses one
 * that other users could have written, follows links to it, and replaces it as a whole.
 *
 * @module
 */

import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, mkdirSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { CLIENTS, type ClientId, type Machine, userFiles } from "../clients/client-table.js";
import { readRegularBytes } from "../daemon/regular-file.js";
import { realPath } from "./places.js";
import { checkPrivateDirectory, NotPrivate, refuseWritable } from "./private-file.js";
import { replaceWhole } from "./write-whole.js";

export interface OpenedFile {
  readonly client: ClientId;
  /** The real path of the file. */
  readonly file: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
  readonly mode: number;
}

/** For a file that PML creates: it may contain secrets later. */
const NEW_MODE = 0o600;
const PERMISSIONS = 0o7777;

/** The facts about this machine that clients' file paths depend on. */
export function thisMachine(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform = process.platform,
): Machine {
  const home = (platform === "win32" ? env.USERPROFILE : env.HOME) || homedir();
  return { platform, home, env };
}

/** The client's file that PML is written to, and the user's other existing files. */
export function chosenFile(
  client: ClientId,
  machine: Machine,
): { readonly file: string; readonly others: readonly string[] } {
  const files = userFiles(client, machine);
  const [first = ""] = files;
  const file = files.find((one) => existsSync(one)) ?? first;
  return { file, others: files.filter((one) => one !== file && existsSync(one)) };
}

/** Throws `CLIENT_FILE_INVALID` if the file cannot be used. */
export function openClientFile(client: ClientId, path: string): OpenedFile {
  const file = realPath(path);
  let found: Stats | undefined;
  try {
    checkPrivateDirectory(dirname(file));
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
      return { client, file, text: undefined, mode: NEW_MODE };
    const bytes = readRegularBytes(file, {
      most: LIMITS.clientFileBytes,
      check: (stats) => {
        refuseWritable(file, stats);
        found = stats;
      },
    });
    if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
    return { client, file, text: bytes.toString("utf8"), mode: (found?.mode ?? NEW_MODE) & PERMISSIONS };
  } catch (error) {
    const repair =
      error instanceof NotPrivate && error.hint !== undefined
        ? `Review it, then run ${error.hint}.`
        : undefined;
    throw clientFileProblem(client, file, messageOf(error), repair, error);
  }
}

/** Replaces the file, unless it was changed since it was opened. Returns the first directory that had to be created. */
export function writeClientFile(opened: OpenedFile, text: string): string | undefined {
  const { client, file } = opened;
  refuseChanged(opened);
  try {
    const made = mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceWhole(file, text, opened.mode);
    return made;
  } catch (error) {
    throw clientFileProblem(client, file, messageOf(error), "Check that its directory is writable.", error);
  }
}

/** Removes a file that PML created, and the empty directories that it created for it, from `made` downwards. */
export function removeClientFile(opened: OpenedFile, made: string | undefined): void {
  refuseChanged(opened);
  rmSync(opened.file);
  if (made === undefined) return;
  for (
    let directory = dirname(opened.file);
    directory.length >= made.length;
    directory = dirname(directory)
  ) {
    try {
      rmdirSync(directory);
    } catch {
      return;
    }
  }
}

function refuseChanged({ client, file, text }: OpenedFile): void {
  if (openClientFile(client, file).text === text) return;
  throw new PmlError("CLIENT_FILE_CHANGED", `Cannot write "${file}": it was changed meanwhile`, {
    hint: "Close the client, then run the command again.",
    data: { file },
  });
}

export function clientFileProblem(
  client: ClientId,
  file: string,
  why: string,
  hint = "Repair the file, or add PML to it by hand: docs/guides/clients.md shows how.",
  cause?: unknown,
): PmlError {
  return new PmlError(
    "CLIENT_FILE_INVALID",
    `Cannot use the file of ${CLIENTS[client].title}, "${file}": ${why}`,
    {
      hint,
      data: { file },
      cause,
    },
  );
}
