/**
 * A question of data flow, and what its answers are made of.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import type { FunctionNode, Node } from "../syntax/ast.js";
import type { Binding } from "../syntax/scopes.js";
import type { Step, ValuePath } from "./value-path.js";

/** A value itself, or something that was made of it: of a known type, or `other`. */
export const FORMS = ["value", "string", "number", "boolean", "other"] as const;
export type Form = (typeof FORMS)[number];

/** What can be called: a function of the code, or a tool that is passed on. */
export type Callable = FunctionNode | Use;

/** Somewhere that a value comes from. */
export interface Source {
  readonly node: Node;
  readonly steps: readonly Step[];
  readonly form: Form;
}

/** What a function is called with, at one place. */
export interface Invocation {
  given(index: number): readonly Source[];
  /** All that is given from this place on. */
  givenFrom(index: number): readonly Source[];
}

/** The question: where does the value at this path of an expression, or of a variable, come from? */
export interface Question {
  readonly at: Node | Binding;
  readonly path: ValuePath;
  readonly form: Form;
}

/** Takes the answers to one question. */
export interface Answers {
  /** It comes from there. */
  ask(at: Node | Binding, path: ValuePath, form: Form): void;
  /** It is the result of this call. */
  result(use: Use, path: ValuePath, form: Form): void;
  /** It is that parameter of the code, or what lies on this way into it. */
  parameter(name: string, path: ValuePath, form: Form): void;
  /** It is something that can be called. */
  callable(callable: Callable): void;
  /** Further answers may follow when more is known about which function is called where. */
  provisional(): void;
}

/** A value that was made from the value in question is not that value itself. */
export function made(before: Form, form: Form): Form {
  return before === "value" ? form : before;
}
