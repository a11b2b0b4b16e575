/**
 * Which installation owns a data directory. A new directory gets an installation id; one with content is used only if
 * this installation's key has signed its id. Its content is trusted (permanent approvals, pinned tools, names), so it
 * must not come from a repository or from another user.
 *
 * @module
 */

import { lstatSync, readdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import { shellWord } from "../base/shell-word.js";
import { makeDataDirectory } from "../daemon/own-directory.js";
import { fingerprintOf } from "../registry/key-ring.js";
import { sectionOf } from "./config-file.js";
import {
  ID_FILE,
  type IdContent,
  type InstallationId,
  isOwn,
  isSigned,
  makeInstallationId,
  readInstallationId,
  renewInstallationId,
} from "./installation-id.js";
import { type InstallationKey, KEY_FILE, openInstallationKey, signingKeyFile } from "./installation-key.js";
import { realPath } from "./places.js";
import { putBack } from "./replace-directory.js";
import type { Settings } from "./settings.js";
import { writeFirst } from "./write-whole.js";

/** The installation of a gateway. */
export interface Installation {
  readonly key: InstallationKey;
  /** The id of the data directory. */
  readonly id: string;
}

/** Names that PML reads from a data directory, now or in earlier versions. */
const CONTENT: ReadonlySet<string> = new Set([
  ID_FILE,
  KEY_FILE,
  "pgdata",
  "catalogue.json",
  "capabilities.json",
  "trusted-keys.json",
  "signed-again",
]);

/** Files that a starting gateway creates in the directory before it checks the content. */
const RUNTIME = /^(owner\.json(\.new)?|gateway\.log(\.1)?|logs|lock|lock-id|[0-9a-f]+\.lock(-new)?)$/;

/** The signing key for these settings. Throws `CONFIG_INVALID`. */
export function installationKeyOf(settings: Settings): InstallationKey {
  refuseKeyInside(settings);
  const { keyDir, config } = settings;
  const { signingKey } = sectionOf(config, "store");
  return openInstallationKey({
    keyDir,
    directory: config.directory,
    signingKey: typeof signingKey === "string" ? signingKey : undefined,
  });
}

/** The real directory of the file in `store.signingKey`; undefined if it names none. */
export function signingKeyDirectory({ config }: Settings): string | undefined {
  const file = signingKeyFile(config);
  return file === undefined ? undefined : dirname(realPath(file));
}

/** Copying or reading the data must not give access to the key. */
function refuseKeyInside({ dataDir, keyDir }: Settings): void {
  const [data, keys] = [realPath(dataDir), realPath(keyDir)];
  if (keys !== data && !keys.startsWith(`${data}${sep}`)) return;
  throw new PmlError(
    "CONFIG_INVALID",
    `Cannot use the data directory "${dataDir}": the key directory "${keyDir}" is inside it`,
    { hint: "Choose another directory for the data with --data-dir, or for the keys with PML_KEY_DIR." },
  );
}

/** The content of an id for these settings. */
export function idContentOf({ config }: Settings): IdContent {
  return { config: realPath(config.file), configHash: config.hash };
}

/**
 * Why the directory is not new: PML, or a person who prepared it, has put something into it. Undefined if it is new.
 */
function contentOf(directory: string): string | undefined {
  for (const name of entriesOf(directory)) {
    if (CONTENT.has(name)) return `it has "${name}" but no installation id`;
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
    // Otherwise PML would write through a link.
    if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
      return `"${name}" in it is neither a file nor a directory`;
  }
  return undefined;
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/** The id of a directory that this key has signed; undefined for a new directory. Throws `DATA_FOREIGN`. */
export async function checkDataDirectory(
  directory: string,
  key: InstallationKey,
  config: string,
): Promise<InstallationId | undefined> {
  let found: InstallationId | undefined;
  try {
    found = readInstallationId(directory);
  } catch (error) {
    throw foreign(directory, config, messageOf(error));
  }
  if (found === undefined) {
    const content = contentOf(directory);
    if (content === undefined) return undefined;
    throw foreign(directory, config, content);
  }
  if (isOwn(found, key)) return found;
  if (!isSigned(found, key)) throw foreign(directory, config, `the signature in ${ID_FILE} is not valid`);
  const [theirs, ours] = await Promise.all([found.publicKey, key.publicKey].map(fingerprintOf));
  throw foreign(directory, config, `it belongs to the installation with the key ${theirs}, this is ${ours}`);
}

/**
 * Creates a missing directory, gives a new one its id, and throws if a gateway must not start on it. The id is written
 * at once: if the directory was removed under a running gateway, that gateway writes into the new one until it notices.
 */
export async function prepareDataDirectory(
  settings: Settings,
  key = installationKeyOf(settings),
): Promise<void> {
  const { dataDir, config } = settings;
  putBack(realPath(dataDir));
  makeDataDirectory(dataDir);
  const found = await checkDataDirectory(dataDir, key, config.file);
  keepOutOfGit(dataDir);
  if (found === undefined) makeInstallationId(dataDir, key, idContentOf(settings));
}

/** The id of a prepared directory, which the caller owns. Throws `DATA_FOREIGN`. */
export async function claimDataDirectory(settings: Settings, key: InstallationKey): Promise<Installation> {
  const { dataDir, config } = settings;
  const found = await checkDataDirectory(dataDir, key, config.file);
  if (found === undefined) throw foreign(dataDir, config.file, `${ID_FILE} is missing`);
  const content = idContentOf(settings);
  if (found.config !== content.config || found.configHash !== content.configHash)
    renewInstallationId(dataDir, key, content, found.id);
  return { key, id: found.id };
}

/** Keeps a data directory inside a project out of git, unless it also has other files. */
export function keepOutOfGit(directory: string): void {
  if (!entriesOf(directory).every((name) => RUNTIME.test(name) || CONTENT.has(name))) return;
  writeFirst(join(directory, ".gitignore"), "*\n");
}

function foreign(directory: string, config: string, why: string): PmlError {
  return new PmlError(
    "DATA_FOREIGN",
    `Cannot use the data directory "${directory}": this installation did not create it (${why})`,
    {
      hint: `If you know where it comes from, \`pml adopt --data-dir ${shellWord(directory)} --config ${shellWord(config)}\` shows what is in it and takes it over. Otherwise choose another directory with --data-dir.`,
      data: { directory },
    },
  );
}
