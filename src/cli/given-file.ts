/**
 * Files named on the command line; `-` is stdin. An unreadable file is wrong usage.
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

/** The name of a file, for messages. */
export function whereOf(file: string): string {
  return file === "-" ? "stdin" : `"${file}"`;
}

/** The text of a file. `task` is the failing action (`run`), `hint` is for the case that there is no such file. */
export function readGiven(command: string, task: string, file: string, stdin: Input, hint = ""): string {
  try {
    return (file === "-" ? stdin.read() : readFileSync(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? `there is no such file${hint}` : messageOf(error);
    throw usage(command, `Cannot ${task} ${whereOf(file)}: ${why}`);
  }
}

/** Parses a JSON text; `what` is its name: `--args`. */
export function parseGiven(command: string, what: string, text: string): unknown {
  try {
    return parseShallow(text);
  } catch (error) {
    throw usage(command, `${what} is not JSON: ${messageOf(error)}`);
  }
}

/** Parses a JSON text that must be an object. */
export function parseObject(command: string, what: string, text: string): Readonly<Record<string, unknown>> {
  const value = parseGiven(command, what, text);
  if (isJsonObject(value)) return value;
  throw usage(command, `${what} is not a JSON object`);
}

type Dag = NonNullable<InputOf<"pml:execute">["dag"]>;

/** A graph of tasks, in the form of `dag` in `pml_execute`. */
export function readDag(file: string, command: string, stdin: Input): Dag {
  const text = readGiven(command, "read the graph of", file, stdin);
  const value = parseGiven(command, `The graph of ${whereOf(file)}`, text);
  if (isDag(value)) return value;
  throw usage(command, `Cannot read the graph of ${whereOf(file)}: expected { "tasks": [ … ] }`);
}

/** The gateway validates the tasks. */
function isDag(value: unknown): value is Dag {
  return isJsonObject(value) && Array.isArray(value.tasks);
}
