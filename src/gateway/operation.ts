/**
 * One thing that PML can do, declared once as a value. MCP tools, commands and the library are made from it: `with()`
 * makes the MCP tool, commands take their flags and their help from it, and `app/operations.ts` gives the types of its
 * input and its answer to every caller.
 *
 * @module
 */
import type { InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Json } from "../base/canonical-json.js";
import { nearest } from "../base/nearest.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import { structuredResult } from "./tool-result.js";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Whether a person's call by a command is a decision, which the `DecisionGate` has to admit. Reading and revoking are
 * not decisions. The input is not validated yet: a call that is not known to be harmless is a decision.
 */
type Decides = (args: Arguments) => boolean;

/** For operations that only read, or whose changes need no person's consent. */
export const decidesNothing: Decides = () => false;

/**
 * What a person's call affects beyond the person's own project.
 *
 * - `shared`: things that all projects of the gateway use, such as its servers. A token of another project is not
 *   enough.
 * - `everybody`: things of all users that belong to no project, such as secrets. No token is enough.
 * - `machine`: its files, and ways into it. Only a command on the machine is enough.
 */
export type Reach = "shared" | "everybody" | "machine";

/** Who may call an operation; `admitCall` checks it. */
type Rights =
  /** A `reader` operation changes nothing; an `agent` operation may. */
  | { readonly who: "reader" | "agent"; readonly decides?: Decides; readonly reach?: never }
  /** For a person only: not listed, and unknown to all other callers. */
  | { readonly who: "person"; readonly decides: Decides; readonly reach?: Reach };

/** Whether a call by a person is written to the audit log; by default only decisions are. */
type Audited = { readonly audits?: Decides };

type Declaration<Id extends string, Schema extends z.ZodObject, Out extends object, Parts> = Rights &
  Audited & {
    /** With the id `cap:rename`, the wire name is `cap_rename`, and calls may use both. */
    readonly id: Id;
    readonly title?: string;
    /** Describes it to agents, and to people who ask a command for help. */
    readonly summary: string;
    readonly input: Schema;
    /** Whether this call has that reach, if not every call does. The input is not validated yet. */
    readonly reachesWhen?: (args: Arguments, parts: Parts) => boolean;
    /**
     * The shape of the answer, for the compiler and for tests: it is not published [FP-15], and no answer is parsed.
     */
    readonly output: z.ZodType<Out>;
    /** The schema that these arguments are validated with, if it accepts more than clients are shown. */
    readonly accepts?: (args: Arguments) => z.ZodObject;
    /** Annotations about its effects that do not follow from `who`. */
    readonly hints?: Tool["annotations"];
    /** Fields of the listed tool that depend on the gateway. */
    readonly shown?: (parts: Parts) => Partial<Tool>;
    /** Why code may not call it; default: code may call what agents may. */
    readonly refusedInCode?: string;
    /** Callable, but not listed. */
    readonly unlisted?: true;
    /** Clients that search tools instead of showing them all to the model always include this one. */
    readonly isAlwaysLoaded?: true;
    /** Takes the parts that it works with; returns the function that answers calls. */
    readonly run: (parts: Parts) => Run<z.output<Schema>, NoInfer<Out>>;
    /** The part of an answer that agents read, if it is not the whole answer; `meta` is for programs. */
    readonly compact?: (
      answer: NoInfer<Out>,
      input: z.output<Schema>,
    ) => { readonly content: object; readonly meta: Readonly<Record<string, unknown>> };
    /** Whether an answer reports a failure. */
    readonly failed?: (answer: NoInfer<Out>) => boolean;
    /** Makes the answer that replaces an error, if errors are not thrown. */
    readonly refused?: (error: PmlError) => object;
  };

type Run<In, Out> = (input: In, scope: Scope, caller: Caller) => Promise<Out | Question>;

/** An operation of a gateway. */
export type Operation<Id extends string = string> = Rights &
  Audited & {
    readonly id: Id;
    /** The tool as MCP clients see it now. */
    readonly tool: Tool;
    /** Callable, but not listed. */
    readonly unlisted?: true;
    /** What a call with these arguments affects beyond the caller's project. */
    reachOf(args: Arguments): Reach | undefined;
    /** Validates the arguments, runs, and answers as MCP tools do. */
    answer(args: Arguments, scope: Scope, caller: Caller): Promise<ServerAnswer>;
  };

