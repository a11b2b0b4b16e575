/**
 * Finds and reads the configuration file: JSON, with `${VAR}` taken from the environment.
 *
 * Nothing heavy is loaded here: a `pml serve` that only joins a running gateway needs the file, but not the schema,
 * because the gateway that it joins has checked the same settings already. What it reads itself, `own-keys.ts` checks.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { nearest } from "../base/nearest.js";
import { messageOf, PmlError, type PmlErrorCode } from "../base/pml-error.js";
import { BrokenText } from "../clients/broken-text.js";
import { jsonValue, parseJsonc } from "../clients/jsonc.js";
import { realPath, userConfigDirectory } from "./places.js";

export interface ConfigFile {
  readonly file: string;
  /** Relative paths in the file, and the servers' working directory, start here; of a link, where the file really is. */
  readonly directory: string;
  /** The file's JSON, variables replaced, not checked any further. A server with a problem is as it is written. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The variables that the file names and that have a value: a reload of the file needs them again. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of servers whose variables cannot be replaced. */
  readonly problems: readonly ServerProblem[];
  /** SHA-256 of its content. */
  readonly hash: string;
}

/** Why the entry of one server cannot be used. The others are not affected. */
export interface ServerProblem {
  readonly server: string;
  readonly code: PmlErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/** What an error says about one server; other errors are thrown on. */
export function serverProblem(server: string, error: unknown): ServerProblem {
  if (!(error instanceof PmlError)) throw error;
  const { code, message, hint } = error;
  return { server, code, message, ...(hint === undefined ? {} : { hint }) };
}

/** The fields of a section such as `store`, which may not be checked yet; none where it is no object. */
export function sectionOf(
  config: Pick<ConfigFile, "value">,
  name: string,
): Readonly<Record<string, unknown>> {
  const section = config.value[name];
  return isJsonObject(section) ? section : {};
}

export const CONFIG_NAME = "pml.json";

/** How a configuration was found: named on the command line, in the current directory, or in the user's own. */
export type ConfigOrigin = "named" | "local" | "own";

/** Where the configuration is; nothing of it is read. One that was named need not be there. */
export function findConfigFile(
  named: string | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
): { readonly file: string; readonly origin: ConfigOrigin } {
  if (named !== undefined) return { file: resolve(named), origin: "named" };
  const local = resolve(CONFIG_NAME);
  if (existsSync(local)) return { file: local, origin: "local" };
  const own = join(userConfigDirectory(env), CONFIG_NAME);
  if (existsSync(own)) return { file: own, origin: "own" };
  throw new PmlError(
    "CONFIG_INVALID",
    `Cannot find a configuration: neither "${local}" nor "${own}" exists`,
    {
      hint: 'Write one, for example {"mcpServers":{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","."]}}}, or name one with --config FILE.',
    },
  );
}

/** Gives the value of a variable, if it has one. */
type Lookup = (name: string) => string | undefined;

/** The directory of the configuration itself, for paths that a server does not take relative to where it runs. */
const DIRECTORY_VARIABLE = "PML_CONFIG_DIR";

/** The configuration that `bytes` are, for those who must judge them before: what is read twice may differ. */
export function configOf(file: string, bytes: Buffer, lookup: Lookup): ConfigFile {
  const directory = directoryOf(file);
  const variables: Record<string, string> = {};
  const { mcpServers, ...rest } = writtenConfig(file, bytes);
  const look = (name: string) => {
    if (name === DIRECTORY_VARIABLE) return directory;
    const found = lookup(name);
    if (found !== undefined) variables[name] = found;
    return found;
  };
  const { servers, problems } = expandServers(mcpServers, file, look);
  const value = {
    ...(mcpServers === undefined ? {} : { mcpServers: servers }),
    ...(expand(rest, file, "", look) as Record<string, unknown>),
  };
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { file, directory, value, variables, problems, hash };
}

/** Each server by itself: one that needs a variable without a value takes no other server down. */
function expandServers(
  mcpServers: unknown,
  file: string,
  lookup: Lookup,
): { readonly servers: unknown; readonly problems: readonly ServerProblem[] } {
  if (!isJsonObject(mcpServers))
    return { servers: expand(mcpServers, file, "mcpServers", lookup), problems: [] };
  const problems: ServerProblem[] = [];
  const entries = Object.entries(mcpServers).map(([name, entry]) => {
    // A server that is not started needs no variables.
    if (isJsonObject(entry) && entry.disabled === true) return [name, entry];
    try {
      return [name, expand(entry, file, `mcpServers.${name}`, lookup)];
    } catch (error) {
      problems.push(serverProblem(name, error));
      return [name, entry];
    }
  });
  return { servers: Object.fromEntries(entries), problems };
}

/**
 * Where the file really is. It is accepted by its real path: a link to it, which anybody can put into a repository, must
 * not make its servers start somewhere else.
 */
function directoryOf(file: string): string {
  const real = realPath(file);
  const directory = dirname(file);
  return real === join(realPath(directory), basename(file)) ? directory : dirname(real);
}

/** The JSON that `bytes` are, with its variables as they are written. */
export function writtenConfig(file: string, bytes: Buffer): Record<string, unknown> {
  return parse(file, bytes.toString("utf8").replace(/^\uFEFF/, ""));
}

export function configProblem(file: string, key: string, why: string, hint?: string): PmlError {
  const where = key === "" ? "" : ` at ${key}`;
  return new PmlError("CONFIG_INVALID", `Cannot use the configuration "${file}": ${why}${where}`, {
    ...(hint === undefined ? {} : { hint }),
    data: { file, ...(key === "" ? {} : { key }) },
  });
}

export function readConfigBytes(file: string): Buffer {
  try {
    const stats = statSync(file);
    if (isEndless(stats)) throw configProblem(file, "", "it is not a regular file");
    if (stats.size > LIMITS.configBytes)
      throw configProblem(file, "", `it has ${stats.size} bytes, the limit is ${LIMITS.configBytes}`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof PmlError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw configProblem(file, "", code === "ENOENT" ? "there is no such file" : messageOf(error));
  }
}

/** A repository can have a link to a device, or a pipe, in place of a file: who reads it waits, or fills the memory. */
export function isEndless(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory();
}

/** Of a key that is none of `known`, below `parent`. */
export function unknownKey(file: string, parent: string, key: string, known: readonly string[]): PmlError {
  const [like] = nearest(key, known, 1);
  const path = parent === "" ? key : `${parent}.${key}`;
  return configProblem(
    file,
    path,
    `unknown key "${key}"${like === undefined ? "" : `, did you mean "${like}"?`}`,
  );
}

/** What kind of value was found. Never the text itself: it may be a secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function parse(file: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = withComments(file, text);
  }
  if (isJsonObject(value)) return value as Record<string, unknown>;
  throw configProblem(file, "", `expected a JSON object, found ${kindOf(value)}`);
}

/** Comments and trailing commas are allowed; of any other fault it is told where it is. */
function withComments(file: string, text: string): unknown {
  try {
    const node = parseJsonc(text);
    if (node !== undefined) return jsonValue(node);
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    const { why, position } = firstFault(text);
    // The first fault is one only where it is no comment or comma that is allowed.
    const isAllowed = /[/}\]]/.test(text[position] ?? "");
    const fault = isAllowed ? `${error.message} (line ${error.line})` : `${why} (${placeOf(position, text)})`;
    throw configProblem(file, "", `it is not JSON: ${fault}`);
  }
  const { why, position } = firstFault(text);
  throw configProblem(file, "", `it is not JSON: ${why} (${placeOf(position, text)})`);
}

