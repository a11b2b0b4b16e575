import type { FunctionNode, Node, NodeOf } from "./ast.js";

/** A statement that repeats. */
export type LoopStatement = NodeOf<
  "ForStatement" | "ForInStatement" | "ForOfStatement" | "WhileStatement" | "DoWhileStatement"
>;

/** A place in the code that reports, when it is passed, which node of the structure it is. */
export type FlowSite =
  | { readonly kind: "call"; readonly id: string; readonly node: NodeOf<"CallExpression"> }
  /** A tool or capability that is passed on as a value: whoever calls it is this node. */
  | { readonly kind: "value"; readonly id: string; readonly node: Node }
  /** An expression that decides by being true or not: of `if`, `?:`, `&&`, `||`. */
  | { readonly kind: "test"; readonly id: string; readonly node: Node }
  /** The left side of `??`. */
  | { readonly kind: "nullish"; readonly id: string; readonly node: Node }
  /** Outcomes are the source texts of the cases' tests, and `default`, also where no case fits. */
  | { readonly kind: "switch"; readonly id: string; readonly node: NodeOf<"SwitchStatement"> }
  /** Outcomes are `ok` at the end of its block, and `error` at the start of its handler. */
  | { readonly kind: "try"; readonly id: string; readonly node: NodeOf<"TryStatement"> }
  | { readonly kind: "loop"; readonly id: string; readonly node: LoopStatement }
  /** `list.map(callback)`: `node` is the call; its callback is given where it is written there. */
  | {
      readonly kind: "method-loop";
      readonly id: string;
      readonly node: NodeOf<"CallExpression">;
      readonly callback: FunctionNode | undefined;
    }
  /** `Promise.all(…)` and its like. */
  | {
      readonly kind: "fork";
      readonly id: string;
      readonly join: string;
      readonly node: NodeOf<"CallExpression">;
    };
