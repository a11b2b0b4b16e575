/**
 * Commands that are renderings of operations: arguments, flags and help come from the schema of the operation's input.
 * A command adds how its answer is shown, and what is its own: prompts, files, flags that are no field.
 *
 * @module
 */
import type { ParseArgsConfig } from "node:util";
import type { z } from "zod";
import type { AnswerOf, InputOf, OperationId } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { inputSchemaOf } from "../gateway/operation.js";
import type { Command } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import {
  COMMON_HELP,
  COMMON_OPTIONS,
  type CommonValues,
  parseOptions,
  settingsOf,
  unknownWord,
  usage,
} from "./options.js";
import { printJson, printLine, printNote, printWarnings, visible, visibleLines } from "./output.js";
import { STDIN, type Stdin } from "./stdin.js";

const EXIT_FAILED = 1;
/** Where the texts of options begin. */
const HELP_COLUMN = 23;
const HELP_WIDTH = 118;

/** What stands on the command line: flags by their names, and arguments that are no field by theirs. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Where the answer is shown. */
interface Screen {
  readonly isTerminal: boolean;
  readonly hasColours: boolean;
}

/** One thing that a command can do. */
export interface Action<Id extends OperationId = OperationId> {
  readonly operation: {
    readonly id: Id;
    readonly title?: string;
    readonly summary: string;
    readonly input: z.ZodObject;
  };
  /** In a list of actions; the operation's title by default. */
  readonly title?: string;
  /** Its arguments, by the fields that they fill: `name new_name?`, `sources…`. */
  readonly takes?: string;
  /** What a missing argument is called: `intent`. */
  readonly of?: string;
  /** What every call has. */
  readonly implied?: Readonly<Record<string, unknown>>;
  /** Flags that are not called like their field, or of which more is to be said. */
  readonly flags?: Readonly<Record<string, readonly [field: string, text?: string, label?: string]>>;
  /** Fields without a flag. */
  readonly without?: readonly string[];
  /** Flags that are no field: what they take, if anything, and what they are for. */
  readonly own?: Readonly<Record<string, readonly [label: string, text: string]>>;
  readonly examples: readonly string[];
  /** Adds what is no field, or checks what goes together. */
  complete?(input: InputOf<Id>, values: Values, stdin: Stdin): InputOf<Id>;
  text(
    answer: AnswerOf<Id>,
    input: InputOf<Id>,
    values: Values,
    screen: Screen,
  ): string | { readonly text: string; readonly notes: readonly string[] };
  /** What a person at a terminal is asked first, unless `--yes` is given. */
  question?(input: InputOf<Id>): string;
  /** Where it is more than one call and its answer; answers the exit code. */
  session?(input: InputOf<Id>, values: Values, settings: Settings): Promise<number>;
}

/** For tables of actions of several operations. */
export function action<Id extends OperationId>(one: Action<Id>): Action {
  return one as unknown as Action;
}

/** A command that does one thing. */
export function single(name: string, one: Action): Command {
  return {
    get help() {
      return actionHelp(name, one);
    },
    run(argv) {
      const { values, positionals } = parseOptions(name, argv, { ...COMMON_OPTIONS, ...optionsOf(one) });
      return run(name, one, positionals, values);
    },
  };
}

/** A command whose first argument says what it does; `usual` where there is none. */
export function group(
  name: string,
  about: string,
  actions: Readonly<Record<string, Action>>,
  usual?: string,
): Command {
  return {
    get help() {
      return groupHelp(name, about, actions);
    },
    helpFor(argv) {
      const key = argv.find((word) => !word.startsWith("-")) ?? "";
      const one = Object.hasOwn(actions, key) ? actions[key] : undefined;
      return one === undefined ? undefined : actionHelp(`${name} ${key}`, one);
    },
    run(argv) {
      const all: Options = Object.assign({}, ...Object.values(actions).map(optionsOf));
      const { values, positionals } = parseOptions(name, argv, { ...COMMON_OPTIONS, ...all });
      const [key = usual, ...words] = positionals;
      const one = key !== undefined && Object.hasOwn(actions, key) ? actions[key] : undefined;
      if (one === undefined) throw unknownWord(name, Object.keys(actions), key);
      const own = optionsOf(one);
      const misfit = Object.keys(values).find((flag) => flag in all && !(flag in own));
      if (misfit !== undefined) throw usage(name, `--${misfit} cannot be combined with ${key}`);
      return run(name, one, words, values);
    },
  };
}

