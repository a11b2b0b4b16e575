/**
 * Generates the code of a merged capability: a pipeline in which the output of each capability is the input of the
 * next, as a person would write it by hand.
 *
 * @module
 */
import { insteadOf, isKnownGlobal } from "../../analysis/names/globals.js";
import { spelling } from "../../analysis/names/unknown-names.js";
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { ParametersSchema } from "../../registry/capability.js";
import { nameAt } from "../../registry/capability-ref.js";
import { isIdentifier, quoted } from "../../registry/schema-type.js";
import {
  keyText,
  type MergeStep,
  mergeInputs,
  type ParameterSource,
  type StepInput,
} from "./merge-inputs.js";

export interface MergeSource {
  readonly displayName: string;
  /** How code refers to it if its display name does not work, such as its FQDN. */
  readonly reference?: string;
  /** The pinned version; default: always the newest. */
  readonly version?: number;
  readonly parameters: ParametersSchema;
  /** The JSON Schema of its result, as far as that is known. */
  readonly result?: Json;
  /** Its intent, for the comment. */
  readonly intent?: string;
}

export interface MergedCode {
  readonly code: string;
  /** Choices that the merge made, and facts that it does not know. */
  readonly warnings: readonly string[];
}

const SOURCES_LEAST = 2;
const SOURCES_MOST = 20;
const LINE_CHARS = 100;
const COMMENT_CHARS = 200;

/** The sources are in order, and may repeat. */
export function mergeCode(sources: readonly MergeSource[]): MergedCode {
  if (sources.length < SOURCES_LEAST || sources.length > SOURCES_MOST)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      `Cannot merge ${sources.length} ${sources.length === 1 ? "capability" : "capabilities"}: a pipeline has ${SOURCES_LEAST} to ${SOURCES_MOST} steps`,
      { hint: "Give the capabilities in the order in which they run, or give the code yourself." },
    );
  const { inputs, argumentNames, warnings } = mergeInputs(sources.map(stepOf));
  const nameOf = variableNames(argumentNames);
  const variables = sources.map(({ displayName }) => nameOf(displayName.split(":").at(-1) ?? ""));
  const comments = sources.map(({ intent }) => commentText(intent));
  const summary = summaryOf(comments);
  const lines = sources.flatMap((source, index): readonly string[] => {
    const input = inputs[index] as StepInput;
    const next = inputs[index + 1];
    const isRead = next === undefined || readsStepBefore(next);
    const target = isRead ? `const ${variables[index]} = ` : "";
    const comment = summary === undefined ? comments[index] : undefined;
    return [
      ...(comment === undefined ? [] : [`// ${comment}.`]),
      callText(`${target}await ${calleeText(source)}`, input, variables[index - 1] ?? ""),
    ];
  });
  const code = [
    ...(summary === undefined ? [] : [`// ${summary}.`]),
    ...lines,
    `return ${variables.at(-1)};`,
    "",
  ].join("\n");
  return { code, warnings };
}

function stepOf(source: MergeSource): MergeStep {
  const { displayName, version, parameters, result } = source;
  const label = nameAt(displayName, version);
  return { label, callee: calleeText(source), parameters, ...(result === undefined ? {} : { result }) };
}

/** Names that mean something else as a property of a function, such as `mcp.fs.call`. */
const NOT_AS_KEY: ReadonlySet<string> = new Set("call apply bind name length toString".split(" "));

function calleeText({ displayName, reference, version }: MergeSource): string {
  if (reference !== undefined) return spelling({ object: "mcp", path: [nameAt(reference, version)] });
  const parts = displayName.split(":");
  const object = parts.length === 1 ? "capabilities" : "mcp";
  const isPlain = parts.length === 2 && parts.every((part) => isIdentifier(part) && !NOT_AS_KEY.has(part));
  return spelling({
    object,
    path: version === undefined && isPlain ? parts : [nameAt(displayName, version)],
  });
}

function readsStepBefore(input: StepInput): boolean {
  if (input.kind !== "parameters") return input.kind === "whole";
  return [...input.parameters.values()].some(({ kind }) => kind !== "argument");
}

function callText(call: string, input: StepInput, before: string): string {
  if (input.kind === "nothing") return `${call}();`;
  if (input.kind !== "parameters") return `${call}(${input.kind === "whole" ? before : "args"});`;
  const fields = [...input.parameters].map(([name, source]) => {
    const [key, value] = [keyText(name), valueText(source, before)];
    return key === value ? key : `${key}: ${value}`;
  });
  if (fields.length === 0) return `${call}();`;
  const line = `${call}({ ${fields.join(", ")} });`;
  return line.length <= LINE_CHARS ? line : `${call}({\n${fields.map((each) => `  ${each},\n`).join("")}});`;
}

