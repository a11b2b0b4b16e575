/**
 * The parameters of code: what it reads from `args` and what it uses without declaring it, as a JSON Schema.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { ParametersSchema } from "../registry/capability.js";
import type { CodeProblem } from "./analysis.js";
import { problemAt } from "./code-problem.js";
import { presenceIn } from "./parameter-presence.js";
import { findReads } from "./parameter-reads.js";
import { type Schema, typesIn } from "./parameter-types.js";
import { WRAPPER_CHARS } from "./parse-code.js";
import type { References } from "./references.js";
import type { Scopes } from "./scopes.js";
import type { SourceText } from "./source-text.js";

export interface Parameters {
  readonly parameters: ParametersSchema;
  readonly freeParameters: readonly string[];
  readonly problems: readonly CodeProblem[];
}

export function findParameters(source: SourceText, scopes: Scopes, references: References): Parameters {
  const found = findReads(scopes);
  const presenceOf = presenceIn(found, scopes);
  const typeOf = typesIn(scopes, references);
  const sorted = [...found.parameters.values()].sort((a, b) => a.first - b.first);
  const required: string[] = [];
  const properties: [string, Json][] = [];
  for (const parameter of sorted) {
    const presence = presenceOf(parameter);
    const schema = typeOf(parameter.values);
    if (presence.isRequired) required.push(parameter.name);
    const isFitting = presence.default !== undefined && fits(presence.default, schema);
    properties.push([parameter.name, isFitting ? { ...schema, default: presence.default as Json } : schema]);
  }
  return {
    parameters: {
      type: "object",
      // Not by assignment: a parameter may be called __proto__.
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: found.isWhole,
    },
    freeParameters: sorted.filter(({ isFree }) => isFree).map(({ name }) => name),
    problems: found.undeclared.map((identifier) =>
      problemAt(source, identifier.start - WRAPPER_CHARS, {
        code: "CODE_REFUSED",
        message: `Cannot assign to \`${identifier.name}\`: it is not declared`,
        hint: `Declare it: let ${identifier.name}`,
      }),
    ),
  };
}

/** Whether a value is of a type that the schema names; a schema without a type takes all. */
function fits(value: Json, { type, enum: values }: Schema): boolean {
  if (Array.isArray(values) && !values.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return false;
  if (type === undefined) return true;
  const types: readonly Json[] = Array.isArray(type) ? type : [type as Json];
  return types.some((each) => {
    if (each === "array") return Array.isArray(value);
    if (each === "null") return value === null;
    if (each === "integer") return Number.isInteger(value);
    if (each === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
    return typeof value === each;
  });
}
