/**
 * The control flow of code: the nodes and flow edges of the static structure, and the sites that report them.
 *
 * The code is walked once, in order of evaluation, with a frontier: the open ways out of the nodes passed last. A new
 * node takes all of them as its edges and is the next frontier. A decision splits the frontier, the code after the
 * decision joins it again, and a `return` ends it. Edges only lead forward.
 *
 * @module
 */

import type { References, Use } from "../names/references.js";
import type { FlowEdge } from "../static-structure.js";
import { forEachChild, type Node } from "../syntax/ast.js";
import type { FunctionBody } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import { type FlowNode, type Frontier, START, union } from "./flow-graph.js";
import type { FlowSite } from "./flow-site.js";
import { type Child, FlowWalk, type Step, walkList } from "./flow-walk.js";
import {
  walkAssignment,
  walkCall,
  walkChain,
  walkDeclarator,
  walkDefault,
  walkFunction,
  walkIdentifier,
  walkLogical,
  walkMember,
  walkParts,
} from "./walk-expressions.js";
import { enterFunction, outermost } from "./walk-functions.js";
import { walkLoop } from "./walk-loops.js";
import {
  walkBlock,
  walkIf,
  walkJump,
  walkLabelled,
  walkReturn,
  walkSwitch,
  walkThrow,
} from "./walk-statements.js";
import { walkTry } from "./walk-try.js";

export interface Flow {
  /** In order of evaluation. */
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly sites: readonly FlowSite[];
  /** Nodes that a run can pass first. */
  readonly starts: readonly string[];
  /** Where a run can end: after a node, or after one outcome of it. */
  readonly ends: readonly { readonly node: string; readonly outcome?: string }[];
  idOf(use: Use): string;
}

export function findFlow(
  source: SourceText,
  body: FunctionBody,
  scopes: Scopes,
  references: References,
): Flow {
  const walk = new FlowWalk(source, scopes, references);
  const { graph, idOf } = walk;
  const end = run(walk, walkList(walk, body.body as readonly Node[], [START]));
  const ends = union(end, [...walk.returns.ways]);
  // Functions without known calls.
  for (const use of references.uses) {
    if (idOf.has(use)) continue;
    const around = outermost(walk, use);
    if (around !== undefined) run(walk, enterFunction(walk, around, [START]));
    walk.call(use, []);
  }
  return {
    nodes: graph.nodes,
    edges: graph.edges(),
    sites: graph.sites,
    starts: Array.from(graph.entries(START), (index) => graph.id(index)),
    ends: ends.flatMap(({ from, outcome }) => {
      const node = graph.nodes[from];
      return node === undefined ? [] : [{ node: node.id, ...(outcome === undefined ? {} : { outcome }) }];
    }),
    idOf: (use) => idOf.get(use) ?? "n0",
  };
}

/** Executes a step and everything that it requests, with an explicit stack. */
function run(walk: FlowWalk, first: Step): Frontier {
  const stack: Step[] = [first];
  let value: Frontier = [];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const asked = top.next(value);
    if (asked.done === true) {
      stack.pop();
      value = asked.value;
    } else if (isChild(asked.value)) {
      const [node, at] = asked.value;
      const found = walk.held.isActive(node) ? visit(walk, node, at) : walk.pass(node, at);
      if (isFrontier(found)) value = found;
      else stack.push(found);
    } else stack.push(asked.value);
  }
  return value;
}

function visit(walk: FlowWalk, node: Node, at: Frontier): Step | Frontier {
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return walkBlock(walk, node, at);
    case "FunctionDeclaration":
      return at;
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return walkFunction(walk, node, at);
    case "LabeledStatement":
      return walkLabelled(walk, node, at);
    case "ReturnStatement":
      return walkReturn(walk, node, at);
    case "ThrowStatement":
      return walkThrow(walk, node, at);
    case "BreakStatement":
    case "ContinueStatement":
      return walkJump(walk, node, at);
    case "IfStatement":
    case "ConditionalExpression":
      return walkIf(walk, node, at);
    case "LogicalExpression":
      return walkLogical(walk, node, at);
    case "SwitchStatement":
      return walkSwitch(walk, node, at);
    case "TryStatement":
      return walkTry(walk, node, at);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return walkLoop(walk, node, at);
    case "CallExpression":
      return walkCall(walk, node, at);
    case "ChainExpression":
      return walkChain(walk, node, at);
    case "MemberExpression":
      return walkMember(walk, node, at);
    case "AssignmentPattern":
      return walkDefault(node.right, node.left, at);
    case "AssignmentExpression":
      return walkAssignment(walk, node, at);
    case "VariableDeclarator":
      return walkDeclarator(walk, node, at);
    case "Identifier":
      return walkIdentifier(walk, node, at);
    case "ExpressionStatement":
      return walkParts(walk, node, [node.expression], at);
    case "AwaitExpression":
      return walkParts(walk, node, [node.argument], at);
    case "VariableDeclaration":
      return walkParts(walk, node, node.declarations, at);
    case "ObjectExpression":
      return walkParts(walk, node, node.properties, at);
    default:
      return walkParts(walk, node, partsOf(node), at);
  }
}

function partsOf(node: Node): readonly Node[] {
  const parts: Node[] = [];
  forEachChild(node, (child) => parts.push(child));
  return parts;
}

function isChild(asked: Child | Step): asked is Child {
  return Array.isArray(asked);
}

function isFrontier(found: Step | Frontier): found is Frontier {
  return Array.isArray(found);
}
