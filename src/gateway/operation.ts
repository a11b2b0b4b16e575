/**
 * One thing that PML can do, declared once. MCP, the commands and the library are renderings of it: `operation()` makes
 * the MCP tool, and `app/operations.ts` gives the types of its input and its answer to everybody who calls it.
 *
 * @module
 */
import type { InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { nearest } from "../base/nearest.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import { structuredResult } from "./tool-result.js";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Whether a call by a command of a person is a decision, which the `DecisionGate` has to admit. Reading, and what only
 * takes something back, is none. The input is not checked yet: what is not known to be harmless is a decision.
 */
type Decides = (args: Arguments) => boolean;

/** For operations that only show something, or that change nothing that a person is asked about. */
export const decidesNothing: Decides = () => false;

/** Who may call an operation; `admitCall` checks it. */
type Rights =
  /** `reader`: it changes nothing. `agent`: it may. */
  | { readonly who: "reader" | "agent"; readonly decides?: Decides }
  /** For a person at a command alone: not listed, and unknown to everybody else. */
  | { readonly who: "person"; readonly decides: Decides };

type Declaration<Id extends string, Schema extends z.ZodObject, Out extends object> = Rights & {
  /** `cap:rename`: the wire name `cap_rename` follows from it, and calls may use both. */
  readonly id: Id;
  readonly title?: string;
  /** What it does, for agents. */
  readonly summary: string;
  readonly input: Schema;
  /** What is accepted of these arguments, where that is more than clients are shown. */
  readonly accepts?: (args: Arguments) => z.ZodObject;
  /** What clients are told of its effects, where that does not follow from `who`. */
  readonly hints?: Tool["annotations"];
  /** Clients that search tools instead of showing them all to the model always show it this one. */
  readonly isAlwaysLoaded?: true;
  run(input: z.output<Schema>, scope: Scope, caller: Caller): Promise<Out | Question>;
  /** What of an answer an agent reads, where that is less than all of it; `meta` is for programs. */
  readonly compact?: (
    answer: Out,
    input: z.output<Schema>,
  ) => { readonly content: object; readonly meta: Readonly<Record<string, unknown>> };
  /** Whether an answer tells of a failure. */
  readonly failed?: (answer: Out) => boolean;
  /** The answer in place of an error, where errors are not thrown. */
  readonly refused?: (error: PmlError) => object;
};

export type Operation<
  Id extends string = string,
  In extends object = object,
  Out extends object = object,
> = Rights & {
  readonly id: Id;
  /** As MCP clients are shown it. */
  readonly tool: Tool;
  /** Called by whoever knows it, and in no list. */
  readonly unlisted?: true;
  run(input: In, scope: Scope, caller: Caller): Promise<Out | Question>;
  /** Checks the arguments, runs, and answers as MCP tools do. */
  answer(args: Arguments, scope: Scope, caller: Caller): Promise<ServerAnswer>;
};

/** In place of an answer: something that the caller's user or client is asked first. */
export class Question {
  readonly kind = "input-required";
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    this.result = result;
  }
}

export function operation<const Id extends string, Schema extends z.ZodObject, Out extends object>(
  declared: Declaration<Id, Schema, Out>,
): Operation<Id, z.output<Schema>, Out> {
  const { id, title, summary, input, accepts, hints, isAlwaysLoaded, compact, failed, refused } = declared;
  const name = id.replace(":", "_");
  return {
    ...declared,
    tool: {
      name,
      ...(title === undefined ? {} : { title }),
      description: summary,
      inputSchema: inputSchemaOf(input),
      annotations: hints ?? hintsOf(declared),
      ...(isAlwaysLoaded ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
    },
    async answer(args, scope, caller) {
      try {
        const read = readInput(name, accepts?.(args) ?? input, args) as z.output<Schema>;
        const out = await declared.run(read, scope, caller);
        if (out instanceof Question) return out;
        const { content, meta } = compact?.(out, read) ?? { content: out, meta: undefined };
        const result = structuredResult(content, failed?.(out));
        return { kind: "result", result: meta === undefined ? result : { ...result, _meta: meta } };
      } catch (error) {
        if (refused === undefined || !(error instanceof PmlError)) throw error;
        return { kind: "result", result: structuredResult(refused(error), true) };
      }
    },
  };
}

function hintsOf({ who }: Rights): NonNullable<Tool["annotations"]> {
  if (who === "reader") return { readOnlyHint: true, openWorldHint: false };
  return { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
}

export function inputSchemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => shorten(jsonSchema),
  });
  return json as unknown as Tool["inputSchema"];
}

/** For `meta()` of a field whose description says enough: clients are not shown its parts. */
export const BRIEF = { isBrief: true } as const;

/** A value out of bounds is rare, and the error names the field and the bound. */
const BOUNDS = ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"];
const PARTS = ["isBrief", "properties", "required", "items", "anyOf"];

/** An agent reads these lists in every turn, so a schema has only what a model needs to call the tool. */
function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  const { propertyNames, additionalProperties, properties } = schema;
  if (JSON.stringify(propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  if (isEmpty(additionalProperties) && isEmpty(properties)) delete schema.properties;
  if (isEmpty(additionalProperties) || additionalProperties === false) delete schema.additionalProperties;
  for (const key of schema.isBrief === true ? [...BOUNDS, ...PARTS] : BOUNDS) delete schema[key];
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Throws `ARGUMENTS_INVALID` with every field that is wrong. */
export function readInput<T extends z.ZodObject>(tool: string, schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => problemOf(issue, schema));
  throw new PmlError("ARGUMENTS_INVALID", `Cannot call ${tool}: ${problems.join("; ")}`, {
    hint: fieldsOf(schema),
  });
}

/** Which fields there are, the required ones first. */
function fieldsOf({ shape }: z.ZodObject): string {
  const names = Object.keys(shape);
  const required = names.filter((name) => !z.safeParse(shape[name] as z.ZodType, undefined).success);
  const optional = names.filter((name) => !required.includes(name));
  return [`Required: ${required.join(", ") || "nothing"}`, `optional: ${optional.join(", ")}`]
    .filter((part) => !part.endsWith(": "))
    .join("; ");
}

function problemOf(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const known = path === "" ? Object.keys(schema.shape) : [];
    return issue.keys.map((key) => unknownField(path === "" ? key : `${path}.${key}`, known)).join("; ");
  }
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined"))
    return `${path} is missing`;
  const expected = issue.message.replace(/^Invalid input: /, "");
  return path === "" ? expected : `${path}: ${expected}`;
}

function unknownField(name: string, known: readonly string[]): string {
  const [like] = nearest(name, known, 1);
  return `unknown field "${name.slice(0, 100)}"${like === undefined ? "" : ` (did you mean "${like}"?)`}`;
}
