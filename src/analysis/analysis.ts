/**
 * What PML knows about code before it runs, from one parse.
 *
 * @module
 */
import type { PmlErrorCode } from "../base/pml-error.js";
import type { ParametersSchema } from "../registry/capability.js";
import type { CapabilityRef } from "../registry/capability-ref.js";
import type { ToolId } from "../registry/tool-id.js";
import type { StaticStructure } from "./static-structure.js";

/** Incremented whenever the same code can give other facts than before. Never changes identity. */
export const ANALYSIS_VERSION = 4;

/** Line and column count from 1, in UTF-16 units, in the code as it was given. */
export interface CodePosition {
  readonly line: number;
  readonly column: number;
}

export interface CodeProblem extends CodePosition {
  readonly code: Extract<
    PmlErrorCode,
    | "CODE_SYNTAX"
    | "CODE_REFUSED"
    | "TOOL_NOT_FOUND"
    | "CAPABILITY_NOT_FOUND"
    | "CAPABILITY_DELETED"
    | "VERSION_NOT_FOUND"
    | "ARGUMENTS_INVALID"
    | "LIMIT_EXCEEDED"
  >;
  /** A sentence, without the position. */
  readonly message: string;
  /** The line of the code as given. */
  readonly text: string;
  readonly hint?: string;
  readonly nearest?: readonly string[];
}

/** A position in the code that calls a tool or a capability. */
export interface CallSite extends CodePosition {
  /** `n1`, `n2`, … in order of evaluation. */
  readonly node: string;
  readonly target:
    | { readonly kind: "tool"; readonly id: ToolId }
    | { readonly kind: "capability"; readonly ref: CapabilityRef };
  /** It may be called more than once in a run: it is in a loop or a function, or is passed on as a value. */
  readonly isRepeatable: boolean;
  /** The positions of lifted parameters in its arguments. */
  readonly lifted: readonly LiftedPlace[];
  /** Its argument is `args`, or an object that ends with `...args`. */
  readonly passesArgs: boolean;
}

/** The lifted parameter `name` replaces the literal at `path` of the arguments of a call. */
export interface LiftedPlace {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

export interface Analysis {
  /** In order of position. Code with problems does not run, and the other facts may be incomplete. */
  readonly problems: readonly CodeProblem[];
  readonly calls: readonly CallSite[];
  readonly structure: StaticStructure;
  /** Some call uses a tool name that is known only at run time. */
  readonly hasComputedCalls: boolean;
  readonly parameters: ParametersSchema;
  /** Parameters that are free identifiers of the code: the sandbox binds them. */
  readonly freeParameters: readonly string[];
  /** Parameters that replace literals: optional, with the literal as default, and not visible in the code's `args`. */
  readonly liftedParameters: readonly string[];
  /** Distinct, in order of first call. */
  readonly toolsUsed: readonly ToolId[];
  readonly dependencies: readonly CapabilityRef[];
  /** Such as used aliases. */
  readonly warnings: readonly string[];
  /** The code to save: as given, but with the standard spelling of calls whose meaning was certain. */
  readonly source: string;
  /** The same for code that differs only in formatting, comments, types, spellings of calls and local names. */
  readonly canonicalCode: string;
  /**
   * {@link source}, with every reference to a capability rewritten to `mcp["<fqdn>"]`, or to `mcp["<fqdn>@<number>"]`
   * if a version is pinned; the number of lines stays the same.
   */
  readonly savedCode: string;
  /** {@link savedCode} with `args.NAME` instead of every lifted literal: for people to read. */
  readonly liftedCode: string;
  /**
   * {@link savedCode} without types, with literals lifted, and with sites that report their node: the code that runs.
   */
  readonly runnableCode: string;
  /** Translates a position in {@link runnableCode} to the code as given. */
  originalPosition(position: CodePosition): CodePosition;
}
