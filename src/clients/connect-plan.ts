/**
 * The changes of `pml connect` to a client's file: PML replaces the servers that it already has, and the others stay.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { BrokenText } from "./broken-text.js";
import { CLIENTS, type ClientId } from "./client-table.js";
import { contentOf, editedText, entriesIn } from "./config-text.js";
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
  /** The file as PML last wrote it. */
  readonly written?: string | undefined;
}

export interface ConnectPlan {
  readonly after: string;
  /** Names of the entries that PML replaces: servers that PML has, and its own older entries. */
  readonly replaced: readonly string[];
  readonly stays: readonly StayingServer[];
  readonly problems: readonly FoundProblem[];
}

interface StayingServer {
  readonly name: string;
  readonly why: string;
}

/** Throws `BrokenText` if the file cannot be read or edited. */
export function connectPlan(request: ConnectRequest): ConnectPlan {
  const { source, words, configured, places, env, written } = request;
  const { format, entryOf, newText = "" } = CLIENTS[source.client];
  const text = source.text.trim() === "" ? source.text + newText : source.text;
  const { place, entries } = clientEntries(source.client, text);
  const { servers, problems } = readServers({ ...source, scope: "user" }, { home: places.home });
  const ours = servers.filter(
    (server) => isOurs(server, words) || isAsWritten(server.name, entries, source.client, written),
  );
  const judged = servers
    .filter((server) => !ours.includes(server))
    .map((server) => ({ name: server.name, why: whyStays(expanded(server, env), configured) }));
  const [present] = ours;
  const name = present?.name ?? freeName(entries);
  // An entry that starts the same command stays as it is; another one keeps a person's additions.
  const isSame = present !== undefined && isEqualList([present.command ?? "", ...present.args], words);
  const old = entries.get(name);
  const entry = isSame ? old : { ...(isJsonObject(old) ? old : {}), ...entryOf(words) };
  const remove = [
    ...judged.filter(({ why }) => why === undefined).map((one) => one.name),
    ...ours.map((one) => one.name).filter((one) => one !== name),
  ];
  const isUnchanged = isSame && remove.length === 0;
  return {
    after: isUnchanged ? source.text : editedText(format, text, { ...place, remove, put: { name, entry } }),
    replaced: isSame || old === undefined ? remove : [...remove, name],
    stays: judged.flatMap(({ name: one, why }) => (why === undefined ? [] : [{ name: one, why }])),
    problems,
  };
}

/** The path of the entries in a client's file, and the entries as written, by name. Throws `BrokenText`. */
export function clientEntries(client: ClientId, text: string) {
  const { format, serversAt, isList } = CLIENTS[client];
  const content = contentOf(format, text);
  const path = serversAt(content);
  const place = isList === true ? { path, isList } : { path };
  return { place, entries: entriesIn(content, place) };
}

/** Undefined if PML has the server, and can start it. */
function whyStays(server: FoundServer, configured: readonly ConfiguredServer[]): string | undefined {
  if (isPml(server)) return "it starts PML with other options";
  const alike = configured.filter((one) => isSameLaunch(one, server));
  const same = alike.filter((one) => isSameServer(one, server) || folded(one.name) === folded(server.name));
  if (same.some(({ disabled }) => !disabled || server.disabled)) return undefined;
  if (same.length > 0) return "it is disabled in PML's configuration";
  return alike.length > 0
    ? "PML's configuration has it with other variables or headers"
    : "it is not in PML's configuration";
}

/** Names are changed by an import: `desktop only` becomes `desktop-only`. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Whether an entry serves PML, in any form. */
export function isPml({ command = "", args }: Pick<FoundServer, "command" | "args">): boolean {
  const words = [command, ...args];
  const isOurs = (word: string) =>
    /(^|[\\/])pml(\.cmd|\.exe)?$/.test(word) ||
    /^casys-pml(@.*)?$/.test(word) ||
    /[\\/]cli[\\/]main\.js$/.test(word);
  return words.some((word, index) => isOurs(word) && words[index + 1] === "serve");
}

/** Whether an entry serves the same PML: this package or this checkout, with the same configuration and scope. */
function isOurs({ command = "", args }: FoundServer, words: readonly string[]): boolean {
  const present = [command, ...args];
  const program = words[words.indexOf("serve") - 1];
  const isProgram = (word: string) => /^casys-pml(@.*)?$/.test(word) || word === program;
  return (
    present.some((word, index) => isProgram(word) && present[index + 1] === "serve") &&
    ["--config", "--scope"].every((option) => optionIn(present, option) === optionIn(words, option))
  );
}

function optionIn(words: readonly string[], option: string): string | undefined {
  const at = words.indexOf(option);
  if (at >= 0) return words[at + 1];
  return words.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
}

/** Whether the entry is still as PML wrote it into this file: then it may get another configuration. */
function isAsWritten(
  name: string,
  entries: ReadonlyMap<string, unknown>,
  client: ClientId,
  written: string | undefined,
): boolean {
  if (name !== PML_NAME || written === undefined) return false;
  const known = clientEntries(client, written).entries.get(name);
  return known !== undefined && canonicalJson(known) === canonicalJson(entries.get(name));
}

/** Resolves variables of the environment that have a value, as in PML's configuration. */
function expanded(server: FoundServer, env: ConnectRequest["env"]): FoundServer {
  const text = (one: string) =>
    one.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (whole, name: string, usual?: string) => env[name] ?? usual ?? whole,
    );
  const texts = (map: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(map).map(([name, one]) => [name, text(one)]));
  const { command, url, cwd } = server;
  return {
    ...server,
    ...(cwd === undefined ? {} : { cwd: text(cwd) }),
    ...(command === undefined ? {} : { command: text(command) }),
    ...(url === undefined ? {} : { url: text(url) }),
    args: server.args.map(text),
    env: texts(server.env),
    headers: texts(server.headers),
  };
}

function freeName(entries: ReadonlyMap<string, unknown>): string {
  if (!entries.has(PML_NAME)) return PML_NAME;
  throw new BrokenText(`it has another server that is named "${PML_NAME}"; rename that one first`);
}

function isEqualList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
