import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import { acceptedFiles } from "./accepted-configs.js";
import { findConfigFile, readConfigBytes, writtenConfig } from "./config-file.js";
import { NoValue, secretNames } from "./config-values.js";
import { keyDirectory, realPath } from "./places.js";
import { SecretStore } from "./secret-store.js";

/** A configuration that uses a secret, and the server that gets it; without a server, another key uses it. */
export interface SecretUse {
  readonly file: string;
  readonly server?: string;
}

/** The names of all secrets, each with the servers that get it, or the file if something else uses it. */
export function keptSecrets(
  file: string,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly { readonly name: string; readonly setAt: string; readonly usedBy: readonly string[] }[] {
  const uses = secretUses(file, env);
  return new SecretStore(env).list().map((one) => ({
    ...one,
    usedBy: [...new Set((uses.get(one.name) ?? []).map((use) => use.server ?? use.file))],
  }));
}

/** The uses of each secret in the current configuration and in all accepted ones, by name. */
export function secretUses(
  named: string | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
): ReadonlyMap<string, readonly SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  const note = (value: unknown, use: SecretUse) => {
    for (const name of namesIn(value)) uses.set(name, [...(uses.get(name) ?? []), use]);
  };
  for (const file of new Set([...foundFile(named, env), ...acceptedFiles(keyDirectory(env))])) {
    const { mcpServers, ...rest } = written(file);
    note(rest, { file });
    for (const [server, entry] of isJsonObject(mcpServers) ? Object.entries(mcpServers) : [])
      note(entry, { file, server });
  }
  return uses;
}

function foundFile(named: string | undefined, env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  try {
    return [realPath(findConfigFile(named, env).file)];
  } catch (error) {
    if (error instanceof PmlError) return [];
    throw error;
  }
}

/** A missing or broken configuration uses nothing. */
function written(file: string): Readonly<Record<string, unknown>> {
  try {
    return writtenConfig(file, readConfigBytes(file));
  } catch (error) {
    if (error instanceof PmlError) return {};
    throw error;
  }
}

function namesIn(value: unknown): ReadonlySet<string> {
  try {
    return secretNames(value);
  } catch (error) {
    if (error instanceof NoValue) return new Set();
    throw error;
  }
}
