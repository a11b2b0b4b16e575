/**
 * The locations of PML's own files: outside of every project, because files in a project come with the project.
 *
 * The keys and a person's acceptances are separate from the data: a copy or a backup of the data never contains them.
 *
 * @module
 */

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { sha256 } from "../base/sha256.js";

type Environment = Readonly<Record<string, string | undefined>>;

export function homeDirectory(env: Environment): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** The directory of all PML files of this user. */
export function userDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, "pml");
  const home = homeDirectory(env);
  if (platform === "darwin") return join(home, "Library", "Application Support", "pml");
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "pml");
  return join(home, ".local", "share", "pml");
}

/**
 * The directory of the signing key, the trusted keys, the accepted configurations and the PIN. `PML_KEY_DIR` names
 * another one, for containers, where data and keys are two volumes.
 */
export function keyDirectory(env: Environment, platform: NodeJS.Platform = process.platform): string {
  return env.PML_KEY_DIR ? resolve(env.PML_KEY_DIR) : join(userDirectory(env, platform), "keys");
}

/** The data directory of a configuration file. Different files never share one, but links to the same file do. */
export function dataDirectoryOf(
  configFile: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string {
  const real = realPath(configFile);
  const name = basename(dirname(real))
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .slice(0, 40);
  const hash = sha256(real).slice(0, 16);
  return join(userDirectory(env, platform), "data", `${name || "root"}-${hash}`);
}

/** The path with links followed, as far as the file exists. */
export function realPath(file: string): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** The directory of the user's own configuration. */
export function userConfigDirectory(env: Readonly<NodeJS.ProcessEnv>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "pml");
}
