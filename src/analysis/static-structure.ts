/**
 * The static structure: the graph that analysis finds in code, every branch of it, before anything has run.
 *
 * Nodes stand in order of evaluation, which is also the order of their ids. Edges lead forward only: the body of a loop
 * is entered by `contains` and left towards what follows, as if it ran once.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { FieldMapping, ProvidesCoverage } from "../registry/provides.js";
import type { ToolId } from "../registry/tool-id.js";

/** What a field of a call's argument is made of. */
export type ArgumentValue =
  | { readonly type: "literal"; readonly value: Json }
  | ReferenceArgument
  | ParameterArgument;

interface DerivedArgument {
  /** As it is written. */
  readonly expression: string;
  /** Of an object that is written out in the call: what its own fields are made of. */
  readonly fields?: Readonly<Record<string, ArgumentValue>>;
  /** It may have other fields than these: some are spread into it, or have names that only the run can tell. */
  readonly isOpen?: true;
}

/** It depends on results of other calls, or on values that are known only at run time. */
export interface ReferenceArgument extends DerivedArgument {
  readonly type: "reference";
  /** The node whose result it is; the first, where there are several. */
  readonly producer?: string;
  /** All of them, where there are several. */
  readonly producers?: readonly string[];
}

/** Comes of the parameters of the code, and of nothing that other calls answered. */
interface ParameterArgument extends DerivedArgument {
  readonly type: "parameter";
  /** The first, where there are several. */
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
  /** What is given, as it is written, where it may have other fields than these. */
  readonly given?: string;
}

export interface CapabilityNode extends AnyNode {
  readonly type: "capability";
  /** The display name when this was analysed. */
  readonly name: string;
  readonly fqdn: Fqdn;
  /** The version that the code pins. */
  readonly version?: number;
  readonly capabilityId?: string;
  readonly arguments?: Arguments;
  /** What is given, as it is written, where it may have other fields than these. */
  readonly given?: string;
}

export interface DecisionNode extends AnyNode {
  readonly type: "decision";
  readonly kind: "if" | "switch" | "ternary" | "and" | "or" | "nullish" | "try";
  /** As it is written; `try` for a try with a catch. */
  readonly condition: string;
  /** Of a `switch`: the texts of its cases in order, and `default`. Other kinds have theirs by nature. */
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
  /** The word of the statement, or the method: `for`, `for-of`, `for-in`, `while`, `do`, `map`, `forEach`, … */
  readonly kind: string;
  /** What is gone through, or the condition, as it is written. */
  readonly over?: string;
}

export type StructureNode = TaskNode | CapabilityNode | DecisionNode | ForkNode | JoinNode | LoopNode;

/** What a flow edge needs to be passed: nothing, or that a decision went this way. */
export type FlowEdge =
  | { readonly from: string; readonly to: string; readonly type: "sequence" | "contains" }
  | {
      readonly from: string;
      readonly to: string;
      readonly type: "conditional";
      readonly outcome: string;
    };

/** Data that flows from the result of one call into the arguments of a later one. */
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
