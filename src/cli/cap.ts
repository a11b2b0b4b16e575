import { withGateway } from "../app/gateway-client.js";
import { nearest } from "../base/nearest.js";
import { listText, recordText } from "./cap-report.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printError, printJson, printLine, printNote, visibleLines } from "./output.js";
import { callOwnTool, errorOf, type OwnAnswer } from "./own-tool-call.js";

const OPTIONS = {
  named: { type: "boolean" },
  unnamed: { type: "boolean" },
  tags: { type: "string" },
  sort: { type: "string" },
  limit: { type: "string" },
  offset: { type: "string" },
  description: { type: "string" },
  visibility: { type: "string" },
} as const;

type Values = {
  readonly [K in keyof typeof OPTIONS]?: string | boolean | undefined;
};

interface Action {
  /** Options that go with it. */
  readonly options: readonly (keyof typeof OPTIONS)[];
  /** Names of its arguments; those in brackets may be left out. */
  readonly takes: readonly string[];
  readonly tool: string;
  input(names: readonly string[], values: Values): Readonly<Record<string, unknown>>;
  text(answer: OwnAnswer, values: Values): string;
}

const SORTS = ["usage", "name", "created"];
const VISIBILITIES = ["private", "project", "org", "public"];

const ACTIONS: Readonly<Record<string, Action>> = {
  list: {
    options: ["named", "unnamed", "tags", "sort", "limit", "offset"],
    takes: ["[PATTERN]"],
    tool: "cap_list",
    input: ([pattern], values) => {
      if (values.named === true && values.unnamed === true)
        throw usage("cap", "Expected either --named or --unnamed, found both");
      return given({
        pattern,
        named_only: values.named,
        unnamed_only: values.unnamed,
        tags: tagsOf(values.tags),
        sort_by: oneOf("sort", values.sort, SORTS),
        limit: count("limit", values.limit, 1),
        offset: count("offset", values.offset, 0),
      });
    },
    text: (answer, values) => listText(answer, count("offset", values.offset, 0) ?? 0),
  },
  lookup: {
    options: [],
    takes: ["NAME"],
    tool: "cap_lookup",
    input: ([name]) => ({ name }),
    text: recordText,
  },
  rename: {
    options: ["description", "tags", "visibility"],
    takes: ["NAME", "[NEW_NAME]"],
    tool: "cap_rename",
    input: ([name, newName], values) => {
      const changes = given({
        new_name: newName,
        description: values.description,
        tags: tagsOf(values.tags),
        visibility: oneOf("visibility", values.visibility, VISIBILITIES),
      });
      if (Object.keys(changes).length === 0)
        throw usage("cap", "What is to change? Expected NEW_NAME, --description, --tags or --visibility");
      return { name, ...changes };
    },
    text: recordText,
  },
};

export const cap: Command = {
  help: `Usage: pml cap list [PATTERN] [OPTIONS]
       pml cap lookup NAME [OPTIONS]
       pml cap rename NAME [NEW_NAME] [OPTIONS]

Capabilities: the code that PML remembers. list shows those of the scope, or those whose name fits PATTERN (fs:*);
lookup shows one, also NAME@v1, with its parameters; rename gives it another name, under which the old one still works,
or changes what is said about it.

  list:
    --named, --unnamed   only those with a name, or without
    --tags A,B           only those with all of these
    --sort usage|name|created
    --limit N            how many
    --offset N           how many to pass over
  rename:
    --description TEXT   what it does
    --tags A,B           its tags from now on; '' for none
    --visibility private|project|org|public

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml cap list 'fs:*' --sort name
  pml cap list --unnamed --json
  pml cap lookup fs:read_json
  pml cap rename unnamed_1a2b3c4d fs:read_json --tags json,files
`,
  async run(argv) {
    const { values, positionals } = parseOptions("cap", argv, { ...COMMON_OPTIONS, ...OPTIONS });
    const [name, ...names] = positionals;
    const action = actionOf(name);
    checkUse(name ?? "", action, names, values);
    const input = action.input(names, values);
    const answer = await withGateway(settingsOf("cap", values), (client) =>
      callOwnTool(client, action.tool, input),
    );
    return print(answer, () => action.text(answer, values), values.json === true);
  },
};

function actionOf(name: string | undefined): Action {
  if (name !== undefined && Object.hasOwn(ACTIONS, name)) return ACTIONS[name] as Action;
  const names = Object.keys(ACTIONS);
  const [like] = name === undefined ? [] : nearest(name, names, 1);
  const offer = like === undefined ? "" : `; did you mean "${like}"?`;
  throw usage("cap", `Expected ${names.join(", ")}, found ${JSON.stringify(name ?? "nothing")}${offer}`);
}

function checkUse(name: string, action: Action, names: readonly string[], values: Values): void {
  const missing = action.takes[names.length];
  if (missing !== undefined && !missing.startsWith("["))
    throw usage("cap", `Which capability? Expected ${missing}`);
  const extra = names[action.takes.length];
  if (extra !== undefined) throw usage("cap", `Unexpected argument "${extra}"`);
  for (const option of Object.keys(OPTIONS) as (keyof typeof OPTIONS)[])
    if (values[option] !== undefined && !action.options.includes(option))
      throw usage("cap", `--${option} does not go with ${name}`);
}

function print(answer: OwnAnswer, text: () => string, json: boolean): number {
  const error = errorOf(answer);
  if (json) printJson(answer);
  if (error !== undefined) {
    printError(error, false);
    return 1;
  }
  if (json) return 0;
  const warnings: readonly unknown[] = Array.isArray(answer.warnings) ? answer.warnings : [];
  for (const warning of warnings) printNote(`Warning: ${visibleLines(String(warning))}`);
  printLine(text());
  return 0;
}

function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function tagsOf(value: string | boolean | undefined): readonly string[] | undefined {
  if (typeof value !== "string") return undefined;
  return value
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

function oneOf(
  option: string,
  value: string | boolean | undefined,
  allowed: readonly string[],
): string | undefined {
  if (typeof value !== "string") return undefined;
  if (allowed.includes(value)) return value;
  throw usage("cap", `--${option} is "${value}": expected ${allowed.join(", ")}`);
}

function count(option: string, value: string | boolean | undefined, least: number): number | undefined {
  if (typeof value !== "string") return undefined;
  const number = Number(value);
  if (/^\d{1,9}$/.test(value) && number >= least) return number;
  throw usage("cap", `--${option} is "${value}": expected a number from ${least} on`);
}
