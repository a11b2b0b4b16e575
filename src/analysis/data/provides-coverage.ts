/**
 * How much of the input of one tool the results of another tool provide.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { ProvidesCoverage, Provision } from "../../registry/provides.js";
import { fieldNames, hasField, requiredNames, typesAgree, typesAt } from "./json-types.js";

/** How much of an input schema these given fields cover. */
export function providesCoverage(
  fields: ReadonlySet<string>,
  inputSchema: Json | undefined,
): ProvidesCoverage {
  const required = requiredNames(inputSchema);
  const covered = required.filter((name) => fields.has(name));
  if (covered.length === 0) return "optional";
  return covered.length === required.length ? "strict" : "partial";
}

/** What the results of one tool could provide to another tool, by field names; `undefined` if nothing. */
export function providesBetween(
  outputSchema: Json | undefined,
  inputSchema: Json | undefined,
): Provision | undefined {
  const shared = fieldNames(inputSchema).filter((name) => hasField(outputSchema, [], name));
  if (shared.length === 0) return undefined;
  return {
    coverage: providesCoverage(new Set(shared), inputSchema),
    fieldMapping: shared.map((name) => ({
      fromField: name,
      toField: name,
      typeCompatible: typesAgree(typesAt(outputSchema, [name]), typesAt(inputSchema, [name])),
    })),
  };
}
