/**
 * Builds the gateway request of `pml exec` from the command line.
 *
 * @module
 */
import { basename } from "node:path";
import type { InputOf } from "../app/call-operation.js";
import { defined } from "../base/defined.js";
import { parseShallow } from "../base/json-depth.js";
import { LIMITS } from "../base/limits.js";
import type { GivenOf, Values } from "./command-line.js";
import { parseObject, readDag, readGiven, whereOf } from "./given-file.js";
import { COMMON_OPTIONS, usage } from "./options.js";
import { LAST } from "./run-id.js";
import type { Stdin } from "./stdin.js";

/** Flags and arguments of commands that take code. */
export const CODE = {
  file: ["FILE", "the code; - is stdin (default if stdin is piped)"],
  args: ["JSON", "the arguments, as a JSON object"],
  arg: ["KEY=VALUE", "one argument; overrides --args. VALUE is read as JSON if possible, else as text"],
} as const;

/** Flags and arguments of commands that also run the code. */
export const RUN = {
  ...CODE,
  dag: ["FILE", 'run a graph of tasks: JSON, { "tasks": [{ "id", "tool", "arguments", "dependsOn" }, …] }'],
  "no-remember": ["", "do not learn from the run: the code does not become a capability"],
  last: ["", "continue the newest run that was approved, or that waits"],
  progress: ["", "report progress line by line if stderr is not a terminal"],
} as const;

type Given = GivenOf<typeof RUN>;

/** The input of `pml_execute`. */
export type ExecRequest = InputOf<"pml:execute">;

/** The texts of a command that takes code. */
export interface CodeCommand {
  readonly name: string;
  /** The question if nothing is given. */
  readonly question: string;
  readonly verb: string;
}

const EXEC: CodeCommand = { name: "exec", question: "There is nothing to run.", verb: "run" };

/** Completes the parsed command line: reads the code, and adds the intent. */
export function execRequest(read: ExecRequest, given: Given, stdin: Stdin, command = EXEC): ExecRequest {
  const { capability, name } = read;
  if (read.resume !== undefined && given.last === true)
    throw usage(command.name, "Expected either --resume or --last, found both");
  const resume = given.last === true ? LAST : read.resume;
  if (resume !== undefined) return resumeRequest({ ...read, resume }, given);
  const args = argumentsOf(given, command);
  const options = given["no-remember"] === true ? { ...read.options, remember: false } : read.options;
  const common = defined({ args: Object.keys(args).length === 0 ? undefined : args, options });
  if (capability !== undefined) {
    refuseCodeOptions(given, command);
    return { intent: read.intent ?? `Run ${capability}`, capability, ...common };
  }
  const input = command === EXEC ? intentAlone(read, given, stdin) : stdin;
  if (input === undefined) {
    refuseFlags(given, command, "needs code");
    // With `--args` (even `{}`) or `--arg` the match is run; without them, matches are shown.
    const isRun = given.args !== undefined || given.arg !== undefined;
    return { intent: read.intent, ...defined({ args: isRun ? args : undefined, options }) };
  }
  const { file, dag } = given;
  if (dag !== undefined) {
    if (file !== undefined) throw usage(command.name, "Expected either FILE or --dag, found both");
    const intent = read.intent ?? (dag === "-" ? "Run a graph of tasks" : `Run ${basename(dag)}`);
    return { intent, dag: readDag(dag, command.name, stdin), ...defined({ name }), ...common };
  }
  const { code, intent } = codeOf(file, input, command);
  return { intent: read.intent ?? intent, code, ...defined({ name }), ...common };
}

/** Flags that do not affect the run itself. */
const NO_RUN_FLAGS = new Set([
  "file",
  "intent",
  "resume",
  "last",
  "progress",
  ...Object.keys(COMMON_OPTIONS),
]);

/** A run continues as it was approved, so no other values are allowed. */
function resumeRequest({ resume = "", intent }: ExecRequest, given: Given): ExecRequest {
  const other = Object.entries(given).find(
    ([flag, value]) => value !== undefined && !NO_RUN_FLAGS.has(flag),
  )?.[0];
  if (other !== undefined)
    throw usage("exec", `--resume continues the run as it was approved: it takes no --${other}`);
  if (given.file !== undefined) throw usage("exec", "Expected either FILE or --resume, found both");
  return { intent: intent ?? `Continue ${resume}`, resume };
}

/**
 * Undefined if only an intent is given; otherwise the source of the code, which may already have been read to find out.
 */
function intentAlone({ intent }: ExecRequest, { file, dag }: Given, stdin: Stdin): Stdin | undefined {
  if (intent === undefined || file !== undefined || dag !== undefined) return stdin;
  if (stdin.isTerminal) return undefined;
  const text = stdin.read();
  return text.trim() === "" ? undefined : { isTerminal: false, read: () => text };
}

function refuseCodeOptions(given: Given, command: CodeCommand): void {
  if (given.file !== undefined) throw usage(command.name, "Expected either FILE or --capability, found both");
  if (given.dag !== undefined) throw usage(command.name, "Expected either --dag or --capability, found both");
  refuseFlags(given, command, "needs code; `pml cap rename` changes a capability");
}

function refuseFlags(given: Values, { name }: CodeCommand, why: string): void {
  const flag = ["name", "update", "tag"].find((one) => given[one] !== undefined);
  if (flag !== undefined) throw usage(name, `--${flag} ${why}`);
}

function codeOf(
  file: string | undefined,
  stdin: Stdin,
  command: CodeCommand,
): { readonly code: string; readonly intent: string } {
  const { name, question, verb } = command;
  if (file === undefined && stdin.isTerminal)
    throw usage(name, `${question} Expected FILE, - for stdin, or --capability NAME`);
  const from = file ?? "-";
  const code = readGiven(
    name,
    verb,
    from,
    stdin,
    NAME.test(from) ? `; did you mean --capability ${from}?` : "",
  );
  if (code.trim() === "") throw usage(name, `Cannot ${verb} ${whereOf(from)}: it holds no code`);
  return { code, intent: leadingComment(code) ?? (from === "-" ? "Run code" : `Run ${basename(from)}`) };
}

/** The form of a display name, with or without a version, which is unusual for a path. */
const NAME = /^[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)*(@[\w.-]+)?$/;

/** The first line with words in the comment at the start of the code. */
export function leadingComment(code: string): string | undefined {
  const [, line, block] = /^\s*(?:\/\/+([^\n]*)|\/\*([\s\S]*?)\*\/)/.exec(code) ?? [];
  const lines = (line ?? block ?? "").split("\n").map((text) => text.replace(/^\s*\*+/, "").trim());
  return lines.find((text) => text !== "")?.slice(0, LIMITS.intentChars);
}

export function argumentsOf(
  { args, arg = [] }: Pick<Given, "args" | "arg">,
  { name }: Pick<CodeCommand, "name">,
): Readonly<Record<string, unknown>> {
  const single = arg.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw usage(name, `--arg is "${text}": expected key=value`);
    return [text.slice(0, at), argumentValue(text.slice(at + 1))] as const;
  });
  return Object.fromEntries([
    ...Object.entries(args === undefined ? {} : parseObject(name, "--args", args)),
    ...single,
  ]);
}

/** JSON if it is valid JSON, else text; a number that JavaScript cannot represent stays text. */
function argumentValue(text: string): unknown {
  try {
    const value = parseShallow(text);
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}
