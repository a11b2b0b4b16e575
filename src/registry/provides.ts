/**
 * A data flow between two tools: which fields of a result go into which arguments.
 *
 * @module
 */

export interface FieldMapping {
  /** A field of the result; `$` is the whole result. */
  readonly fromField: string;
  readonly toField: string;
  /** False if the schemas show that the types cannot match. */
  readonly typeCompatible: boolean;
}

/** How many of the consumer's required inputs are covered: all, some, or only optional ones. */
export type ProvidesCoverage = "strict" | "partial" | "optional";

export interface Provision {
  readonly coverage: ProvidesCoverage;
  readonly fieldMapping: readonly FieldMapping[];
}
