/**
 * Starts the gateway of a data directory in the background.
 *
 * The new process gets nothing of the client that happens to be first: not its terminal, not its working
 * directory, not its environment but for the few variables that every server may have. Settings go through its
 * stdin, since command lines can be read by everybody on the machine.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../base/limits.js";
import { type ErrorShape, errorFromShape, PmlError } from "../base/pml-error.js";
import { makeDataDirectory } from "./own-directory.js";
import { serverEnvironment } from "./server-environment.js";

/** What the background process says on its third pipe when it is ready to be joined, or has failed. */
export type BackgroundReport = { readonly ok: true } | { readonly ok: false; readonly error: ErrorShape };

/** Resolves when the gateway can be joined; rejects with its reason when it cannot start. */
export function startBackground(program: string, dataDir: string, settings: unknown): Promise<void> {
  makeDataDirectory(dataDir);
  // For what the process says when it cannot say it in its log any more.
  const log = openSync(backgroundLogFile(dataDir), "a", 0o600);
  const child = spawn(process.execPath, [program], {
    cwd: dataDir,
    env: serverEnvironment(process.env),
    stdio: ["pipe", log, log, "pipe"],
    detached: true,
    windowsHide: true,
  });
  closeSync(log);
  return new Promise((resolve, reject) => {
    const report = child.stdio[3] as NodeJS.ReadableStream;
    let said = "";
    const done = (error?: PmlError) => {
      clearTimeout(timer);
      (report as unknown as { destroy(): void }).destroy();
      child.unref();
      if (error === undefined) resolve();
      else reject(error);
    };
    const timer = setTimeout(
      () => done(notStarted(dataDir, `no sign of it within ${LIMITS.daemonStartMs} ms`)),
      LIMITS.daemonStartMs,
    );
    child.once("error", (error) => done(notStarted(dataDir, error.message)));
    // Not "exit", which may come before what it said on its pipe.
    child.once("close", (code, signal) =>
      done(notStarted(dataDir, `it ended with ${signal ?? `code ${code}`}`)),
    );
    report.on("data", (chunk: Buffer) => {
      said += String(chunk);
      if (!said.includes("\n")) return;
      const result = JSON.parse(said) as BackgroundReport;
      done(result.ok ? undefined : errorFromShape(result.error));
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(settings));
  });
}

export function backgroundLogFile(dataDir: string): string {
  return join(dataDir, "gateway.log");
}

function notStarted(dataDir: string, why: string): PmlError {
  return new PmlError("GATEWAY_UNREACHABLE", `Cannot start the gateway in the background: ${why}`, {
    hint: `Its log is "${backgroundLogFile(dataDir)}"; \`pml serve --no-daemon\` runs it in the foreground.`,
  });
}