function valueText(source: ParameterSource, before: string): string {
  switch (source.kind) {
    case "whole":
      return before;
    case "field":
      return memberText(before, source.field);
    case "argument": {
      const { name, isRequired } = source.argument;
      // With `args?.x` the argument may be missing; its value is passed unchanged, even if it is null or undefined.
      return isRequired ? memberText("args", name) : memberText("args", name, "?.");
    }
  }
}

function memberText(object: string, key: string, access: "." | "?." = "."): string {
  if (isIdentifier(key)) return `${object}${access}${key}`;
  return `${object}${access === "?." ? "?." : ""}[${quoted(key)}]`;
}

/** One line, without its final period and without anything that could end the comment or hide in it. */
function commentText(intent: string | undefined): string | undefined {
  const text = (intent ?? "")
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .replaceAll("*/", "* /")
    .replace(/^[\s./#@]+|[\s.]+$/g, "");
  if (text === "") return undefined;
  const chars = [...text];
  return chars.length <= COMMENT_CHARS ? text : `${chars.slice(0, COMMENT_CHARS).join("")}…`;
}

/** `Read a JSON file, then validate it`, if the whole summary fits into one line. */
function summaryOf(comments: readonly (string | undefined)[]): string | undefined {
  const [first, ...others] = comments;
  if (first === undefined || others.includes(undefined)) return undefined;
  const rest = (others as readonly string[]).map((text) => `, then ${uncapitalised(text)}`);
  const summary = first.charAt(0).toUpperCase() + first.slice(1) + rest.join("");
  return summary.length + "// .".length <= LINE_CHARS ? summary : undefined;
}

/** Changes a first word that is neither a name nor an abbreviation. */
function uncapitalised(text: string): string {
  return /^[A-Z][a-z]*(?![A-Za-z0-9])/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Verbs that return the noun after them: `read_json` returns `json`. */
const GIVING: ReadonlySet<string> = new Set(
  (
    "get read fetch list load find search query lookup show open download scan collect create make build generate " +
    "compute calculate parse extract convert render summarize summarise"
  ).split(" "),
);
/** Words after which the name no longer describes the result. */
const LINKS: ReadonlySet<string> = new Set("by from of in with for at on to into as and".split(" "));
/** Except if the noun follows them: `convert_to_csv`. */
const LEADING_LINKS: ReadonlySet<string> = new Set("to into as".split(" "));

const RESERVED: ReadonlySet<string> = new Set(
  (
    "arguments async await break case catch class const continue debugger default delete do else enum export extends " +
    "false finally for function if implements import in instanceof interface let new null of package private " +
    "protected public return static super switch this throw true try typeof using var void while with yield"
  ).split(" "),
);

/**
 * Returns a new variable name for each action: an identifier that is neither in `taken` nor reserved by the language.
 */
function variableNames(taken: Iterable<string>): (action: string) => string {
  const meant = new Set(taken);
  const used = new Set<string>();
  const isTaken = (name: string): boolean =>
    meant.has(name) || RESERVED.has(name) || isKnownGlobal(name) || insteadOf(name) !== undefined;
  return (action) => {
    const wanted = nameFor(wordsOf(action));
    const base = isTaken(wanted) && !wanted.endsWith(RESULT) ? wanted + RESULT : wanted;
    let name = base;
    for (let count = 2; isTaken(name) || used.has(name); count += 1) name = `${base}${count}`;
    used.add(name);
    return name;
  };
}

const RESULT = "Result";

function wordsOf(action: string): readonly string[] {
  return action
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function nameFor(words: readonly string[]): string {
  const [verb = "", ...rest] = words;
  const given = GIVING.has(verb) ? givenIn(rest) : [];
  if (given.length > 0) return identifier(given);
  return words.length === 0 ? "result" : identifier(words) + RESULT;
}

function givenIn(words: readonly string[]): readonly string[] {
  const named = LEADING_LINKS.has(words[0] ?? "") ? words.slice(1) : words;
  const end = named.findIndex((word) => LINKS.has(word));
  return end === -1 ? named : named.slice(0, end);
}

/** `camelCase`, starting with a letter. */
function identifier(words: readonly string[]): string {
  const [first = "", ...rest] = /^[0-9]/.test(words[0] ?? "") ? ["result", ...words] : words;
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
