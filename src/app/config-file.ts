/**
 * Finds and reads the configuration file: JSON with comments, and variables in its texts (`config-values.ts`).
 *
 * Nothing heavy is loaded here: a `pml serve` that only joins a running gateway needs the file, but not the schema,
 * because that gateway has validated the same settings already. `own-keys.ts` validates the keys that `pml serve` reads
 * itself.
 *
 * @module
 */
import { existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isDeeperThan } from "../base/json-depth.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { nearest } from "../base/nearest.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";
import { plainJson } from "../clients/jsonc.js";
import {
  editorVariables,
  NoValue,
  resolveServers,
  resolveTexts,
  type ServerProblem,
  type ValueSource,
} from "./config-values.js";
import { realPath, userConfigDirectory } from "./places.js";

export interface ConfigFile {
  readonly file: string;
  /** The base of relative paths in the file; for a link, the directory of the real file. */
  readonly directory: string;
  /** Default working directory of servers: the home directory for the user's own file, else `directory`. */
  readonly cwd: string;
  /** The file's JSON with resolved variables, not validated further. Servers with a problem are omitted. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The variables in the file that have a value: a reload of the file needs them again. */
  readonly variables: Readonly<Record<string, string>>;
  /** The variables without a value, for which their default is used. */
  readonly defaulted: readonly string[];
  /** Servers whose values cannot be resolved. */
  readonly problems: readonly ServerProblem[];
  /** The entries of these servers, as written. */
  readonly broken: Readonly<Record<string, unknown>>;
  /** The values of the secrets in the file. */
  readonly secrets: readonly string[];
  /** SHA-256 of its content. */
  readonly hash: string;
  /** SHA-256 of the `envFile` of each server that has one. */
  readonly envFiles: Readonly<Record<string, string>>;
}

/** The fields of a section such as `store`, which may not be validated yet; empty if it is not an object. */
export function sectionOf(
  config: Pick<ConfigFile, "value">,
  name: string,
): Readonly<Record<string, unknown>> {
  const section = config.value[name];
  return isJsonObject(section) ? section : {};
}

export const CONFIG_NAME = "pml.json";

/** How a configuration was found: named on the command line, in the current directory, or as the user's own. */
export type ConfigOrigin = "named" | "local" | "own";

/** Finds the configuration file without reading it. A file that was named on the command line need not exist. */
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
      hint: 'Run `pml init` to import the servers that your MCP clients have. Or write one, for example {"mcpServers":{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","."]}}}, or name one with --config FILE.',
    },
  );
}

/**
 * The directory of the configuration itself, for paths that a server does not resolve against its working directory.
 */
const DIRECTORY_VARIABLE = "PML_CONFIG_DIR";

export interface ConfigValues extends ValueSource {
  readonly home: string;
  /** The directory of the user's own configuration. */
  readonly ownDirectory: string;
}

/**
 * Parses the configuration from bytes, for callers that must judge them first: a second read could give other content.
 */
export function configOf(file: string, bytes: Buffer, values: ConfigValues): ConfigFile {
  const directory = directoryOf(file);
  const isOwn = realPath(file) === realPath(join(values.ownDirectory, CONFIG_NAME));
  const ofEditors = editorVariables(isOwn ? undefined : directory, values.home);
  const secrets = new Set<string>();
  const variables: Record<string, string> = {};
  const defaulted = new Set<string>();
  const source: ValueSource = {
    variable(name) {
      if (name === DIRECTORY_VARIABLE) return directory;
      const found = ofEditors.get(name) ?? values.variable(name);
      if (found !== undefined) variables[name] = found;
      return found;
    },
    secret(name) {
      const value = values.secret(name);
      secrets.add(value);
      return value;
    },
    defaulted: (name) => void defaulted.add(name),
  };
  const { mcpServers, ...rest } = writtenConfig(file, bytes);
  const resolved = isJsonObject(mcpServers) ? resolveServers(mcpServers, directory, source) : undefined;
  return {
    file,
    directory,
    cwd: isOwn ? values.home : directory,
    value: {
      ...(mcpServers === undefined ? {} : { mcpServers: resolved?.servers ?? mcpServers }),
      ...resolvedRest(file, rest, source),
    },
    variables,
    defaulted: [...defaulted],
    problems: resolved?.problems ?? [],
    broken: resolved?.broken ?? {},
    secrets: [...secrets],
    hash: sha256(bytes),
    envFiles: resolved?.envFiles ?? {},
  };
}

function resolvedRest(file: string, rest: object, source: ValueSource): object {
  try {
    return resolveTexts(rest, "", source) as object;
  } catch (error) {
    if (error instanceof NoValue) throw configProblem(file, error.key, error.message, error.hint);
    throw error;
  }
}

/**
 * The directory of the real file, since acceptance is by real path. A repository can contain a link to an accepted
 * file, and such a link must not make its servers start in another directory.
 */
function directoryOf(file: string): string {
  const real = realPath(file);
  const directory = dirname(file);
  return real === join(realPath(directory), basename(file)) ? directory : dirname(real);
}

/** Parses the JSON with unresolved variables. */
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

/**
 * A repository can contain a link to a device, or a pipe, instead of a file: reading it blocks, or fills the memory.
 */
export function isEndless(stats: Stats): boolean {
  return !stats.isFile() && !stats.isDirectory();
}

/** The error for a key below `parent` that is not in `known`. */
export function unknownKey(file: string, parent: string, key: string, known: readonly string[]): PmlError {
  const [like] = nearest(key, known, 1);
  const path = parent === "" ? key : `${parent}.${key}`;
  return configProblem(
    file,
    path,
    `unknown key "${key}"${like === undefined ? "" : `, did you mean "${like}"?`}`,
  );
}

/** The kind of a value. Never the text itself: it may be a secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function parse(file: string, written: string): Record<string, unknown> {
  const text = plainJson(written);
  if (isDeeperThan(text, LIMITS.jsonLevels))
    throw configProblem(file, "", `it is nested deeper than ${LIMITS.jsonLevels} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { why, position } = firstFault(text);
    throw configProblem(file, "", `it is not JSON: ${why} (${placeOf(position, text)})`);
  }
  if (isJsonObject(value)) return value as Record<string, unknown>;
  throw configProblem(file, "", `expected a JSON object, found ${kindOf(value)}`);
}

/**
 * Finds the position where `text` stops being valid JSON. The engine's message does not always have a
 * position, and may quote the text around it, which may be a secret. But every prefix of the text either can
 * be completed to JSON or cannot; the shortest prefix that cannot ends at the fault.
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
