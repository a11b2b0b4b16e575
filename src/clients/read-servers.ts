/**
 * Reads the servers of a client's configuration into one form. An entry that cannot be read becomes a problem and does
 * not affect the others.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { BrokenText } from "./broken-text.js";
import { CLIENTS, type ClientId, type KeyPath } from "./client-table.js";
import { contentOf } from "./config-text.js";
import type { FoundProblem, FoundServer, FoundServers } from "./found-server.js";
import { pmlText, type VariablePlaces } from "./variables.js";

export interface ClientFile {
  readonly client: ClientId;
  readonly scope: FoundServer["scope"];
  readonly file: string;
  readonly text: string;
}

export function readServers(source: ClientFile, places: VariablePlaces): FoundServers {
  const { client, scope, file, text } = source;
  const { format, serversAt, projectServersAt } = CLIENTS[client];
  let content: unknown;
  try {
    content = contentOf(format, text);
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    const line = error.line === undefined ? {} : { line: error.line };
    return { servers: [], problems: [{ client, file, ...line, message: error.message }] };
  }
  const reader = new EntryReader(source, places);
  const { project } = places;
  reader.read(content, serversAt(content), scope);
  if (scope === "user" && project !== undefined && projectServersAt !== undefined)
    reader.read(content, projectServersAt(project), "project");
  return reader;
}

/** Keys that are read, with all their names in the clients. */
const KEYS = {
  command: ["command", "cmd"],
  args: ["args"],
  env: ["env", "environment", "envs"],
  cwd: ["cwd"],
  url: ["url", "httpUrl", "serverUrl", "uri"],
  headers: ["headers", "http_headers"],
  envFile: ["envFile"],
} as const;
/** Keys that PML does not need, or that are read below. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...Object.values(KEYS).flat(),
  ...["type", "transport", "name", "source", "enabled", "disabled", "requestOptions"],
  ...["env_keys", "env_vars", "bearer_token_env_var", "env_http_headers"],
]);
/** Built-in extensions of Goose, and extensions of Zed: PML cannot start these as programs. */
const BUILT_IN: ReadonlySet<unknown> = new Set(["builtin", "platform", "frontend", "inline_python"]);

/** The name of an unnamed entry in a list. */
const NO_NAME = "";

type Entry = Readonly<Record<string, unknown>>;

class EntryReader implements FoundServers {
  readonly servers: FoundServer[] = [];
  readonly problems: FoundProblem[] = [];
  readonly #source: ClientFile;
  readonly #places: VariablePlaces;

  constructor(source: ClientFile, places: VariablePlaces) {
    this.#source = source;
    this.#places = places;
  }

  read(content: unknown, path: KeyPath, scope: FoundServer["scope"]): void {
    const servers = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), content);
    if (servers === undefined || servers === null) return;
    const entries = entriesOf(servers, CLIENTS[this.#source.client].isList === true);
    if (entries === undefined) {
      this.#report(undefined, `${path.join(".")}: expected servers`);
      return;
    }
    if (entries.length > LIMITS.clientServers)
      this.#report(undefined, `only the first ${LIMITS.clientServers} of ${entries.length} servers are read`);
    for (const [name, entry] of entries.slice(0, LIMITS.clientServers)) this.#entry(name, entry, scope);
  }

  #entry(name: string, entry: unknown, scope: FoundServer["scope"]): void {
    const report = (message: string) => this.#report(name, message);
    const fault = faultOf(entry);
    if (fault !== undefined || !isJsonObject(entry)) {
      report(fault ?? "");
      return;
    }
    const { client, file } = this.#source;
    const { urlIsSse, hasBareVariables } = CLIENTS[client];
    const places = {
      ...this.#places,
      ...(scope === "project" ? {} : { project: undefined }),
      isBare: hasBareVariables === true,
    };
    const fields = new FieldReader(entry, (text) => pmlText(text, places, report), report);
    const transport = fields.transport(urlIsSse === true);
    if (transport === undefined) return;
    const foreign = Object.keys(entry).filter((key) => !UNDERSTOOD.has(key));
    const disabled = entry.disabled === true || entry.enabled === false;
    this.servers.push({ name, client, scope, file, ...transport, ...fields.rest(), disabled, foreign });
  }

  #report(server: string | undefined, message: string): void {
    const { client, file } = this.#source;
    this.problems.push({ client, file, ...(server === undefined ? {} : { server }), message });
  }
}

/** Why PML cannot start an entry. */
function faultOf(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return "expected an object";
  if (entry.name === NO_NAME) return "it has no name";
  return BUILT_IN.has(entry.type) || entry.source === "extension"
    ? "it is built into the client, and stays there"
    : undefined;
}

