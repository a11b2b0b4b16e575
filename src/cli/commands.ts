import type { Command } from "./command.js";

export interface CommandEntry {
  readonly summary: string;
  /** Loaded on demand: joining a running gateway must not load all the other commands. */
  load(): Promise<Command>;
}

const entry = (summary: string, load: CommandEntry["load"]): CommandEntry => ({ summary, load });

export const COMMANDS = {
  serve: entry("Serve MCP on stdio or HTTP", async () => (await import("./serve.js")).serve),
  init: entry("Import the servers that your MCP clients have", async () => (await import("./init.js")).init),
  stop: entry("Stop the gateway of a data directory", async () => (await import("./stop.js")).stop),
  servers: entry("Show the servers and their state", async () => (await import("./servers.js")).servers),
  add: entry("Add a server to the configuration", async () => (await import("./edit-servers.js")).add),
  remove: entry(
    "Remove a server from the configuration",
    async () => (await import("./edit-servers.js")).remove,
  ),
  enable: entry("Enable a server again", async () => (await import("./edit-servers.js")).enable),
  disable: entry(
    "Disable a server, and keep its entry",
    async () => (await import("./edit-servers.js")).disable,
  ),
  login: entry("Sign in to a server", async () => (await import("./login.js")).login),
  logout: entry("End the sign-in to a server", async () => (await import("./login.js")).logout),
  doctor: entry(
    "Check Node, configuration, store and servers",
    async () => (await import("./doctor.js")).doctor,
  ),
  discover: entry(
    "Find tools and capabilities for an intent",
    async () => (await import("./discover.js")).discover,
  ),
  exec: entry("Run code or a capability", async () => (await import("./exec.js")).exec),
  open: entry("Open the dashboard in your browser", async () => (await import("./open.js")).open),
  approve: entry("Approve or reject a waiting run", async () => (await import("./approve.js")).approve),
  result: entry(
    "Print the full result of one task of a run",
    async () => (await import("./result.js")).result,
  ),
  stats: entry(
    "Show statistics: capabilities, runs, caches, tools",
    async () => (await import("./stats.js")).stats,
  ),
  analyze: entry("Show what code will do before it runs", async () => (await import("./analyze.js")).analyze),
  cap: entry(
    "Manage capabilities: list, look up, save, rename, delete",
    async () => (await import("./cap.js")).cap,
  ),
  learn: entry(
    "Programs learnt from tool calls: list, show, accept, reject",
    async () => (await import("./learn.js")).learn,
  ),
  cache: entry("Manage the result cache: stats, clear, log", async () => (await import("./cache.js")).cache),
  export: entry("Export capabilities to a file", async () => (await import("./export.js")).exportCommand),
  import: entry("Import capabilities from a file", async () => (await import("./import.js")).importCommand),
  backup: entry("Write everything to a backup file", async () => (await import("./backup.js")).backup),
  restore: entry("Restore a backup", async () => (await import("./restore.js")).restore),
  prune: entry("Delete old traces, expired results and runs", async () => (await import("./prune.js")).prune),
  key: entry(
    "Manage trusted signing keys: list, show, trust, untrust",
    async () => (await import("./key.js")).key,
  ),
  secret: entry(
    "Manage secrets of servers: set, list, remove, rotate",
    async () => (await import("./secret.js")).secret,
  ),
  token: entry(
    "Manage tokens for HTTP: create, list, revoke",
    async () => (await import("./token.js")).token,
  ),
  audit: entry("Show and verify the log of decisions", async () => (await import("./audit.js")).audit),
  pin: entry("Manage the PIN for decisions: set, remove, status", async () => (await import("./pin.js")).pin),
  tools: entry("List, call and accept tools", async () => (await import("./tools.js")).tools),
  test: entry(
    "Test capabilities with recordings of their runs",
    async () => (await import("./test.js")).test,
  ),
  repair: entry(
    "Repair capabilities whose tools have changed",
    async () => (await import("./repair.js")).repair,
  ),
  trace: entry("Show what happened in a run", async () => (await import("./trace.js")).trace),
  connect: entry(
    "Add PML to an MCP client, in place of its servers",
    async () => (await import("./connect.js")).connect,
  ),
  adopt: entry(
    "Take over the data directory of another installation",
    async () => (await import("./adopt.js")).adopt,
  ),
  logs: entry("Show the log of the gateway or of a server", async () => (await import("./logs.js")).logs),
  completion: entry("Print completion for bash, zsh or fish", async () =>
    (await import("./completion.js")).completionOf(allCommands()),
  ),
  trust: entry(
    "Trust the configuration of a directory",
    async () => (await import("./trust.js")).trustCommand,
  ),
};

function allCommands(): Readonly<Record<string, CommandEntry>> {
  return COMMANDS;
}

export type CommandName = keyof typeof COMMANDS;

/** In the order in which people need them. */
const GROUPS: Readonly<Record<string, readonly CommandName[]>> = {
  "Set up": ["init", "connect", "add", "remove", "enable", "disable", "login", "logout", "secret", "trust"],
  Status: ["servers", "open", "stats", "logs", "doctor"],
  Use: ["discover", "exec", "analyze", "tools", "trace", "result", "cache"],
  Decide: ["approve", "audit", "pin"],
  Memory: ["cap", "learn", "test", "repair", "export", "import", "key"],
  Operate: ["serve", "stop", "token", "backup", "restore", "adopt", "prune", "completion"],
};

export function overview(): string {
  const groups = Object.entries(GROUPS).map(([title, names]) =>
    [`${title}:`, ...names.map((name) => `  ${name.padEnd(10)} ${COMMANDS[name].summary}`)].join("\n"),
  );
  return `pml: the Procedural Memory Layer, a gateway between an agent and its MCP servers

Usage: pml COMMAND [OPTIONS]

${groups.join("\n\n")}

Every command takes --config FILE, --data-dir DIR and --help.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 approval needed.

Examples:
  pml                              the state, and what to do next
  pml init                         import the servers of your clients
  pml tools list                   what an agent would see
  pml discover "read a file"       the tools and capabilities that fit
  pml exec read.ts --name fs:read  run code with those tools, and remember it
  pml analyze read.ts              show what code would do, without running it
  pml cap list                     the capabilities that PML remembers
  pml serve --http 7423            serve MCP at http://127.0.0.1:7423/mcp
`;
}
