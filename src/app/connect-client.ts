/**
 * `pml connect`: puts PML into a client's configuration, and takes it out again.
 *
 * @module
 */
import { isAbsolute, join, resolve } from "node:path";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import { BrokenText } from "../clients/broken-text.js";
import { CLIENTS, type ClientId, userFiles } from "../clients/client-table.js";
import { type ConfiguredServer, type ConnectPlan, connectPlan, secretsOf } from "../clients/connect-plan.js";
import { readServers } from "../clients/read-servers.js";
import { type Undone, undoneChange } from "../clients/undo-change.js";
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

/** A change that is ready to be shown, and to be made. */
interface ReadyChange {
  readonly file: string;
  /** Nothing to do where it is empty. */
  readonly diff: string;
}

export interface ReadyConnect extends ReadyChange, Pick<ConnectPlan, "replaced" | "stays" | "problems"> {
  /** Other files of the client that exist, and are left alone. */
  readonly others: readonly string[];
  readonly isNew: boolean;
  /** Makes the change; answers where the file as it was is kept, unless there was none. */
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
  const plan = planOf(opened, {
    words: serveWords(settings, scope, env),
    configured: configuredServers(settings.config),
    places: { home: machine.home },
    env,
  });
  const { replaced, stays, problems, after, secrets } = plan;
  return {
    file: opened.file,
    others,
    isNew: opened.text === undefined,
    diff: diffOf(opened.file, opened.text ?? "", after, secrets),
    replaced,
    stays,
    problems,
    make: () => makeChange(opened, after, env),
  };
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
  const { backup, drop } = connections.keep(client, file, { before: text, after });
  try {
    const made = writeClientFile(opened, after);
    if (made !== undefined) connections.made(client, file, made);
    return backup;
  } catch (error) {
    drop();
    throw error;
  }
}

export interface ReadyUndo extends ReadyChange {
  readonly kind: Undone["kind"] | "unknown";
  /** The copy of the file as it was before PML's change. */
  readonly backup: string | undefined;
  /** Makes the change; answers where the replaced text is kept, if later edits were in it. */
  make(): string | undefined;
}

/** `unknown` where PML has not changed the file, or has undone it already. */
export function readyUndo(client: ClientId, env: Environment): ReadyUndo {
  const machine = thisMachine(env);
  const connections = new Connections(env);
  // The file that PML has changed, also where the client has another one by now.
  const known = userFiles(client, machine).find((path) => connections.has(client, realPath(path)));
  const opened = openClientFile(client, known ?? chosenFile(client, machine).file);
  const { file, text: now } = opened;
  const kept = connections.last(client, file);
  if (kept === undefined)
    return { kind: "unknown", file, diff: "", backup: undefined, make: () => undefined };
  const undone = undoneChange({
    format: CLIENTS[client].format,
    before: kept.before,
    after: kept.after,
    now,
  });
  const secretsIn = (text = "") =>
    secretsOf(readServers({ client, scope: "user", file, text }, { home: machine.home }).servers);
  const target = undone.kind === "merged" ? undone.text : kept.before;
  return {
    kind: undone.kind,
    file,
    backup: kept.backup,
    diff: diffOf(file, now ?? "", target ?? "", [kept.before, now].flatMap(secretsIn)),
    make: () => undo(opened, kept, undone.kind, target, connections),
  };
}

function undo(
  opened: OpenedFile,
  kept: KeptChange,
  kind: Undone["kind"],
  target: string | undefined,
  connections: Connections,
): string | undefined {
  const { client, file, text } = opened;
  const isLater = kind === "merged" || kind === "conflict";
  const aside = isLater && text !== undefined ? connections.setAside(client, text) : undefined;
  if (kind !== "nothing") {
    if (target !== undefined) writeClientFile(opened, target);
    else if (text !== undefined) removeClientFile(opened, kept.made);
  }
  connections.forget(client, file, isLater);
  return aside;
}

/** Throws `CLIENT_FILE_CHANGED`: later edits are in the lines that PML changed, and only a person can say what to keep. */
export function refuseConflict(client: ClientId, { file, backup }: ReadyUndo): never {
  throw new PmlError(
    "CLIENT_FILE_CHANGED",
    `Cannot undo in "${file}": it was changed since PML was connected, in the same lines`,
    {
      hint: `Edit it by hand${backup === undefined ? "" : `; as it was before it is in "${backup}"`}. Or run \`pml connect ${client} --undo --yes\`: it restores the file as it was, and keeps the present one beside that copy.`,
      data: { file, ...(backup === undefined ? {} : { backup }) },
    },
  );
}

/** The command line for the client: it names what `pml serve` would not find by itself, wherever it is started. */
function serveWords(settings: Settings, scope: string | undefined, env: Environment): readonly string[] {
  const { config, dataDir, isDataDirNamed } = settings;
  // The usual place without XDG_CONFIG_HOME: programs with windows do not have the variables of a shell.
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

function configuredServers({ value, directory }: ConfigFile): readonly ConfiguredServer[] {
  const servers = isJsonObject(value.mcpServers) ? Object.entries(value.mcpServers) : [];
  return servers.flatMap(([name, entry]) => {
    if (!isJsonObject(entry)) return [];
    const { command, url, cwd } = entry;
    const server = {
      name,
      args: Array.isArray(entry.args) ? entry.args.map(String) : [],
      env: textsOf(entry.env),
      headers: textsOf(entry.headers),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof url === "string" ? { url } : {}),
      disabled: entry.disabled === true,
    };
    if (typeof command !== "string") return [server];
    // `./server` is below the configuration's directory; a client has it as a whole path, or in the same words.
    const isBelow = /[\\/]/.test(command) && !isAbsolute(command);
    const commands = isBelow ? [command, resolve(directory, command)] : [command];
    return commands.map((one) => ({ ...server, command: one }));
  });
}

function textsOf(value: unknown): Record<string, string> {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {};
}

/** Shorter values are no secrets, and would hide half of a file. */
const SECRET_CHARS = 6;

function diffOf(file: string, before: string, after: string, secrets: readonly string[]): string {
  if (before === after) return "";
  const diff = createTwoFilesPatch(file, file, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SECRET_CHARS)
    .sort((a, b) => b.length - a.length)
    .reduce((text, secret) => text.replaceAll(secret, "…"), diff);
}
