/**
 * `pml connect`: adds PML to a client's configuration, and removes it again.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import { BrokenText } from "../clients/broken-text.js";
import { CLIENTS, type ClientId, olderFile, userFiles } from "../clients/client-table.js";
import { type ConfiguredServer, type ConnectPlan, connectPlan } from "../clients/connect-plan.js";
import { maskedDiff } from "../clients/masked-diff.js";
import { launchOf } from "../clients/same-server.js";
import { type UndoPlan, undoPlan } from "../clients/undo-plan.js";
import {
  chosenFile,
  clientFileProblem,
  type OpenedFile,
  openClientFile,
  removeClientFile,
  thisMachine,
  writeClientFile,
} from "./client-file.js";
import { CONFIG_NAME, type ConfigFile } from "./config-file.js";
import { Connections, type KeptChange } from "./connections.js";
import { realPath, userConfigDirectory } from "./places.js";
import type { Settings } from "./settings.js";
import { MAIN, pmlProgram } from "./shell-command.js";

type Environment = Readonly<NodeJS.ProcessEnv>;

/** A prepared change that can be shown and applied. */
interface ReadyChange {
  readonly file: string;
  /** Empty if there is nothing to do. */
  readonly diff: string;
}

export interface ReadyConnect extends ReadyChange, Pick<ConnectPlan, "replaced" | "stays" | "problems"> {
  /** Other existing files of the client, which are not changed. */
  readonly others: readonly string[];
  readonly isNew: boolean;
  /** Applies the change; returns the path of the backup, if the file existed before. */
  make(): string | undefined;
}

export function readyConnect(
  client: ClientId,
  settings: Settings,
  scope: string | undefined,
  env: Environment,
): ReadyConnect {
  const machine = thisMachine(env);
  const { file: path, others } = chosenFile(client, machine);
  const opened = openClientFile(client, path);
  const { file, text } = opened;
  const older = olderFile(client, machine);
  if (text === undefined && older !== undefined && existsSync(older)) refuseHiding(client, file, older);
  const words = serveWords(settings, scope, env);
  const { change: last, lost } = new Connections(env).last(client, file);
  const { replaced, stays, problems, after } = planOf(opened, {
    words,
    configured: configuredServers(settings.config),
    places: { home: machine.home },
    env,
    written: last?.after,
  });
  const { format } = CLIENTS[client];
  return {
    file,
    others,
    isNew: text === undefined,
    diff: maskedDiff({ file, format, before: text ?? "", after }, words),
    replaced,
    stays,
    problems: [
      ...problems,
      ...settings.config.problems
        .filter(({ server }) => replaced.includes(server))
        .map(({ server, message }) => ({
          client,
          file,
          server,
          message: `PML cannot start it yet: ${message}`,
        })),
      ...(lost === undefined ? [] : [{ client, file, message: lost }]),
    ],
    make: () => makeChange(opened, after, env),
  };
}

/** Throws `CLIENT_FILE_INVALID`. */
function refuseHiding(client: ClientId, file: string, older: string): never {
  throw clientFileProblem(
    client,
    file,
    `it does not exist, and if PML created it, the client would no longer read "${older}"`,
    "Convert that file to the new format first, or add PML to it by hand: docs/guides/clients.md shows how.",
  );
}

function planOf(opened: OpenedFile, request: Omit<Parameters<typeof connectPlan>[0], "source">): ConnectPlan {
  const { client, file, text = "" } = opened;
  try {
    return connectPlan({ ...request, source: { client, scope: "user", file, text } });
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    const where = error.line === undefined ? "" : ` (line ${error.line})`;
    throw clientFileProblem(client, file, `${error.message}${where}`, undefined, error);
  }
}

function makeChange(opened: OpenedFile, after: string, env: Environment): string | undefined {
  const { client, file, text } = opened;
  const connections = new Connections(env);
  const { backup, drop, dropReplaced } = connections.keep(client, file, { before: text, after });
  try {
    const made = writeClientFile(opened, after);
    if (made !== undefined) connections.made(client, file, made);
    dropReplaced();
    return backup;
  } catch (error) {
    drop();
    throw error;
  }
}

export interface ReadyUndo extends ReadyChange {
  readonly kind: UndoPlan["kind"] | "unknown";
  /** Names of replaced servers that are not restored: the file has other servers with these names now. */
  readonly taken: readonly string[];
  /** Another problem that the person should know. */
  readonly problem?: string;
  /** The copy of the file before PML's change. */
  readonly backup: string | undefined;
  /** Applies the change; returns where the replaced text is kept, if it contained later edits. */
  make(): string | undefined;
}

