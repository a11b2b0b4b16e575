import { meantWord } from "../base/nearest.js";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import type { Command } from "./command.js";
import { COMMANDS, type CommandName, overview } from "./commands.js";
import { fittedHelp } from "./fitted.js";
import { COMMON_OPTIONS, parseOptions, unknownWord } from "./options.js";
import { endWithReader, printError } from "./output.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs the command of a command line and returns its exit code. Errors have been printed on stderr then. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv);
  } catch (error) {
    printError(error, argv.includes("--json"));
    return error instanceof PmlError && error.code === "USAGE" ? EXIT_USAGE : EXIT_FAILED;
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const { common, words } = optionsInFront(argv);
  const [name = "", ...rest] = words;
  // The stdout of `pml serve` is a protocol stream, which handles its end itself.
  if (name !== "serve") endWithReader();
  if (name === "--version" || name === "-v" || name === "version") {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (name === "help" || name === "--help" || name === "-h") {
    printHelp(rest[0] === undefined ? overview() : await helpAbout(rest[0], rest[1]));
    return 0;
  }
  if (name === "") return await withoutCommand(common);
  const command = await commandOf(name);
  // Words after `--` are for another program.
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (own.includes("--help") || own.includes("-h")) {
    printHelp(command.helpFor?.(own) ?? command.help);
    return 0;
  }
  const line = [...common, ...rest];
  if (USES_DATA.has(name)) await (await import("./new-directory.js")).beforeNewDirectory(line);
  return command.run(line);
}

/** Common options may precede the command. */
function optionsInFront(argv: readonly string[]): {
  readonly common: readonly string[];
  readonly words: readonly string[];
} {
  let end = 0;
  for (let word = argv[0]; word?.startsWith("--"); word = argv[end]) {
    const [name = "", value] = word.slice(2).split("=", 2);
    if (!Object.hasOwn(COMMON_OPTIONS, name)) break;
    const { type } = COMMON_OPTIONS[name as keyof typeof COMMON_OPTIONS];
    end += type === "boolean" || value !== undefined ? 1 : 2;
  }
  const common = argv.slice(0, end);
  parseOptions("", common, COMMON_OPTIONS);
  return { common, words: argv.slice(end) };
}

/** Prints the state, as JSON for a script that requests it; otherwise help. */
async function withoutCommand(common: readonly string[]): Promise<number> {
  if (process.stdout.isTTY === true || common.includes("--json"))
    return await (await import("./state.js")).state.run(common);
  printHelp(overview());
  return EXIT_USAGE;
}

function printHelp(help: string): void {
  process.stdout.write(fittedHelp(help, process.stdout));
}

/** Help for a command, or for one of its actions. */
async function helpAbout(name: string, action: string | undefined): Promise<string> {
  const command = await commandOf(name);
  const { help, actions = [] } = command;
  if (action === undefined || actions.length === 0) return help;
  if (!actions.includes(action)) throw unknownWord(name, actions, action);
  return command.helpFor?.([action]) ?? help;
}

/** Commands about files of the machine, or about existing data. */
const NO_DATA = [
  ...["add", "adopt", "completion", "connect", "disable", "doctor", "enable", "init"],
  ...["logs", "remove", "secret", "stop", "trust"],
];

/** Commands that create a missing data directory. */
const USES_DATA: ReadonlySet<string> = new Set(
  Object.keys(COMMANDS).filter((name) => !NO_DATA.includes(name)),
);

/** Names that other programs use for the same command. */
const CALLED_ELSEWHERE: Readonly<Record<string, string>> = {
  run: "exec",
  call: "tools call",
  search: "discover",
  find: "discover",
  ls: "cap list",
  list: "cap list",
  capabilities: "cap list",
  show: "cap show",
  rename: "cap rename",
  delete: "cap delete",
  history: "cap history",
  approvals: "approve --list",
  reject: "approve",
  dashboard: "open",
  ui: "open",
  start: "serve",
  status: "servers",
  runs: "trace",
  config: "init",
  setup: "init",
  install: "add",
};

async function commandOf(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) return await COMMANDS[name as CommandName].load();
  // An unknown option.
  if (name.startsWith("-")) parseOptions("", [name], COMMON_OPTIONS);
  const names = Object.keys(COMMANDS);
  const meant = Object.hasOwn(CALLED_ELSEWHERE, name) ? CALLED_ELSEWHERE[name] : meantWord(name, names);
  throw new PmlError(
    "USAGE",
    meant === undefined
      ? `Unknown command "${name}": expected one of ${names.join(", ")}`
      : `Unknown command "${name}"; did you mean "${meant}"?`,
    { hint: meant === undefined ? "Run `pml help`." : `Run \`pml ${meant} --help\`, or \`pml help\`.` },
  );
}