/**
 * Where `text` stops being JSON. The engine's message has no position for every fault, and may quote the text around
 * it, which may be a secret; but a beginning of the text either could be completed or could not, so the shortest one
 * that could not ends at the fault.
 */
function firstFault(text: string): { readonly why: string; readonly position: number } {
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (middle <= text.length && couldGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const found = text.slice(good, good + 1);
  return { why: found === "" ? "unexpected end" : `unexpected ${JSON.stringify(found)}`, position: good };
}

function couldGoOn(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const position = /at position (\d+)/.exec(messageOf(error))?.[1];
    return position === undefined ? /end of JSON/.test(messageOf(error)) : Number(position) >= start.length;
  }
}

function placeOf(position: number, text: string): string {
  const before = text.slice(0, position);
  return `line ${before.split("\n").length}, column ${position - before.lastIndexOf("\n")}`;
}

const VARIABLE = /\$(\$?)\{([^}]*)\}/g;
const VARIABLE_NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Replaces `${VAR}` and `${VAR:-default}` in every text; `$${VAR}` stays as `${VAR}`. */
function expand(value: unknown, file: string, key: string, lookup: Lookup): unknown {
  if (typeof value === "string") {
    return value.replace(VARIABLE, (whole: string, escaped: string, inner: string) => {
      if (escaped !== "") return whole.slice(1);
      const [, name = "", fallback] = VARIABLE_NAME.exec(inner) ?? [];
      const found = lookup(name) ?? fallback;
      if (found !== undefined) return found;
      throw configProblem(
        file,
        key,
        name === ""
          ? // Not as it stands there: it may be part of a secret.
            `a variable has no proper name: expected \${NAME} or \${NAME:-default}`
          : `the variable ${name} is not set`,
        "Write $${…} for the text itself.",
      );
    });
  }
  const below = (name: string | number) => (key === "" ? String(name) : `${key}.${name}`);
  if (Array.isArray(value)) return value.map((item, index) => expand(item, file, below(index), lookup));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, expand(item, file, below(name), lookup)]),
  );
}
