import type { Command } from "./command.js";

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
    summary: "Decide about a run that waits for a person",
    load: async () => (await import("./approve.js")).approve,
  },
  result: {
    summary: "Print the whole result of a task of a run",
    load: async () => (await import("./result.js")).result,
  },
  stats: {
    summary: "Numbers: capabilities, runs, caches, tools",
    load: async () => (await import("./stats.js")).stats,
  },
  analyze: {
    summary: "Show what code will do before it runs",
    load: async () => (await import("./analyze.js")).analyze,
  },
  cap: {
    summary: "Capabilities: list, look up, save, rename, delete",
    load: async () => (await import("./cap.js")).cap,
  },
  cache: {
    summary: "Results that are used again: figures, clear, log",
    load: async () => (await import("./cache.js")).cache,
  },
  export: {
    summary: "Write capabilities for other installations",
    load: async () => (await import("./export.js")).exportCommand,
  },
  import: {
    summary: "Take over capabilities of other installations",
    load: async () => (await import("./import.js")).importCommand,
  },
  key: {
    summary: "Whose capabilities run here: list, show, trust, untrust",
    load: async () => (await import("./key.js")).key,
  },
  pin: {
    summary: "A PIN for decisions: set, remove, status",
    load: async () => (await import("./pin.js")).pin,
  },
  tools: { summary: "List, call and accept tools", load: async () => (await import("./tools.js")).tools },
  trace: {
    summary: "Show what happened in a run",
    load: async () => (await import("./trace.js")).trace,
  },
  adopt: {
    summary: "Take over a data directory of another installation",
    load: async () => (await import("./adopt.js")).adopt,
  },
  trust: {
    summary: "Accept the pml.json of a directory",
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
  pml analyze read.ts              see what code would do, and run nothing
  pml cap list                     what is remembered
  pml doctor                       what is wrong, and what to do
`;
}
