/**
 * Starts the gateway of a data directory in the background.
 *
 * The new process inherits nothing from the client that happens to be first: no terminal, no working
 * directory, and of the environment only the few variables that every server may have. It gets its settings
 * through stdin, since every user of the machine can read command lines.
 *
 * It is not a descendant of this process either: some clients kill a server with its whole process tree, and
 * the gateway is shared. So an intermediate process starts it and ends at once. After that only its pipe
 * reports the progress.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../base/limits.js";
import { type ErrorShape, errorFromShape, PmlError } from "../base/pml-error.js";
import { ALLOCATOR_VARIABLES } from "../base/process-tuning.js";
import { makeDataDirectory } from "./own-directory.js";
import { serverEnvironment } from "./server-environment.js";

/** The report of the background process on its pipe when it is ready to be joined, or has failed. */
export type BackgroundReport = { readonly ok: true } | { readonly ok: false; readonly error: ErrorShape };

/** File descriptors of the intermediate process; the gateway gets the settings on its stdin. */
const REPORT = 3;
const SETTINGS = 4;

/** A process that starts `program` and ends: its file and arguments. */
export type Starter = (program: string) => readonly [file: string, ...args: string[]];

/**
 * Takes 2 ms, instead of 40 with another Node.js. A shell redirects stdin to `/dev/null` for commands with `&`, hence
 * the number, and adds its own variables, hence `env`.
 */
export const byShell: Starter = (program) => {
  const variables = Object.keys(gatewayEnvironment()).map((name) => `${name}="$${name}"`);
  const command = `env -i ${variables.join(" ")} "$0" "$1" <&${SETTINGS} ${SETTINGS}<&- &`;
  return ["/bin/sh", "-c", command, process.execPath, program];
};

export const byNode: Starter = (program) => [
  process.execPath,
  "-e",
  `require("node:child_process").spawn(process.execPath, [process.argv[1]], {
    stdio: [${SETTINGS}, 1, 2, ${REPORT}], detached: true, windowsHide: true }).unref()`,
  program,
];

const usualStarter = process.platform !== "win32" && existsSync("/bin/sh") ? byShell : byNode;

/** Resolves when the gateway can be joined; rejects with its reason when it cannot start. */
export function startBackground(
  program: string,
  dataDir: string,
  settings: unknown,
  starter: Starter = usualStarter,
): Promise<void> {
  makeDataDirectory(dataDir);
  // For output of the process when it can no longer write to its log.
  const log = openSync(backgroundLogFile(dataDir), "a", 0o600);
  const [file, ...args] = starter(program);
  const child = spawn(file, args, {
    cwd: dataDir,
    env: gatewayEnvironment(),
    stdio: ["ignore", log, log, "pipe", "pipe"],
    detached: true,
    windowsHide: true,
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    const report = child.stdio[REPORT] as Readable;
    const input = child.stdio[SETTINGS] as Writable;
    let said = "";
    const done = (error?: PmlError) => {
      clearTimeout(timer);
      report.destroy();
      // Its other end is the gateway's stdin: if it stayed open, it would keep this process alive as long as the
      // gateway.
      input.destroy();
      child.unref();
      if (error === undefined) resolve();
      else reject(error);
    };
    const timer = setTimeout(
      () => done(notStarted(dataDir, `it did not respond within ${LIMITS.daemonStartMs} ms`)),
      LIMITS.daemonStartMs,
    );
    child.once("error", (error) => done(notStarted(dataDir, error.message)));
    report.once("end", () => done(notStarted(dataDir, "it ended before it was ready")));
    report.on("data", (chunk: Buffer) => {
      said += String(chunk);
      if (!said.includes("\n")) return;
      const result = JSON.parse(said) as BackgroundReport;
      done(result.ok ? undefined : errorFromShape(result.error));
    });
    input.on("error", () => {});
    input.end(JSON.stringify(settings));
  });
}

/** Servers only get the part of it that `serverEnvironment` names. */
function gatewayEnvironment(): Record<string, string> {
  return { ...serverEnvironment(process.env), ...ALLOCATOR_VARIABLES };
}

export function backgroundLogFile(dataDir: string): string {
  return join(dataDir, "gateway.log");
}

function notStarted(dataDir: string, why: string): PmlError {
  return new PmlError("GATEWAY_UNREACHABLE", `Cannot start the gateway in the background: ${why}`, {
    hint: `Its log is "${backgroundLogFile(dataDir)}"; \`pml serve --no-daemon\` runs it in the foreground.`,
  });
}