/** `unknown` if PML has not changed the file, or has undone the change already. */
export function readyUndo(client: ClientId, env: Environment): ReadyUndo {
  const machine = thisMachine(env);
  const connections = new Connections(env);
  // The file that PML has changed, even if the client uses another one now.
  const known = userFiles(client, machine).find(
    (path) => connections.last(client, realPath(path)).change !== undefined,
  );
  const opened = openClientFile(client, known ?? chosenFile(client, machine).file);
  const { file, text: now } = opened;
  const { change, lost } = connections.last(client, file);
  if (change === undefined) {
    const nothing = { kind: "unknown", file, diff: "", taken: [], backup: undefined } as const;
    return { ...nothing, ...(lost === undefined ? {} : { problem: lost }), make: () => undefined };
  }
  const { before, after, backup } = change;
  const plan = undoPlan({ client, before, after, now });
  const target = plan.kind === "merged" ? plan.text : plan.kind === "conflict" ? now : before;
  const { format } = CLIENTS[client];
  return {
    kind: plan.kind,
    file,
    backup,
    taken: plan.kind === "merged" ? plan.taken : [],
    ...(plan.kind === "conflict" ? { problem: plan.why } : {}),
    diff: plan.kind === "nothing" ? "" : maskedDiff({ file, format, before: now ?? "", after: target ?? "" }),
    make: () => undo(opened, change, plan.kind, target, connections),
  };
}

function undo(
  opened: OpenedFile,
  change: KeptChange,
  kind: UndoPlan["kind"],
  target: string | undefined,
  connections: Connections,
): string | undefined {
  const { client, file, text } = opened;
  const aside = kind === "merged" && text !== undefined ? connections.setAside(client, text) : undefined;
  if (kind !== "nothing") {
    if (target !== undefined) writeClientFile(opened, target);
    else removeClientFile(opened, change.made);
  }
  const isAsBefore = text === change.before || kind === "exact";
  connections.forget(client, file, !isAsBefore);
  return aside;
}

/** Throws `CLIENT_FILE_CHANGED` if a person has to decide: the file cannot be edited, or was removed. */
export function refuseConflict(client: ClientId, { kind, file, problem, backup }: ReadyUndo): never {
  const isMissing = kind === "missing";
  const copy = backup === undefined ? "" : ` The file as it was before PML is in "${backup}".`;
  throw new PmlError(
    "CLIENT_FILE_CHANGED",
    isMissing
      ? `Cannot undo in "${file}": it was removed since PML was connected`
      : `Cannot undo in "${file}": it was changed since PML was connected, and now it cannot be edited: ${problem}`,
    {
      hint: isMissing
        ? `Run \`pml connect ${client} --undo --yes\` to write it as it was before.`
        : `Remove PML's entry by hand.${copy}`,
      data: { file, ...(backup === undefined ? {} : { backup }) },
    },
  );
}

/** The command line for the client: it names everything that `pml serve` would not find by itself in any directory. */
function serveWords(settings: Settings, scope: string | undefined, env: Environment): readonly string[] {
  const { config, dataDir, isDataDirNamed } = settings;
  // The usual path without XDG_CONFIG_HOME: graphical programs do not have the variables of a shell.
  const usual = join(userConfigDirectory({ HOME: env.HOME }), CONFIG_NAME);
  const program = pmlProgram(MAIN, "");
  return [
    ...(process.platform === "win32" && program[0] === "npx" ? ["cmd", "/c"] : []),
    ...program,
    "serve",
    ...(config.file === usual ? [] : ["--config", config.file]),
    ...(isDataDirNamed === true ? ["--data-dir", dataDir] : []),
    ...(scope === undefined ? [] : ["--scope", scope]),
  ];
}

/** Includes unresolved servers that PML cannot start yet: they were imported too. */
function configuredServers({
  value,
  directory,
  cwd: usual,
  broken,
}: ConfigFile): readonly ConfiguredServer[] {
  const servers = isJsonObject(value.mcpServers) ? value.mcpServers : {};
  return Object.entries({ ...servers, ...broken }).flatMap(([name, entry]) => {
    if (!isJsonObject(entry)) return [];
    const launch = launchOf(name, entry);
    const { command, cwd } = launch;
    const envFile = launch.envFile === undefined ? undefined : resolve(directory, launch.envFile);
    const server = { ...launch, envFile, disabled: entry.disabled === true };
    if (command === undefined) return [server];
    // A client may set the working directory of a server without `cwd`, or omit it too.
    const cwds = cwd === undefined ? [undefined, usual] : [resolve(directory, cwd)];
    // `./server` is relative to the configuration's directory; a client has it as an absolute path, or literally.
    const isBelow = /[\\/]/.test(command) && !isAbsolute(command);
    const commands = isBelow ? [command, resolve(directory, command)] : [command];
    return commands.flatMap((one) => cwds.map((cwd) => ({ ...server, command: one, cwd })));
  });
}
