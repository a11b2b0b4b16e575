/**
 * A question of data flow, and the parts of its answers.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import type { FunctionNode, Node } from "../syntax/ast.js";
import type { Binding } from "../syntax/scopes.js";
import type { Step, ValuePath } from "./value-path.js";

/** A value itself, or something derived from it: of a known type, or `other`. */
export const FORMS = ["value", "string", "number", "boolean", "other"] as const;
export type Form = (typeof FORMS)[number];

/** A function of the code, or a tool that is passed on. */
export type Callable = FunctionNode | Use;

/** A source of a value. */
export interface Source {
  readonly node: Node;
  readonly steps: readonly Step[];
  readonly form: Form;
}

/** The arguments of one call of a function. */
export interface Invocation {
  given(index: number): readonly Source[];
  /** All arguments from this index on. */
  givenFrom(index: number): readonly Source[];
}

/** The question: where does the value at this path of an expression, or of a variable, come from? */
export interface Question {
  readonly at: Node | Binding;
  readonly path: ValuePath;
  readonly form: Form;
}

/** Receives the answers to one question. */
export interface Answers {
  /** The value comes from there. */
  ask(at: Node | Binding, path: ValuePath, form: Form): void;
  /** The value is the result of this call. */
  result(use: Use, path: ValuePath, form: Form): void;
  /** The value is that parameter of the code, or the part at this path of it. */
  parameter(name: string, path: ValuePath, form: Form): void;
  /** The value can be called. */
  callable(callable: Callable): void;
  /** Further answers may follow when more is known about which function is called where. */
  provisional(): void;
}

/** A value derived from the value in question is not that value itself. */
export function made(before: Form, form: Form): Form {
  return before === "value" ? form : before;
}
