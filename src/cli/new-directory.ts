import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { readDataDirectory, readSettings } from "../app/settings.js";
import { shellWord } from "../base/shell-word.js";
import { COMMON_OPTIONS } from "./options.js";
import { printNote } from "./output.js";

/**
 * Reports stored data elsewhere before a command starts with an empty data directory: only once, since the directory
 * exists afterwards. In a terminal the person can adopt the data at once.
 */
export async function beforeNewDirectory(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: COMMON_OPTIONS,
    allowPositionals: true,
    strict: false,
  });
  const config = typeof values.config === "string" ? values.config : undefined;
  if (values["data-dir"] !== undefined || hasDirectory(config)) return;
  const settings = settingsOrNothing(config);
  if (settings === undefined) return;
  const { earlierNote, movedData } = await import("../app/other-data.js");
  if (settings.earlierData !== undefined) return printNote(`pml: ${earlierNote(settings.earlierData)}`);
  const [moved] = movedData(settings, process.env);
  if (moved === undefined) return;
  const command = ["pml", "adopt", moved.directory, "--config", settings.config.file]
    .map(shellWord)
    .join(" ");
  printNote(
    `pml: This configuration may be the former ${moved.config}, whose data in "${moved.directory}" is not used. \`${command}\` takes it over.`,
  );
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return;
  const { adopt } = await import("./adopt.js");
  await adopt.run([moved.directory, "--config", settings.config.file]);
}

/** Also true if the configuration cannot be found: the command itself reports why. */
function hasDirectory(config: string | undefined): boolean {
  try {
    return existsSync(readDataDirectory({ config }, process.env));
  } catch {
    return true;
  }
}

/** Undefined if the configuration cannot be used: the command itself reports why. */
function settingsOrNothing(config: string | undefined) {
  try {
    return readSettings({ config }, process.env);
  } catch {
    return undefined;
  }
}
