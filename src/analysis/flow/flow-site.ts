import type { FunctionNode, Node, NodeOf } from "../syntax/ast.js";

/** A statement that repeats. */
export type LoopStatement = NodeOf<
  "ForStatement" | "ForInStatement" | "ForOfStatement" | "WhileStatement" | "DoWhileStatement"
>;

/** A place in the code that reports its node of the structure when it is passed. */
export type FlowSite =
  | { readonly kind: "call"; readonly id: string; readonly node: NodeOf<"CallExpression"> }
  /** A tool or capability that is passed on as a value: a call of that value is this node. */
  | { readonly kind: "value"; readonly id: string; readonly node: Node }
  /** An expression whose truth decides: of `if`, `?:`, `&&`, `||`. */
  | { readonly kind: "test"; readonly id: string; readonly node: Node }
  /** The left side of `??`. */
  | { readonly kind: "nullish"; readonly id: string; readonly node: Node }
  /** Outcomes are those of {@link caseOutcome}, and `default`, even if no case matches. */
  | { readonly kind: "switch"; readonly id: string; readonly node: NodeOf<"SwitchStatement"> }
  /** Outcomes are `ok` at the end of its block, and `error` at the start of its handler. */
  | { readonly kind: "try"; readonly id: string; readonly node: NodeOf<"TryStatement"> }
  /** Entered when the statement starts, and again with every iteration. */
  | { readonly kind: "loop"; readonly id: string; readonly node: LoopStatement }
  /** Entered before the expression is evaluated: the list of `Promise.all([…])`. `($pml.enter("f1"),EXPR)` */
  | { readonly kind: "enter-before"; readonly id: string; readonly node: Node }
  /** Entered once the expression is evaluated: the receiver of `list.map(…)`. `$pml.enter("l1",EXPR)` */
  | { readonly kind: "enter-after"; readonly id: string; readonly node: Node }
  /** One more iteration with every call of the function: a callback literal. */
  | { readonly kind: "again"; readonly id: string; readonly node: FunctionNode }
  /** The call of `Promise.all`: `$pml.join("j1",CALL)`. */
  | { readonly kind: "join"; readonly id: string; readonly node: NodeOf<"CallExpression"> };

const OUTCOME_CHARS = 200;

/** The outcome of a case: the text of its test. */
export function caseOutcome(test: string): string {
  return test.length > OUTCOME_CHARS ? `${test.slice(0, OUTCOME_CHARS - 1)}…` : test;
}

/** Whether reading an assignment target once more has no side effects: a variable, or its fields with plain keys. */
export function isPlainTarget(target: Node): boolean {
  let node = target;
  while (node.type === "MemberExpression" && !node.optional) {
    if (node.property.type === "PrivateIdentifier" || (node.computed && !isPlainKey(node.property)))
      return false;
    node = node.object;
  }
  return node.type === "Identifier" || node.type === "ThisExpression";
}

function isPlainKey(key: Node): boolean {
  return key.type === "Literal" || isPlainTarget(key);
}
