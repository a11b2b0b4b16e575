import { ANALYSIS_VERSION, type Analysis } from "../../analysis/analysis.js";
import type { NewCapability } from "../../registry/capability-store.js";
import { type Definition, sourceOf } from "../../registry/definition.js";
import { storedStructure } from "../prepare/stored-structure.js";

type Content = Omit<
  NewCapability,
  | "scope"
  | "name"
  | "inferredNamespace"
  | "intent"
  | "description"
  | "routing"
  | "routingSource"
  | "versionTag"
  | "changeSummary"
  | "update"
>;

/** Of code that is to be remembered: what analysis found in it, as it is stored, and what it was made of. */
export function contentOf(
  analysis: Analysis,
  given: Pick<Content, "code" | "codeHash" | "toolsUsed">,
  definition?: Definition,
): Content {
  const { savedCode, canonicalCode, parameters, dependencies, structure, liftedCode } = analysis;
  return {
    source: sourceOf(definition),
    ...(definition === undefined ? {} : { definition }),
    ...given,
    savedCode,
    canonicalCode,
    parameters,
    dependencies,
    structure: storedStructure(structure),
    liftedCode,
    analysisVersion: ANALYSIS_VERSION,
  };
}
