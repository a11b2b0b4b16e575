/**
 * The command line of an action: its arguments and flags, how they are parsed, and its help. Fields come from the
 * schema of an operation's input; `own` contains the others.
 *
 * @module
 */
import type { ParseArgsConfig } from "node:util";
import { COMMON_HELP, type CommonValues, usage } from "./options.js";

/** The column of the options' help texts. */
const HELP_COLUMN = 23;
const HELP_WIDTH = 118;

/** Flags that have a short form. */
const SHORT: Readonly<Record<string, string>> = { yes: "y", output: "o", follow: "f", lines: "n" };

/** The parsed command line: values by the names of flags and arguments. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * Flags and arguments that are not fields of the operation: the kind of value that they take (none, a text, or
 * `KEY=VALUE`), and their help text.
 */
export type Own = Readonly<Record<string, readonly [label: string, text: string]>>;

/** The values of these, and of the common options. */
export type GivenOf<O extends Own> = CommonValues & { readonly json?: boolean | undefined } & {
  readonly [K in keyof O]?:
    | (O[K][0] extends "" ? boolean : O[K][0] extends "KEY=VALUE" ? readonly string[] : string)
    | undefined;
};

export interface Syntax<O extends Own = Own> {
  /** For a list of actions. */
  readonly title?: string;
  readonly about: string;
  /** The schema of the operation's input, as JSON Schema. */
  schema?(): Schema;
  /** Usage lines, if there are several. */
  readonly forms?: readonly string[];
  /** Its arguments, by the fields that they fill or the names in `own`: `name new_name?`, `sources…`. */
  readonly takes?: string;
  /** The name of a missing argument: `intent`. */
  readonly of?: string;
  /** Values for every call. */
  readonly implied?: Readonly<Record<string, unknown>>;
  /** Flags whose name differs from their field, or with a longer description. */
  readonly flags?: Readonly<Record<string, readonly [field: string, text?: string, label?: string]>>;
  /** Fields without a flag; `others` means all that `flags` does not name. */
  readonly without?: readonly string[] | "others";
  readonly own?: O;
  /** The exit codes, if there are more than 0 done, 1 failed, 2 wrong usage. */
  readonly exits?: string;
  readonly examples: readonly string[];
}

/** Returns the fields of the operation's input, and the other values; throws on wrong usage. */
export function readLine(
  command: string,
  syntax: Syntax,
  words: readonly string[],
  values: Values,
): { readonly input: Readonly<Record<string, unknown>>; readonly given: Values } {
  const fields = fieldsOf(syntax.schema?.() ?? {});
  const input: Record<string, unknown> = { ...syntax.implied };
  const others: Record<string, string> = {};
  const taken = takenBy(syntax);
  const isText = (field: string) =>
    fields.some(({ key, schema }) => key === field && schema.type === "string");
  const at = words.join("").trim() === "" ? 0 : words.length;
  const missing = taken[at];
  if (missing !== undefined && !missing.isOptional)
    throw usage(
      command,
      `The ${(at === 0 ? syntax.of : undefined) ?? "argument"} is missing: expected ${missing.label}`,
    );
  const extra = taken.at(-1)?.isRest === true ? undefined : words[taken.length];
  if (extra !== undefined) throw usage(command, `Unexpected argument "${extra}"`);
  for (const [at, { field, isRest }] of taken.entries())
    if (isRest) input[field] = isText(field) ? words.join(" ").trim() : words.slice(at);
    else if (words[at] !== undefined)
      (fields.some(({ key }) => key === field) ? input : others)[field] = words[at];
  for (const { name, field, label } of flagsOf(syntax)) {
    const value = values[name];
    if (field === undefined || value === undefined) continue;
    const [outer = "", inner] = field.path;
    const read = readValue(command, { name, label }, field.schema, value);
    input[outer] = inner === undefined ? read : { ...(input[outer] as object | undefined), [inner]: read };
  }
  return { input, given: { ...values, ...others } };
}

