/**
 * The command line combined with the configuration file, before the file is validated against its schema.
 *
 * Settings are plain JSON, because they are sent to the background gateway through a pipe.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { canonicalJson } from "../base/canonical-json.js";
import type { LogLevel } from "../base/log.js";
import { sha256 } from "../base/sha256.js";
import type { SettingsFingerprint } from "../daemon/handshake.js";
import type { Exposure } from "../gateway/session.js";
import { modelEnvironment } from "../models/model-variables.js";
import { checkedScope, parseScope, type Scope } from "../registry/scope.js";
import {
  type ConfigFile,
  type ConfigValues,
  configOf,
  findConfigFile,
  readConfigBytes,
  sectionOf,
} from "./config-file.js";
import { hasMark } from "./exec-values.js";
import { signingKeyFile } from "./installation-key.js";
import type { OwnPlaces } from "./own-files.js";
import { checkOwnKeys } from "./own-keys.js";
import { type PermissionsFile, permissionsPath, readPermissionsFile } from "./permissions-file.js";
import { pinFiles } from "./pin.js";
import {
  dataDirectoryOf,
  homeDirectory,
  keyDirectory,
  realPath,
  userConfigDirectory,
  userDirectory,
} from "./places.js";
import { SecretStore } from "./secret-store.js";
import { telemetryEnvironment } from "./telemetry.js";
import { checkAccepted, type NamedConfig, namedConfig, refuseUnknown } from "./trust.js";

export interface SettingsOptions {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly scope?: string | undefined;
  readonly role?: "local" | "cloud" | undefined;
}

export interface Settings {
  readonly config: ConfigFile;
  readonly dataDir: string;
  /** Whether the command line names the data directory. */
  readonly isDataDirNamed?: true;
  /** The directory of the keys, the PIN, and a person's acceptances. */
  readonly keyDir: string;
  /** Data of an earlier PML beside the configuration, if the default data directory is used. */
  readonly earlierData?: string;
  /** PML's own files: a call that names one of them needs approval. */
  readonly ownPlaces: OwnPlaces;
  readonly scope: Scope;
  readonly exposure: Exposure;
  readonly role: "local" | "cloud";
  /** The content of `mcp-permissions.yaml` when these settings were read, if the file existed. */
  readonly permissions?: PermissionsFile;
  /** Present if the configuration was named on the command line: a gateway that starts with it accepts it. */
  readonly named?: NamedConfig;
  /** The environment variables that locate the user's directories and decrypt secrets: a reload needs them again. */
  readonly valueEnv: Readonly<Record<string, string>>;
  /** Variables with keys for the configured model, so these settings are never shown. */
  readonly modelEnv?: Readonly<Record<string, string>>;
  /** The environment of commands that provide values, if there are such commands. */
  readonly execEnv?: Readonly<Record<string, string>>;
  /** Variables of OpenTelemetry, for a background gateway, which has no other environment; they may contain keys. */
  readonly telemetryEnv?: Readonly<Record<string, string>>;
}

export function readSettings(options: SettingsOptions, env: Readonly<NodeJS.ProcessEnv>): Settings {
  const keyDir = keyDirectory(env);
  const { file, origin } = findConfigFile(options.config, env);
  // Each file is read once, so that the judged content is the used content.
  const bytes = readConfigBytes(file);
  if (origin === "local") refuseUnknown(file, keyDir);
  const config = configOf(file, bytes, configValues(env));
  checkOwnKeys(config);
  const defaults = scopeOfConfig(config);
  const permissions = readPermissionsFile(config);
  const read = { config, bytes, permissions };
  if (origin !== "named") checkAccepted(read, keyDir);
  const dataDir = resolve(options.dataDir ?? dataDirectoryOf(config.file, env));
  return {
    config,
    keyDir,
    ownPlaces: ownPlaces(config, dataDir, env),
    ...(origin === "named" ? { named: namedConfig(read) } : {}),
    ...(permissions === undefined ? {} : { permissions }),
    dataDir,
    ...(options.dataDir === undefined ? earlierData(config) : { isDataDirNamed: true }),
    scope: options.scope === undefined ? defaults : parseScope(options.scope, defaults),
    exposure: exposureOf(config.value.exposure),
    role: options.role ?? "local",
    valueEnv: Object.fromEntries(
      VALUE_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    ),
    modelEnv: modelEnvironment(sectionOf(config, "curation").model, env),
    telemetryEnv: telemetryEnvironment(env),
    ...(hasCommands(config) ? { execEnv: definedOf(env) } : {}),
  };
}

/** Whether values come from commands, which get the whole environment of the process that starts the gateway. */
function hasCommands({ value }: ConfigFile): boolean {
  return hasMark(JSON.stringify(value.mcpServers ?? {}).replaceAll("\\u0000", "\u0000"));
}

function definedOf(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
}

/** The keys that a running gateway applies from a changed file. */
export const RELOADED_KEYS = ["mcpServers", "approvals", "permissions"] as const;

/**
 * The settings of a running gateway after reading its files again, and the whole content of the file. Throws if the
 * files are broken, or no person has accepted this state.
 */
