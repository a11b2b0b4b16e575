/**
 * Reads files for `pml cap`.
 *
 * @module
 */
import type { InputOf } from "../app/call-operation.js";
import type { GivenOf } from "./command-line.js";
import { argumentsOf } from "./exec-request.js";
import { readDag, readGiven, whereOf } from "./given-file.js";
import { usage } from "./options.js";
import type { Stdin } from "./stdin.js";

/** The text of a file; `-` is stdin. */
export function readText(file: string, what: string, stdin: Stdin): string {
  if (file === "-" && stdin.isTerminal)
    throw usage("cap", `The ${what} is missing: expected FILE, or - and ${what} on stdin`);
  return readGiven("cap", "read", file, stdin);
}

/** The code in a file; `-` is stdin. */
export function readCode(file: string, stdin: Stdin): string {
  const code = readText(file, "code", stdin);
  if (code.trim() === "") throw usage("cap", `Cannot save ${whereOf(file)}: it holds no code`);
  return code;
}

export const SAVED = {
  file: ["FILE", "the code; - is stdin"],
  dag: ["FILE", 'instead of code: a graph of tasks, { "tasks": [ … ] }; - is stdin'],
  tool: ["SERVER:TOOL", "instead of code: a tool to forward calls to"],
  args: ["JSON", "with --tool: default arguments, as a JSON object"],
  arg: ["KEY=VALUE", "one default argument; overrides --args"],
} as const;

/** The input of `pml cap save`: code, or a definition from which PML generates code. */
export function savedSource(
  { file, dag, tool, args, arg }: GivenOf<typeof SAVED>,
  stdin: Stdin,
): Pick<InputOf<"cap:save">, "code" | "source"> {
  const said = Object.entries({ FILE: file, "--dag": dag, "--tool": tool }).filter(
    ([, value]) => value !== undefined,
  );
  if (said.length > 1)
    throw usage("cap", `Expected one of ${said.map(([name]) => name).join(" and ")}, found both`);
  if (said.length === 0)
    throw usage("cap", "The code is missing: expected FILE, --dag FILE or --tool SERVER:TOOL");
  if (tool === undefined && (args !== undefined || arg !== undefined))
    throw usage("cap", "--args and --arg need --tool: they are its default arguments");
  if (dag !== undefined) return { source: { type: "dag", ...readDag(dag, "cap", stdin) } };
  if (tool === undefined) return { code: readCode(file ?? "-", stdin) };
  const given = argumentsOf({ args, arg }, { name: "cap" });
  return { source: { type: "tool", tool, ...(Object.keys(given).length === 0 ? {} : { arguments: given }) } };
}
