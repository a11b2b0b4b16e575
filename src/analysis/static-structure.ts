/**
 * The static structure: the graph that analysis finds in code, with every branch, before anything has run.
 *
 * Nodes are in order of evaluation, which is also the order of their ids. Edges only lead forward: the body of a loop
 * is entered by `contains` and left towards the code after it, as if it ran once.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { FieldMapping, ProvidesCoverage } from "../registry/provides.js";
import type { ToolId } from "../registry/tool-id.js";

/** The origin of a field of a call's argument. */
export type ArgumentValue =
  | { readonly type: "literal"; readonly value: Json }
  | ReferenceArgument
  | ParameterArgument;

interface DerivedArgument {
  /** As written. */
  readonly expression: string;
  /** For an object literal in the call: the origins of its own fields. */
  readonly fields?: Readonly<Record<string, ArgumentValue>>;
  /** It may have further fields: some are spread into it, or have names that are known only at run time. */
  readonly isOpen?: true;
}

/** It depends on results of other calls, or on values that are known only at run time. */
export interface ReferenceArgument extends DerivedArgument {
  readonly type: "reference";
  /** The node whose result it is; with several, the first. */
  readonly producer?: string;
  /** All of them, if there are several. */
  readonly producers?: readonly string[];
}

/** Depends only on the parameters of the code, and not on results of calls. */
interface ParameterArgument extends DerivedArgument {
  readonly type: "parameter";
  /** With several, the first. */
  readonly parameterName: string;
}

export type Arguments = Readonly<Record<string, ArgumentValue>>;

interface AnyNode {
  readonly id: string;
  /** The innermost fork or loop that it is in. */
  readonly within?: string;
}

export interface TaskNode extends AnyNode {
  readonly type: "task";
  readonly tool: ToolId;
  /** No server has such a tool, so the code cannot run. */
  readonly unknown?: true;
  readonly arguments?: Arguments;
  /** The arguments as written, if they may have further fields. */
  readonly given?: string;
}

export interface CapabilityNode extends AnyNode {
  readonly type: "capability";
  /** The display name at the time of analysis. */
  readonly name: string;
  readonly fqdn: Fqdn;
  /** The version that the code pins. */
  readonly version?: number;
  readonly capabilityId?: string;
  readonly arguments?: Arguments;
  /** The arguments as written, if they may have further fields. */
  readonly given?: string;
}

export interface DecisionNode extends AnyNode {
  readonly type: "decision";
  readonly kind: "if" | "switch" | "ternary" | "and" | "or" | "nullish" | "try";
  /** As written; `try` for a try with a catch. */
  readonly condition: string;
  /** For a `switch`: the texts of its cases in order, and `default`. Other kinds have fixed outcomes. */
  readonly outcomes?: readonly string[];
}

export interface ForkNode extends AnyNode {
  readonly type: "fork";
  readonly kind: "all" | "allSettled" | "race" | "any";
}

export interface JoinNode extends AnyNode {
  readonly type: "join";
}

export interface LoopNode extends AnyNode {
  readonly type: "loop";
  /** The keyword of the statement, or the method: `for`, `for-of`, `for-in`, `while`, `do`, `map`, `forEach`, … */
  readonly kind: string;
  /** The list or the condition, as written. */
  readonly over?: string;
}

export type StructureNode = TaskNode | CapabilityNode | DecisionNode | ForkNode | JoinNode | LoopNode;

/** The condition of a flow edge: none, or an outcome of a decision. */
export type FlowEdge =
  | { readonly from: string; readonly to: string; readonly type: "sequence" | "contains" }
  | {
      readonly from: string;
      readonly to: string;
      readonly type: "conditional";
      readonly outcome: string;
    };

/** Data flow from the result of one call into the arguments of a later one. */
export interface ProvidesEdge {
  readonly from: string;
  readonly to: string;
  readonly type: "provides";
  readonly coverage: ProvidesCoverage;
  readonly fieldMapping: readonly FieldMapping[];
}

export type StructureEdge = FlowEdge | ProvidesEdge;

export interface StaticStructure {
  readonly nodes: readonly StructureNode[];
  readonly edges: readonly StructureEdge[];
}

export const EMPTY_STRUCTURE: StaticStructure = { nodes: [], edges: [] };

/** The nodes up to the first decision or loop, which every run passes. */
export function certainPath({ nodes }: StaticStructure): readonly string[] {
  const open = nodes.findIndex(({ type }) => type === "decision" || type === "loop");
  return (open < 0 ? nodes : nodes.slice(0, open + 1)).map(({ id }) => id);
}
