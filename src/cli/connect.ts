import {
  type ReadyConnect,
  type ReadyUndo,
  readyConnect,
  readyUndo,
  refuseConflict,
} from "../app/connect-client.js";
import { defined } from "../base/defined.js";
import { CLIENT_IDS, CLIENTS, type ClientId } from "../clients/client-table.js";
import type { Command } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { connectText, undoText } from "./connect-report.js";
import { isAtTerminal } from "./decider.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, unknownWord, usage } from "./options.js";
import { printJson, printLine, printNote } from "./output.js";
import { pasteable } from "./pasteable.js";

export const connect: Command = {
  help: `Usage: pml connect CLIENT [OPTIONS]

Writes PML into the configuration file of an MCP client, in place of the servers that are also in PML's configuration.
Other servers stay beside PML. Shows the change as a diff first and asks you; without a terminal it changes nothing
unless you say --yes. Comments and formatting stay, and PML keeps a backup of the old file.

  CLIENT               ${CLIENT_IDS.slice(0, 7).join(", ")},
                       ${CLIENT_IDS.slice(7).join(", ")}
  --undo               remove PML again: restores the old file, or, if it was changed since, undoes only PML's change
  --dry-run            show the change, and make none
  --yes                do not ask

${COMMON_HELP}  --json               for scripts

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  pml connect cursor --dry-run
  pml connect cursor
  pml connect cursor --undo
`,
  async run(argv) {
    const { values, positionals } = parseOptions("connect", argv, {
      ...COMMON_OPTIONS,
      undo: { type: "boolean" },
      "dry-run": { type: "boolean" },
      yes: { type: "boolean" },
    });
    const [word, extra] = positionals;
    if (extra !== undefined) throw usage("connect", `Unexpected argument "${extra}"`);
    const client = CLIENT_IDS.find((id) => id === word);
    if (client === undefined) throw unknownWord("connect", CLIENT_IDS, word);
    const options = {
      json: values.json === true,
      dryRun: values["dry-run"] === true,
      yes: values.yes === true,
    };
    if (values.undo === true) return undoIn(client, readyUndo(client, process.env), options);
    const settings = settingsOf("connect", values);
    return connectTo(client, readyConnect(client, settings, values.scope, process.env), options);
  },
};

interface Options {
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** True if another command calls this one, and prints the next step itself. */
  readonly isPart?: boolean;
}

function undoHint(client: ClientId): string {
  return pasteable(`\`pml connect ${client} --undo\` removes PML again.`);
}

export async function connectTo(client: ClientId, ready: ReadyConnect, options: Options): Promise<number> {
  const { make, ...view } = ready;
  const isDone = ready.diff === "";
  const tell = (changed: boolean, backup?: string) => {
    if (options.json) printJson({ client, ...view, changed, ...defined({ backup }) });
    else if (changed)
      printLine(
        [
          `Connected: ${ready.file}`,
          ...(backup === undefined ? [] : [`Backup of the old file: ${backup}`]),
          ...(options.isPart === true ? [] : [`Restart ${CLIENTS[client].title}. ${undoHint(client)}`]),
        ].join("\n"),
      );
  };
  if (!options.json) print(options, connectText(client, view));
  if (isDone || options.dryRun) {
    tell(false);
    return 0;
  }
  if (!(await isWanted("Write it?", options))) {
    tell(false);
    return 1;
  }
  tell(true, make());
  return 0;
}

async function undoIn(client: ClientId, ready: ReadyUndo, options: Options): Promise<number> {
  const { make, ...view } = ready;
  const tell = (changed: boolean, replaced?: string) => {
    if (options.json) printJson({ client, ...view, changed, ...defined({ replaced }) });
    else if (changed)
      printLine(
        `Restored: ${ready.file}${replaced === undefined ? "" : `\nCopy of the file before this undo: ${replaced}`}`,
      );
  };
  if (!options.json) print(options, undoText(client, view));
  if (options.dryRun || ready.kind === "unknown") {
    tell(false);
    return 0;
  }
  if (ready.kind === "nothing") {
    make();
    tell(false);
    return 0;
  }
  if (ready.kind === "conflict" || (ready.kind === "missing" && !options.yes)) refuseConflict(client, ready);
  if (!(await isWanted("Restore it?", options))) {
    tell(false);
    return 1;
  }
  tell(true, make());
  return 0;
}

/** Text that belongs to a question goes to stderr; the result of `--dry-run` is the output. */
function print({ dryRun }: Options, text: string): void {
  if (dryRun) printLine(text);
  else printNote(text);
}

async function isWanted(question: string, { yes }: Options): Promise<boolean> {
  if (yes) return true;
  if (isAtTerminal()) {
    if (await isConfirmed(question, process.stdin, process.stderr)) return true;
    printNote("Nothing was changed.");
    return false;
  }
  printNote("Nothing was changed: there is no terminal to ask you. Run it with --yes.");
  return false;
}