/** Returned instead of an answer: a question for the caller's user or client. */
export class Question {
  readonly kind = "input-required";
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    this.result = result;
  }
}

export function operation<const Id extends string, Schema extends z.ZodObject, Out extends object, Parts>(
  declared: Declaration<Id, Schema, Out, Parts>,
) {
  const {
    id,
    who,
    decides,
    reach,
    reachesWhen = () => true,
    audits = decides,
    title,
    summary,
    input,
    accepts,
    hints,
    isAlwaysLoaded,
  } = declared;
  const { compact, failed, refused } = declared;
  const name = id.replace(":", "_");
  return {
    ...declared,
    with(parts: Parts): Operation<Id> {
      const run = declared.run(parts);
      const tool: Tool = {
        name,
        ...(title === undefined ? {} : { title }),
        description: summary,
        inputSchema: listedSchemaOf(input),
        annotations: hints ?? hintsOf(declared),
        ...(isAlwaysLoaded ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
      };
      return {
        id,
        ...({ who, decides, reach, audits } as Rights & Audited),
        ...(declared.unlisted === true ? { unlisted: true } : {}),
        get tool() {
          return declared.shown === undefined ? tool : { ...tool, ...declared.shown(parts) };
        },
        reachOf: (args) => (reach !== undefined && reachesWhen(args, parts) ? reach : undefined),
        async answer(args, scope, caller) {
          try {
            const read = readInput(name, accepts?.(args) ?? input, args) as z.output<Schema>;
            const out = await run(read, scope, caller);
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
    },
  };
}

function hintsOf({ who }: Rights): NonNullable<Tool["annotations"]> {
  if (who === "reader") return { readOnlyHint: true, openWorldHint: false };
  return { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
}

/** JSON Schema for clients: only what a model needs to call the tool, since it reads this in every turn. */
export function listedSchemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  const { properties = {}, ...listed } = jsonSchemaOf(schema, shorten);
  const shown = Object.entries(properties).filter(
    ([, field]) => typeof field !== "object" || field === null || !("isUnlisted" in field),
  );
  return { ...listed, properties: Object.fromEntries(shown) };
}

/** JSON Schema with all details that a person is told. */
export function inputSchemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  return jsonSchemaOf(schema, dropSelfEvident);
}

/** The answer's shape as JSON Schema. */
export function answerSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { unrepresentable: "any" });
  return json as Json;
}

function jsonSchemaOf(
  schema: z.ZodObject,
  change: (part: z.core.JSONSchema.BaseSchema) => void,
): Tool["inputSchema"] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => change(jsonSchema),
  });
  return json as Tool["inputSchema"];
}

/** For `meta()` of a field whose description is sufficient: clients are not shown its parts. */
export const BRIEF = { isBrief: true } as const;

/** For `meta()` of a rarely needed field that callers know from an answer or the documentation. */
export const UNLISTED = { isUnlisted: true } as const;

/** A value out of bounds is rare, and the error then names the field and the bound. */
const BOUNDS = ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"];
const PARTS = ["isBrief", "properties", "required", "items", "anyOf"];

function shorten(schema: z.core.JSONSchema.BaseSchema): void {
  dropSelfEvident(schema);
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  for (const key of schema.isBrief === true ? [...BOUNDS, ...PARTS] : BOUNDS) delete schema[key];
}

function dropSelfEvident(schema: z.core.JSONSchema.BaseSchema): void {
  const { propertyNames, additionalProperties, properties, maximum } = schema;
  if (JSON.stringify(propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  if (isEmpty(additionalProperties)) {
    delete schema.additionalProperties;
    if (isEmpty(properties)) delete schema.properties;
  }
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** In outputs: a read-only list. */
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** In outputs: a value whose shape another folder owns. It is typed, but not validated. */
export const given = <T>() => z.custom<T>((value) => value !== undefined);

/** The optional field of every answer. */
export const withWarnings = {
  /** Notes for the caller, for example that the name is a former one. */
  warnings: list(z.string()).exactOptional(),
};

/** Throws `ARGUMENTS_INVALID` with every field that is wrong. */
export function readInput<T extends z.ZodObject>(tool: string, schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => problemOf(issue, schema));
  throw new PmlError("ARGUMENTS_INVALID", `Cannot call ${tool}: ${problems.join("; ")}`, {
    hint: fieldsOf(schema),
  });
}

/** Lists the fields, the required ones first. */
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
