/**
 * The code that the sandbox runs: calls, decisions, loops and forks report their node when they are passed.
 *
 * Everything is inserted around existing code, on the same line; nothing moves, and no value changes. The hidden object
 * `$pml` receives the reports.
 *
 * @module
 */

import { caseOutcome, type FlowSite, isPlainTarget, type LoopStatement } from "../flow/flow-site.js";
import { contextOf, type FunctionNode, type Node, type NodeOf } from "../syntax/ast.js";
import { type Edit, type Wrap, wrapEdits } from "../syntax/edits.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";

/** The order of wraps around the same text, from outside to inside: see {@link Wrap.layer}. */
export const LAYERS = {
  /** Belongs to the enclosing statement or function: the body of a loop, of a callback, of a case. */
  body: 0,
  statement: 1,
  /** Belongs to the enclosing statement or expression: a condition, or the list of a loop. */
  operand: 2,
  /** Belongs to the expression itself. */
  own: 3,
  /** A literal, which contains nothing. */
  literal: 4,
} as const;

/**
 * All edits for runnable code, in an order that {@link applyEdits} keeps.
 *
 * Types come first, since the brackets that they leave end inside everything that reports; then rewritten references;
 * then the insertions around code: sites and literals, nested like their parts of the code.
 */
export function runnableEdits(
  code: string,
  {
    types,
    references,
    sites,
    literals,
  }: {
    readonly types: readonly Edit[];
    readonly references: readonly Edit[];
    readonly sites: readonly FlowSite[];
    /** The insertions around literals, on the layer {@link LAYERS}`.literal`. */
    readonly literals: readonly Wrap[];
  },
): readonly Edit[] {
  const keyed = new Set(references.flatMap(({ start, end }) => (start === end ? [start] : [])));
  const wraps = [...new SiteWriter(code, keyed).write(sites), ...literals];
  return [...types, ...references, ...wrapEdits(wraps)];
}

class SiteWriter {
  readonly #code: string;
  /** Shorthand properties whose key was already written out. */
  readonly #keyed: ReadonlySet<number>;
  /** A prefix for variables that no name in the code has. */
  readonly #prefix: string;
  readonly #wraps: Wrap[] = [];
  #variables = 0;

  constructor(code: string, keyed: ReadonlySet<number>) {
    this.#code = code;
    this.#keyed = keyed;
    this.#prefix = unusedPrefix(code);
  }

  write(sites: readonly FlowSite[]): readonly Wrap[] {
    for (const site of sites) this.#site(site);
    return this.#wraps;
  }

