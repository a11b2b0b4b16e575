/**
 * One thing that PML can do, declared once as a value. MCP, the commands and the library are renderings of it: `with()`
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
 * Whether a call by a command of a person is a decision, which the `DecisionGate` has to admit. Reading and revoking are
 * not decisions. The input is not checked yet: a call that is not known to be harmless is a decision.
 */
type Decides = (args: Arguments) => boolean;

/** For operations that only show something, or that change nothing that a person is asked about. */
export const decidesNothing: Decides = () => false;

/**
 * What a call of a person concerns beyond the person's own project.
 *
 * - `shared`: things that all projects of the gateway use, such as its servers. A token of another project is not
 *   enough.
 * - `everybody`: things of all users that belong to no project, such as secrets. No token is enough.
 * - `machine`: its files, and ways into it. Only a command on the machine is enough.
 */
export type Reach = "shared" | "everybody" | "machine";

/** Who may call an operation; `admitCall` checks it. */
type Rights =
  /** `reader`: it changes nothing. `agent`: it may. */
  | { readonly who: "reader" | "agent"; readonly decides?: Decides; readonly reach?: never }
  /** For a person only: not listed, and unknown to all other callers. */
  | { readonly who: "person"; readonly decides: Decides; readonly reach?: Reach };

/** Whether a call by a person is written to the audit log; by default only decisions are. */
type Audited = { readonly audits?: Decides };

type Declaration<Id extends string, Schema extends z.ZodObject, Out extends object, Parts> = Rights &
  Audited & {
    /** `cap:rename`: the wire name `cap_rename` follows from it, and calls may use both. */
    readonly id: Id;
    readonly title?: string;
    /** What it does, for agents, and for people who ask a command for help. */
    readonly summary: string;
    readonly input: Schema;
    /** Whether a call has that reach, where not every one has. The input is not checked yet. */
    readonly reachesWhen?: (args: Arguments, parts: Parts) => boolean;
    /** What it answers. For the compiler and for tests: it is not published [FP-15], and no answer is parsed. */
    readonly output: z.ZodType<Out>;
    /** What is accepted of these arguments, where that is more than clients are shown. */
    readonly accepts?: (args: Arguments) => z.ZodObject;
    /** What clients are told of its effects, where that does not follow from `who`. */
    readonly hints?: Tool["annotations"];
    /** What clients are shown of it, where that depends on the gateway. */
    readonly shown?: (parts: Parts) => Partial<Tool>;
    /** Why code may not call it; by default code may call what agents may. */
    readonly refusedInCode?: string;
    /** Can be called, but is in no list. */
    readonly unlisted?: true;
    /** Clients that search tools instead of showing them all to the model always show it this one. */
    readonly isAlwaysLoaded?: true;
    /** Takes what it works with; answers calls with what it gives. */
    readonly run: (parts: Parts) => Run<z.output<Schema>, NoInfer<Out>>;
    /** The part of an answer that agents read, if it is not the whole answer; `meta` is for programs. */
    readonly compact?: (
      answer: NoInfer<Out>,
      input: z.output<Schema>,
    ) => { readonly content: object; readonly meta: Readonly<Record<string, unknown>> };
    /** Whether an answer tells of a failure. */
    readonly failed?: (answer: NoInfer<Out>) => boolean;
    /** The answer in place of an error, where errors are not thrown. */
    readonly refused?: (error: PmlError) => object;
  };

type Run<In, Out> = (input: In, scope: Scope, caller: Caller) => Promise<Out | Question>;

/** An operation of a gateway. */
export type Operation<Id extends string = string> = Rights &
  Audited & {
    readonly id: Id;
    /** As MCP clients are shown it now. */
    readonly tool: Tool;
    /** Can be called, but is in no list. */
    readonly unlisted?: true;
    /** What a call with these arguments concerns beyond the caller's project. */
    reachOf(args: Arguments): Reach | undefined;
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

/** As JSON Schema, for clients: what a model needs to call the tool, since it reads this in every turn. */
export function listedSchemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  const { properties = {}, ...listed } = jsonSchemaOf(schema, shorten);
  const shown = Object.entries(properties).filter(
    ([, field]) => typeof field !== "object" || field === null || !("isUnlisted" in field),
  );
  return { ...listed, properties: Object.fromEntries(shown) };
}

/** As JSON Schema, with everything that a person is told of it. */
export function inputSchemaOf(schema: z.ZodObject): Tool["inputSchema"] {
  return jsonSchemaOf(schema, dropSelfEvident);
}

/** What it answers, as JSON Schema. */
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

/** For `meta()` of a field whose description says enough: clients are not shown its parts. */
export const BRIEF = { isBrief: true } as const;

/** For `meta()` of a field that few need, and that they know from an answer or the documentation. */
export const UNLISTED = { isUnlisted: true } as const;

/** A value out of bounds is rare, and the error names the field and the bound. */
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

/** In outputs: a value of a shape that another folder owns. It is typed, and not looked into. */
export const given = <T>() => z.custom<T>((value) => value !== undefined);

/** What every answer may have beside its own fields. */
export const withWarnings = {
  /** What the caller should know, such as that the name is a former one. */
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
