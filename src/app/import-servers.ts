/**
 * `pml init`: imports the servers of the machine's clients into PML's configuration.
 *
 * Files inside the current directory came with the project: their servers are listed, and imported only into the
 * project's own configuration, after a person has agreed.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { BrokenText } from "../clients/broken-text.js";
import { CLIENT_IDS, type ClientId, projectFiles, userFiles } from "../clients/client-table.js";
import { editedText } from "../clients/config-text.js";
import type { FoundProblem, FoundServer, FoundServers } from "../clients/found-server.js";
import { mergeServers, type PmlEntry } from "../clients/merge-servers.js";
import { readServers } from "../clients/read-servers.js";
import { launchOf, type ServerLaunch } from "../clients/same-server.js";
import { isServerName } from "../registry/tool-id.js";
import { acceptedConfig, keepAccepted } from "./accepted-configs.js";
import { openClientFile, thisMachine } from "./client-file.js";
import { CONFIG_NAME, configProblem, readConfigBytes, writtenConfig } from "./config-file.js";
import { resolveTexts, secretNames } from "./config-values.js";
import { keyDirectory, realPath, userConfigDirectory } from "./places.js";
import { withSecrets } from "./plain-secrets.js";
import { SecretStore } from "./secret-store.js";
import { isAccepted, stateOf } from "./trust.js";
import { readAs, writeConfig } from "./write-config.js";

type Environment = Readonly<NodeJS.ProcessEnv>;

export interface ImportRequest {
  /** Default: all clients. */
  readonly clients?: readonly ClientId[];
  readonly directory: string;
  /** Whether the project's configuration is written, instead of the user's. */
  readonly isProject: boolean;
  /** Writes a new configuration even without servers: a client can be connected to it at once. */
  readonly isEmptyWanted?: boolean;
}

export interface FoundOnMachine {
  /** Servers from the user's files: they are imported. */
  readonly servers: readonly FoundServer[];
  /** Servers from files inside the current directory. */
  readonly ofProject: readonly FoundServer[];
  readonly problems: readonly FoundProblem[];
}

/** All servers of this machine's clients. A file that cannot be read is a problem and does not affect the others. */
export function findServers(
  { clients = CLIENT_IDS, directory, isProject }: ImportRequest,
  env: Environment,
): FoundOnMachine {
  const machine = thisMachine(env);
  const places = { home: machine.home, project: directory };
  const read = (client: ClientId, path: string, scope: FoundServer["scope"]): FoundServers => {
    if (!existsSync(path)) return { servers: [], problems: [] };
    try {
      const { file, text = "" } = openClientFile(client, path);
      return readServers({ client, scope, file, text }, places);
    } catch (error) {
      return { servers: [], problems: [{ client, file: path, message: messageOf(error) }] };
    }
  };
  const own = clients.flatMap((id) => userFiles(id, machine).map((file) => read(id, file, "user")));
  const inside = clients.flatMap((id) => {
    // In the home directory these can be the same files.
    const ofUser = userFiles(id, machine).map(realPath);
    return projectFiles(id, directory, machine)
      .filter((file) => !ofUser.includes(realPath(file)))
      .map((file) => read(id, file, "project"));
  });
  return {
    // Servers in the user's file that are only for this project belong to the project's configuration.
    servers: own.flatMap(({ servers }) => servers.filter(({ scope }) => isProject || scope === "user")),
    ofProject: inside.flatMap(({ servers }) => servers),
    problems: [...own, ...inside].flatMap(({ problems }) => problems),
  };
}

interface AddedServer {
  readonly name: string;
  /** The entry for the configuration. */
  readonly entry: PmlEntry;
  readonly from: readonly FoundServer[];
}

/** What an import would write. */
export interface ImportPlan {
  readonly file: string;
  readonly isNew: boolean;
  readonly added: readonly AddedServer[];
  /** Names of servers that the configuration already has. */
  readonly known: readonly string[];
  readonly problems: readonly FoundProblem[];
  /** Values that are moved into the secret store, by name. Never shown. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Names of secrets that the added servers need and that are not set. */
  readonly missing: readonly string[];
  readonly before: Buffer | undefined;
}

