/**
 * Files that are named on the command line; `-` is stdin. What cannot be read is wrong usage.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { InputOf } from "../app/call-operation.js";
import { parseShallow } from "../base/json-depth.js";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { usage } from "./options.js";
import type { Stdin } from "./stdin.js";

type Input = Pick<Stdin, "read">;

/** A file, for messages. */
export function whereOf(file: string): string {
  return file === "-" ? "stdin" : `"${file}"`;
}

/** The text of a file. `task` says what fails without it (`run`), `hint` what else may be meant if there is no such file. */
export function readGiven(command: string, task: string, file: string, stdin: Input, hint = ""): string {
  try {
    return (file === "-" ? stdin.read() : readFileSync(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? `there is no such file${hint}` : messageOf(error);
    throw usage(command, `Cannot ${task} ${whereOf(file)}: ${why}`);
  }
}

/** The value of a JSON text; `what` names it: `--args`. */
export function parseGiven(command: string, what: string, text: string): unknown {
  try {
    return parseShallow(text);
  } catch (error) {
    throw usage(command, `${what} is not JSON: ${messageOf(error)}`);
  }
}

/** The same, where only an object will do. */
export function parseObject(command: string, what: string, text: string): Readonly<Record<string, unknown>> {
  const value = parseGiven(command, what, text);
  if (isJsonObject(value)) return value;
  throw usage(command, `${what} is not a JSON object`);
}

type Dag = NonNullable<InputOf<"pml:execute">["dag"]>;

/** A graph of tasks, as it stands in the `dag` of `pml_execute`. */
export function readDag(file: string, command: string, stdin: Input): Dag {
  const text = readGiven(command, "read the graph of", file, stdin);
  const value = parseGiven(command, `The graph of ${whereOf(file)}`, text);
  if (isDag(value)) return value;
  throw usage(command, `Cannot read the graph of ${whereOf(file)}: expected { "tasks": [ … ] }`);
}

/** The gateway checks the tasks. */
function isDag(value: unknown): value is Dag {
  return isJsonObject(value) && Array.isArray(value.tasks);
}
