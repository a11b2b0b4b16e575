#!/usr/bin/env node
/**
 * The `pml` command: a table of commands, each in a file of its own that is loaded when it is asked for.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { COMMANDS, type CommandName, overview } from "./commands.js";
import { printError } from "./output.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

async function main(argv: readonly string[]): Promise<number> {
  const [name = "", ...rest] = argv;
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
  if (rest.includes("--help") || rest.includes("-h")) {
    process.stdout.write(command.helpFor?.(rest) ?? command.help);
    return 0;
  }
  if (USES_DATA.has(name)) await (await import("./new-directory.js")).beforeNewDirectory(rest);
  return command.run(rest);
}

/** Commands that make a data directory where there is none yet. */
const USES_DATA: ReadonlySet<string> = new Set(
  Object.keys(COMMANDS).filter((name) => !["adopt", "doctor", "stop", "trust"].includes(name)),
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

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    printError(error, process.argv.includes("--json"));
    process.exitCode = error instanceof PmlError && error.code === "USAGE" ? EXIT_USAGE : EXIT_FAILED;
  },
);