function groupHelp(name: string, about: string, actions: Readonly<Record<string, Action>>): string {
  const all = Object.entries(actions);
  return `Usage: pml ${name} ACTION … [OPTIONS]

${about}

${all.map(([key, one]) => `  ${usageOf(key, one).padEnd(HELP_COLUMN + 5)} ${one.title ?? one.operation.title}`).join("\n")}

\`pml ${name} ACTION --help\` shows the options of one.

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
${all.flatMap(([, { examples }]) => examples.slice(0, 1).map((example) => `  ${example}`)).join("\n")}
`;
}

async function run(
  command: string,
  one: Action,
  words: readonly string[],
  values: CommonValues & Values,
): Promise<number> {
  const { input, given } = readAction(command, one, words, values, STDIN);
  const settings = settingsOf(command, values);
  if (one.session !== undefined) return await one.session(input, given, settings);
  if (one.question !== undefined && values.yes !== true && isAtTerminal())
    if (!(await isConfirmed(visible(one.question(input)), process.stdin, process.stderr))) return EXIT_FAILED;
  const answer = await withGateway(settings, (client) => new Decider(client).decide(one.operation.id, input));
  if (values.json === true) printJson(answer);
  else {
    const isTerminal = process.stdout.isTTY === true;
    const hasColours = isTerminal && (process.env.NO_COLOR ?? "") === "";
    const shown = one.text(answer, input, given, { isTerminal, hasColours });
    if (typeof shown === "string") printWarnings(answer);
    else for (const note of shown.notes) printNote(visibleLines(note));
    printLine(typeof shown === "string" ? shown : shown.text);
  }
  return 0;
}

/** The input of a call, from what stands on the command line; throws wrong usage. */
export function readAction(
  command: string,
  one: Action,
  words: readonly string[],
  values: Values,
  stdin: Stdin,
): { readonly input: InputOf<OperationId>; readonly given: Values } {
  const fields = fieldsOf(schemaOf(one));
  const input: Record<string, unknown> = { ...one.implied };
  const others: Record<string, string> = {};
  const taken = takenBy(one);
  const isText = (field: string) =>
    fields.some(({ key, schema }) => key === field && schema.type === "string");
  const missing = taken[words.join("").trim() === "" ? 0 : words.length];
  if (missing !== undefined && !missing.isOptional)
    throw usage(command, `The ${one.of ?? "argument"} is missing: expected ${missing.label}`);
  const last = taken.at(-1);
  const extra = last?.isRest === true ? undefined : words[taken.length];
  if (extra !== undefined) throw usage(command, `Unexpected argument "${extra}"`);
  for (const [at, { field, isRest }] of taken.entries())
    if (isRest) input[field] = isText(field) ? words.join(" ").trim() : words.slice(at);
    else if (words[at] !== undefined)
      (fields.some(({ key }) => key === field) ? input : others)[field] = words[at];
  for (const { name, field } of flagsOf(one)) {
    const value = values[name];
    if (field === undefined || value === undefined) continue;
    const [outer, inner] = field.path as [string, string | undefined];
    const read = readValue(command, name, field.schema, value);
    input[outer] = inner === undefined ? read : { ...(input[outer] as object | undefined), [inner]: read };
  }
  const given = { ...values, ...others };
  const whole = input as InputOf<OperationId>;
  return { input: one.complete?.(whole, given, stdin) ?? whole, given };
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Field {
  /** Its own name; a field of an object inside the input has the path to it, too. */
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: Schema;
}

function schemaOf({ operation }: Action): Schema {
  return inputSchemaOf(operation.input) as Schema;
}

function fieldsOf({ properties = {} }: Schema, path: readonly string[] = []): readonly Field[] {
  return Object.entries(properties).flatMap(([key, schema]) =>
    schema.properties === undefined ? [{ key, path: [...path, key], schema }] : fieldsOf(schema, [key]),
  );
}

interface Taken {
  readonly field: string;
  readonly label: string;
  readonly isOptional: boolean;
  readonly isRest: boolean;
}

/** `name new_name? sources…`, each as people read it: `NAME`, `NEW_NAME`, `SOURCE…`. */
function takenBy({ takes = "" }: Action): readonly Taken[] {
  return takes
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const field = word.replace(/[?…]/g, "");
      const isRest = word.includes("…");
      const label = field.replace(/_id$/, "").toUpperCase();
      return {
        field,
        label: isRest ? label.replace(/S$/, "…") : label,
        isOptional: word.endsWith("?"),
        isRest,
      };
    });
}

