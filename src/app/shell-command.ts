/**
 * The command line that a person pastes into a shell, in any directory, to reach the gateway with these settings.
 *
 * @module
 */
import { accessSync, constants } from "node:fs";
import { basename, delimiter, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../base/shell-word.js";
import type { Scope } from "../registry/scope.js";
import { type Settings, scopeOfConfig } from "./settings.js";

/** The command of this package. It is named to a person here, and not loaded. */
export const MAIN = join(fileURLToPath(new URL("../../", import.meta.url)), "dist", "cli", "main.js");

/** `pml WORDS…` with everything that the gateway is found by. */
export function shellCommand(
  settings: Pick<Settings, "config" | "dataDir" | "isDataDirNamed">,
  words: readonly string[],
  scope?: string,
): string {
  const { config, dataDir, isDataDirNamed } = settings;
  const where = [
    ...["--config", config.file],
    ...(isDataDirNamed === true ? ["--data-dir", dataDir] : []),
    ...(scope === undefined ? [] : ["--scope", scope]),
  ];
  return [...pmlProgram(MAIN, process.env.PATH ?? ""), ...words, ...where].map(shellWord).join(" ");
}

/** Decides about a run of that scope. `pml approve` sees the runs of one project. */
export function approveCommand(settings: Settings, workflowId: string, { org, project }: Scope): string {
  const usual = scopeOfConfig(settings.config);
  const isUsual = usual.org === org && usual.project === project;
  return shellCommand(settings, ["approve", workflowId], isUsual ? undefined : `${org}/${project}`);
}

/**
 * How a shell starts this program: a checkout by its path, an installed package as `pml` where that is on the PATH.
 * The directories that npx and npm put on the PATH of what they start are not on the PATH of the person's shell.
 */
export function pmlProgram(main: string, path: string): readonly string[] {
  if (!main.split(sep).includes("node_modules")) return [process.execPath, main];
  const isOnPath = path
    .split(delimiter)
    .some((directory) => directory !== "" && basename(directory) !== ".bin" && hasProgram(directory));
  return isOnPath ? ["pml"] : ["npx", "-y", "casys-pml"];
}

function hasProgram(directory: string): boolean {
  try {
    accessSync(join(directory, process.platform === "win32" ? "pml.cmd" : "pml"), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
