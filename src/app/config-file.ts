/**
 * Finds and reads the configuration file: JSON, with `${VAR}` taken from the environment.
 *
 * Nothing heavy is loaded here: a `pml serve` that only joins a running gateway needs the file, but not the schema,
 * because the gateway that it joins has checked the same settings already.
 *
 * @module
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { checkTrusted } from "./trust.js";
import { userConfigDirectory } from "./user-config-directory.js";

export interface ConfigFile {
  readonly file: string;
  /** Relative paths in the file, and the servers' working directory, start here. */
  readonly directory: string;
  /** The file's JSON, variables replaced, not checked any further. */
  readonly value: Readonly<Record<string, unknown>>;
}

export const CONFIG_NAME = "pml.json";

/** Reads the file that was named, else `./pml.json` if it is trusted, else the user's. */
export function findConfig(
  named: string | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
  lookup: Lookup = (name) => env[name],
): ConfigFile {
  if (named !== undefined) return readConfig(resolve(named), lookup);
  const local = resolve(CONFIG_NAME);
  if (existsSync(local)) {
    checkTrusted(local, env);
    return readConfig(local, lookup);
  }
  const own = join(userConfigDirectory(env), CONFIG_NAME);
  if (existsSync(own)) return readConfig(own, lookup);
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

export function readConfig(file: string, lookup: Lookup): ConfigFile {
  const directory = dirname(file);
  const value = expand(parse(file, readText(file)), file, "", (name) =>
    name === DIRECTORY_VARIABLE ? directory : lookup(name),
  );
  return { file, directory, value: value as Record<string, unknown> };
}

/** Where the data lies when nobody says otherwise: beside the configuration. */
export function defaultDataDirectory(config: ConfigFile): string {
  return join(config.directory, ".pml");
}

export function configProblem(file: string, key: string, why: string, hint?: string): PmlError {
  const where = key === "" ? "" : ` at ${key}`;
  return new PmlError("CONFIG_INVALID", `Cannot use the configuration "${file}": ${why}${where}`, {
    ...(hint === undefined ? {} : { hint }),
    data: { file, ...(key === "" ? {} : { key }) },
  });
}

function readText(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > LIMITS.configBytes)
      throw configProblem(file, "", `it has ${size} bytes, the limit is ${LIMITS.configBytes}`);
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof PmlError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw configProblem(file, "", code === "ENOENT" ? "there is no such file" : messageOf(error));
  }
}

function parse(file: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { why, position } = firstFault(text);
    throw configProblem(file, "", `it is not JSON: ${why} (${placeOf(position, text)})`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw configProblem(
    file,
    "",
    `expected a JSON object, found ${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`}`,
  );
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
