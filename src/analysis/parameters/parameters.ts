/**
 * The parameters of code as a JSON Schema: what it reads from `args`, what it uses without declaring it, and the
 * literals that it passes to tools.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { CodeProblem } from "../analysis.js";
import { problemAt } from "../code-problem.js";
import type { DataFlow } from "../data/data-flow.js";
import type { References, Use } from "../names/references.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import { findLifted, type LiftedLiteral } from "./lifting.js";
import { fieldsOfParameters } from "./parameter-fields.js";
import { presenceIn } from "./parameter-presence.js";
import type { FoundReads } from "./parameter-reads.js";
import { fits, typesIn } from "./parameter-types.js";

export interface Parameters {
  readonly parameters: ParametersSchema;
  readonly freeParameters: readonly string[];
  /** Parameters that replace literals: optional, and not visible in the code's `args`. */
  readonly lifted: readonly LiftedLiteral[];
  readonly problems: readonly CodeProblem[];
}

/** `calls` are those of tools and capabilities in order of evaluation, which determines the numbers of literals. */
export function findParameters(
  source: SourceText,
  scopes: Scopes,
  references: References,
  found: FoundReads,
  flow: DataFlow,
  calls: readonly Use[],
): Parameters {
  const presenceOf = presenceIn(found, scopes, flow);
  const typeOf = typesIn(scopes, references);
  const fields = found.parameters.size === 0 ? undefined : fieldsOfParameters(scopes, references, flow);
  const sorted = [...found.parameters.values()].sort((a, b) => a.first - b.first);
  const required: string[] = [];
  const properties: [string, Json][] = [];
  for (const parameter of sorted) {
    const presence = presenceOf(parameter);
    const schema = typeOf(parameter.values, fields?.get(parameter.name));
    if (presence.isRequired) required.push(parameter.name);
    const isFitting = presence.default !== undefined && fits(presence.default, schema);
    properties.push([parameter.name, isFitting ? { ...schema, default: presence.default as Json } : schema]);
  }
  const lifted = findLifted(scopes, typeOf, calls, found.parameters.keys());
  for (const { name, schema } of lifted) properties.push([name, schema]);
  return {
    parameters: {
      type: "object",
      // Not by assignment, because a parameter may be called __proto__.
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: found.isWhole,
    },
    freeParameters: sorted.filter(({ isFree }) => isFree).map(({ name }) => name),
    lifted,
    problems: found.undeclared.map((identifier) =>
      problemAt(source, identifier.start - WRAPPER_CHARS, {
        code: "CODE_REFUSED",
        message: `Cannot assign to \`${identifier.name}\`: it is not declared`,
        hint: `Declare it: let ${identifier.name}`,
      }),
    ),
  };
}