interface Flag {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly field?: Field;
}

function flagsOf(one: Action): readonly Flag[] {
  const hidden = new Set([
    ...takenBy(one).map(({ field }) => field),
    ...Object.keys(one.implied ?? {}),
    ...(one.without ?? []),
  ]);
  const named = Object.entries(one.flags ?? {});
  const fields = fieldsOf(schemaOf(one)).filter(({ key }) => !hidden.has(key));
  return [
    ...fields.map((field): Flag => {
      const { key, schema } = field;
      const [name, [, text = schema.description ?? "", label] = [key]] = named.find(
        ([, [of]]) => of === key,
      ) ?? [flagName(key)];
      return { name, text, label: label ?? labelOf(name, schema), field };
    }),
    ...Object.entries(one.own ?? {}).map(([name, [label, text]]) => ({ name, label, text })),
  ];
}

/** `minScore` and `min_score` are `--min-score`. */
function flagName(key: string): string {
  return key.replace(/_/g, "-").replace(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`);
}

function labelOf(name: string, schema: Schema): string {
  const { type, enum: values } = plain(schema);
  if (type === "boolean") return "";
  if (values !== undefined) return values.join("|");
  if (type === "array") return "A,B";
  return type === "integer" || type === "number" ? "N" : name.replaceAll("-", "_").toUpperCase();
}

/** Without the null that takes something away. */
function plain(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

function optionsOf(one: Action): Options {
  return Object.fromEntries(
    flagsOf(one).map(({ name, label, field }) => [
      name,
      label === ""
        ? { type: "boolean", ...(name === "yes" ? { short: "y" } : {}) }
        : { type: "string", multiple: field?.schema.type === "array" || label === "KEY=VALUE" },
    ]),
  );
}

function readValue(
  command: string,
  flag: string,
  schema: Schema,
  given: Exclude<Values[string], undefined>,
): unknown {
  if (typeof given === "boolean") return given;
  if (typeof given !== "string")
    return given.flatMap((text) => text.split(",").map((part) => part.trim())).filter((part) => part !== "");
  if (schema.anyOf !== undefined && given === "none") return null;
  const { type, enum: values, minimum = 0, maximum } = plain(schema);
  const wrong = (expected: string) => usage(command, `--${flag} is "${given}": expected ${expected}`);
  if (values !== undefined) {
    if (values.includes(given)) return given;
    throw wrong(values.length === 2 ? values.join(" or ") : values.join(", "));
  }
  if (type !== "integer" && type !== "number") return given;
  const number = Number(given);
  const isNumber = type === "integer" ? /^\d{1,9}$/.test(given) : /^\d*\.?\d+$/.test(given);
  if (isNumber && number >= minimum && number <= (maximum ?? number)) return number;
  throw wrong(`a number from ${minimum} ${maximum === undefined ? "on" : `to ${maximum}`}`);
}

function usageOf(name: string, one: Action): string {
  const taken = takenBy(one).map(({ label, isOptional }) => (isOptional ? `[${label}]` : label));
  return [name, ...taken].join(" ");
}

function actionHelp(name: string, one: Action): string {
  const fields = fieldsOf(schemaOf(one));
  const words = takenBy(one).map(({ label, field }) => ({
    left: label.replace("…", ""),
    text: fields.find(({ key }) => key === field)?.schema.description ?? "",
  }));
  const flags = flagsOf(one).map(({ name: flag, label, text }) => ({ left: `--${flag} ${label}`, text }));
  return `Usage: pml ${usageOf(name, one)} [OPTIONS]

${wrapped(one.operation.summary, 0)}

${[...words.filter(({ text }) => text !== ""), ...flags].map(helpLine).join("")}${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
${one.examples.map((example) => `  ${example}`).join("\n")}
`;
}

function helpLine({ left, text }: { readonly left: string; readonly text: string }): string {
  const start = `  ${left}`;
  const isLong = start.length >= HELP_COLUMN;
  const rest = wrapped(text, HELP_COLUMN);
  return `${isLong ? `${start}\n${"".padEnd(HELP_COLUMN)}` : start.padEnd(HELP_COLUMN)}${rest}`
    .trimEnd()
    .concat("\n");
}

/** Lines that begin at that column, but for the first. */
function wrapped(text: string, column: number): string {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && column + line.length + 1 + word.length > HELP_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${"".padEnd(column)}`);
}
