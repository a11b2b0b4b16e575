/**
 * What is stored of analysed code.
 *
 * @module
 */
import { ANALYSIS_VERSION, type Analysis } from "../../analysis/analysis.js";
import { codeLinks } from "../../analysis/code-links.js";
import type { StaticStructure, StructureNode } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import type { NewCapability } from "../../registry/capability-store.js";
import { type Definition, sourceOf } from "../../registry/definition.js";
import type { CodeLinks } from "../../registry/tool-graph.js";

/** As JSON. Arguments may hold long literals, which stand in the code anyway; all else is short. */
const STRUCTURE_CHARS = 1_048_576;

/** Without arguments where it would be too large with them; nothing where it would be too large without. */
export function storedStructure(structure: StaticStructure): Json {
  for (const one of [structure, withoutArguments(structure)])
    if (JSON.stringify(one).length <= STRUCTURE_CHARS) return { static_structure: one as unknown as Json };
  return {};
}

function withoutArguments({ nodes, edges }: StaticStructure): StaticStructure {
  return { nodes: nodes.map(bare), edges };
}

function bare(node: StructureNode): StructureNode {
  if (node.type !== "task" && node.type !== "capability") return node;
  const { arguments: _, ...rest } = node;
  return rest;
}

/** What the code says about what it calls, of a structure as it was kept; nothing where it was too large to be. */
export function storedLinks(kept: unknown): CodeLinks | undefined {
  const structure = isJsonObject(kept) ? kept.static_structure : undefined;
  return isStructure(structure) ? codeLinks(structure) : undefined;
}

function isStructure(value: unknown): value is StaticStructure {
  if (!isJsonObject(value)) return false;
  const { nodes, edges } = value;
  return Array.isArray(nodes) && Array.isArray(edges) && [...nodes, ...edges].every(isJsonObject);
}

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