  #site(site: FlowSite): void {
    const { kind, node } = site;
    const id = JSON.stringify(site.id);
    switch (kind) {
      case "call":
        this.#call(node, id);
        break;
      case "value":
        this.#value(node, id);
        break;
      case "test":
        this.#operand(node, `$pml.test(${id},`);
        break;
      case "nullish":
        this.#operand(node, `$pml.nullish(${id},`);
        break;
      case "enter-after":
        this.#enterAfter(node, `$pml.enter(${id},`);
        break;
      case "enter-before":
        this.#enterBefore(node, id);
        break;
      case "join":
        if (!isCutShort(node)) this.#around(node, ` $pml.join(${id},`, ")", LAYERS.own);
        break;
      case "again":
        this.#callback(node, id);
        break;
      case "loop":
        this.#loop(node, id);
        break;
      case "switch":
        this.#switch(node, id);
        break;
      case "try":
        this.#try(node, id);
        break;
    }
  }

  #newVariable(): string {
    this.#variables += 1;
    return `${this.#prefix}${this.#variables}`;
  }

  #wrap(start: number, end: number, before: string, after: string, layer: number): void {
    this.#wraps.push({ start: start - WRAPPER_CHARS, end: end - WRAPPER_CHARS, before, after, layer });
  }

  #around(node: Node, before: string, after: string, layer: number): void {
    this.#wrap(node.start, node.end, before, after, layer);
  }

  /** After the opening and before the closing brace. */
  #inside(block: Node, before: string, after = ""): void {
    this.#wrap(block.start + 1, block.end - 1, before, after, LAYERS.body);
  }

  #operand(node: Node, call: string): void {
    const assignment = logicalAssignment(node);
    if (assignment !== undefined) {
      const name = this.#code.slice(node.start - WRAPPER_CHARS, node.end - WRAPPER_CHARS);
      // A name that spans lines or contains comments cannot be written a second time.
      if (/[\r\n\u2028\u2029]|\/[/*]/.test(name)) return;
      // A bracket at the start of a statement could continue the previous one.
      const isListed = /^(?:Expression|Sequence)/.test(assignment.parent?.type ?? "");
      const [open, close] = isListed ? ["", ""] : ["(", ")"];
      this.#around(assignment, ` ${open}${call}${name}),`, close, LAYERS.own);
      return;
    }
    const isList = node.type === "SequenceExpression";
    // The space separates it from the word before: `return"x"`.
    this.#around(node, isList ? ` ${call}(` : ` ${call}`, isList ? "))" : ")", LAYERS.operand);
  }

  /** Adds the node's id as second argument. */
  #call(call: NodeOf<"CallExpression">, id: string): void {
    const [argument, ...others] = call.arguments;
    const close = call.end - 1;
    if (argument === undefined) this.#wrap(close, close, `undefined, ${id}`, "", LAYERS.body);
    else if (argument.type !== "SpreadElement" && others.length === 0) {
      const comma = hasTrailingComma(this.#code, argument.end - WRAPPER_CHARS, close - WRAPPER_CHARS);
      this.#wrap(argument.start, close, "", comma ? id : `, ${id}`, LAYERS.body);
    }
  }

  #value(node: Node, id: string): void {
    const key = shorthandKey(node);
    if (key === undefined && !isPassedOn(node)) return;
    const isKeyed = key === undefined || this.#keyed.has(node.start - WRAPPER_CHARS);
    this.#around(node, `${isKeyed ? "" : `${key}:`} $pml.use(${id},`, ")", LAYERS.own);
  }

  #enterBefore(node: Node, id: string): void {
    const inner = node.type === "SpreadElement" ? node.argument : node;
    this.#around(inner, ` ($pml.enter(${id}),`, ")", LAYERS.operand);
  }

  #enterAfter(node: Node, call: string): void {
    // `a?.b.map(f)` ends early without `a`, and `super` is not a value: then the first argument is used, which is
    // evaluated next.
    const operand = node.type === "Super" || isCutShort(node) ? firstArgument(node) : node;
    if (operand !== undefined) this.#operand(operand, call);
  }

  #callback({ body }: FunctionNode, id: string): void {
    const node = body as Node | null;
    if (node?.type === "BlockStatement") this.#inside(node, `$pml.again(${id});`);
    else if (node) this.#around(node, `($pml.again(${id}),`, ")", LAYERS.body);
  }

  #loop(loop: LoopStatement, id: string): void {
    this.#enterLoop(loop, id);
    const { body } = loop;
    if (body.type === "BlockStatement") this.#inside(body, `$pml.again(${id});`);
    else this.#around(body, `{$pml.again(${id});`, "}", LAYERS.body);
  }

  /** Reports that a loop is entered, after its list or its first value is evaluated. */
  #enterLoop(loop: LoopStatement, id: string): void {
    const enter = `$pml.enter(${id}`;
    const isEach = loop.type === "ForOfStatement" || loop.type === "ForInStatement";
    const first: Node | null = isEach ? loop.right : loop.type === "ForStatement" ? loop.init : null;
    if (first === null) {
      this.#wrap(startWithLabels(loop), loop.end, `{${enter});`, "}", LAYERS.statement);
    } else if (first.type === "VariableDeclaration") {
      this.#around(first, "", `,${this.#newVariable()}=${enter})`, LAYERS.operand);
    } else this.#operand(first, `${enter},`);
  }

  /** A variable records whether a case was reached, so that a fall-through reports once. */
  #switch(node: NodeOf<"SwitchStatement">, id: string): void {
    const isOpen = this.#newVariable();
    const mark = (outcome: string): string => `${isOpen}&&=$pml.outcome(${id},${JSON.stringify(outcome)});`;
    const after = `${mark("default")}}`;
    this.#wrap(startWithLabels(node), node.end, `{let ${isOpen}=!0;`, after, LAYERS.statement);
    for (const { test, consequent, end } of node.cases) {
      const outcome =
        test === null
          ? "default"
          : caseOutcome(this.#code.slice(test.start - WRAPPER_CHARS, test.end - WRAPPER_CHARS));
      const start = consequent[0]?.start ?? end;
      this.#wrap(start, end, mark(outcome), "", LAYERS.body);
    }
  }

  #try({ block, handler }: NodeOf<"TryStatement">, id: string): void {
    this.#inside(block, "", `;$pml.outcome(${id},"ok")`);
    if (handler !== null) this.#inside(handler.body, `$pml.outcome(${id},"error");`);
  }
}

