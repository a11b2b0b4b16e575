/**
 * Parses code to its syntax tree, or to its problems.
 *
 * Code is the body of an async function, so it is parsed inside one. If the parse gives anything but that one function,
 * the code has closed it. Offsets in the tree are those of the wrapped code: {@link WRAPPER_CHARS} more.
 *
 * @module
 */
import { type OxcError, parseSync } from "oxc-parser";
import { LIMITS } from "../../base/limits.js";
import type { CodeProblem } from "../analysis.js";
import { firstPlaces, inOrder, PROBLEMS, problemAt } from "../code-problem.js";
import type { Node, NodeOf } from "./ast.js";
import { findDeepNesting } from "./nesting.js";
import type { SourceText } from "./source-text.js";

const HEAD = "async()=>{";
const TAIL = "\n}";

/** The offset of the code in its tree. */
export const WRAPPER_CHARS = HEAD.length;

export type FunctionBody = NodeOf<"BlockStatement">;

/** Code up to this length is parsed and checked in one step. */
export const SHORT_CODE = 16_384;
/**
 * The parser quotes the whole line for every error: this is the limit of the sum of squared line lengths for one parse.
 */
const QUOTED_CHARS = 2 * SHORT_CODE ** 2;

export interface ParsedCode {
  /** Absent if the code cannot be parsed at all. */
  readonly body: FunctionBody | undefined;
  /**
   * If there is a body, these may be problems of types alone: only errors that remain without types keep it from
   * running.
   */
  readonly problems: readonly CodeProblem[];
  /** Whether duplicate declarations and the like are among the problems: not in long code. */
  readonly isChecked: boolean;
}

/** Code in the form for the parser. */
export function wrapped(code: string): string {
  return HEAD + code + TAIL;
}

export function parseCode(source: SourceText): ParsedCode {
  const refused = refuseSize(source);
  if (refused !== undefined) return nothingBut([refused]);
  const flood = findFlood(source);
  if (flood !== undefined) return nothingBut(syntaxProblems(source, flood));
  const whole = wrapped(source.text);
  const isChecked = source.text.length <= SHORT_CODE;
  const result = parseSync("code.ts", whole, { ...TYPESCRIPT, showSemanticErrors: isChecked });
  const body = onlyFunction(result.program.body as readonly Node[], whole.length);
  const stray = body === undefined ? findStrayBrace(source, whole) : undefined;
  if (stray !== undefined) return nothingBut([stray]);
  const problems = syntaxProblems(source, result.errors);
  if (body === undefined && problems.length === 0)
    return nothingBut([problemAt(source, 0, { code: "CODE_SYNTAX", message: "Cannot parse the code" })]);
  return { body, problems, isChecked };
}

const TYPESCRIPT = { lang: "ts", sourceType: "module", preserveParens: false } as const;

function nothingBut(problems: readonly CodeProblem[]): ParsedCode {
  return { body: undefined, problems, isChecked: true };
}

/**
 * Finds so many errors in long lines that quoting them all would use up the memory, by parsing growing parts of the
 * code.
 */
function findFlood(source: SourceText): readonly OxcError[] | undefined {
  let spent = 0;
  let start = 0;
  for (const length of source.lineLengths()) {
    let column = 0;
    // Each error in the added part quotes the line up to its end.
    for (;;) {
      const more = (Math.sqrt(column ** 2 + 4 * (QUOTED_CHARS - spent)) - column) / 2;
      if (column + more >= length) break;
      column += Math.max(1, Math.floor(more));
      spent = 0;
      const { errors } = parseSync("code.ts", HEAD + source.text.slice(0, start + column), TYPESCRIPT);
      if (errors.length > PROBLEMS) return errors;
    }
    spent += (length - column) * length;
    start += length;
  }
  return undefined;
}

/** The parser's problems, in order of position; `originalOffset` maps from the parsed code to the code as written. */
export function syntaxProblems(
  source: SourceText,
  errors: readonly OxcError[],
  originalOffset: (offset: number) => number = (offset) => offset,
): readonly CodeProblem[] {
  const wrong = errors.filter(({ severity }) => severity === "Error");
  const first = firstPlaces(wrong, (error) => placeOf(error)?.start ?? 0);
  return inOrder(first.map((error) => syntaxProblem(source, error, originalOffset)));
}

/** The first label is the position, and the others are related ones; a second declaration is the second label. */
function placeOf({ message, labels }: OxcError): OxcError["labels"][number] | undefined {
  return message.endsWith("has already been declared") ? labels[labels.length - 1] : labels[0];
}

