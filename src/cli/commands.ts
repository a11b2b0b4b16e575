/** A command of `pml`. `run` answers the exit code: 0 done, 1 failed, 2 usage, 3 approval needed. */
export interface Command {
  readonly help: string;
  /** Help for what the arguments ask for, where there is some of its own. */
  helpFor?(argv: readonly string[]): string | undefined;
  run(argv: readonly string[]): Promise<number>;
}

interface CommandEntry {
  readonly summary: string;
  /** Loaded late: joining a running gateway must not pay for everything else that `pml` can do. */
  load(): Promise<Command>;
}

export const COMMANDS = {
  serve: { summary: "Serve MCP on stdio or HTTP", load: async () => (await import("./serve.js")).serve },
  stop: {
    summary: "Stop the gateway of a data directory",
    load: async () => (await import("./stop.js")).stop,
  },
  doctor: {
    summary: "Check Node, configuration, store and servers",
    load: async () => (await import("./doctor.js")).doctor,
  },
  discover: {
    summary: "Find tools and capabilities for an intent",
    load: async () => (await import("./discover.js")).discover,
  },
  exec: {
    summary: "Run code or a capability",
    load: async () => (await import("./exec.js")).exec,
  },
  approve: {
    summary: "Approve or reject a waiting run",
    load: async () => (await import("./approve.js")).approve,
  },
  result: {
    summary: "Print the full result of one task of a run",
    load: async () => (await import("./result.js")).result,
  },
  stats: {
    summary: "Show statistics: capabilities, runs, caches, tools",
    load: async () => (await import("./stats.js")).stats,
  },
  analyze: {
    summary: "Show what code will do before it runs",
    load: async () => (await import("./analyze.js")).analyze,
  },
  cap: {
    summary: "Manage capabilities: list, look up, save, rename, delete",
    load: async () => (await import("./cap.js")).cap,
  },
  cache: {
    summary: "Manage the result cache: stats, clear, log",
    load: async () => (await import("./cache.js")).cache,
  },
  export: {
    summary: "Export capabilities to a file",
    load: async () => (await import("./export.js")).exportCommand,
  },
  import: {
    summary: "Import capabilities from a file",
    load: async () => (await import("./import.js")).importCommand,
  },
  key: {
    summary: "Manage trusted signing keys: list, show, trust, untrust",
    load: async () => (await import("./key.js")).key,
  },
  pin: {
    summary: "Manage the PIN for decisions: set, remove, status",
    load: async () => (await import("./pin.js")).pin,
  },
  tools: { summary: "List, call and accept tools", load: async () => (await import("./tools.js")).tools },
  trace: {
    summary: "Show what happened in a run",
    load: async () => (await import("./trace.js")).trace,
  },
  adopt: {
    summary: "Take over the data directory of another installation",
    load: async () => (await import("./adopt.js")).adopt,
  },
  trust: {
    summary: "Trust the configuration of a directory",
    load: async () => (await import("./trust.js")).trustCommand,
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;

export type CommandName = keyof typeof COMMANDS;

export function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`);
  return `pml: the Procedural Memory Layer, a gateway between an agent and its MCP servers

Usage: pml COMMAND [OPTIONS]

${lines.join("\n")}

Every command takes --config FILE, --data-dir DIR and --help.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 approval needed.

Examples:
  pml serve                        serve the servers of ./pml.json on stdio, for an MCP client to start
  pml serve --http 7423            serve them at http://127.0.0.1:7423/mcp
  pml tools list                   what an agent would see
  pml discover "read a file"       the tools and capabilities that fit
  pml exec read.ts --name fs:read  run code with those tools, and remember it
  pml analyze read.ts              show what code would do, without running it
  pml cap list                     the capabilities that PML remembers
  pml doctor                       check the setup, and say how to fix problems
`;
}
