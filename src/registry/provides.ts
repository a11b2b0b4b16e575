/**
 * What one tool gives to another: which fields of a result go into which arguments.
 *
 * @module
 */

export interface FieldMapping {
  /** A field of the result; `$` is the result as a whole. */
  readonly fromField: string;
  readonly toField: string;
  /** False where the schemas say that the types cannot agree. */
  readonly typeCompatible: boolean;
}

/** Of the inputs that the consumer requires: all, some, or none but optional ones. */
export type ProvidesCoverage = "strict" | "partial" | "optional";

export interface Provision {
  readonly coverage: ProvidesCoverage;
  readonly fieldMapping: readonly FieldMapping[];
}
