/**
 * Which directory `pml adopt` takes over, and where.
 *
 * @module
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PmlError } from "../base/pml-error.js";
import { installationKeyOf } from "./data-directory.js";
import { isOwn, readInstallationId } from "./installation-id.js";
import { movedData } from "./other-data.js";
import { realPath, userDirectory } from "./places.js";
import { earlierDirectory, type Settings } from "./settings.js";

export interface AdoptionPlan {
  readonly from: string;
  /** Equal to `from` if the directory is adopted in place. */
  readonly to: string;
}

/** The arguments of the command line. */
export interface AdoptionChoice {
  readonly directory?: string | undefined;
  /** Whether `settings.dataDir` was named too. */
  readonly namedDataDir: boolean;
}

/** Returns the reason if there is nothing to adopt. Throws `USAGE`. */
export function adoptionPlan(
  settings: Settings,
  { directory, namedDataDir }: AdoptionChoice,
  env: Readonly<NodeJS.ProcessEnv>,
): AdoptionPlan | string {
  const plan =
    directory === undefined
      ? usualPlan(settings, namedDataDir, env)
      : planFor(settings, resolve(directory), namedDataDir, env);
  if (typeof plan === "string") return plan;
  if (!isDirectory(plan.from)) throw new PmlError("USAGE", `There is no directory "${plan.from}"`);
  return isHere(plan, settings) ? `"${plan.from}" already belongs to this installation` : plan;
}

function planFor(
  settings: Settings,
  from: string,
  namedDataDir: boolean,
  env: Readonly<NodeJS.ProcessEnv>,
): AdoptionPlan {
  // Otherwise a person has chosen the directory, and it stays where it is.
  const isMoved =
    from === earlierDirectory(settings.config) || dirname(from) === join(userDirectory(env), "data");
  return { from, to: namedDataDir || isMoved ? settings.dataDir : from };
}

function usualPlan(
  settings: Settings,
  namedDataDir: boolean,
  env: Readonly<NodeJS.ProcessEnv>,
): AdoptionPlan | string {
  const { dataDir, earlierData } = settings;
  if (namedDataDir) return { from: dataDir, to: dataDir };
  if (earlierData !== undefined) return { from: earlierData, to: dataDir };
  const [moved, another] = movedData(settings, env);
  if (another !== undefined)
    throw new PmlError("USAGE", "Several directories match: name one of them", {
      hint: movedData(settings, env)
        .map((one) => `${one.directory} (of ${one.config})`)
        .join(", "),
    });
  if (moved !== undefined) return { from: moved.directory, to: dataDir };
  return existsSync(dataDir)
    ? { from: dataDir, to: dataDir }
    : `There is no data of an earlier PML in "${earlierDirectory(settings.config)}", and none of a moved configuration`;
}

function isHere({ from, to }: AdoptionPlan, settings: Settings): boolean {
  if (realPath(from) !== realPath(to)) return false;
  try {
    const id = readInstallationId(from);
    return id !== undefined && isOwn(id, installationKeyOf(settings));
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
