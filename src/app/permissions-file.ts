/**
 * Finds and reads `mcp-permissions.yaml`: as text only, since a client that joins needs nothing of it but its hash.
 *
 * It is read once, when a gateway starts. The very text that was read then is what its clients must agree on, so that
 * nobody works under other rules than those of their own file.
 *
 * @module
 */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { type ConfigFile, configProblem } from "./config-file.js";
import { checkTrusted, distrust, trust } from "./trust.js";

export interface PermissionsFile {
  readonly file: string;
  readonly text: string;
}

const PERMISSIONS_NAME = "mcp-permissions.yaml";

/** Where the file is, or would be. */
function permissionsPath({ directory, value }: ConfigFile): string {
  return resolve(directory, typeof value.permissions === "string" ? value.permissions : PERMISSIONS_NAME);
}

/** Throws `CONFIG_UNTRUSTED` unless the file is as it was when its configuration was accepted. */
export function checkPermissionsTrusted(
  config: ConfigFile,
  found: PermissionsFile | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
): void {
  const content = found === undefined ? undefined : Buffer.from(found.text);
  checkTrusted(permissionsPath(config), content, env, "it says what may happen without a question");
}

/** Accepts the file as it is now, or that there is none. */
export function trustPermissions(
  config: ConfigFile,
  found: PermissionsFile | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
): void {
  if (found === undefined) distrust(permissionsPath(config), env);
  else trust(found.file, Buffer.from(found.text), env);
}

/** Reads the file that the configuration names, else the one beside it, if there is one. */
export function readPermissionsFile(config: ConfigFile): PermissionsFile | undefined {
  const path = permissionsPath(config);
  try {
    const { size } = statSync(path);
    if (size > LIMITS.permissionsBytes)
      throw permissionsProblem(path, `it has ${size} bytes, the limit is ${LIMITS.permissionsBytes}`);
    return { file: path, text: readFileSync(path, "utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    if (error instanceof PmlError) throw error;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw permissionsProblem(path, messageOf(error));
    if (config.value.permissions === undefined) return undefined;
    throw configProblem(
      config.file,
      "permissions",
      `there is no "${path}"`,
      "Write it, or leave the key out: then mcp-permissions.yaml beside the configuration counts, if there is one.",
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
