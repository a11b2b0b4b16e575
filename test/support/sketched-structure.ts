/**
 * Static structures written in a few words, for tests of code that reads them: nodes as words in their order, edges as
 * arrows between them.
 *
 * @module
 */
import type {
  DecisionNode,
  StaticStructure,
  StructureEdge,
  StructureNode,
} from "../../src/analysis/static-structure.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { ToolId } from "../../src/registry/tool-id.js";

export interface Sketch {
  /** In order: `n1`, `n2: fs:read`, `d1: file.exists`, `d2: switch kind`, `l1: for-of items`, `n3 in l1`, `c n4: fs:json`. */
  readonly nodes: readonly string[];
  /** `n1 > d1`, `d1 -true> n2`, `l1 => n2` (contains). */
  readonly edges: readonly string[];
}

const KINDS = /^(if|switch|ternary|and|or|nullish|try) /;

export function sketched({ nodes, edges }: Sketch): StaticStructure {
  return { nodes: nodes.map(nodeOf), edges: edges.map(edgeOf) };
}

function nodeOf(text: string): StructureNode {
  const [, isCapability, id = "", within, words = ""] =
    /^(c )?(\w+)(?: in (\w+))?(?:: (.*))?$/s.exec(text) ?? [];
  const place = within === undefined ? {} : { within };
  if (isCapability !== undefined)
    return { id, type: "capability", name: words || "x:y", fqdn: "l.d.x.y.beef" as Fqdn, ...place };
  switch (id[0]) {
    case "d": {
      const [kind, condition] = KINDS.test(words) ? splitOnce(words) : ["if", words];
      return { id, type: "decision", kind: kind as DecisionNode["kind"], condition, ...place };
    }
    case "f":
      return { id, type: "fork", kind: "all", ...place };
    case "j":
      return { id, type: "join", ...place };
    case "l": {
      const [kind, over] = splitOnce(words);
      return { id, type: "loop", kind, over, ...place };
    }
    default:
      return { id, type: "task", tool: (words || `t:${id}`) as ToolId, ...place };
  }
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf(" ");
  return [text.slice(0, at), text.slice(at + 1)];
}

function edgeOf(text: string): StructureEdge {
  const [, from = "", mark = "", to = ""] = /^(\w+) (\S.*?|)> (\w+)$/s.exec(text) ?? [];
  if (mark === "=") return { from, to, type: "contains" };
  if (mark.startsWith("-")) return { from, to, type: "conditional", outcome: mark.slice(1) };
  return { from, to, type: "sequence" };
}
