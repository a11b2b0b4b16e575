/**
 * The shell command, for any directory, that reaches the gateway with these settings.
 *
 * @module
 */
import { accessSync, constants } from "node:fs";
import { basename, delimiter, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "../base/shell-word.js";
import type { Scope } from "../registry/scope.js";
import { type Settings, scopeOfConfig } from "./settings.js";

/** The main file of this package. Its path is shown to a person, and it is not loaded here. */
export const MAIN = join(fileURLToPath(new URL("../../", import.meta.url)), "dist", "cli", "main.js");

/** `pml WORDS…` with all options that are needed to find the gateway. */
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

/** The command that decides about a run of that scope. `pml approve` sees the runs of one project. */
export function approveCommand(settings: Settings, workflowId: string, { org, project }: Scope): string {
  const usual = scopeOfConfig(settings.config);
  const isUsual = usual.org === org && usual.project === project;
  return shellCommand(settings, ["approve", workflowId], isUsual ? undefined : `${org}/${project}`);
}

/**
 * The words that start this program in a shell: a checkout by its path, an installed package as `pml` if that is on the
 * PATH. The directories that npx and npm add to the PATH of their child processes are not on the PATH of the person's
 * shell.
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
