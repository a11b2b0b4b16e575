/**
 * How suggested tools and capabilities go together: which gives what another one takes.
 *
 * By the names of fields that results have and arguments want, as far as types agree; and by what capabilities that are
 * suggested do already. A field that is merely optional makes no chain: `limit` goes everywhere and says nothing.
 *
 * @module
 */
import { providesBetween } from "../../analysis/data/provides-coverage.js";
import type { StaticStructure, StructureNode } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import type { SuggestedChain } from "../ports/execute-answer.js";

export interface ChainLink {
  /** `server:tool`, or the name of a capability. */
  readonly id: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json | undefined;
}

const FIELDS_SHOWN = 3;

/** Known ones first, `most` of them. */
export function suggestedChains(
  links: readonly ChainLink[],
  structures: readonly StaticStructure[],
  most: number,
): readonly SuggestedChain[] {
  const ids = new Set(links.map(({ id }) => id));
  const chains = new Map<string, SuggestedChain>();
  const add = (chain: SuggestedChain) => {
    const key = JSON.stringify([chain.from, chain.to]);
    if (chain.from !== chain.to && !chains.has(key)) chains.set(key, chain);
  };
  for (const chain of structures.flatMap(knownChains))
    if (ids.has(chain.from) && ids.has(chain.to)) add(chain);
  for (const from of links) for (const to of links) for (const chain of between(from, to)) add(chain);
  return [...chains.values()].slice(0, most);
}

/** What code that has run passes on. */
function knownChains({ nodes, edges }: StaticStructure): readonly SuggestedChain[] {
  const names = new Map(nodes.map((node) => [node.id, calledBy(node)]));
  return edges.flatMap((edge): readonly SuggestedChain[] => {
    const [from, to] = [names.get(edge.from), names.get(edge.to)];
    if (edge.type !== "provides" || from === undefined || to === undefined) return [];
    return [{ from, to, fields: edge.fieldMapping.slice(0, FIELDS_SHOWN).map(arrow) }];
  });
}

function calledBy(node: StructureNode): string | undefined {
  if (node.type === "task") return node.tool;
  return node.type === "capability" ? node.name : undefined;
}

function between(from: ChainLink, to: ChainLink): readonly SuggestedChain[] {
  if (from.outputSchema === undefined) return [];
  const provided = providesBetween(from.outputSchema, to.inputSchema);
  if (provided === undefined || provided.coverage === "optional") return [];
  const fields = provided.fieldMapping.filter(({ typeCompatible }) => typeCompatible);
  if (fields.length === 0) return [];
  return [{ from: from.id, to: to.id, fields: fields.slice(0, FIELDS_SHOWN).map(arrow) }];
}

function arrow({ fromField, toField }: { readonly fromField: string; readonly toField: string }): string {
  return `${fromField} → ${toField}`;
}
