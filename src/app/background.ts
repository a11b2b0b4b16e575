/**
 * The background gateway, a separate program. It reads its settings from stdin, reports on the fourth pipe that it is
 * ready, and ends when no client has been connected for a while.
 *
 * @module
 */

import { closeSync, writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { LIMITS } from "../base/limits.js";
import { errorShape, messageOf, PmlError } from "../base/pml-error.js";
import { type BackgroundReport, backgroundLogFile } from "../daemon/start-background.js";
import { optimizeLater } from "../postgres/pglite-driver.js";
import { collectWhenIdle } from "./collect-when-idle.js";
import { sectionOf } from "./config-file.js";
import { exitWhenLost, guardFaults, onEndSignal } from "./fault-guard.js";
import { fileLog } from "./file-log.js";
import { startOwnGateway } from "./own-gateway.js";
import { logLevel, type Settings } from "./settings.js";

const REPORT_FD = 3;

async function main(): Promise<void> {
  optimizeLater();
  collectWhenIdle();
  const settings = JSON.parse(await text(process.stdin)) as Settings;
  // The SDK reads them from the environment when it is loaded.
  Object.assign(process.env, settings.telemetryEnv);
  const { DBUS_SESSION_BUS_ADDRESS: bus } = settings.valueEnv;
  // Needed to ask the keyring for the master key.
  if (bus !== undefined) process.env.DBUS_SESSION_BUS_ADDRESS = bus;
  const log = fileLog(backgroundLogFile(settings.dataDir), logLevel(settings));
  let ending = false;
  const end = (why: string) => {
    if (ending) return;
    ending = true;
    log.info("gateway.stopping", { why });
    void own.stop().finally(() => process.exit());
  };
  let idle: NodeJS.Timeout | undefined;
  const watchIdle = (clients: number) => {
    clearTimeout(idle);
    if (clients === 0) idle = setTimeout(() => end("idle"), idleMs(settings));
  };
  const own = await startOwnGateway(settings, "background", log, watchIdle);
  onEndSignal(end);
  // Its log hides secrets, which the text of a fault may contain.
  guardFaults(own.gateway.log, end);
  exitWhenLost(own.lost, log);
  void own.stopRequested.then(() => end("asked to"));
  log.info("gateway.started", { pid: process.pid, dataDir: settings.dataDir });
  report({ ok: true });
}

function idleMs({ config }: Settings): number {
  const { idleSeconds } = sectionOf(config, "daemon");
  return typeof idleSeconds === "number" ? idleSeconds * 1_000 : LIMITS.daemonIdleMs;
}

function report(said: BackgroundReport): void {
  try {
    writeSync(REPORT_FD, `${JSON.stringify(said)}\n`);
    closeSync(REPORT_FD);
  } catch {
    // The parent process has ended. The gateway continues.
  }
}

main().catch((error: unknown) => {
  const known =
    error instanceof PmlError
      ? error
      : new PmlError("GATEWAY_UNREACHABLE", messageOf(error), { cause: error });
  report({ ok: false, error: errorShape(known) });
  process.exitCode = 1;
});
