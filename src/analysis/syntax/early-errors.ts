/**
 * Errors in code that parses but cannot start: duplicate declarations, `break` outside of loops, and the like.
 *
 * The parser finds these, and quotes the code around each. For very many of them that takes too much time and memory,
 * so long code is checked in steps, each with more of its statements, until there are enough errors; long lines are
 * broken for that, where a line break has no effect.
 *
 * @module
 */
import { type OxcError, parseSync } from "oxc-parser";
import type { CodeProblem } from "../analysis.js";
import { PROBLEMS } from "../code-problem.js";
import type { Node } from "./ast.js";
import { applyEdits, type Edit, type EditedText } from "./edits.js";
import { SHORT_CODE, syntaxProblems, WRAPPER_CHARS, wrapped } from "./parse-code.js";
import type { SourceText } from "./source-text.js";

/** The size of the first step; every other is a multiple of the one before, or larger by a fixed size. */
const FIRST_CHARS = 4_096;
const STEP_TIMES = 8;
const STEP_CHARS = 65_536;
/** Longer lines are broken. */
const LINE_CHARS = 200;

type Language = "js" | "ts";

/** `types` are edits that erase types: only errors that remain without types keep code from running. */
export function earlyErrors(
  source: SourceText,
  lang: Language,
  types: readonly Edit[],
  nodes: readonly Node[],
): readonly CodeProblem[] {
  const { length } = source.text;
  if (length > SHORT_CODE) {
    const given = [...types, ...lineBreaks(source, nodes)];
    const lists = nodes.map(listOf).filter((list) => list.items.length > 1 || list.isWhole);
    for (let size = FIRST_CHARS; ; size = Math.min(STEP_TIMES * size, size + STEP_CHARS)) {
      const isAll = size >= length;
      const erased = applyEdits(source.text, isAll ? given : [...given, ...cuts(lists, size)]);
      const errors = errorsIn(erased.text, lang);
      if (errors.length > PROBLEMS) {
        const isSure = isAll || errors.filter((error) => !isPrivateName(error, erased)).length > PROBLEMS;
        if (isSure) return problemsOf(source, errors, erased);
        // With all of the code the errors may disappear.
        size = length;
      } else if (isAll && errors.length === 0) return [];
      else if (isAll) break;
    }
  }
  const erased = applyEdits(source.text, types);
  return problemsOf(source, errorsIn(erased.text, lang), erased);
}

function errorsIn(code: string, lang: Language): readonly OxcError[] {
  return parseSync(`code.${lang}`, wrapped(code), { lang, sourceType: "module", showSemanticErrors: true })
    .errors;
}

function problemsOf(
  source: SourceText,
  errors: readonly OxcError[],
  erased: EditedText,
): readonly CodeProblem[] {
  return syntaxProblems(source, errors, (offset) => erased.originalOffset(offset));
}

/** Whether a private name is undeclared: its declaration may be in an omitted part. */
function isPrivateName({ labels }: OxcError, { text }: EditedText): boolean {
  const [label] = labels;
  return labels.length === 1 && label !== undefined && text[label.start - WRAPPER_CHARS] === "#";
}

/** A list of statements, of members of a class or of declared names, of which all but the first can be omitted. */
interface List {
  readonly items: readonly (Node | null)[];
  /** The first one can be omitted too, because there are no commas. */
  readonly isWhole: boolean;
}

function listOf(node: Node): List {
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
    case "ClassBody":
      return { items: node.body as readonly Node[], isWhole: true };
    case "SwitchCase":
      return { items: node.consequent, isWhole: true };
    case "VariableDeclaration":
      return { items: node.declarations, isWhole: false };
    case "ArrayPattern":
      return { items: node.elements, isWhole: false };
    case "ObjectPattern":
      return { items: node.properties, isWhole: false };
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return { items: node.params as readonly Node[], isWhole: false };
    default:
      return { items: [], isWhole: false };
  }
}

/** Omits all items that start after an offset. */
function cuts(lists: readonly List[], size: number): readonly Edit[] {
  const from = size + WRAPPER_CHARS;
  return lists.flatMap(({ items, isWhole }): readonly Edit[] => {
    const last = items.at(-1);
    if (!last || last.end <= from) return [];
    const index = items.findIndex((item) => item !== null && item.start >= from);
    const first = isWhole ? items[index]?.start : items[index - 1]?.end;
    return first === undefined
      ? []
      : [{ start: first - WRAPPER_CHARS, end: last.end - WRAPPER_CHARS, text: "" }];
  });
}

/** Line breaks for long lines, at positions that allow them. */
function lineBreaks(source: SourceText, nodes: readonly Node[]): readonly Edit[] {
  if (source.lineLengths().every((length) => length <= LINE_CHARS)) return [];
  const places = nodes.flatMap((node): readonly number[] => {
    const place = breakIn(node);
    return place === undefined ? [] : [place - WRAPPER_CHARS];
  });
  places.sort((a, b) => a - b);
  const edits: Edit[] = [];
  let last = 0;
  for (const place of places) {
    if (place - last <= LINE_CHARS) continue;
    last = place;
    edits.push({ start: place, end: place, text: "\n" });
  }
  return edits;
}

/** A position for a line break before a node, or in it. */
function breakIn(node: Node): number | undefined {
  if (node.type === "MemberExpression" && !node.computed) return node.property.start;
  const { parent } = node;
  switch (parent?.type) {
    case "BlockStatement":
    case "StaticBlock":
    case "ClassBody":
    case "SwitchCase":
    case "ArrayExpression":
    case "ArrayPattern":
    case "ObjectExpression":
    case "ObjectPattern":
    case "NewExpression":
    case "SequenceExpression":
    case "SpreadElement":
    case "TemplateLiteral":
    case "UnaryExpression":
    case "AwaitExpression":
    case "LabeledStatement":
    case "IfStatement":
    case "SwitchStatement":
      return node.start;
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression":
    case "AssignmentPattern":
      return node === parent.right ? node.start : undefined;
    case "ConditionalExpression":
      return node === parent.test ? undefined : node.start;
    case "CallExpression":
      return node === parent.callee ? undefined : node.start;
    case "VariableDeclaration":
      return node === parent.declarations[0] ? undefined : node.start;
    case "ArrowFunctionExpression":
      return node === parent.params[0] ? undefined : node.start;
    case "FunctionExpression":
    case "FunctionDeclaration":
      return node === parent.params[0] || node === parent.id ? undefined : node.start;
    default:
      return undefined;
  }
}
