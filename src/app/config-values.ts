/**
 * Variables in the texts of a configuration, and their values.
 *
 * A variable without a value is an error of the whole file, except in the entry of a server: there it only disables
 * that server.
 *
 * @module
 */
import { basename, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError, type PmlErrorCode } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";
import { readRegularFile } from "../daemon/regular-file.js";
import { hasMark, markedCommand } from "./exec-values.js";

/** The sources of values. */
export interface ValueSource {
  /** Reads a variable of the environment. */
  variable(name: string): string | undefined;
  /** Reads a value of the secret store. Throws a `PmlError` if it is missing. */
  secret(name: string): string;
  /** Returns a placeholder for the output of a command. Absent if commands are not allowed as a source. */
  command?(text: string): string;
  /** Called for a variable without a value whose default is used. */
  defaulted?(name: string): void;
}

/** Why the entry of a server cannot be used. The server is not started; the others are. */
export interface ServerProblem {
  readonly server: string;
  readonly code: PmlErrorCode;
  /** One sentence that names the key. */
  readonly message: string;
  /** The remedy. */
  readonly hint?: string;
}

/** A text whose variables cannot be resolved. */
export class NoValue extends Error {
  override readonly name = "NoValue";
  readonly code: PmlErrorCode;
  readonly key: string;
  readonly hint: string;

  constructor(code: PmlErrorCode, key: string, why: string, hint: string) {
    super(why);
    this.code = code;
    this.key = key;
    this.hint = hint;
  }
}

export interface ResolvedServers {
  readonly servers: Readonly<Record<string, unknown>>;
  readonly problems: readonly ServerProblem[];
  /** The entries with a problem, as written. */
  readonly broken: Readonly<Record<string, unknown>>;
  /** SHA-256 of the `envFile` of each server that has one. */
  readonly envFiles: Readonly<Record<string, string>>;
}

/**
 * Resolves each entry of `mcpServers` separately; an entry that cannot be resolved becomes a problem, and is omitted.
 */
export function resolveServers(
  written: Readonly<Record<string, unknown>>,
  directory: string,
  source: ValueSource,
): ResolvedServers {
  const servers: Record<string, unknown> = {};
  const problems: ServerProblem[] = [];
  const broken: Record<string, unknown> = {};
  const envFiles: Record<string, string> = {};
  for (const [name, entry] of Object.entries(written)) {
    const key = `mcpServers.${name}`;
    try {
      // First: the content of the file counts for trust, even if the rest of the entry is invalid.
      const variables = envFileOf(entry, key, directory, source);
      if (variables !== undefined) define(envFiles, name, variables.hash);
      define(servers, name, withVariables(resolveEntry(entry, key, source), variables?.values));
    } catch (error) {
      if (!(error instanceof NoValue)) throw error;
      // A disabled server needs no values.
      if (isJsonObject(entry) && entry.disabled === true) define(servers, name, entry);
      else {
        const { code, message, key: at, hint } = error;
        problems.push({ server: name, code, message: `${message} at ${at}`, hint });
        define(broken, name, entry);
      }
    }
  }
  return { servers, problems, broken, envFiles };
}

const VARIABLE = /\$(\$?)\{([^}]*)\}/g;
const ENVIRONMENT = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
/** `${input:NAME}` is a prompt in VS Code; PML stores the answer as a secret. */
const SECRET = /^(?:secret|input):(.+)$/s;

/** A command that prints the value; the gateway runs it (`exec-values.ts`). */
const COMMAND = /^exec:(.+)$/s;

/** Resolves the variables in every text of `value`; `$${NAME}` becomes the text `${NAME}`. Throws {@link NoValue}. */
export function resolveTexts(value: unknown, key: string, source: ValueSource): unknown {
  if (typeof value === "string" && hasMark(value))
    throw new NoValue("CONFIG_INVALID", key, "a text has a NUL character", "Remove the character.");
  if (typeof value === "string")
    return value.replace(VARIABLE, (whole: string, escaped: string, inner: string) =>
      escaped === "" ? variableValue(inner, key, source) : whole.slice(1),
    );
  const below = (name: string | number) => (key === "" ? String(name) : `${key}.${name}`);
  if (Array.isArray(value)) return value.map((item, index) => resolveTexts(item, below(index), source));
  if (typeof value !== "object" || value === null) return value;
  const resolved: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value))
    define(resolved, name, resolveTexts(item, below(name), source));
  return resolved;
}