export function importPlan(
  request: ImportRequest,
  found: readonly FoundServer[],
  env: Environment,
): ImportPlan {
  const file = importFile(request, env);
  const before = existsSync(file) ? readConfigBytes(file) : undefined;
  const store = new SecretStore(env);
  const present = before === undefined ? [] : presentServers(writtenConfig(file, before), store);
  const { mcpServers, origins, known, problems } = mergeServers(found, isServerName, present);
  const secrets = new Map<string, string>();
  const added = Object.entries(mcpServers).map(([name, entry]) => ({
    name,
    entry: withSecrets(name, entry, store, secrets),
    from: origins[name] ?? [],
  }));
  const needed = secretNames(added.map(({ entry }) => entry));
  const missing = [...needed].filter((name) => !secrets.has(name) && !store.has(name));
  return { file, isNew: before === undefined, added, known, problems, secrets, missing, before };
}

export interface ImportOutcome {
  readonly isWritten: boolean;
  /** Whether the configuration can be used without `pml trust`. */
  readonly isTrusted: boolean;
}

/** Stores the secrets, writes the configuration, and trusts it unless it existed and was not trusted. */
export function makeImport(
  plan: ImportPlan,
  request: ImportRequest,
  env: Environment,
  typed: ReadonlyMap<string, string> = new Map(),
): ImportOutcome {
  const { file, isNew, added, secrets, before } = plan;
  const keyDir = keyDirectory(env);
  const wasTrusted = before === undefined || isTrusted(file, before, request, env);
  const store = new SecretStore(env);
  for (const [name, value] of [...secrets, ...typed]) store.set(name, value);
  if (added.length === 0 && !(isNew && request.isEmptyWanted === true))
    return { isWritten: false, isTrusted: wasTrusted };
  writeConfig(file, before, importedText(plan));
  if (wasTrusted) keepAccepted(keyDir, realPath(file), stateOf(readAs(file, readConfigBytes(file), env)));
  return { isWritten: true, isTrusted: wasTrusted };
}

function importFile({ isProject, directory }: ImportRequest, env: Environment): string {
  return join(isProject ? directory : userConfigDirectory(env), CONFIG_NAME);
}

/**
 * The servers of the configuration, with their secrets, so that another account of a service counts as another server.
 */
function presentServers(
  { mcpServers }: Readonly<Record<string, unknown>>,
  store: SecretStore,
): readonly ServerLaunch[] {
  if (!isJsonObject(mcpServers)) return [];
  const asWritten = {
    variable: (name: string) => `\${${name}}`,
    secret: (name: string) => (store.has(name) ? store.value(name) : `\${secret:${name}}`),
  };
  return Object.entries(mcpServers).map(([name, entry]) => {
    try {
      const resolved = resolveTexts(entry, "", asWritten);
      return launchOf(name, isJsonObject(resolved) ? resolved : {});
    } catch {
      return launchOf(name, isJsonObject(entry) ? entry : {});
    }
  });
}

/** The user's own file is trusted at its first use; a project's file is not. */
function isTrusted(file: string, bytes: Buffer, { isProject }: ImportRequest, env: Environment): boolean {
  const read = readAs(file, bytes, env);
  const keyDir = keyDirectory(env);
  return isAccepted(read, keyDir) || (!isProject && acceptedConfig(keyDir, realPath(file)) === undefined);
}

/** The text of the configuration with the added servers. Existing content and comments stay. */
function importedText({ file, added, before }: ImportPlan): string {
  if (before === undefined)
    return `${JSON.stringify({ mcpServers: Object.fromEntries(added.map(({ name, entry }) => [name, entry])) }, undefined, 2)}\n`;
  try {
    return added.reduce(
      (text, put) => editedText("jsonc", text, { path: ["mcpServers"], remove: [], put }),
      before.toString("utf8"),
    );
  } catch (error) {
    if (error instanceof BrokenText) throw configProblem(file, "mcpServers", error.message);
    throw error;
  }
}
