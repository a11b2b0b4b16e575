/**
 * What stands on the command line of `pml cap`, read and checked.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { InputOf } from "../app/call-operation.js";
import { messageOf } from "../base/pml-error.js";
import { readDag } from "./dag-file.js";
import { argumentsOf } from "./exec-request.js";
import { type COMMON_OPTIONS, type parseOptions, usage } from "./options.js";

export const CAP_OPTIONS = {
  named: { type: "boolean" },
  unnamed: { type: "boolean" },
  tags: { type: "string" },
  type: { type: "string" },
  sort: { type: "string" },
  limit: { type: "string" },
  offset: { type: "string" },
  description: { type: "string" },
  visibility: { type: "string" },
  "created-by": { type: "string" },
  "version-tag": { type: "string" },
  "cache-policy": { type: "string" },
  ttl: { type: "string" },
  intent: { type: "string" },
  name: { type: "string" },
  tag: { type: "string" },
  summary: { type: "string" },
  routing: { type: "string" },
  code: { type: "string" },
  dag: { type: "string" },
  tool: { type: "string" },
  args: { type: "string" },
  arg: { type: "string", multiple: true },
  diff: { type: "boolean" },
  auto: { type: "boolean" },
  all: { type: "boolean" },
  apply: { type: "string" },
  "min-usage": { type: "string" },
  namespace: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;

export type CapOption = keyof typeof CAP_OPTIONS;

export type CapValues = ReturnType<typeof parseOptions<typeof COMMON_OPTIONS & typeof CAP_OPTIONS>>["values"];

export const VISIBILITIES = ["private", "project", "org", "public"] as const;

/** `a,b`; an empty text is no tags. */
export function tagsOf(value: string | undefined): readonly string[] | undefined {
  return value
    ?.split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

export function oneOf<const One extends string>(
  option: CapOption,
  value: string | undefined,
  allowed: readonly One[],
): One | undefined {
  const found = allowed.find((one) => one === value);
  if (value === undefined || found !== undefined) return found;
  throw usage("cap", `--${option} is "${value}": expected ${allowed.join(", ")}`);
}

export function count(option: CapOption, value: string | undefined, least: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d{1,9}$/.test(value) && number >= least) return number;
  throw usage("cap", `--${option} is "${value}": expected a number from ${least} on`);
}

/** Seconds, or `none` to take the time away. */
export function ttlOf(value: string | undefined): number | null | undefined {
  return value === "none" ? null : count("ttl", value, 0);
}

/** Where code comes from that is in no file. */
export interface CodeInput {
  readonly isTerminal: boolean;
  read(): string;
}

export const STDIN: CodeInput = {
  isTerminal: process.stdin.isTTY === true,
  read: () => readFileSync(0, "utf8"),
};

/** The text of a file, `-` being stdin. */
export function readText(file: string, what: string, stdin: CodeInput): string {
  if (file === "-" && stdin.isTerminal)
    throw usage("cap", `The ${what} is missing: expected FILE, or - and ${what} on stdin`);
  return (file === "-" ? stdin.read() : read(file)).replace(/^\uFEFF/, "");
}

/** The code of a file, `-` being stdin. */
export function readCode(file: string, stdin: CodeInput): string {
  const code = readText(file, "code", stdin);
  if (code.trim() === "")
    throw usage("cap", `Cannot save ${file === "-" ? "stdin" : `"${file}"`}: it holds no code`);
  return code;
}

/** What `pml cap save` is to remember: code, or what code is made of. */
export function savedSource(
  file: string | undefined,
  { dag, tool, args, arg }: CapValues,
  stdin: CodeInput,
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

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw usage("cap", `Cannot read "${file}": ${isMissing ? "there is no such file" : messageOf(error)}`);
  }
}
