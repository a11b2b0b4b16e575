/**
 * What `pml exec` asks of the gateway, from what stands on the command line.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { InputOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { messageOf } from "../base/pml-error.js";
import { readDag } from "./dag-file.js";
import { usage } from "./options.js";
import type { Stdin } from "./stdin.js";

export const EXEC_OPTIONS = {
  dag: { type: "string" },
  capability: { type: "string" },
  resume: { type: "string" },
  args: { type: "string" },
  arg: { type: "string", multiple: true },
  intent: { type: "string" },
  name: { type: "string" },
  timeout: { type: "string" },
  update: { type: "boolean" },
  "version-tag": { type: "string" },
  "no-cache": { type: "boolean" },
  "no-remember": { type: "boolean" },
  "per-layer": { type: "boolean" },
  progress: { type: "boolean" },
} as const;

type Options = typeof EXEC_OPTIONS;
export type ExecValues = {
  readonly [K in keyof Options]?:
    | (Options[K] extends { multiple: true }
        ? readonly string[]
        : Options[K] extends { type: "boolean" }
          ? boolean
          : string)
    | undefined;
};

/** The input of `pml_execute`. */
export type ExecRequest = InputOf<"pml:execute">;

/** How a command that takes code speaks of it. */
export interface CodeCommand {
  readonly name: string;
  /** Asked where nothing is given. */
  readonly question: string;
  readonly verb: string;
}

const EXEC: CodeCommand = { name: "exec", question: "There is nothing to run.", verb: "run" };

