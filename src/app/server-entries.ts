import { isAbsolute, resolve } from "node:path";
import { defined } from "../base/defined.js";
import { LIMITS } from "../base/limits.js";
import { serverEnvironment } from "../daemon/server-environment.js";
import { parseServerName, type ServerName } from "../registry/tool-id.js";
import type { HttpServerEntry, ServerEntry } from "../upstream/server-entry.js";
import { CALLBACK_URL } from "../upstream/sign-in/auth-settings.js";
import type { ConfigFile } from "./config-file.js";
import type { Config, HttpServerConfig, ServerConfig, StdioServerConfig } from "./config-schema.js";
import type { ServerProblem } from "./config-values.js";

/** The base of relative paths in the configuration, and the default working directory of servers. */
type ServerPlaces = Pick<ConfigFile, "directory" | "cwd">;

/** The configured servers with all defaults, and those that cannot be used; without disabled ones. */
export function serverEntries(
  config: Config,
  places: ServerPlaces,
  env: Readonly<NodeJS.ProcessEnv>,
  problems: readonly ServerProblem[] = [],
): readonly ServerEntry[] {
  const usable = Object.entries(config.mcpServers ?? {})
    .filter(([, server]) => server.disabled !== true)
    .map(([name, server]) => serverEntry(name, server, places, env));
  // The order decides which of two servers gets a name that both offer: an unusable one offers nothing new.
  return [...usable, ...problems.map(brokenEntry)];
}

/** An invalid name is itself the problem; the server has no tools that could be called by it. */
function brokenEntry({ server, ...problem }: ServerProblem): ServerEntry {
  return {
    name: server as ServerName,
    naming: "prefixed",
    callTimeoutMs: LIMITS.toolCallMs,
    protocol: "2025",
    transport: "stdio",
    command: "",
    args: [],
    env: {},
    cwd: "",
    problem,
  };
}

function serverEntry(
  name: string,
  server: ServerConfig,
  { directory, cwd }: ServerPlaces,
  env: Readonly<NodeJS.ProcessEnv>,
): ServerEntry {
  const common = {
    name: parseServerName(name),
    naming: server.names ?? "prefixed",
    callTimeoutMs: server.timeoutMs ?? LIMITS.toolCallMs,
  } as const;
  if (isStdio(server)) {
    return {
      ...common,
      transport: "stdio",
      // Every server surveyed speaks a 2025 revision on stdio, and some exit on a request before `initialize`.
      protocol: server.protocol ?? "2025",
      command: commandPath(server.command, directory),
      args: server.args ?? [],
      env: { ...serverEnvironment(env), ...server.env },
      cwd: server.cwd === undefined ? cwd : resolve(directory, server.cwd),
    };
  }
  const { url, headers, type } = server;
  return {
    ...common,
    transport: type === "sse" ? "sse" : "http",
    protocol: server.protocol ?? (type === "sse" ? "2025" : "auto"),
    url: new URL(url),
    headers: headers ?? {},
    ...authOf(server),
  };
}

/** A server with an authorization header needs no sign-in. */
function authOf({ headers = {}, auth = {} }: HttpServerConfig): Pick<HttpServerEntry, "auth"> {
  if (auth === false || Object.keys(headers).some((name) => /^authorization$/i.test(name))) return {};
  const { clientId, clientSecret, clientMetadataUrl, scopes, issuer, redirectUrl = CALLBACK_URL } = auth;
  const per = auth.per ?? "installation";
  return {
    auth: {
      ...defined({ clientId, clientSecret, clientMetadataUrl, scopes, issuer }),
      redirectUrl,
      per,
    },
  };
}

function isStdio(server: ServerConfig): server is StdioServerConfig {
  return typeof server.command === "string";
}

/** `./server` is relative to the configuration's directory; a bare name is looked up in PATH. */
function commandPath(command: string, directory: string): string {
  return /[\\/]/.test(command) && !isAbsolute(command) ? resolve(directory, command) : command;
}
