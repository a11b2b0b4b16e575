import { withGateway } from "../app/gateway-client.js";
import { nearest } from "../base/nearest.js";
import { ACTIONS, type Action } from "./cap-actions.js";
import { CAP_OPTIONS, type CapOption, type CapValues, STDIN } from "./cap-values.js";
import type { Command } from "./commands.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine, printWarnings, visible } from "./output.js";

const EXIT_FAILED = 1;
const NAME_COLUMNS = 28;
/** Where the texts of the common options begin. */
const HELP_COLUMN = 23;

export const cap: Command = {
  help: `Usage: pml cap ACTION … [OPTIONS]

Capabilities: the code that PML remembers. A NAME is a name, a former one, an id or an FQDN, also with a version:
fs:read_json@v1, fs:read_json@2025-12-22.

${Object.entries(ACTIONS)
  .map(([name, action]) => `  ${usageOf(name, action).padEnd(NAME_COLUMNS)} ${action.summary}`)
  .join("\n")}

\`pml cap ACTION --help\` shows the options of one.

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
${Object.values(ACTIONS)
  .flatMap(({ examples }) => examples.slice(0, 1))
  .map((example) => `  ${example}`)
  .join("\n")}
`,
  helpFor(argv) {
    const name = argv.find((word) => !word.startsWith("-"));
    return name !== undefined && Object.hasOwn(ACTIONS, name)
      ? actionHelp(name, ACTIONS[name] as Action)
      : undefined;
  },
  async run(argv) {
    const { values, positionals } = parseOptions("cap", argv, { ...COMMON_OPTIONS, ...CAP_OPTIONS });
    const [name, ...names] = positionals;
    const action = actionOf(name);
    checkUse(name ?? "", action, names, values);
    const input = action.input(names, values, STDIN);
    const settings = settingsOf("cap", values);
    if (action.session !== undefined) return await action.session(input, values, settings);
    if (action.question !== undefined && values.yes !== true) {
      const question = visible(action.question(names));
      if (isAtTerminal() && !(await isConfirmed(question, process.stdin, process.stderr))) return EXIT_FAILED;
    }
    const answer = await withGateway(settings, (client) =>
      new Decider(client).decide(action.operation, input),
    );
    const isTerminal = process.stdout.isTTY === true;
    const hasColours = isTerminal && (process.env.NO_COLOR ?? "") === "";
    if (values.json === true) printJson(answer);
    else {
      printWarnings(answer);
      printLine(action.text(answer, values, { isTerminal, hasColours }));
    }
    return 0;
  },
};

function usageOf(name: string, { takes }: Action): string {
  return [name, ...takes].join(" ");
}

function actionHelp(name: string, action: Action): string {
  const options = Object.entries(action.options).map(([option, [value, what]]) => {
    const left = `  --${option} ${value}`;
    const isLong = left.length >= HELP_COLUMN;
    return `${isLong ? `${left}\n${"".padEnd(HELP_COLUMN)}` : left.padEnd(HELP_COLUMN)}${what}\n`;
  });
  return `Usage: pml cap ${usageOf(name, action)} [OPTIONS]

pml cap ${name}: ${action.summary}.

${options.join("")}${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
${action.examples.map((example) => `  ${example}`).join("\n")}
`;
}

function actionOf(name: string | undefined): Action {
  if (name !== undefined && Object.hasOwn(ACTIONS, name)) return ACTIONS[name] as Action;
  const names = Object.keys(ACTIONS);
  const [like] = name === undefined ? [] : nearest(name, names, 1);
  const offer = like === undefined ? "" : `; did you mean "${like}"?`;
  throw usage("cap", `Expected ${names.join(", ")}, found ${JSON.stringify(name ?? "nothing")}${offer}`);
}

function checkUse(name: string, { takes, options }: Action, names: readonly string[], values: CapValues) {
  const missing = takes[names.length];
  if (missing !== undefined && !missing.startsWith("["))
    throw usage("cap", `Which capability? Expected ${missing}`);
  const extra = takes.at(-1)?.endsWith("…") === true ? undefined : names[takes.length];
  if (extra !== undefined) throw usage("cap", `Unexpected argument "${extra}"`);
  for (const option of Object.keys(CAP_OPTIONS) as CapOption[])
    if (values[option] !== undefined && !Object.hasOwn(options, option))
      throw usage("cap", `--${option} cannot be combined with ${name}`);
}