export function reloadedSettings(
  started: Settings,
  running: Settings,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings; readonly written: ConfigFile["value"] } {
  const { keyDir, ownPlaces } = started;
  const { file } = started.config;
  const bytes = readConfigBytes(file);
  refuseUnknown(file, keyDir);
  // The settings of a joining client may have any values.
  const config = configOf(file, bytes, {
    ...configValues(started.valueEnv),
    variable: (name) => (typeof variables[name] === "string" ? variables[name] : undefined),
  });
  checkOwnKeys(config);
  const permissions = readPermissionsFile(config);
  checkAccepted({ config, bytes, permissions }, keyDir);
  const { permissions: _, ...rest } = running;
  const kept = Object.entries(started.config.value).filter(
    ([key]) => !RELOADED_KEYS.some((one) => one === key),
  );
  const changing = RELOADED_KEYS.flatMap((key) =>
    config.value[key] === undefined ? [] : [[key, config.value[key]]],
  );
  return {
    written: config.value,
    settings: {
      ...rest,
      config: { ...config, value: Object.fromEntries([...kept, ...changing]) },
      ownPlaces: { ...ownPlaces, files: [...new Set([...ownPlaces.files, permissionsPath(config)])] },
      ...(permissions === undefined ? {} : { permissions }),
    },
  };
}

const VALUE_VARIABLES = [
  ...["HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["PML_KEY_DIR", "PML_SECRET_KEY", "PML_KEYRING", "DBUS_SESSION_BUS_ADDRESS"],
] as const;

/** The values of a configuration's variables on this machine. */
export function configValues(env: Readonly<NodeJS.ProcessEnv>): ConfigValues {
  const store = new SecretStore(env);
  return {
    variable: (name) => env[name],
    secret: (name) => store.value(name),
    home: homeDirectory(env),
    ownDirectory: userConfigDirectory(env),
  };
}

/** From a configuration or a joining client; an unknown value means the default. */
export function exposureOf(value: unknown): Exposure {
  return value === "all" || value === "lean" ? value : "auto";
}

/** Data, keys, configuration and rules, and the other files that PML keeps for this user. */
export function ownPlaces(
  config: Pick<ConfigFile, "file" | "directory" | "value">,
  dataDir: string,
  env: Readonly<NodeJS.ProcessEnv>,
): OwnPlaces {
  const signing = signingKeyFile(config);
  const pin = signing === undefined ? undefined : pinFiles(dirname(realPath(signing)));
  return {
    directories: [
      dataDir,
      earlierDirectory(config),
      keyDirectory(env),
      userDirectory(env),
      userConfigDirectory(env),
      ...(pin === undefined ? [] : [pin.attempts]),
    ],
    files: [
      config.file,
      permissionsPath(config),
      ...(signing === undefined ? [] : [signing]),
      ...(pin === undefined ? [] : [pin.file]),
    ],
  };
}

/** Only the path of the data directory: the configuration may be untrusted, wrong or missing. */
export function readDataDirectory(
  { config, dataDir }: Pick<SettingsOptions, "config" | "dataDir">,
  env: Readonly<NodeJS.ProcessEnv>,
): string {
  return resolve(dataDir ?? dataDirectoryOf(findConfigFile(config, env).file, env));
}

/** The data directory of an earlier PML: beside the configuration. */
export function earlierDirectory({ directory }: Pick<ConfigFile, "directory">): string {
  return join(directory, ".pml");
}

function earlierData(config: ConfigFile): Pick<Settings, "earlierData"> {
  const earlier = earlierDirectory(config);
  const isThere = ["pgdata", "installation-key.pem"].some((name) => existsSync(join(earlier, name)));
  return isThere ? { earlierData: earlier } : {};
}

/**
 * The settings that all clients of one gateway must share: its servers, store, sandbox, discovery, rules of approval
 * and cache.
 */
export function settingsFingerprint({ config, permissions, role }: Settings): SettingsFingerprint {
  const servers = config.value.mcpServers;
  const entries = typeof servers === "object" && servers !== null ? Object.entries(servers) : [];
  const print = ([name, entry]: readonly [string, unknown]) =>
    [`mcpServers.${name}`, hash([config.directory, config.cwd, entry])] as const;
  return {
    ...Object.fromEntries(entries.map(print)),
    ...Object.fromEntries(
      Object.entries(config.broken).map(([name, entry]) => print([name, { broken: entry }])),
    ),
    store: hash(config.value.store ?? {}),
    sandbox: hash(config.value.sandbox ?? {}),
    discovery: hash(config.value.discovery ?? {}),
    approvals: hash(config.value.approvals ?? {}),
    cache: hash(config.value.cache ?? {}),
    permissions: hash(permissions?.text ?? ""),
    role: hash(role),
  };
}

/** The names of settings in which two fingerprints differ. */
export function fingerprintDifference(a: SettingsFingerprint, b: SettingsFingerprint): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => a[name] !== b[name]).sort((x, y) => x.localeCompare(y));
}

/** The default scope, if the command line names none. */
export function scopeOfConfig(config: ConfigFile): Scope {
  const given = (config.value.scope ?? {}) as Partial<Scope>;
  return checkedScope({
    org: given.org ?? "local",
    project: given.project ?? "default",
    user: given.user ?? userInfo().username.replace(/[^A-Za-z0-9_.@-]/g, "_"),
  });
}

function hash(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 32);
}

export function logLevel({ config }: Settings): LogLevel {
  const log = config.value.log as { level?: LogLevel } | undefined;
  return log?.level ?? "info";
}
