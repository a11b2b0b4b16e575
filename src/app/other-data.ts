/**
 * Stored data outside of a configuration's data directory that a person may want to adopt: data of an earlier PML
 * beside the configuration, and the directory of a configuration that was moved.
 *
 * @module
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasStore } from "../postgres/open-store.js";
import { idContentOf, installationKeyOf } from "./data-directory.js";
import { type InstallationId, isOwn, readInstallationId } from "./installation-id.js";
import { userDirectory } from "./places.js";
import type { Settings } from "./settings.js";

export function earlierNote(directory: string): string {
  return `Data of an earlier PML in "${directory}" is not used. \`pml adopt\` takes it over.`;
}

/** A data directory of this installation whose configuration no longer exists. */
export interface MovedData {
  readonly directory: string;
  /** The former path of the configuration. */
  readonly config: string;
}

/**
 * The directories whose configuration had the same content as this one and no longer exists: this may be the same file,
 * moved.
 */
export function movedData(settings: Settings, env: Readonly<NodeJS.ProcessEnv>): readonly MovedData[] {
  const parent = join(userDirectory(env), "data");
  if (!existsSync(parent)) return [];
  const key = installationKeyOf(settings);
  const { config, configHash } = idContentOf(settings);
  return readdirSync(parent).flatMap((name) => {
    const directory = join(parent, name);
    const id = idOf(directory);
    if (id === undefined || id.configHash !== configHash || id.config === config) return [];
    if (directory === settings.dataDir || existsSync(id.config)) return [];
    return hasStore(directory) && isOwn(id, key) ? [{ directory, config: id.config }] : [];
  });
}

function idOf(directory: string): InstallationId | undefined {
  try {
    return readInstallationId(directory);
  } catch {
    return undefined;
  }
}
