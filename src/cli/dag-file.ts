/**
 * A graph of tasks in a file: JSON, as it stands in the `dag` of `pml_execute`.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { InputOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { usage } from "./options.js";
import type { Stdin } from "./stdin.js";

/** Throws wrong usage for what is no graph; `-` is stdin. */
export function readDag(
  file: string,
  command: string,
  stdin: Pick<Stdin, "read">,
): NonNullable<InputOf<"pml:execute">["dag"]> {
  const where = file === "-" ? "stdin" : `"${file}"`;
  let value: unknown;
  try {
    const text = file === "-" ? stdin.read() : readFileSync(file, "utf8");
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isMissing ? "there is no such file" : messageOf(error);
    throw usage(command, `Cannot read the graph of ${where}: ${why}`);
  }
  if (isJsonObject(value) && Array.isArray(value.tasks))
    // The gateway checks the tasks.
    return value as NonNullable<InputOf<"pml:execute">["dag"]>;
  throw usage(command, `Cannot read the graph of ${where}: expected { "tasks": [ … ] }`);
}
