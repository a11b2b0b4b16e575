import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { COMMANDS, type CommandName, overview } from "./commands.js";
import { printError } from "./output.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs the command that stands on a command line and answers its exit code. What went wrong is on stderr by then. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    return await run(argv);
  } catch (error) {
    printError(error, argv.includes("--json"));
    return error instanceof PmlError && error.code === "USAGE" ? EXIT_USAGE : EXIT_FAILED;
  }
}

async function run([name = "", ...rest]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-v" || name === "version") {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (name === "" || name === "help" || name === "--help" || name === "-h") {
    const topic = rest[0];
    if (topic !== undefined && isCommand(topic)) process.stdout.write((await COMMANDS[topic].load()).help);
    else process.stdout.write(overview());
    return name === "" ? EXIT_USAGE : 0;
  }
  if (!isCommand(name)) throw unknownCommand(name);
  const command = await COMMANDS[name].load();
  // What stands after `--` is for another program.
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (own.includes("--help") || own.includes("-h")) {
    process.stdout.write(command.helpFor?.(own) ?? command.help);
    return 0;
  }
  if (USES_DATA.has(name)) await (await import("./new-directory.js")).beforeNewDirectory(rest);
  return command.run(rest);
}

/** Commands about files of the machine, or about what is there already. */
const NO_DATA = ["add", "adopt", "connect", "disable", "doctor", "enable", "remove", "stop", "trust"];

/** Commands that make a data directory where there is none yet. */
const USES_DATA: ReadonlySet<string> = new Set(
  Object.keys(COMMANDS).filter((name) => !NO_DATA.includes(name)),
);

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

function unknownCommand(name: string): PmlError {
  return new PmlError(
    "USAGE",
    `Unknown command "${name}": expected one of ${Object.keys(COMMANDS).join(", ")}`,
    {
      hint: "Run `pml help`.",
    },
  );
}