/** `file` is `-` for stdin. */
export function execRequest(
  file: string | undefined,
  values: ExecValues,
  stdin: Stdin,
  command = EXEC,
): ExecRequest {
  if (values.resume !== undefined) return resumeRequest(file, values, command);
  const args = argumentsOf(values, command);
  const options = optionsOf(values);
  const common = {
    ...(Object.keys(args).length === 0 ? {} : { args }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
  if (values.capability !== undefined) {
    refuseCodeOptions(file, values, command);
    const { capability } = values;
    return { intent: values.intent ?? `Run ${capability}`, capability, ...common };
  }
  const { name: verb } = command;
  const input = verb === EXEC.name ? intentAlone(file, values, stdin) : stdin;
  if (input === undefined) return intentRequest(values, args, options);
  const named = { ...(values.name === undefined ? {} : { name: values.name }), ...common };
  if (values.dag !== undefined) {
    const { dag } = values;
    if (file !== undefined) throw usage(command.name, `Expected either FILE or --dag, found both`);
    const intent = values.intent ?? (dag === "-" ? "Run a graph of tasks" : `Run ${basename(dag)}`);
    return { intent, dag: readDag(dag, command.name, stdin), ...named };
  }
  const { code, intent } = codeOf(file, input, command);
  return { intent: values.intent ?? intent, code, ...named };
}

/** A run goes on as it was approved: there is nothing else to say. */
function resumeRequest(
  file: string | undefined,
  values: ExecValues,
  { name: command }: CodeCommand,
): ExecRequest {
  const { resume, intent, ...others } = values;
  const other = Object.entries(others).find(
    ([key, value]) => value !== undefined && RUN_OPTIONS.has(key),
  )?.[0];
  if (other !== undefined)
    throw usage(command, `--resume continues the run as it was approved: it takes no --${other}`);
  if (file !== undefined) throw usage(command, "Expected either FILE or --resume, found both");
  return { intent: intent ?? `Continue ${resume}`, resume: resume ?? "" };
}

const RUN_OPTIONS: ReadonlySet<string> = new Set(
  Object.keys(EXEC_OPTIONS).filter((key) => !["intent", "resume", "progress"].includes(key)),
);

/** Nothing where only an intent is given; else where code comes from, which may have been read to find that out. */
function intentAlone(file: string | undefined, { intent, dag }: ExecValues, stdin: Stdin): Stdin | undefined {
  if (intent === undefined || file !== undefined || dag !== undefined) return stdin;
  if (stdin.isTerminal) return undefined;
  const text = stdin.read();
  return text.trim() === "" ? undefined : { isTerminal: false, read: () => text };
}

/** With arguments, if none too, what fits is run; without, it is shown. */
function intentRequest(
  values: ExecValues,
  args: ExecRequest["args"] & object,
  options: ExecRequest["options"] & object,
): ExecRequest {
  for (const option of ["name", "update", "version-tag"] as const)
    if (values[option] !== undefined) throw usage(EXEC.name, `--${option} needs code, and there is none`);
  const isRun = values.args !== undefined || values.arg !== undefined;
  return {
    intent: values.intent ?? "",
    ...(isRun ? { args } : {}),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

function refuseCodeOptions(
  file: string | undefined,
  values: ExecValues,
  { name: command }: CodeCommand,
): void {
  if (file !== undefined) throw usage(command, `Expected either FILE or --capability, found both`);
  if (values.dag !== undefined) throw usage(command, `Expected either --dag or --capability, found both`);
  for (const option of ["name", "update", "version-tag"] as const)
    if (values[option] !== undefined)
      throw usage(command, `--${option} needs code; \`pml cap rename\` changes a capability`);
}

function codeOf(
  file: string | undefined,
  stdin: Stdin,
  command: CodeCommand,
): { readonly code: string; readonly intent: string } {
  const { name, question, verb } = command;
  if (file === undefined && stdin.isTerminal)
    throw usage(name, `${question} Expected FILE, - for stdin, or --capability NAME`);
  const fromStdin = file === undefined || file === "-";
  const code = (fromStdin ? stdin.read() : readCode(file, command)).replace(/^\uFEFF/, "");
  const where = fromStdin ? "stdin" : `"${file}"`;
  if (code.trim() === "") throw usage(name, `Cannot ${verb} ${where}: it holds no code`);
  return { code, intent: leadingComment(code) ?? (fromStdin ? "Run code" : `Run ${basename(file)}`) };
}

/** What a display name, with or without a version, looks like; a path rarely does. */
const NAME = /^[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*(@[\w.-]+)?$/;

function readCode(file: string, { name, verb }: CodeCommand): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? "there is no such file" : messageOf(error);
    const offer = isMissing && NAME.test(file) ? `; did you mean --capability ${file}?` : "";
    throw usage(name, `Cannot ${verb} "${file}": ${why}${offer}`);
  }
}

/** The first line with words in it of the comment that the code begins with. */
export function leadingComment(code: string): string | undefined {
  const [, line, block] = /^\s*(?:\/\/+([^\n]*)|\/\*([\s\S]*?)\*\/)/.exec(code) ?? [];
  const lines = (line ?? block ?? "").split("\n").map((text) => text.replace(/^\s*\*+/, "").trim());
  return lines.find((text) => text !== "")?.slice(0, LIMITS.intentChars);
}

export function argumentsOf(
  { args, arg = [] }: Pick<ExecValues, "args" | "arg">,
  { name }: Pick<CodeCommand, "name">,
): Readonly<Record<string, unknown>> {
  const single = arg.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw usage(name, `--arg is "${text}": expected key=value`);
    return [text.slice(0, at), argumentValue(text.slice(at + 1))] as const;
  });
  return Object.fromEntries([...Object.entries(args === undefined ? {} : jsonObject(args, name)), ...single]);
}

function jsonObject(text: string, command: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usage(command, `--args is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(value)) return value;
  throw usage(command, "--args is not a JSON object");
}

/** JSON where it is JSON, else text; a number that JavaScript cannot hold stays as it is written. */
function argumentValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}

function optionsOf(values: ExecValues): Readonly<Record<string, unknown>> {
  return {
    ...(values.timeout === undefined ? {} : { timeout: milliseconds(values.timeout) }),
    ...(values.update === true ? { update: true } : {}),
    ...(values["version-tag"] === undefined ? {} : { version_tag: values["version-tag"] }),
    ...(values["no-cache"] === true ? { no_cache: true } : {}),
    ...(values["no-remember"] === true ? { remember: false } : {}),
    ...(values["per-layer"] === true ? { per_layer_validation: true } : {}),
  };
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= LIMITS.runTimeMostMs) return value;
  throw usage("exec", `--timeout is "${text}": expected milliseconds from 1 to ${LIMITS.runTimeMostMs}`);
}
