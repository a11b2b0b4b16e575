/**
 * The arguments of a run: given values over the defaults of the schema, validated before anything runs. Defaults of
 * lifted parameters are not included: they are in the code.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { nearest } from "../../base/nearest.js";
import { PmlError } from "../../base/pml-error.js";
import type { ParametersSchema } from "../../registry/capability.js";

type Arguments = Readonly<Record<string, Json>>;

/** Returns what is wrong with a value, or undefined. `key` is the same for the same schema. */
export type SchemaCheck = (schema: ParametersSchema, key: string, value: Arguments) => string | undefined;

export function mergeArguments(
  given: Arguments,
  schema: ParametersSchema,
  key: string,
  check: SchemaCheck,
  lifted: readonly string[] = [],
): Arguments {
  // Names come from callers: on an object with a prototype, `__proto__` would not be an ordinary key.
  const merged: Record<string, Json> = Object.assign(Object.create(null), given);
  const { properties } = schema;
  const inCode = new Set(lifted);
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(merged, name) || inCode.has(name)) continue;
    const value = defaultOf(property);
    if (value !== undefined) merged[name] = value;
  }
  const problems = [...unknownOnes(merged, schema), ...missingOnes(merged, schema)];
  const wrong = problems.length === 0 ? check(schema, key, merged) : undefined;
  if (wrong !== undefined) problems.push(wrong);
  if (problems.length === 0) return merged;
  throw new PmlError("ARGUMENTS_INVALID", `Wrong arguments: ${problems.join("; ")}`, {
    hint: `Expected: ${expectation(schema)}`,
  });
}

function defaultOf(property: Json): Json | undefined {
  if (typeof property !== "object" || property === null || Array.isArray(property)) return undefined;
  return (property as { readonly default?: Json }).default;
}

function unknownOnes(args: Arguments, { properties, additionalProperties }: ParametersSchema): string[] {
  if (additionalProperties) return [];
  return Object.keys(args)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => {
      const [like] = nearest(name, Object.keys(properties), 1);
      return `unknown argument "${name}"${like === undefined ? "" : ` (did you mean "${like}"?)`}`;
    });
}

function missingOnes(args: Arguments, { required }: ParametersSchema): string[] {
  return required.filter((name) => !Object.hasOwn(args, name)).map((name) => `missing argument "${name}"`);
}

/** `{ path: string, depth?: number = 2 }` */
function expectation({ properties, required }: ParametersSchema): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const { type, default: value } = property as { readonly type?: unknown; readonly default?: Json };
    const kind = typeof type === "string" ? type : Array.isArray(type) ? type.join(" | ") : "any";
    const preset = value === undefined ? "" : ` = ${JSON.stringify(value).slice(0, 60)}`;
    return `${name}${required.includes(name) ? "" : "?"}: ${kind}${preset}`;
  });
  return fields.length === 0 ? "no arguments" : `{ ${fields.join(", ")} }`.slice(0, 1_000);
}
