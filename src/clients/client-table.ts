/**
 * The known MCP clients: where each keeps its servers, in which format, and the form of PML's entry there.
 *
 * One row per client. `docs` is the page with this information. Entries are read in the same way for all
 * (`read-servers.ts`), because people copy entries from one client to another.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";

/** The machine whose files are used. Paths are made for its platform, not for the one that this code runs on. */
export interface Machine {
  /** As in `process.platform`; anything but `darwin` and `win32` uses the paths of Linux. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ConfigFormat = "jsonc" | "toml" | "yaml";

/** A path of keys in a configuration file. */
export type KeyPath = readonly string[];

/** Builds paths of one machine. */
interface Places {
  /** Below the home directory. */
  home(...parts: readonly string[]): string;
  /** Below `~/.config`, on every platform; `XDG_CONFIG_HOME` overrides it. */
  config(...parts: readonly string[]): string;
  /** The settings directory of graphical programs: `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
  appData(...parts: readonly string[]): string;
  /** Below the directory in a variable, else below the home directory. */
  named(variable: string, usual: readonly string[], ...parts: readonly string[]): string;
  readonly isWindows: boolean;
}

export interface Client {
  /** The name for people. */
  readonly title: string;
  readonly docs: string;
  readonly format: ConfigFormat;
  /** The user's files. PML is written into the first that exists, else into the first. */
  readonly files: (at: Places) => readonly string[];
  /** Files below a project's directory. */
  readonly projectFiles: readonly string[];
  /** The path of the servers in a file with this content. */
  readonly serversAt: (content: unknown) => KeyPath;
  /** The servers of one project in the user's file. */
  readonly projectServersAt?: (project: string) => KeyPath;
  /** The servers are a list of entries with a `name`; default: an object. */
  readonly isList?: true;
  /** An address in `url` without a `type` means the older SSE transport. */
  readonly urlIsSse?: true;
  /** A text `$NAME` is a variable. */
  readonly hasBareVariables?: true;
  /** The initial content of a new file, required by the client. */
  readonly newText?: string;
  /** An older file that the client no longer reads once it has the file above. */
  readonly olderFile?: (at: Places) => string;
  /** The entry that starts this command line. */
  readonly entryOf: (words: readonly string[]) => Readonly<Record<string, unknown>>;
}

const at =
  (...path: KeyPath) =>
  (): KeyPath =>
    path;
const commandAndArgs = ([command, ...args]: readonly string[]) => ({ command, args });
const typed = (words: readonly string[]) => ({ type: "stdio", ...commandAndArgs(words) });
const CLINE_FILE = "cline_mcp_settings.json";

const CLIENTS_BY_ID = {
  "claude-code": {
    title: "Claude Code",
    docs: "https://code.claude.com/docs/en/mcp",
    format: "jsonc",
    files: ({ named }) => [named("CLAUDE_CONFIG_DIR", [], ".claude.json")],
    projectFiles: [".mcp.json"],
    serversAt: at("mcpServers"),
    projectServersAt: (project) => ["projects", project, "mcpServers"],
    entryOf: typed,
  },
  "claude-desktop": {
    title: "Claude Desktop",
    docs: "https://modelcontextprotocol.io/quickstart/user",
    format: "jsonc",
    files: ({ appData }) => [appData("Claude", "claude_desktop_config.json")],
    projectFiles: [],
    serversAt: at("mcpServers"),
    entryOf: commandAndArgs,
  },
  cursor: {
    title: "Cursor",
    docs: "https://cursor.com/docs/mcp",
    format: "jsonc",
    files: ({ home }) => [home(".cursor", "mcp.json")],
    projectFiles: [".cursor/mcp.json"],
    serversAt: at("mcpServers"),
    entryOf: commandAndArgs,
  },
  vscode: {
    title: "VS Code",
    docs: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
    format: "jsonc",
    files: ({ appData }) => [appData("Code", "User", "mcp.json")],
    projectFiles: [".vscode/mcp.json"],
    serversAt: at("servers"),
    entryOf: typed,
  },
  windsurf: {
    title: "Windsurf",
    docs: "https://docs.windsurf.com/windsurf/cascade/mcp",
    format: "jsonc",
    files: ({ home }) => [home(".codeium", "windsurf", "mcp_config.json")],
    projectFiles: [],
    serversAt: at("mcpServers"),
    entryOf: commandAndArgs,
  },
  codex: {
    title: "Codex",
    docs: "https://developers.openai.com/codex/mcp",
    format: "toml",
    files: ({ named }) => [named("CODEX_HOME", [".codex"], "config.toml")],
    projectFiles: [".codex/config.toml"],
    serversAt: at("mcp_servers"),
    entryOf: commandAndArgs,
  },
  gemini: {
    title: "Gemini CLI",
    docs: "https://geminicli.com/docs/tools/mcp-server",
    format: "jsonc",
    files: ({ home }) => [home(".gemini", "settings.json")],
    projectFiles: [".gemini/settings.json"],
    serversAt: at("mcpServers"),
    urlIsSse: true,
    hasBareVariables: true,
    entryOf: commandAndArgs,
  },
  opencode: {
    title: "opencode",
    docs: "https://opencode.ai/v2/docs/mcp-servers and https://opencode.ai/v1/docs/mcp-servers",
    format: "jsonc",
    files: ({ config }) => [config("opencode", "opencode.json"), config("opencode", "opencode.jsonc")],
    projectFiles: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
    serversAt: opencodeServers,
    entryOf: (words) => ({ type: "local", command: words }),
  },
  zed: {
    title: "Zed",
    docs: "https://zed.dev/docs/ai/mcp and https://zed.dev/docs/configuring-zed",
    format: "jsonc",
    files: ({ config, appData, isWindows }) => [
      isWindows ? appData("Zed", "settings.json") : config("zed", "settings.json"),
    ],
    projectFiles: [".zed/settings.json"],
    serversAt: at("context_servers"),
    entryOf: (words) => ({ source: "custom", ...commandAndArgs(words) }),
  },
  cline: {
    title: "Cline",
    docs: "https://docs.cline.bot/getting-started/config",
    format: "jsonc",
    files: ({ home, appData }) => [
      home(".cline", "data", "settings", CLINE_FILE),
      appData("Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings", CLINE_FILE),
    ],
    projectFiles: [],
    serversAt: at("mcpServers"),
    entryOf: commandAndArgs,
  },
  continue: {
    title: "Continue",
    docs: "https://docs.continue.dev/customize/deep-dives/mcp",
    format: "yaml",
    files: ({ home }) => [home(".continue", "config.yaml")],
    projectFiles: [],
    serversAt: at("mcpServers"),
    isList: true,
    newText: "name: Local Config\nversion: 1.0.0\nschema: v1\n",
    olderFile: ({ home }) => home(".continue", "config.json"),
    entryOf: commandAndArgs,
  },
  "lm-studio": {
    title: "LM Studio",
    docs: "https://lmstudio.ai/docs/app/mcp",
    format: "jsonc",
    files: ({ home }) => [home(".lmstudio", "mcp.json"), home(".cache", "lm-studio", "mcp.json")],
    projectFiles: [],
    serversAt: at("mcpServers"),
    entryOf: commandAndArgs,
  },
  goose: {
    title: "Goose",
    docs: "https://block.github.io/goose/docs/guides/config-files",
    format: "yaml",
    files: ({ config, appData, isWindows }) => [
      isWindows ? appData("Block", "goose", "config", "config.yaml") : config("goose", "config.yaml"),
    ],
    projectFiles: [],
    serversAt: at("extensions"),
    entryOf: ([cmd, ...args]) => ({ type: "stdio", name: "pml", cmd, args, enabled: true, timeout: 300 }),
  },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientId = keyof typeof CLIENTS_BY_ID;
export const CLIENTS: Readonly<Record<ClientId, Client>> = CLIENTS_BY_ID;
export const CLIENT_IDS = Object.keys(CLIENTS) as readonly ClientId[];

/** The user's files of a client on a machine, the preferred one first. */
export function userFiles(id: ClientId, machine: Machine): readonly string[] {
  return CLIENTS[id].files(placesOf(machine));
}

/** The older file of a client that a new one would hide. */
export function olderFile(id: ClientId, machine: Machine): string | undefined {
  return CLIENTS[id].olderFile?.(placesOf(machine));
}

/** The files of a client below a project's directory. */
export function projectFiles(id: ClientId, project: string, { platform }: Pick<Machine, "platform">) {
  const separator = separatorOf(platform);
  return CLIENTS[id].projectFiles.map((file) => [project, ...file.split("/")].join(separator));
}

/** Version 2 has its servers one level deeper. Version 1 rejects such a file, so others are written for version 1. */
function opencodeServers(content: unknown): KeyPath {
  const mcp = isJsonObject(content) ? content.mcp : undefined;
  const inside = isJsonObject(mcp) ? mcp.servers : undefined;
  // In version 1 this is a server with the name "servers": its fields are texts and lists.
  const isNewer = isJsonObject(inside) && Object.values(inside).every(isJsonObject);
  return isNewer ? ["mcp", "servers"] : ["mcp"];
}

function placesOf({ platform, home, env }: Machine): Places {
  const separator = separatorOf(platform);
  const isWindows = platform === "win32";
  const below = (...parts: readonly string[]) => parts.join(separator);
  const config = (...parts: readonly string[]) =>
    below(env.XDG_CONFIG_HOME || below(home, ".config"), ...parts);
  return {
    isWindows,
    home: (...parts) => below(home, ...parts),
    config,
    appData(...parts) {
      if (isWindows) return below(env.APPDATA || below(home, "AppData", "Roaming"), ...parts);
      return platform === "darwin"
        ? below(home, "Library", "Application Support", ...parts)
        : config(...parts);
    },
    named: (variable, usual, ...parts) => below(env[variable] || below(home, ...usual), ...parts),
  };
}

function separatorOf(platform: string): string {
  return platform === "win32" ? "\\" : "/";
}
