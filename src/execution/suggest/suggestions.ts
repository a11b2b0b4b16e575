/**
 * Suggestions for an intent: tools with their schemas, capabilities, and chains of them, all together small enough to
 * be read every time.
 *
 * A chain connects fields of a result with required arguments of the same type, or comes from the code of suggested
 * capabilities. An optional field makes no chain: `limit` would fit everywhere.
 *
 * @module
 */
import { providesBetween } from "../../analysis/data/provides-coverage.js";
import type { StaticStructure, StructureNode } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import type { Capability, ParametersSchema } from "../../registry/capability.js";
import { callName } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import { toolWireForm } from "../../registry/wire-name.js";
import type {
  SuggestedCapability,
  SuggestedChain,
  SuggestedTool,
  Suggestions,
} from "../ports/execute-answer.js";
import { type KnownTool, outputSchemaOf } from "../ports/tool-box.js";
import { cutText, fitSchema } from "./fit-schema.js";

export interface FoundTool {
  readonly tool: KnownTool;
  readonly score: number;
}

export interface FittingCapability {
  readonly capability: Capability;
  readonly score: number;
  readonly notRun?: string | undefined;
  readonly missing?: readonly string[] | undefined;
  /** Absent if its code cannot be read now. */
  readonly structure?: StaticStructure | undefined;
}

export type WireNameOf = (id: ToolId) => Promise<string | undefined>;

/** The budget as JSON, for all tools together, and for all capabilities. A token is three to four characters. */
const TOOLS_CHARS = 5_300;
const CAPABILITIES_CHARS = 1_800;
const DESCRIPTION_CHARS = 120;
const SCHEMA_CHARS = 900;
const LEAST_SCHEMA_CHARS = 200;
const OUTPUT_CHARS = 200;
const CHAINS = 6;

export async function suggestionsOf(
  tools: readonly FoundTool[],
  capabilities: readonly FittingCapability[],
  wireNameOf: WireNameOf,
  scope: Scope,
): Promise<Suggestions> {
  const names = await Promise.all(tools.map(({ tool: { id } }) => wireNameOf(id)));
  const links = [
    ...tools.map(({ tool }) => ({
      id: tool.id as string,
      inputSchema: tool.inputSchema,
      outputSchema: outputSchemaOf(tool),
    })),
    ...capabilities.map(({ capability }) => ({
      id: callName(capability, scope),
      inputSchema: capability.parameters,
      outputSchema: undefined,
    })),
  ];
  const structures = capabilities.flatMap(({ structure }) => structure ?? []);
  return {
    tools: shared(tools, TOOLS_CHARS, (found, room, index) => toolView(found, names[index], room)),
    capabilities: shared(capabilities, CAPABILITIES_CHARS, (found, room) =>
      capabilityView(found, room, scope),
    ),
    chains: suggestedChains(links, structures, CHAINS),
  };
}

/** Each gets its share of the room; unused room goes to the next ones. */
function shared<T, V>(
  items: readonly T[],
  chars: number,
  view: (item: T, room: number, at: number) => V,
): V[] {
  let left = chars;
  return items.map((item, index) => {
    const made = view(item, Math.floor(left / (items.length - index)), index);
    left = Math.max(0, left - JSON.stringify(made).length);
    return made;
  });
}

function toolView({ tool, score }: FoundTool, name: string | undefined, room: number): SuggestedTool {
  const { id, server, description = "" } = tool;
  const head = {
    id,
    name: name ?? toolWireForm(server, tool.name),
    score: rounded(score),
    ...(description === "" ? {} : { description: cutText(description, DESCRIPTION_CHARS) }),
  };
  const left = room - JSON.stringify(head).length;
  const inputSchema = fitSchema(tool.inputSchema, schemaChars(left));
  const output = outputSchemaOf(tool);
  const outputSchema = output === undefined ? undefined : fitSchema(output, OUTPUT_CHARS);
  const isRoom = left - JSON.stringify(inputSchema).length >= OUTPUT_CHARS;
  return { ...head, inputSchema, ...(outputSchema === undefined || !isRoom ? {} : { outputSchema }) };
}

function capabilityView(found: FittingCapability, room: number, scope: Scope): SuggestedCapability {
  const { capability, score, notRun, missing = [] } = found;
  const { fqdn, description, intent, parameters, trust } = capability;
  const head = {
    name: callName(capability, scope),
    fqdn,
    score: rounded(score),
    description: cutText(description ?? intent, DESCRIPTION_CHARS),
  };
  const left = room - JSON.stringify(head).length;
  return {
    ...head,
    parameters: fitSchema(parameters, schemaChars(left)) as ParametersSchema,
    trust,
    ...(notRun === undefined ? {} : { notRun }),
    ...(missing.length === 0 ? {} : { missing }),
  };
}

function schemaChars(left: number): number {
  return Math.min(SCHEMA_CHARS, Math.max(LEAST_SCHEMA_CHARS, left));
}

function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}

export interface ChainLink {
  /** `server:tool`, or the name of a capability. */
  readonly id: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json | undefined;
}

const FIELDS_SHOWN = 3;

/** Known chains first, `most` of them. */
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

/** The data flow in code that has run. */
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
