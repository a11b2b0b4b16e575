/**
 * Slips: calls in the form of another interface. A slip with a certain meaning is corrected before any other analysis;
 * any other slip is a problem that suggests the right spelling.
 *
 * @module
 */
import type { ProblemDetails } from "../code-problem.js";
import type { References } from "../names/references.js";
import { contextOf, type Identifier, type Node, type NodeOf } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import { type Edit, lineBreaksOf } from "../syntax/edits.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import type { Vocabulary } from "../vocabulary.js";

/** A slip whose meaning is certain. */
export interface Slip {
  readonly node: Node;
  readonly edits: readonly Edit[];
  /** The corrected form. */
  readonly readAs: string;
}

/** A slip with several possible meanings, or none. */
export interface Mistake {
  readonly node: Node;
  readonly details: ProblemDetails;
  /** The name that is not counted as a parameter, because of this mistake. */
  readonly name?: Identifier;
}

export interface Slips {
  readonly slips: readonly Slip[];
  readonly mistakes: readonly Mistake[];
}

export interface SlipContext {
  readonly source: SourceText;
  readonly scopes: Scopes;
  readonly references: References;
  readonly vocabulary: Vocabulary;
  readonly readings: NonNullable<Vocabulary["readings"]>;
}

export function inserted(at: number, text: string): Edit {
  return { start: at - WRAPPER_CHARS, end: at - WRAPPER_CHARS, text };
}

/** Replaces the code between two offsets of the tree; the number of lines stays the same. */
export function replaced({ text: code }: SourceText, start: number, end: number, text: string): Edit {
  const [from, to] = [start - WRAPPER_CHARS, end - WRAPPER_CHARS];
  const breaks = lineBreaksOf(code.slice(from, to));
  // A bracket at the end comes after the line breaks, where they end no statement.
  const at = /[)\]}]$/.test(text) ? text.length - 1 : text.length;
  return { start: from, end: to, text: text.slice(0, at) + breaks + text.slice(at) };
}

/** A name with the keys that follow it: `tools.fs.read` has the path `["tools", "fs", "read"]`. */
export interface Chain {
  readonly node: Node;
  readonly path: readonly string[];
  /** The call of the whole chain. */
  readonly call: NodeOf<"CallExpression"> | undefined;
}

const KEYS_MOST = 8;

/** As far as its keys are known. */
export function chainOf(name: Identifier, scopes: Scopes): Chain {
  const path = [name.name];
  let node: Node = name;
  for (;;) {
    const { parent, child } = contextOf(node);
    const isMember = parent?.type === "MemberExpression" && parent.object === child;
    const key =
      isMember && parent.property.type !== "PrivateIdentifier" && path.length <= KEYS_MOST
        ? staticKey(parent.property, parent.computed, scopes)
        : undefined;
    if (parent === undefined || key === undefined)
      return {
        node,
        path,
        call: parent?.type === "CallExpression" && parent.callee === child ? parent : undefined,
      };
    path.push(key);
    node = parent;
  }
}

/** A name without case, separators and other differences of spelling. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** `a`, `a or b`, `a, b or c`. */
export function eitherOf(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
