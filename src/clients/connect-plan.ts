/**
 * What `pml connect` does to a client's file: PML comes in place of the servers that PML has already, and the others
 * stay beside it.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { BrokenText } from "./broken-text.js";
import { CLIENTS, type KeyPath } from "./client-table.js";
import { contentOf, editedText } from "./config-text.js";
import type { FoundProblem, FoundServer } from "./found-server.js";
import { type ClientFile, readServers } from "./read-servers.js";
import { isSameLaunch, isSameServer, type ServerLaunch } from "./same-server.js";
import type { VariablePlaces } from "./variables.js";

/** The name of PML's entry. */
const PML_NAME = "pml";

/** A server of PML's configuration. */
export interface ConfiguredServer extends ServerLaunch {
  readonly disabled: boolean;
}

export interface ConnectRequest {
  readonly source: ClientFile;
  /** The command line that serves PML. */
  readonly words: readonly string[];
  readonly configured: readonly ConfiguredServer[];
  readonly places: VariablePlaces;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ConnectPlan {
  readonly after: string;
  /** Names of the servers that PML comes in place of. */
  readonly replaced: readonly string[];
  readonly stays: readonly StayingServer[];
  readonly problems: readonly FoundProblem[];
  /** Values that a preview must not show. */
  readonly secrets: readonly string[];
}

interface StayingServer {
  readonly name: string;
  readonly why: string;
}

/** Throws `BrokenText` where the file cannot be read or edited. */
export function connectPlan({ source, words, configured, places, env }: ConnectRequest): ConnectPlan {
  const { format, serversAt, isList, entryOf } = CLIENTS[source.client];
  const content = contentOf(format, source.text);
  const path = serversAt(content);
  const entries = rawEntries(content, path);
  const { servers, problems } = readServers({ ...source, scope: "user" }, { home: places.home });
  const ours = servers.filter(isPml);
  const judged = servers
    .filter((server) => !ours.includes(server))
    .map((server) => ({ name: server.name, why: whyStays(expanded(server, env), configured) }));
  const replaced = judged.filter(({ why }) => why === undefined).map(({ name }) => name);
  const [present] = ours;
  const name = present?.name ?? freeName(entries);
  // An entry that starts the same keeps what a person has added to it.
  const isSame = present !== undefined && isEqualList([present.command ?? "", ...present.args], words);
  const remove = [...replaced, ...ours.map((one) => one.name)].filter((one) => one !== name);
  const edit = { path, remove, name, entry: isSame ? entries.get(name) : entryOf(words) };
  return {
    after:
      isSame && remove.length === 0
        ? source.text
        : editedText(format, source.text, isList === true ? { ...edit, isList } : edit),
    replaced,
    stays: judged.flatMap(({ name: one, why }) => (why === undefined ? [] : [{ name: one, why }])),
    problems,
    secrets: secretsOf(servers),
  };
}

/** Values that a preview must not show: of variables and headers. */
export function secretsOf(servers: readonly FoundServer[]): readonly string[] {
  return servers.flatMap(({ env, headers }) => [...Object.values(env), ...Object.values(headers)]);
}

/** Nothing where PML has the server, and starts it. */
function whyStays(server: FoundServer, configured: readonly ConfiguredServer[]): string | undefined {
  const alike = configured.filter((one) => isSameLaunch(one, server));
  const same = alike.filter((one) => isSameServer(one, server) || folded(one.name) === folded(server.name));
  if (same.some(({ disabled }) => !disabled || server.disabled)) return undefined;
  if (same.length > 0) return "it is disabled in PML's configuration";
  return alike.length > 0
    ? "PML's configuration has it with other variables or headers"
    : "it is not in PML's configuration";
}

/** Names are changed when they are imported: `desktop only` becomes `desktop-only`. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** An entry that serves PML, however it is started. */
export function isPml({ command = "", args }: Pick<FoundServer, "command" | "args">): boolean {
  const words = [command, ...args];
  const isOurs = (word: string) =>
    /(^|[\\/])pml(\.cmd|\.exe)?$/.test(word) ||
    /^casys-pml(@.*)?$/.test(word) ||
    /[\\/]cli[\\/]main\.js$/.test(word);
  return words.some((word, index) => isOurs(word) && words[index + 1] === "serve");
}

/** With the variables of the environment in it, where they have a value: as PML's configuration is read. */
function expanded(server: FoundServer, env: ConnectRequest["env"]): FoundServer {
  const text = (one: string) =>
    one.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (whole, name: string, usual?: string) => env[name] ?? usual ?? whole,
    );
  const texts = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([name, one]) => [name, text(one)]));
  const { command, url } = server;
  return {
    ...server,
    ...(command === undefined ? {} : { command: text(command) }),
    ...(url === undefined ? {} : { url: text(url) }),
    args: server.args.map(text),
    env: texts(server.env),
    headers: texts(server.headers),
  };
}

/** The entries as they are written, by name. */
function rawEntries(content: unknown, path: KeyPath): ReadonlyMap<string, unknown> {
  const servers = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), content);
  if (Array.isArray(servers))
    return new Map(
      servers.filter(isJsonObject).map(({ name, ...entry }): [string, unknown] => [String(name), entry]),
    );
  return new Map(isJsonObject(servers) ? Object.entries(servers) : []);
}

function freeName(entries: ReadonlyMap<string, unknown>): string {
  if (!entries.has(PML_NAME)) return PML_NAME;
  throw new BrokenText(`it has another server that is named "${PML_NAME}"`);
}

function isEqualList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
