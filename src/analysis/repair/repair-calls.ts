/**
 * Rewrites calls of changed tools: keys of arguments, their values, the use of the result, and the name of the tool.
 * All other code stays as written.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { ToolId } from "../../registry/tool-id.js";
import { analyse } from "../analyse.js";
import type { LiftedPlace } from "../analysis.js";
import { callArguments } from "../data/call-arguments.js";
import type { Use } from "../names/references.js";
import { correctSlips } from "../slips/correct-slips.js";
import type { NodeOf } from "../syntax/ast.js";
import { applyEdits, type Edit, keyText } from "../syntax/edits.js";
import { parseCode, WRAPPER_CHARS } from "../syntax/parse-code.js";
import { resolveScopes, type Scopes } from "../syntax/scopes.js";
import { SourceText } from "../syntax/source-text.js";
import type { Vocabulary } from "../vocabulary.js";
import { ArgumentTree, isWithin, RepairRefused } from "./argument-tree.js";

export type RepairStep =
  | { readonly kind: "move"; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly kind: "convert"; readonly path: readonly string[]; readonly to: "text" | "list" }
  | { readonly kind: "value"; readonly path: readonly string[]; readonly from: Json; readonly to: Json }
  | { readonly kind: "add"; readonly path: readonly string[]; readonly value: Json };

/** The changes of a tool that affect its calls. */
export interface CallRepair {
  readonly input: readonly RepairStep[];
  /** Fields that calls must not have, with the reason; without a path: why no call can stay unchanged. */
  readonly questions: readonly {
    readonly path?: readonly string[];
    readonly question: string;
    /** Calls must have the field. */
    readonly isOmitted?: true;
  }[];
  /** Changes of result fields that matter if the result is passed on as a whole. */
  readonly wholeQuestions?: readonly string[];
  readonly output: readonly RepairStep[];
  /** The tool's new name. */
  readonly renamed?: ToolId;
}

export type RepairedCode =
  | { readonly kind: "same" }
  | { readonly kind: "edited"; readonly code: string; readonly edits: number }
  | { readonly kind: "refused"; readonly reason: string };

export function repairCalls(
  code: string,
  vocabulary: Vocabulary,
  repairs: ReadonlyMap<ToolId, CallRepair>,
  required: readonly string[],
): RepairedCode {
  const source = new SourceText(code);
  const parsed = parseCode(source);
  const { body } = parsed;
  if (body === undefined) return { kind: "refused", reason: "the code cannot be parsed" };
  const read = correctSlips({ source, parsed: { ...parsed, body }, scopes: resolveScopes(body) }, vocabulary);
  if (read.source.text !== code) return { kind: "refused", reason: "the code is spelt in another way" };
  const lifted = liftedAt(code, vocabulary);
  const edits: Edit[] = [];
  try {
    for (const use of read.references.uses) {
      const { meaning } = use;
      const repair = meaning.kind === "tool" ? repairs.get(meaning.id) : undefined;
      if (repair === undefined || meaning.kind !== "tool") continue;
      const at = source.position(use.node.start - WRAPPER_CHARS);
      const places = lifted.get(`${at.line}:${at.column}`) ?? [];
      edits.push(
        ...callEdits(use, repair, { code, scopes: read.scopes, places, required, tool: meaning.id }),
      );
    }
  } catch (error) {
    if (error instanceof RepairRefused) return { kind: "refused", reason: error.message };
    throw error;
  }
  if (edits.length === 0) return { kind: "same" };
  return { kind: "edited", code: applyEdits(code, edits).text, edits: edits.length };
}

/** The lifted literals, by the position of their call. */
function liftedAt(code: string, vocabulary: Vocabulary): ReadonlyMap<string, readonly LiftedPlace[]> {
  const { calls } = analyse(code, vocabulary);
  return new Map(calls.map(({ line, column, lifted }) => [`${line}:${column}`, lifted]));
}

interface CallContext {
  readonly code: string;
  readonly scopes: Scopes;
  readonly places: readonly LiftedPlace[];
  readonly required: readonly string[];
  readonly tool: ToolId;
}

function callEdits(use: Use, repair: CallRepair, context: CallContext): readonly Edit[] {
  const { call } = use;
  const hasWork = repair.input.length + repair.questions.length + repair.output.length > 0;
  if (call === undefined && hasWork)
    throw new RepairRefused(`${context.tool} is passed on as a value, so that its arguments are not known`);
  const [whole] = repair.wholeQuestions ?? [];
  if (whole !== undefined && (call === undefined || isPassedOn(call, context.code)))
    throw new RepairRefused(whole);
  return [
    ...(repair.renamed === undefined ? [] : [nameEdit(use, repair.renamed, context)]),
    ...(call === undefined ? [] : argumentEdits(call, repair, context)),
    ...(call === undefined ? [] : resultEdits(call, repair.output)),
  ];
}

