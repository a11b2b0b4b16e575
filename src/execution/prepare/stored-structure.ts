/**
 * The stored form of analysed code.
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

/** As JSON. Arguments may contain long literals, which are in the code anyway; everything else is short. */
const STRUCTURE_CHARS = 1_048_576;

/** Without arguments if it would be too large with them; empty if it would be too large even without. */
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

/** The links to callees in a stored structure; undefined if it was too large to be stored. */
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

/** The stored content of code: the results of the analysis, and the definition that it was generated from. */
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
