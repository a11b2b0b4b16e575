/**
 * What the command line and the configuration file say together, before the file is checked against its schema.
 *
 * Settings are plain JSON, because they are handed to the gateway in the background through a pipe.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { canonicalJson } from "../base/canonical-json.js";
import type { LogLevel } from "../base/log.js";
import type { SettingsPrint } from "../daemon/handshake.js";
import { modelEnvironment } from "../models/model-variables.js";
import { checkedScope, parseScope, type Scope } from "../registry/scope.js";
import { type ConfigFile, defaultDataDirectory, findConfig, findConfigFile } from "./config-file.js";
import { checkOwnKeys } from "./own-keys.js";
import { checkPermissionsTrusted, type PermissionsFile, readPermissionsFile } from "./permissions-file.js";

export interface SettingsOptions {
  readonly config?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly scope?: string | undefined;
  readonly role?: "local" | "cloud" | undefined;
}

export interface Settings {
  readonly config: ConfigFile;
  readonly dataDir: string;
  readonly scope: Scope;
  readonly exposure: "all" | "lean";
  readonly role: "local" | "cloud";
  /** What `mcp-permissions.yaml` held when these settings were read; absent where there is none. */
  readonly permissions?: PermissionsFile;
  /** Variables that the model of the configuration needs: keys, so these settings are shown nowhere. */
  readonly modelEnv?: Readonly<Record<string, string>>;
}

export function readSettings(options: SettingsOptions, env: Readonly<NodeJS.ProcessEnv>): Settings {
  const config = findConfig(options.config, env);
  checkOwnKeys(config);
  const defaults = defaultScope(config);
  const permissions = readPermissionsFile(config);
  if (findConfigFile(options.config, env).needsTrust) checkPermissionsTrusted(config, permissions, env);
  return {
    config,
    ...(permissions === undefined ? {} : { permissions }),
    dataDir: resolve(options.dataDir ?? defaultDataDirectory(config.directory)),
    scope: options.scope === undefined ? defaults : parseScope(options.scope, defaults),
    exposure: config.value.exposure === "lean" ? "lean" : "all",
    role: options.role ?? "local",
    modelEnv: modelEnvironment(
      (config.value.curation as { readonly model?: unknown } | undefined)?.model,
      env,
    ),
  };
}

/** The data directory alone: to find it, the configuration has to be neither trusted nor right, nor even there. */
export function readDataDirectory(
  { config, dataDir }: Pick<SettingsOptions, "config" | "dataDir">,
  env: Readonly<NodeJS.ProcessEnv>,
): string {
  return resolve(dataDir ?? defaultDataDirectory(dirname(findConfigFile(config, env).file)));
}

/** What all clients of one gateway must agree on: its servers, store, sandbox, discovery, rules of approval and cache. */
export function settingsPrint({ config, permissions, role }: Settings): SettingsPrint {
  const servers = config.value.mcpServers;
  const entries = typeof servers === "object" && servers !== null ? Object.entries(servers) : [];
  return {
    ...Object.fromEntries(
      entries.map(([name, entry]) => [`mcpServers.${name}`, hash([config.directory, entry])]),
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

/** The names of settings in which two prints differ. */
export function printDifference(a: SettingsPrint, b: SettingsPrint): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => a[name] !== b[name]).sort((x, y) => x.localeCompare(y));
}

function defaultScope(config: ConfigFile): Scope {
  const given = (config.value.scope ?? {}) as Partial<Scope>;
  return checkedScope({
    org: given.org ?? "local",
    project: given.project ?? "default",
    user: given.user ?? userInfo().username.replace(/[^A-Za-z0-9_.@-]/g, "_"),
  });
}

function hash(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

export function logLevel({ config }: Settings): LogLevel {
  const log = config.value.log as { level?: LogLevel } | undefined;
  return log?.level ?? "info";
}