/** The assignment of `x ??= y` if `node` is `x`, which cannot be wrapped itself, but can be read before it. */
function logicalAssignment(node: Node): NodeOf<"AssignmentExpression"> | undefined {
  const { parent } = node;
  return parent?.type === "AssignmentExpression" && parent.left === node && isPlainTarget(node)
    ? parent
    : undefined;
}

/** The start of a statement with all its labels: `continue` needs its label directly at the loop. */
function startWithLabels(statement: Node): number {
  let outer = statement;
  while (outer.parent?.type === "LabeledStatement") outer = outer.parent;
  return outer.start;
}

/**
 * Whether an expression is the beginning of a chain that contains a `?.`: without a value, the whole chain ends there.
 */
function isCutShort(expression: Node): boolean {
  let node: Node = expression;
  for (;;) {
    if (node.type === "MemberExpression") {
      if (node.optional) return true;
      node = node.object;
    } else if (node.type === "CallExpression") {
      if (node.optional) return true;
      node = node.callee;
    } else if (node.type === "TSNonNullExpression") node = node.expression;
    else return false;
  }
}

/** The first argument of a method call on `receiver`. */
function firstArgument(receiver: Node): Node | undefined {
  const { parent: member } = contextOf(receiver);
  const call = member && contextOf(member).parent;
  const [argument] = call?.type === "CallExpression" ? call.arguments : [];
  return argument?.type === "SpreadElement" ? undefined : argument;
}

/** The key of `{ read }`, if it is in an object and not in a pattern. */
function shorthandKey(node: Node): string | undefined {
  const property = node.parent;
  const isShorthand =
    property?.type === "Property" && property.shorthand && property.parent?.type === "ObjectExpression";
  return isShorthand && node.type === "Identifier" ? node.name : undefined;
}

/** Whether it is in a position for any expression: not in a pattern, not destructured, not constructed. */
function isPassedOn(node: Node): boolean {
  const { parent, child } = contextOf(node);
  switch (parent?.type) {
    case undefined:
    case "NewExpression":
    case "ClassDeclaration":
    case "ClassExpression":
    case "ArrayPattern":
    case "ObjectPattern":
    case "RestElement":
      return parent?.type === "NewExpression" && parent.callee !== child;
    case "MemberExpression":
      return parent.object !== child;
    case "Property":
      return parent.value === child && parent.parent?.type !== "ObjectPattern";
    case "AssignmentPattern":
    case "AssignmentExpression":
      return parent.right === child;
    case "VariableDeclarator":
      return parent.init === child;
    case "ForInStatement":
    case "ForOfStatement":
      return parent.right === child;
    default:
      return true;
  }
}

/** A prefix that no name in the code has, in any spelling. */
function unusedPrefix(code: string): string {
  const spelt = code.replace(/\\u(?:\{0*([\da-f]{1,6})\}|([\da-f]{4}))/gi, (_, braced, plain) =>
    String.fromCharCode(Number.parseInt(braced ?? plain, 16)),
  );
  const used = new Set(Array.from(spelt.matchAll(/\$pml\d*_/g), ([name]) => name));
  let prefix = "$pml_";
  for (let count = 1; used.has(prefix); count += 1) prefix = `$pml${count}_`;
  return prefix;
}

/** Whether there is a comma between the last argument and the closing bracket, outside of comments. */
function hasTrailingComma(code: string, from: number, to: number): boolean {
  return code
    .slice(from, to)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\r\n\u2028\u2029]*/g, "")
    .includes(",");
}
