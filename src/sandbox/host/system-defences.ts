/**
 * The confinement mechanisms of this system. They are probed once, since containers and distributions differ, and
 * reported, so that a person can see what is missing.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface SystemDefences {
  /** A command prefix that runs the rest without network; empty if not available. */
  readonly noNetwork: readonly string[];
  /** Like {@link noNetwork}: a prefix that ends the rest with its parent, and prevents it from gaining privileges. */
  readonly tied: readonly string[];
  /** The shell that sets limits, if there is one. */
  readonly shell: string | undefined;
  /** Whether the data size of a process can be limited and measured. */
  readonly limitsData: boolean;
}

const PROBE_MS = 5_000;

export async function probeSystem(): Promise<SystemDefences> {
  if (process.platform === "win32") return { noNetwork: [], tied: [], shell: undefined, limitsData: false };
  const shell = findCommand("sh");
  const noNetwork = await firstThatWorks(networkVariants(), []);
  const tied = await firstThatWorks(tiedVariants(), noNetwork);
  return { noNetwork, tied, shell, limitsData: process.platform === "linux" && shell !== undefined };
}

function networkVariants(): readonly (readonly string[])[] {
  const unshare = findCommand("unshare");
  // The second is for root if user namespaces are disabled.
  return unshare === undefined
    ? []
    : [
        [unshare, "-Urn"],
        [unshare, "-n"],
      ];
}

function tiedVariants(): readonly (readonly string[])[] {
  const setpriv = findCommand("setpriv");
  if (setpriv === undefined) return [];
  const tied = [setpriv, "--pdeathsig", "KILL", "--no-new-privs"];
  // A new user namespace includes all capabilities.
  return [[...tied, "--inh-caps=-all", "--bounding-set=-all"], tied];
}

async function firstThatWorks(
  variants: readonly (readonly string[])[],
  before: readonly string[],
): Promise<readonly string[]> {
  const done = findCommand("true");
  if (done === undefined) return [];
  for (const variant of variants) {
    if (await succeeds([...before, ...variant, done])) return variant;
  }
  return [];
}

function succeeds(line: readonly string[]): Promise<boolean> {
  const [command, ...args] = line;
  return new Promise((resolve) => {
    if (command === undefined) resolve(false);
    else execFile(command, args, { timeout: PROBE_MS, env: {} }, (error) => resolve(error === null));
  });
}

function findCommand(name: string): string | undefined {
  const folders = ["/usr/bin", "/bin", ...(process.env.PATH ?? "").split(delimiter)];
  return folders
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
