/**
 * What stands on the command line of `pml cap`, read and checked.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { messageOf } from "../base/pml-error.js";
import { readDag } from "./dag-file.js";
import { argumentsOf } from "./exec-request.js";
import { usage } from "./options.js";

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

type Value = string | boolean | readonly string[] | undefined;

export type CapValues = { readonly [K in CapOption]?: Value } & {
  /** One of the common options. */
  readonly json?: boolean | undefined;
};

export const VISIBILITIES = ["private", "project", "org", "public"];

/** Without what nobody has said. */
export function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** `a,b`; an empty text is no tags. */
export function tagsOf(value: Value): readonly string[] | undefined {
  if (typeof value !== "string") return undefined;
  return value
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

export function oneOf(option: CapOption, value: Value, allowed: readonly string[]): string | undefined {
  if (typeof value !== "string") return undefined;
  if (allowed.includes(value)) return value;
  throw usage("cap", `--${option} is "${value}": expected ${allowed.join(", ")}`);
}

export function count(option: CapOption, value: Value, least: number): number | undefined {
  if (typeof value !== "string") return undefined;
  const number = Number(value);
  if (/^\d{1,9}$/.test(value) && number >= least) return number;
  throw usage("cap", `--${option} is "${value}": expected a number from ${least} on`);
}

/** Seconds, or `none` to take the time away. */
export function ttlOf(value: Value): number | null | undefined {
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
    throw usage("cap", `Where is the ${what}? Expected FILE, or - and ${what} on stdin`);
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
): { readonly code: string } | { readonly source: Readonly<Record<string, unknown>> } {
  const said = Object.entries({ FILE: file, "--dag": dag, "--tool": tool }).filter(
    ([, value]) => value !== undefined,
  );
  if (said.length > 1)
    throw usage("cap", `Expected one of ${said.map(([name]) => name).join(" and ")}, found both`);
  if (said.length === 0) throw usage("cap", "Which code? Expected FILE, --dag FILE or --tool SERVER:TOOL");
  if (typeof tool !== "string" && (args !== undefined || arg !== undefined))
    throw usage("cap", "--args and --arg go with --tool: arguments that need not be given");
  if (typeof dag === "string") return { source: { type: "dag", ...readDag(dag, "cap", stdin) } };
  if (typeof tool !== "string") return { code: readCode(file ?? "-", stdin) };
  const given = argumentsOf(
    { args: args as string | undefined, arg: arg as readonly string[] | undefined },
    { name: "cap" },
  );
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