function entriesOf(servers: unknown, isList: boolean): readonly (readonly [string, unknown])[] | undefined {
  if (!isList) return isJsonObject(servers) ? Object.entries(servers) : undefined;
  if (!Array.isArray(servers)) return undefined;
  return servers.map((item: unknown, index) =>
    isJsonObject(item) && typeof item.name === "string" && item.name !== NO_NAME
      ? [item.name, item]
      : [`entry ${index + 1}`, isJsonObject(item) ? { ...item, name: NO_NAME } : item],
  );
}

/** Reads the fields of one entry; a field of a wrong type is reported and skipped. */
class FieldReader {
  readonly #entry: Entry;
  readonly #text: (text: string) => string;
  readonly #report: (message: string) => void;

  constructor(entry: Entry, text: (text: string) => string, report: (message: string) => void) {
    this.#entry = entry;
    this.#text = text;
    this.#report = report;
  }

  /** Undefined, after a report, if the entry has neither a program nor an address. */
  transport(urlIsSse: boolean): Pick<FoundServer, "command" | "args" | "url" | "type"> | undefined {
    const [, found] = this.#find("command");
    // opencode has the program and its arguments in one list.
    const [command, ...args] = Array.isArray(found) ? found : [found, ...this.#list("args")];
    if (typeof command === "string" && command !== "")
      return { command: this.#text(command), args: args.map((one) => this.#text(String(one))) };
    const [key, url] = this.#find("url");
    if (typeof url === "string" && url !== "") {
      const said = this.#entry.type ?? this.#entry.transport;
      const isSse = said === "sse" || (said === undefined && urlIsSse && key === "url");
      return { url: this.#text(url), args: [], ...(isSse ? { type: "sse" as const } : {}) };
    }
    this.#report("expected a command or a URL");
    return undefined;
  }

  rest(): Pick<FoundServer, "env" | "headers" | "cwd" | "envFile"> {
    const [, cwd] = this.#find("cwd");
    const [, envFile] = this.#find("envFile");
    return {
      env: { ...this.#map("env"), ...this.#passedOn() },
      headers: this.#headers(),
      ...(typeof cwd === "string" ? { cwd: this.#text(cwd) } : {}),
      ...(typeof envFile === "string" ? { envFile: this.#text(envFile) } : {}),
    };
  }

  /** Variables that the client passes on under their own names (Codex), or takes from its keyring (Goose). */
  #passedOn(): Record<string, string> {
    const kept = textsOf(this.#entry.env_keys);
    for (const name of kept)
      this.#report(`its client keeps ${name}; \`pml secret set ${name}\` keeps it for PML`);
    return Object.fromEntries([
      ...textsOf(this.#entry.env_vars).map((name) => [name, `\${${name}}`]),
      ...kept.map((name) => [name, `\${secret:${name}}`]),
    ]);
  }

  #headers(): Record<string, string> {
    const { requestOptions, bearer_token_env_var: token, env_http_headers: fromEnv } = this.#entry;
    const options = isJsonObject(requestOptions) ? requestOptions.headers : undefined;
    const named = isJsonObject(fromEnv) ? Object.entries(fromEnv) : [];
    return {
      ...this.#map("headers"),
      ...this.#texts("requestOptions.headers", options),
      ...Object.fromEntries(named.map(([header, name]) => [header, `\${${String(name)}}`])),
      ...(typeof token === "string" ? { Authorization: `Bearer \${${token}}` } : {}),
    };
  }

  #find(field: keyof typeof KEYS): readonly [string, unknown] {
    const key = KEYS[field].find((one) => this.#entry[one] !== undefined) ?? field;
    return [key, this.#entry[key]];
  }

  #list(field: keyof typeof KEYS): readonly unknown[] {
    const [key, value] = this.#find(field);
    if (Array.isArray(value)) return value;
    if (value !== undefined && value !== null) this.#report(`${key}: expected a list`);
    return [];
  }

  #map(field: keyof typeof KEYS): Record<string, string> {
    return this.#texts(...this.#find(field));
  }

  #texts(key: string, value: unknown): Record<string, string> {
    if (value === undefined || value === null) return {};
    if (!isJsonObject(value)) {
      this.#report(`${key}: expected names and texts`);
      return {};
    }
    const entries = Object.entries(value).filter(([name, one]) => {
      const isPlain = ["string", "number", "boolean"].includes(typeof one);
      if (!isPlain) this.#report(`${key}.${name}: expected a text`);
      return isPlain;
    });
    return Object.fromEntries(entries.map(([name, one]) => [name, this.#text(String(one))]));
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
