/**
 * Which of thousands of tools could provide input to which others, found without comparing every pair.
 *
 * Tools that provide a field and tools that take it are matched by its name. A name that very many tools take (`id`,
 * `limit`) says nothing about which of them belong together: it makes no match, and counts only for tools that were
 * matched by another name. After a change, links are computed again for the tools that share a field with a changed
 * tool. So the links do not depend on the order in which tools were added.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { FieldMapping, ProvidesCoverage, Provision } from "../../registry/provides.js";
import type { ProvidesLink, SchemaLinks } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import { fieldNames, requiredNames, typesAgree, typesAt } from "./json-types.js";

type Types = ReadonlySet<string> | undefined;
type Fields = ReadonlyMap<string, Types>;

interface Shape {
  readonly takes: Fields;
  readonly required: readonly string[];
  readonly gives: Fields;
}

/** More takers than this make a field common. */
const COMMON = 64;
const FIELDS = 100;
/** Strongest first. */
const LINKS = 32;

const ORDER: readonly ProvidesCoverage[] = ["strict", "partial", "optional"];

export class ProvidesIndex implements SchemaLinks {
  readonly #shapes = new Map<ToolId, Shape>();
  readonly #takers = new Map<string, Set<ToolId>>();
  readonly #givers = new Map<string, Set<ToolId>>();
  readonly #changed = new Set<ToolId>();

  put(tool: ToolId, inputSchema: Json | undefined, outputSchema: Json | undefined): void {
    this.remove(tool);
    const shape: Shape = {
      takes: fieldsOf(inputSchema),
      required: requiredNames(inputSchema),
      gives: fieldsOf(outputSchema),
    };
    this.#shapes.set(tool, shape);
    for (const field of shape.takes.keys()) this.#meet(this.#takers, field, tool);
    for (const field of shape.gives.keys()) this.#meet(this.#givers, field, tool);
    this.#touch(tool, shape);
  }

  remove(tool: ToolId): void {
    const shape = this.#shapes.get(tool);
    if (shape === undefined) return;
    this.#touch(tool, shape);
    this.#shapes.delete(tool);
    for (const field of shape.takes.keys()) part(this.#takers, field, tool);
    for (const field of shape.gives.keys()) part(this.#givers, field, tool);
  }

  takeChanged(): readonly ToolId[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  linksFrom(tool: ToolId): readonly ProvidesLink[] {
    const shape = this.#shapes.get(tool);
    if (shape === undefined) return [];
    const met = new Set<ToolId>();
    for (const field of shape.gives.keys()) {
      const takers = this.#takers.get(field);
      if (takers !== undefined && takers.size <= COMMON) for (const taker of takers) met.add(taker);
    }
    met.delete(tool);
    const links = Array.from(met, (to): ProvidesLink => ({ from: tool, to, ...this.#between(shape, to) }));
    return links.sort(byStrength).slice(0, LINKS);
  }

  #between({ gives }: Shape, to: ToolId): Provision {
    const { takes = new Map(), required = [] } = this.#shapes.get(to) ?? {};
    const fieldMapping: FieldMapping[] = [];
    for (const [name, types] of takes) {
      if (!gives.has(name)) continue;
      const typeCompatible = typesAgree(gives.get(name), types);
      fieldMapping.push({ fromField: name, toField: name, typeCompatible });
    }
    const given = new Set(fieldMapping.filter(fits).map(({ toField }) => toField));
    const covered = required.filter((name) => given.has(name)).length;
    const coverage = covered === 0 ? "optional" : covered === required.length ? "strict" : "partial";
    return { coverage, fieldMapping };
  }

  #meet(places: Map<string, Set<ToolId>>, field: string, tool: ToolId): void {
    const tools = places.get(field) ?? new Set();
    tools.add(tool);
    places.set(field, tools);
  }

  /** The links of this tool, and of the tools that provide its fields, may have changed. */
  #touch(tool: ToolId, { takes }: Shape): void {
    this.#changed.add(tool);
    for (const field of takes.keys()) {
      const takers = this.#takers.get(field)?.size ?? 0;
      // Over the limit, the field was never matched, with or without this tool.
      if (takers > COMMON + 1) continue;
      for (const giver of this.#givers.get(field) ?? []) this.#changed.add(giver);
    }
  }
}

function part(places: Map<string, Set<ToolId>>, field: string, tool: ToolId): void {
  const tools = places.get(field);
  tools?.delete(tool);
  if (tools?.size === 0) places.delete(field);
}

function fieldsOf(schema: Json | undefined): Fields {
  return new Map(
    fieldNames(schema)
      .slice(0, FIELDS)
      .map((name) => [name, typesAt(schema, [name])]),
  );
}

function fits({ typeCompatible }: FieldMapping): boolean {
  return typeCompatible;
}

function byStrength(one: ProvidesLink, other: ProvidesLink): number {
  return (
    ORDER.indexOf(one.coverage) - ORDER.indexOf(other.coverage) ||
    other.fieldMapping.length - one.fieldMapping.length ||
    (one.to < other.to ? -1 : 1)
  );
}
