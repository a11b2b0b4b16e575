import { call } from "../app/call-operation.js";
import { sectionOf } from "../app/config-file.js";
import { type GatewayClient, withGateway } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { CLIENT_IDS } from "../clients/client-table.js";
import { readOwner } from "../daemon/owner-file.js";
import type { Command } from "./command.js";
import type { CommandEntry } from "./commands.js";
import {
  type Choice,
  type Completed,
  completionScript,
  NAME_KINDS,
  type NameKind,
  SHELLS,
} from "./completion-script.js";
import { COMMON_OPTIONS, parseOptions, settingsOf, unknownWord } from "./options.js";
import { printLine } from "./output.js";
import { commonOptions } from "./pasteable.js";

/** A longer list would not help. */
const RUNS_OFFERED = 50;
const CAPABILITIES_OFFERED = 500;

const HELP = `Usage: pml completion bash|zsh|fish

Prints a script that completes commands, actions, options, and names of capabilities, servers, tools and runs in that
shell. Names come from the gateway if it is running. Write the script to a file that your shell reads when it starts:

  bash   pml completion bash > ~/.local/share/bash-completion/completions/pml
  zsh    pml completion zsh > ~/.zfunc/_pml      (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  fish   pml completion fish > ~/.config/fish/completions/pml.fish

The script completes the command pml; it has to be on the PATH.

  --names KIND         for these scripts: print the ${NAME_KINDS.slice(0, -1).join(", ")} or ${NAME_KINDS.at(-1)}
                       of a running gateway, one per line; options of the command line follow after --

Examples:
  pml completion bash
  source <(pml completion bash)
`;

type Commands = Readonly<Record<string, CommandEntry>>;

export function completionOf(commands: Commands): Command {
  return {
    actions: SHELLS,
    help: HELP,
    async run(argv) {
      const { values, positionals } = parseOptions("completion", argv, {
        ...COMMON_OPTIONS,
        names: { type: "string" },
      });
      const kind = NAME_KINDS.find((one) => one === values.names);
      if (kind !== undefined) {
        const names = await namesOf(kind, positionals);
        if (names.length > 0) printLine(names.join("\n"));
        return 0;
      }
      if (values.names !== undefined) throw unknownWord("completion", NAME_KINDS, values.names);
      const shell = SHELLS.find((one) => one === positionals[0]);
      if (shell === undefined) throw unknownWord("completion", SHELLS, positionals[0]);
      process.stdout.write(completionScript(shell, await completedTable(commands)));
      return 0;
    },
  };
}

/** The words of every command, from the table of commands and their help. */
async function completedTable(commands: Commands): Promise<readonly Completed[]> {
  const top: Choice[] = Object.entries(commands).map(([name, { summary }]) => [name, summary]);
  const all: Completed[] = [
    { path: "", words: [...top, ["help", "Show help"]], options: [["--help", "Show help"]] },
    { path: "help", words: top, options: [] },
  ];
  for (const [name, { load }] of Object.entries(commands)) {
    const command = await load();
    const { actions = [], help } = command;
    const words: readonly Choice[] = WORDS[name] ?? actions.map((action) => [action, titleOf(help, action)]);
    all.push({ path: name, words, options: optionsIn(help), ...namesAfter(name) });
    for (const action of actions) {
      const own = command.helpFor?.([action]);
      if (own !== undefined)
        all.push({
          path: `${name} ${action}`,
          words: [],
          options: optionsIn(own),
          ...namesAfter(`${name} ${action}`),
        });
    }
  }
  return all;
}

const WORDS: Readonly<Record<string, readonly Choice[]>> = {
  connect: CLIENT_IDS.map((id) => [id, "MCP client"]),
};

/** The kind of names for the argument of a command. */
const NAMES: readonly (readonly [path: RegExp, kind: NameKind])[] = [
  [/^cap (?!list|save|curate)./, "capabilities"],
  [/^export$/, "capabilities"],
  [/^tools (?:call|accept)$/, "tools"],
  [/^approve$/, "waiting"],
  [/^(?:trace|result)$/, "runs"],
  [/^(?:logs|remove|enable|disable)$/, "servers"],
];

function namesAfter(path: string): { readonly names?: NameKind } {
  const names = NAMES.find(([pattern]) => pattern.test(path))?.[1];
  return names === undefined ? {} : { names };
}

/** `  -y, --yes            do not ask` */
function optionsIn(help: string): readonly Choice[] {
  const found = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*)(?: \S+)*?(?: {2,}|\n +|$)(.*)$/gm)];
  return [...found.map(([, flag = "", about = ""]): Choice => [flag, about]), ["--help", "Show help"]];
}

/** `  rename NAME [NEW_NAME]       Rename a capability` */
function titleOf(help: string, action: string): string {
  return new RegExp(`^  ${action}\\b.*? {2,}(.+)$`, "m").exec(help)?.[1] ?? "";
}

/** Empty if there is no gateway, or on any error: shells show no errors during completion. */
async function namesOf(kind: NameKind, line: readonly string[]): Promise<readonly string[]> {
  try {
    const settings = settingsOf("completion", Object.fromEntries(commonOptions(line)));
    if (kind === "servers") return Object.keys(sectionOf(settings.config, "mcpServers"));
    return readOwner(settings.dataDir) === undefined ? [] : await askedNames(kind, settings);
  } catch {
    return [];
  }
}

function askedNames(kind: Exclude<NameKind, "servers">, settings: Settings): Promise<readonly string[]> {
  const ask: Record<typeof kind, (client: GatewayClient) => Promise<readonly string[]>> = {
    capabilities: async (client) =>
      (await call(client, "cap:list", { limit: CAPABILITIES_OFFERED })).capabilities.map(({ name }) => name),
    tools: async (client) => (await client.listTools()).map(({ name }) => name),
    waiting: async (client) =>
      ((await call(client, "pml:approvals", {})).waiting ?? []).map(({ workflowId }) => workflowId),
    runs: async (client) => {
      const answer = await call(client, "pml:trace", { limit: RUNS_OFFERED });
      return "runs" in answer ? answer.runs.map(({ workflowId }) => workflowId) : [];
    },
  };
  return withGateway(settings, ask[kind]);
}
