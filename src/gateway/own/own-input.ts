/**
 * The input of PML's own tools: one schema gives the types, the checks and what clients are shown.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { nearest } from "../../base/nearest.js";
import { PmlError } from "../../base/pml-error.js";

type InputSchema = Tool["inputSchema"];

export function inputSchemaOf(schema: z.ZodObject): InputSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => dropSelfEvident(jsonSchema),
  });
  return json as unknown as InputSchema;
}

/** Every agent pays for these lists in every conversation, so what goes without saying is not said. */
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