/** Names of the secrets in the texts of an unresolved value. */
export function secretNames(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (name: string) => {
    names.add(name);
    return "";
  };
  resolveTexts(value, "", { variable: () => "", secret: note, command: () => "" });
  return names;
}

/** The predefined variables of VS Code and Cursor, for a file in this directory. */
export function editorVariables(directory: string | undefined, home: string): ReadonlyMap<string, string> {
  const ofProject: readonly [string, string][] =
    directory === undefined
      ? []
      : [
          ["workspaceFolder", directory],
          ["workspaceFolderBasename", basename(directory)],
        ];
  return new Map([...ofProject, ["userHome", home], ["pathSeparator", sep]]);
}

function variableValue(inner: string, key: string, source: ValueSource): string {
  const secret = SECRET.exec(inner)?.[1];
  if (secret !== undefined) return secretOf(secret, key, source);
  const command = COMMAND.exec(inner)?.[1];
  if (command !== undefined) return source.command?.(command) ?? refuseCommand(key);
  const [, name = "", fallback] = ENVIRONMENT.exec(inner) ?? [];
  const found = source.variable(name);
  if (found !== undefined) return found;
  if (fallback !== undefined) {
    source.defaulted?.(name);
    return fallback;
  }
  const asText = "Write $${…} for the text itself.";
  if (name !== "")
    throw new NoValue(
      "VARIABLE_UNSET",
      key,
      `the variable ${name} is not set`,
      `Set it where PML is started, or keep the value with \`pml secret set ${name}\` and write \${secret:${name}}. ${asText}`,
    );
  // Does not quote the text: it may be part of a secret.
  const why = `a variable has no proper name: expected \${NAME} or \${NAME:-default}`;
  throw new NoValue("CONFIG_INVALID", key, why, asText);
}

function secretOf(name: string, key: string, source: ValueSource): string {
  try {
    return source.secret(name);
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    throw new NoValue(error.code, key, error.message, error.hint ?? "");
  }
}

/** The only keys that may contain secrets: every user of the machine can read the command line of a program. */
const SECRET_KEYS: ReadonlySet<string> = new Set(["env", "headers", "url", "auth"]);

function resolveEntry(entry: unknown, key: string, source: ValueSource): unknown {
  if (!isJsonObject(entry)) return resolveTexts(entry, key, source);
  const resolved: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    const at = `${key}.${name}`;
    const from = SECRET_KEYS.has(name)
      ? { ...source, command: markedCommand }
      : { ...source, secret: () => refuseSecret(at) };
    define(resolved, name, resolveTexts(value, at, from));
  }
  return resolved;
}

function refuseSecret(key: string): never {
  throw new NoValue(
    "CONFIG_INVALID",
    key,
    "a secret can only be used in env, headers, url and auth",
    "Other users of the machine can read the arguments of a program. Give the secret to the server in env.",
  );
}

function refuseCommand(key: string): never {
  throw new NoValue(
    "CONFIG_INVALID",
    key,
    "the output of a command can only be used in env, headers, url and auth of a server",
    "Use a variable of the environment or a kept secret here.",
  );
}

/** The variables in the `envFile` of an entry; undefined if it has none. */
function envFileOf(entry: unknown, key: string, directory: string, source: ValueSource) {
  const at = `${key}.envFile`;
  if (!isJsonObject(entry) || typeof entry.envFile !== "string") return undefined;
  const named = resolveTexts(entry.envFile, at, { ...source, secret: () => refuseSecret(at) });
  const file = resolve(directory, String(named));
  try {
    const text = readRegularFile(file, { most: LIMITS.envFileBytes });
    return { values: parseEnv(text), hash: sha256(text) };
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new NoValue(
      "VARIABLE_UNSET",
      at,
      `cannot read the variables in "${file}": ${isAbsent ? "there is no such file" : messageOf(error)}`,
      "Create the file, or remove envFile from the entry.",
    );
  }
}

/** Variables of the entry itself override those of its file. */
function withVariables(entry: unknown, values: NodeJS.Dict<string> | undefined): unknown {
  if (!isJsonObject(entry) || values === undefined) return entry;
  const { env } = entry;
  // The schema will report an invalid `env`.
  return env === undefined || isJsonObject(env) ? { ...entry, env: { ...values, ...env } } : entry;
}

/** Works for keys of any name, even `__proto__`. */
function define(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}
