/**
 * A JSON Schema of what code returns, as far as all its `return`s agree, without running it.
 *
 * The schema gives the type of a field that is present; it does not promise that the field is present, since
 * `undefined` is not a field in JSON. It is computed on demand, and is not part of ordinary analysis.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { ParametersSchema } from "../../registry/capability.js";
import { findReferences } from "../names/references.js";
import { findReads } from "../parameters/parameter-reads.js";
import { type FunctionNode, functionAround, type Node } from "../syntax/ast.js";
import { parseCode } from "../syntax/parse-code.js";
import { resolveScopes } from "../syntax/scopes.js";
import { SourceText } from "../syntax/source-text.js";
import type { Meaning, Vocabulary } from "../vocabulary.js";
import { findChanges } from "./changes.js";
import { agreed, type KnownResult, small, UNKNOWN } from "./result-kinds.js";
import { resultReader } from "./result-values.js";

export interface ResultOptions {
  /** The parameters of the code, which may be part of its result. */
  readonly parameters?: ParametersSchema;
  /** The schema of the result of a callee; without this function, the output schemas that tools declare. */
  readonly outputOf?: (meaning: Meaning) => Json | undefined;
  /** Adds `additionalProperties: false` to the schema of an object literal whose fields are all known. */
  readonly marksComplete?: boolean;
}

/** Undefined if nothing is known, and for code that cannot be parsed. */
export function resultSchema(
  code: string,
  vocabulary: Vocabulary,
  { parameters, outputOf = declaredOutput, marksComplete = false }: ResultOptions = {},
): Json | undefined {
  const { body } = parseCode(new SourceText(code));
  if (body === undefined) return undefined;
  const scopes = resolveScopes(body);
  const references = findReferences(scopes, vocabulary);
  const returns = new Map<FunctionNode | undefined, Node[]>();
  for (const node of scopes.nodes) {
    if (node.type !== "ReturnStatement") continue;
    const around = functionAround(node);
    const known = returns.get(around);
    if (known === undefined) returns.set(around, [node]);
    else known.push(node);
  }
  const read = resultReader({
    scopes,
    references,
    reads: findReads(scopes),
    changes: findChanges(scopes),
    parameters,
    outputOf,
    returned: (written, value) => returnedBy(written, written.body ?? undefined, value),
  });

  function returnedBy(
    written: FunctionNode | undefined,
    block: Node | undefined,
    value: (expression: Node) => KnownResult,
  ): KnownResult {
    if (block === undefined || written?.generator === true) return UNKNOWN;
    if (written !== undefined && block.type !== "BlockStatement") return value(block);
    if (!leaves(block)) return UNKNOWN;
    const all = (returns.get(written) ?? []).map((node) =>
      node.type === "ReturnStatement" && node.argument !== null ? value(node.argument) : UNKNOWN,
    );
    return all.length === 0 ? UNKNOWN : all.reduce(agreed);
  }

  const result = returnedBy(undefined, body, read);
  // A schema that is returned unchanged may keep its local references.
  const schema = result.schema === result.root ? result.schema : small(result);
  if (marksComplete && result.isComplete === true) return { ...schema, additionalProperties: false };
  return Object.keys(schema).length === 0 ? undefined : schema;
}

function declaredOutput(meaning: Meaning): Json | undefined {
  return meaning.kind === "tool" ? meaning.outputSchema : undefined;
}

/** How many levels of statements are searched for the end of a block. */
const LEVELS = 100;

/** Whether a statement obviously ends the block. */
function leaves(statement: Node | null | undefined, levels = LEVELS): boolean {
  if (!statement || levels < 0) return false;
  switch (statement.type) {
    case "ReturnStatement":
    case "ThrowStatement":
      return true;
    case "BlockStatement":
      return statement.body.some((each) => leaves(each, levels - 1));
    case "IfStatement":
      return leaves(statement.consequent, levels - 1) && leaves(statement.alternate, levels - 1);
    case "TryStatement": {
      const { block, handler, finalizer } = statement;
      if (leaves(finalizer, levels - 1)) return true;
      return leaves(block, levels - 1) && (handler === null || leaves(handler.body, levels - 1));
    }
    default:
      return false;
  }
}