export interface Schema {
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
  /** Its own name; a field of a nested object also has the path to it. */
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: Schema;
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

/** `name new_name? sources…`, in the form for people: `NAME`, `NEW_NAME`, `SOURCE…`. */
function takenBy({ takes = "" }: Syntax): readonly Taken[] {
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

function flagsOf(syntax: Syntax): readonly Flag[] {
  const { flags = {}, without = [], own = {}, implied = {} } = syntax;
  const named = Object.entries(flags);
  const taken = new Set(takenBy(syntax).map(({ field }) => field));
  const isFlag = (key: string) =>
    without === "others" ? named.some(([, [of]]) => of === key) : !without.includes(key);
  const fields = fieldsOf(syntax.schema?.() ?? {}).filter(
    ({ key }) => !taken.has(key) && !(key in implied) && isFlag(key),
  );
  return [
    ...fields.map((field): Flag => {
      const { key, schema } = field;
      const [name, [, text = schema.description ?? "", label] = [key]] = named.find(
        ([, [of]]) => of === key,
      ) ?? [flagName(key)];
      return { name, text, label: label ?? labelOf(name, schema), field };
    }),
    ...Object.entries(own)
      .filter(([name]) => !taken.has(name))
      .map(([name, [label, text]]) => ({ name, label, text })),
  ];
}

/** `minScore` and `min_score` become `--min-score`. */
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

/** Without the null that removes a value. */
function plain(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

export type Options = NonNullable<ParseArgsConfig["options"]>;

/** For `parseArgs`. */
export function optionsOf(syntax: Syntax): Options {
  return Object.fromEntries(
    flagsOf(syntax).map(({ name, label, field }) => {
      const short = SHORT[name] === undefined ? {} : { short: SHORT[name] };
      return [
        name,
        label === ""
          ? { type: "boolean", ...short }
          : { type: "string", multiple: field?.schema.type === "array" || label === "KEY=VALUE", ...short },
      ];
    }),
  );
}

function readValue(
  command: string,
  { name, label }: Pick<Flag, "name" | "label">,
  schema: Schema,
  given: Exclude<Values[string], undefined>,
): unknown {
  if (typeof given === "boolean") return given;
  if (typeof given !== "string")
    return given.flatMap((text) => text.split(",").map((part) => part.trim())).filter((part) => part !== "");
  if (schema.anyOf !== undefined && given === "none") return null;
  const { type, enum: values, minimum = 0, maximum } = plain(schema);
  const wrong = (expected: string) => usage(command, `--${name} is "${given}": expected ${expected}`);
  if (values !== undefined) {
    if (values.includes(given)) return given;
    throw wrong(values.length === 2 ? values.join(" or ") : values.join(", "));
  }
  if (type !== "integer" && type !== "number") return given;
  const number = Number(given);
  const isNumber = type === "integer" ? /^\d{1,9}$/.test(given) : /^\d*\.?\d+$/.test(given);
  if (isNumber && number >= minimum && number <= (maximum ?? number)) return number;
  throw wrong(
    `${label === "MS" ? "milliseconds" : "a number"} from ${minimum} ${maximum === undefined ? "on" : `to ${maximum}`}`,
  );
}

/** `cap rename NAME [NEW_NAME]` */
export function usageOf(name: string, syntax: Syntax): string {
  const taken = takenBy(syntax).map(({ label, isOptional }) => (isOptional ? `[${label}]` : label));
  return [name, ...taken].join(" ");
}

export function helpOf(name: string, syntax: Syntax): string {
  const { about, forms = [`${usageOf(name, syntax)} [OPTIONS]`], own = {}, exits, examples } = syntax;
  const fields = fieldsOf(syntax.schema?.() ?? {});
  const words = takenBy(syntax).map(({ label, field }) => ({
    left: label.replace("…", ""),
    text: own[field]?.[1] ?? fields.find(({ key }) => key === field)?.schema.description ?? "",
  }));
  const flags = flagsOf(syntax).map(({ name: flag, label, text }) => ({
    left: `${SHORT[flag] === undefined ? "" : `-${SHORT[flag]}, `}--${flag} ${label}`,
    text,
  }));
  // An action's own flag replaces the common one.
  const common = Object.hasOwn(syntax.flags ?? {}, "scope")
    ? COMMON_HELP.slice(0, COMMON_HELP.indexOf("  --scope"))
    : COMMON_HELP;
  return `${forms.map((form, at) => `${at === 0 ? "Usage:" : "      "} pml ${form}`).join("\n")}

${about
  .split("\n\n")
  .map((part) => wrapped(part, 0))
  .join("\n\n")}

${[...words.filter(({ text }) => text !== ""), ...flags].map(helpLine).join("")}${common}${JSON_HELP}
${exits === undefined ? "" : `${wrapped(`Exit codes: ${exits}`, 0)}\n\n`}Examples:
${examples.map((example) => `  ${example}`).join("\n")}
`;
}

/** The last of the common options. */
export const JSON_HELP = "  --json               the whole answer, for scripts\n";

function helpLine({ left, text }: { readonly left: string; readonly text: string }): string {
  const start = `  ${left}`;
  const isLong = start.length >= HELP_COLUMN;
  const rest = wrapped(text, HELP_COLUMN);
  return `${isLong ? `${start}\n${"".padEnd(HELP_COLUMN)}` : start.padEnd(HELP_COLUMN)}${rest}`
    .trimEnd()
    .concat("\n");
}

/** Wraps lines; all but the first begin at that column. */
function wrapped(text: string, column: number): string {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && column + line.length + 1 + word.length > HELP_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${"".padEnd(column)}`);
}
