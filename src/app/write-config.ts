/**
 * Reads and replaces a configuration, for the commands that edit it.
 *
 * @module
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import { configOf, configProblem, readConfigBytes } from "./config-file.js";
import { lockFile } from "./file-lock.js";
import { readPermissionsFile } from "./permissions-file.js";
import { realPath } from "./places.js";
import { configValues } from "./settings.js";
import type { ReadConfig } from "./trust.js";
import { replaceWhole } from "./write-whole.js";

const NEW_MODE = 0o600;
const PERMISSIONS = 0o7777;

/** Parses a configuration from bytes, with the rules that it names. */
export function readAs(file: string, bytes: Buffer, env: Readonly<NodeJS.ProcessEnv>): ReadConfig {
  const config = configOf(file, bytes, configValues(env));
  return { config, bytes, permissions: readPermissionsFile(config) };
}

/** Replaces the file, unless it was changed since it was read. Of two concurrent commands, one is refused. */
export function writeConfig(file: string, before: Buffer | undefined, text: string): void {
  const real = realPath(file);
  try {
    mkdirSync(dirname(real), { recursive: true, mode: 0o700 });
    const unlock = lockFile(real);
    try {
      const now = existsSync(real) ? readConfigBytes(real) : undefined;
      const isSame = before === undefined ? now === undefined : now?.equals(before) === true;
      if (!isSame) throw configProblem(file, "", "it was changed meanwhile", "Run the command again.");
      replaceWhole(real, text, now === undefined ? NEW_MODE : statSync(real).mode & PERMISSIONS);
    } finally {
      unlock();
    }
  } catch (error) {
    if (error instanceof PmlError) throw error;
    throw configProblem(file, "", messageOf(error), "Check that its directory is writable.");
  }
}