/** Whether more of a result is used than fields that the code names; true in doubt. */
function isPassedOn(call: NodeOf<"CallExpression">, code: string): boolean {
  const [before, after] = [
    code.slice(0, call.start - WRAPPER_CHARS).trimEnd(),
    code.slice(call.end - WRAPPER_CHARS),
  ];
  // `(await mcp.s.t({})).field`, `await mcp.s.t({});`, `const { field } = await mcp.s.t({})`
  if (/\(\s*await$/.test(before) && /^\s*\)\s*\??\.\s*[A-Za-z_$]/.test(after)) return false;
  if (/(?:^|[;{}])\s*await$/.test(before) && /^\s*(?:;|$)/.test(after)) return false;
  if (/\b(?:const|let)\s*\{[^{}.]*\}\s*=\s*await$/.test(before)) return false;
  const name = /\b(?:const|let)\s+([A-Za-z_$][\w$]*)\s*=\s*await$/.exec(before)?.[1];
  if (name === undefined) return true;
  const uses = code.split(new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`)).slice(1);
  return !uses.every((rest) => /^\s*(?:\??\.\s*[A-Za-z_$]|=\s*await\b)/.test(rest));
}

function nameEdit({ node }: Use, id: ToolId, { code, tool }: CallContext): Edit {
  const [start, end] = [node.start - WRAPPER_CHARS, node.end - WRAPPER_CHARS];
  if (!/^mcp\s*[.[?]/.test(code.slice(start, end)))
    throw new RepairRefused(`${tool} is not called by its name`);
  return { start, end, text: `mcp[${JSON.stringify(id)}]` };
}

function argumentEdits(
  call: NodeOf<"CallExpression">,
  { input, questions }: CallRepair,
  { code, scopes, places, required, tool }: CallContext,
): readonly Edit[] {
  const { kind, object, fields, isComplete } = callArguments(call, scopes);
  const [everywhere] = questions.filter(({ path }) => path === undefined);
  if (everywhere !== undefined) throw new RepairRefused(everywhere.question);
  const touching = [...input, ...questions];
  const isInside = object !== undefined && object.start >= call.start && object.end <= call.end;
  const isWritten =
    kind === "none" || (isInside && isComplete && fields.every(({ property }) => isWithin(property, object)));
  if (!isWritten) {
    if (touching.length === 0) return [];
    throw new RepairRefused(`the arguments of ${tool} are not written out in the call`);
  }
  const tree = new ArgumentTree({ code, scopes, object, lifted: places, required });
  for (const { path, question, isOmitted } of questions)
    if (path !== undefined && (isOmitted ? !tree.isGiven(path) : tree.has(path)))
      throw new RepairRefused(question);
  for (const step of input) tree.apply(step);
  return tree.edits(call);
}

/** Converts new results to the form that the code expects. */
function resultEdits(call: NodeOf<"CallExpression">, steps: readonly RepairStep[]): readonly Edit[] {
  if (steps.length === 0) return [];
  const end = call.end - WRAPPER_CHARS;
  return [{ start: end, end, text: `.then(${resultFunction(steps)})` }];
}

function resultFunction(steps: readonly RepairStep[]): string {
  const taken = new Map<string, string>();
  const made = new Map<string, string | Map<string, string>>();
  const moves = steps.filter((step) => step.kind === "move");
  const conversions = new Map(
    steps.flatMap((step) => (step.kind === "convert" ? [[step.path.join("."), step.to] as const] : [])),
  );
  const put = (path: readonly string[], value: string) => {
    const [first = "", second] = path;
    if (second === undefined) made.set(first, value);
    else {
      const inner = made.get(first);
      const map = inner instanceof Map ? inner : new Map<string, string>();
      made.set(first, map.set(second, value));
    }
  };
  for (const { from, to } of moves) {
    if (from.length > 2 || to.length > 2)
      throw new RepairRefused("a result field moved too deep to be moved back");
    const [first = "", second] = to;
    const name = taken.get(first) ?? `new${taken.size + 1}`;
    taken.set(first, name);
    const value =
      second === undefined
        ? name
        : `${name}?.${/^[A-Za-z_$][\w$]*$/.test(second) ? second : `[${JSON.stringify(second)}]`}`;
    put(from, converted(value, conversions.get(from.join("."))));
    conversions.delete(from.join("."));
  }
  for (const [path, to] of conversions) {
    if (path.includes(".")) throw new RepairRefused("a result field inside of an object has another type");
    const name = `new${taken.size + 1}`;
    taken.set(path, name);
    put([path], converted(name, to));
  }
  const pattern = [...taken].map(([key, name]) => `${keyText(key)}: ${name}`).join(", ");
  const fields = [...made].map(([key, value]) =>
    typeof value === "string"
      ? `${keyText(key)}: ${value}`
      : `${keyText(key)}: { ${[...value].map(([inner, one]) => `${keyText(inner)}: ${one}`).join(", ")} }`,
  );
  return `({ ${pattern}, ...rest }) => ({ ...rest, ${fields.join(", ")} })`;
}

function converted(value: string, to: "text" | "list" | undefined): string {
  if (to === undefined) return value;
  return `${value} === undefined ? undefined : ${to === "text" ? `String(${value})` : `[${value}]`}`;
}
