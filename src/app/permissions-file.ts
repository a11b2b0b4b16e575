/**
 * Finds and reads `mcp-permissions.yaml`, only as text, since a joining client needs just its hash.
 *
 * It is read once, when a gateway starts. A client joins only if its own file has the same text, so every client works
 * under the rules of its own file.
 *
 * @module
 */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { type ConfigFile, configProblem, isEndless } from "./config-file.js";

export interface PermissionsFile {
  readonly file: string;
  readonly text: string;
}

export const PERMISSIONS_NAME = "mcp-permissions.yaml";

/** The path of the file, even if it does not exist. */
export function permissionsPath({ directory, value }: Pick<ConfigFile, "directory" | "value">): string {
  return resolve(directory, typeof value.permissions === "string" ? value.permissions : PERMISSIONS_NAME);
}

/** Reads the configured file, else the one beside the configuration, if it exists. */
export function readPermissionsFile(config: ConfigFile): PermissionsFile | undefined {
  const path = permissionsPath(config);
  try {
    const stats = statSync(path);
    if (isEndless(stats)) throw permissionsProblem(path, "it is not a regular file");
    if (stats.size > LIMITS.permissionsBytes)
      throw permissionsProblem(path, `it has ${stats.size} bytes, the limit is ${LIMITS.permissionsBytes}`);
    return { file: path, text: readFileSync(path, "utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    if (error instanceof PmlError) throw error;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw permissionsProblem(path, messageOf(error));
    if (config.value.permissions === undefined) return undefined;
    throw configProblem(
      config.file,
      "permissions",
      `there is no "${path}"`,
      "Create it, or remove the key to use mcp-permissions.yaml beside the configuration.",
    );
  }
}

/** `where` is a key of the file, a line, or both. */
export function permissionsProblem(
  file: string,
  why: string,
  where: { readonly key?: string; readonly line?: number } = {},
): PmlError {
  const { key, line } = where;
  const at = key === undefined || key === "" ? "" : ` at ${key}`;
  const place = line === undefined ? "" : ` (line ${line})`;
  return new PmlError("CONFIG_INVALID", `Cannot use the permissions "${file}": ${why}${at}${place}`, {
    data: { file, ...where },
  });
}
