/**
 * Statements in a walk: branches, jumps and exits.
 *
 * @module
 */
import type { Node, NodeOf } from "../syntax/ast.js";
import { type Frontier, union } from "./flow-graph.js";
import { caseOutcome } from "./flow-site.js";
import { type Breakable, type FlowWalk, type Step, walkList } from "./flow-walk.js";

export function* walkBlock(
  walk: FlowWalk,
  node: NodeOf<"BlockStatement" | "StaticBlock">,
  before: Frontier,
): Step {
  const labels = walk.takeLabels();
  if (labels.length === 0) return yield walkList(walk, node.body as readonly Node[], before);
  const breakable: Breakable = { labels, breaks: walk.target(), isPlain: false };
  walk.breakables.push(breakable);
  const at: Frontier = yield walkList(walk, node.body as readonly Node[], before);
  walk.breakables.pop();
  return union(at, [...breakable.breaks.ways]);
}

export function* walkLabelled(walk: FlowWalk, node: NodeOf<"LabeledStatement">, before: Frontier): Step {
  walk.labels.push(node.label.name);
  const at: Frontier = yield [node.body, before];
  walk.labels = [];
  return at;
}

export function* walkReturn(walk: FlowWalk, node: NodeOf<"ReturnStatement">, before: Frontier): Step {
  const at: Frontier = node.argument === null ? before : yield [node.argument, before];
  walk.leave(walk.returns, at);
  return [];
}

export function* walkThrow(walk: FlowWalk, node: NodeOf<"ThrowStatement">, before: Frontier): Step {
  const at: Frontier = yield [node.argument, before];
  walk.throw(at);
  return [];
}

export function walkJump(
  walk: FlowWalk,
  node: NodeOf<"BreakStatement" | "ContinueStatement">,
  at: Frontier,
): Frontier {
  const label = node.label?.name;
  const isBreak = node.type === "BreakStatement";
  for (let i = walk.breakables.length - 1; i >= 0; i -= 1) {
    const { labels, breaks, continues, isPlain } = walk.breakables[i] as Breakable;
    const isMeant =
      label === undefined ? (isBreak ? isPlain : continues !== undefined) : labels.includes(label);
    const meant = isBreak ? breaks : continues;
    if (!isMeant || meant === undefined) continue;
    walk.leave(meant, at);
    break;
  }
  return [];
}

export function* walkIf(
  walk: FlowWalk,
  node: NodeOf<"IfStatement" | "ConditionalExpression">,
  before: Frontier,
): Step {
  const at: Frontier = yield [node.test, before];
  const { consequent, alternate } = node;
  let yes: Frontier = at;
  let no: Frontier = at;
  if (walk.decides(consequent) || walk.decides(alternate)) {
    const kind = node.type === "IfStatement" ? "if" : "ternary";
    const decision = walk.graph.decision(kind, walk.text(node.test), at);
    walk.graph.sites.push({ kind: "test", id: walk.graph.id(decision), node: node.test });
    yes = [walk.graph.outcome(decision, "true")];
    no = [walk.graph.outcome(decision, "false")];
  }
  const afterYes: Frontier = yield [consequent, yes];
  const afterNo: Frontier = alternate === null ? no : yield [alternate, no];
  return union(afterYes, afterNo);
}

export function* walkSwitch(walk: FlowWalk, node: NodeOf<"SwitchStatement">, before: Frontier): Step {
  const labels = walk.takeLabels();
  let at: Frontier = yield [node.discriminant, before];
  for (const { test } of node.cases) if (test !== null) at = union(at, yield [test, at]);
  const isDecision = node.cases.some((each) => each.consequent.some((statement) => walk.decides(statement)));
  const outcomeOf = ({ test }: NodeOf<"SwitchCase">): string =>
    test === null ? "default" : caseOutcome(walk.text(test));
  const outcomes = [...new Set([...node.cases.map(outcomeOf), "default"])];
  const decision = isDecision
    ? walk.graph.decision("switch", walk.text(node.discriminant), at, outcomes)
    : undefined;
  if (decision !== undefined) walk.graph.sites.push({ kind: "switch", id: walk.graph.id(decision), node });
  const towards = (outcome: string): Frontier =>
    decision === undefined ? at : [walk.graph.outcome(decision, outcome)];
  const breakable: Breakable = { labels, breaks: walk.target(), isPlain: true };
  walk.breakables.push(breakable);
  let fallen: Frontier = [];
  for (const each of node.cases)
    fallen = yield walkList(walk, each.consequent, union(fallen, towards(outcomeOf(each))));
  walk.breakables.pop();
  const hasDefault = node.cases.some(({ test }) => test === null);
  return union(fallen, [...breakable.breaks.ways], hasDefault ? [] : towards("default"));
}
