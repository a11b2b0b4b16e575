/**
 * Gateways and commands of a place in the process of the test. They find each other as processes do: by the data
 * directory, its owner file and its socket.
 *
 * @module
 */
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { leaveDirectory, runCommand, runInside, terminal, within } from "../../support/inside-command.js";
import { keepPglite } from "../../support/kept-pglite.js";
import { makeSandbox } from "../../support/shared-sandbox.js";
import type { Outcome, Place, RunOptions } from "./pml.js";

/** Commands that join the gateway of their data directory, and start it where none runs. */
const JOINING = new Set(
  "analyze approve cache cap discover exec export import key result stats tools trace".split(" "),
);

interface Running {
  readonly stopped: Promise<void>;
  stop(): Promise<void>;
}

const running = new Map<string, Promise<Running>>();

function load<T>(file: string): Promise<T> {
  return import(new URL(`../../../dist/${file}`, import.meta.url).href) as Promise<T>;
}

export async function runInPlace(
  place: Place,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const [command = ""] = args;
  if (command === "stop") {
    const stopped = await stopInside(dataDirOfArgs(place, args));
    if (stopped !== undefined) return stopped;
  }
  if (JOINING.has(command) && !args.includes("--help")) await gatewayInside(place, args);
  const { cwd, env } = surroundings(place, options);
  return runInside(args, { cwd, env, ...(options.input === undefined ? {} : { input: options.input }) });
}

/** A command at a terminal of the test's own; `script` makes real ones. */
export async function atTerminalInside(
  place: Place,
  args: readonly string[],
  turns: readonly (readonly [question: string, typed: string])[],
  cwd: string,
): Promise<{ readonly code: number; readonly shown: string }> {
  if (JOINING.has(args[0] ?? "")) await gatewayInside(place, args);
  const screen = terminal();
  const open = [...turns];
  let unread = "";
  screen.onShown = (text) => {
    unread += text;
    const [turn] = open;
    if (turn === undefined || !unread.includes(turn[0])) return;
    open.shift();
    unread = "";
    setImmediate(() => {
      screen.type(turn[1]);
      if (open.length === 0) screen.stdin.push(null);
    });
  };
  const code = await within({ ...screen, cwd, env: { ...place.env, TERM: "dumb" } }, () => runCommand(args));
  return { code, shown: screen.shown() };
}

/** A connection as `pml serve` makes it, and the process that it would be. */
export async function joinInside(place: Place, args: readonly string[]): Promise<Socket> {
  await gatewayInside(place, args);
  const { joinGateway } =
    await load<typeof import("../../../src/app/join-gateway.js")>("app/join-gateway.js");
  return joinGateway(await settingsOf(place, args));
}

export async function endInside(): Promise<void> {
  leaveDirectory();
  await Promise.allSettled([...running.keys()].map((dataDir) => stopInside(dataDir)));
}

function surroundings(place: Place, { cwd = place.directory, env = {} }: RunOptions) {
  const nothing = () => new PassThrough().resume();
  return {
    cwd,
    env: { ...place.env, ...env },
    stdin: new PassThrough().end(),
    stdout: nothing(),
    stderr: nothing(),
  };
}

const optionOf = (args: readonly string[], option: string) =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

async function settingsOf(place: Place, args: readonly string[]) {
  const { readSettings } = await load<typeof import("../../../src/app/settings.js")>("app/settings.js");
  const where = {
    config: optionOf(args, "--config"),
    dataDir: optionOf(args, "--data-dir"),
    scope: optionOf(args, "--scope"),
  };
  return within(surroundings(place, {}), async () => readSettings(where, place.env));
}

function dataDirOfArgs(place: Place, args: readonly string[]): string {
  return optionOf(args, "--data-dir") ?? place.dataDirOf(optionOf(args, "--config") ?? "pml.json");
}

/** Nothing happens where none can be started, or one runs in the background: the command says so, or joins it. */
async function gatewayInside(place: Place, args: readonly string[]): Promise<void> {
  if (!args.includes("--config")) return;
  const dataDir = dataDirOfArgs(place, args);
  const starting = running.get(dataDir) ?? startInside(place, args);
  running.set(dataDir, starting);
  try {
    const { stopped } = await starting;
    void stopped.then(() => running.get(dataDir) === starting && running.delete(dataDir));
  } catch {
    running.delete(dataDir);
  }
}

async function startInside(place: Place, args: readonly string[]): Promise<Running> {
  const [{ startOwnGateway }, { prepareDataDirectory }, { makeDataDirectory }, { fileLog }, { logLevel }] =
    await Promise.all([
      load<typeof import("../../../src/app/own-gateway.js")>("app/own-gateway.js"),
      load<typeof import("../../../src/app/data-directory.js")>("app/data-directory.js"),
      load<typeof import("../../../src/daemon/own-directory.js")>("daemon/own-directory.js"),
      load<typeof import("../../../src/app/file-log.js")>("app/file-log.js"),
      load<typeof import("../../../src/app/settings.js")>("app/settings.js"),
    ]);
  await keepPglite();
  const settings = await settingsOf(place, args);
  const own = await within(surroundings(place, {}), async () => {
    await prepareDataDirectory(settings);
    makeDataDirectory(settings.dataDir);
    const log = fileLog(`${settings.dataDir}/gateway.log`, logLevel(settings));
    return startOwnGateway(settings, "background", log, undefined, { makeSandbox });
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= own.stop();
    return stopping;
  };
  return { stop, stopped: own.stopRequested.then(stop) };
}

async function stopInside(dataDir: string): Promise<Outcome | undefined> {
  const one = await running.get(dataDir)?.catch(() => undefined);
  running.delete(dataDir);
  if (one === undefined) return undefined;
  await one.stop();
  return { code: 0, stdout: `Stopped the gateway of process ${process.pid}\n`, stderr: "" };
}
