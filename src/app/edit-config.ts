/**
 * Edits the servers of a configuration, for `pml add`, `remove`, `enable` and `disable`. The file is edited as text, so
 * that comments and formatting stay.
 *
 * A trusted file stays trusted after an edit. An edit that allows more is a decision of a person: the command asks the
 * gate first. An untrusted file stays untrusted.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { BrokenText } from "../clients/broken-text.js";
import { editedText } from "../clients/config-text.js";
import { maskedDiff } from "../clients/masked-diff.js";
import type { ConfigEdit } from "../clients/text-change.js";
import { acceptedConfig, keepAccepted } from "./accepted-configs.js";
import {
  CONFIG_NAME,
  type ConfigOrigin,
  configProblem,
  findConfigFile,
  readConfigBytes,
  writtenConfig,
} from "./config-file.js";
import { loadConfig } from "./config-schema.js";
import type { GateSettings } from "./person-gate.js";
import { keyDirectory, realPath, userConfigDirectory } from "./places.js";
import { editTrust, stateOf } from "./trust.js";
import { readAs, writeConfig } from "./write-config.js";

type Environment = Readonly<NodeJS.ProcessEnv>;

/** A configuration that can be edited. */
export interface EditableConfig {
  readonly file: string;
  readonly origin: ConfigOrigin;
  /** Undefined if the file does not exist yet. */
  readonly bytes: Buffer | undefined;
  /** By name, as written. */
  readonly servers: Readonly<Record<string, unknown>>;
}

/** A prepared edit that can be shown and applied. */
export interface ReadyEdit {
  readonly file: string;
  /** Without values that may be secrets. */
  readonly diff: string;
  /** Whether the file is trusted after the edit; `at-first-use` is a user's own file that was not used yet. */
  readonly trust: "trusted" | "untrusted" | "at-first-use";
  /** The gate that the decision must pass, if the edit allows more in a file that stays trusted. */
  readonly gate?: GateSettings;
  /** Why a server cannot start, such as a variable that is not set here. */
  readonly warnings: readonly string[];
  make(): void;
}

/** The file that a command without `--config` would use; the user's own if no file exists yet. */
export function openConfig(named: string | undefined, env: Environment): EditableConfig {
  const { file, origin } = placeOf(named, env);
  if (!existsSync(file)) return { file, origin, bytes: undefined, servers: {} };
  const bytes = readConfigBytes(file);
  const { mcpServers = {} } = writtenConfig(file, bytes);
  if (!isJsonObject(mcpServers)) throw configProblem(file, "mcpServers", "expected an object");
  return { file, origin, bytes, servers: mcpServers };
}

function placeOf(named: string | undefined, env: Environment): ReturnType<typeof findConfigFile> {
  const own = join(userConfigDirectory(env), CONFIG_NAME);
  try {
    return findConfigFile(named, env);
  } catch (error) {
    if (error instanceof PmlError && !existsSync(own)) return { file: own, origin: "own" };
    throw error;
  }
}

/** Throws if the file cannot be edited, or a server of `edited` would be invalid. */
export function readyEdit(
  { file, origin, bytes }: EditableConfig,
  edit: ConfigEdit,
  edited: string,
  env: Environment,
): ReadyEdit {
  const before = (bytes ?? Buffer.alloc(0)).toString("utf8");
  const after = textWith(file, before, edit);
  const read = readAs(file, Buffer.from(after), env);
  const warnings = read.config.problems.filter(({ server }) => server === edited);
  const wrong = loadConfig({ ...read.config, problems: [] }).problems.find(({ server }) => server === edited);
  if (warnings.length === 0 && wrong !== undefined) throw new PmlError(wrong.code, wrong.message);
  const keyDir = keyDirectory(env);
  const trust = bytes === undefined ? undefined : editTrust(readAs(file, bytes, env), read, keyDir);
  return {
    file,
    diff: maskedDiff({ file, format: "jsonc", before, after }),
    trust:
      trust !== undefined
        ? "trusted"
        : origin === "own" && acceptedConfig(keyDir, realPath(file)) === undefined
          ? "at-first-use"
          : "untrusted",
    ...(trust?.gate === undefined ? {} : { gate: trust.gate }),
    warnings: warnings.map(({ message }) => message),
    make() {
      writeConfig(file, bytes, after);
      if (trust !== undefined) keepAccepted(keyDir, realPath(file), stateOf(read));
    },
  };
}

function textWith(file: string, before: string, edit: ConfigEdit): string {
  try {
    return editedText("jsonc", before, edit);
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    throw configProblem(file, "", messageOf(error), "Edit the file by hand.");
  }
}