/** Whether it exceeds the size limit of code. */
export function isTooLong(code: string): boolean {
  const { codeBytes } = LIMITS;
  // A UTF-16 unit takes between one and three bytes.
  if (code.length > codeBytes) return true;
  return code.length * 3 > codeBytes && new TextEncoder().encode(code).length > codeBytes;
}

function refuseSize(source: SourceText): CodeProblem | undefined {
  const { text } = source;
  if (isTooLong(text)) {
    return problemAt(source, 0, {
      code: "LIMIT_EXCEEDED",
      message: `Code may have ${LIMITS.codeBytes} bytes of UTF-8 (256 KiB) at most`,
      hint: "Pass data as arguments, or split the code into capabilities that call one another.",
    });
  }
  const deep = findDeepNesting(text);
  if (deep === undefined) return undefined;
  return problemAt(source, deep.offset, {
    code: "LIMIT_EXCEEDED",
    message: `Code may be nested ${LIMITS.codeLevels} levels deep at most`,
    hint: "Use variables for the inner parts, or pass data as arguments.",
  });
}

/** The function's body, if the program is that function and nothing else. */
function onlyFunction(program: readonly Node[], end: number): FunctionBody | undefined {
  const [statement] = program;
  if (program.length !== 1 || statement?.type !== "ExpressionStatement") return undefined;
  const arrow = statement.expression as Node;
  if (arrow.type !== "ArrowFunctionExpression" || arrow.start !== 0 || arrow.end !== end) return undefined;
  const body = arrow.body as Node;
  if (body.type !== "BlockStatement" || body.start !== HEAD.length - 1 || body.end !== end) return undefined;
  return body;
}

/** Finds a brace in the code that closes the wrapper function: the code parses up to that brace. */
function findStrayBrace(source: SourceText, wrapped: string): CodeProblem | undefined {
  // If nothing follows the brace, the parser reports the wrapper's own.
  const program = parseLoosely(wrapped) ?? parseLoosely(HEAD + source.text);
  let node = program?.[0];
  while (node !== undefined && node.type !== "ArrowFunctionExpression") {
    if (node.type === "ExpressionStatement") node = node.expression;
    else if (node.type === "SequenceExpression") node = node.expressions[0];
    else return undefined;
  }
  if (node === undefined || node.start !== 0) return undefined;
  return problemAt(source, node.end - 1 - WRAPPER_CHARS, {
    code: "CODE_SYNTAX",
    message: "Unexpected `}`: there is no matching opening bracket",
  });
}

function parseLoosely(code: string): readonly Node[] | undefined {
  const { program } = parseSync("code.ts", code, { lang: "ts", sourceType: "module", preserveParens: false });
  return program.body.length === 0 ? undefined : (program.body as readonly Node[]);
}

/** `read(path: "x")`. */
const NAMED_ARGUMENT = /^Expected `,` or `\)` but found `:`/;
const ONE_OBJECT = 'A tool takes its arguments in one object: tool({ name: "value" })';

function syntaxProblem(
  source: SourceText,
  error: OxcError,
  originalOffset: (offset: number) => number,
): CodeProblem {
  const place = (label: { readonly start: number }): number =>
    originalOffset(Math.max(0, label.start - WRAPPER_CHARS));
  const label = placeOf(error);
  const offset = label === undefined ? 0 : place(label);
  const isPastEnd = offset >= source.text.length;
  const opened = error.labels.find(
    (other) => other.message === "Opened here" && other.start >= WRAPPER_CHARS,
  );
  const opening =
    opened === undefined ? "" : ` (the bracket was opened in line ${source.position(place(opened)).line})`;
  const token = label === undefined ? "" : source.text.slice(offset, offset + label.end - label.start);
  return problemAt(source, isPastEnd ? source.text.trimEnd().length : offset, {
    code: "CODE_SYNTAX",
    message: clean(error.message, isPastEnd, token) + opening,
    hint: error.helpMessage ?? (NAMED_ARGUMENT.test(error.message) ? ONE_OBJECT : undefined),
  });
}

function clean(message: string, isPastEnd: boolean, token: string): string {
  if (isPastEnd && !message.startsWith("Unterminated")) return "Unexpected end of the code";
  if (message === "Unexpected token" && /^\S{1,20}$/.test(token)) return `Unexpected \`${token}\``;
  return message.replaceAll("`EOF`", "the end of the code").replace(/\.$/, "");
}
