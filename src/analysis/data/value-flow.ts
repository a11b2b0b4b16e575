/**
 * One step of data flow: from an expression, or a variable, to the expressions that determine its value.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import type { FoundReads } from "../parameters/parameter-reads.js";
import { type FunctionNode, isFunction, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import type { Binding, Scopes } from "../syntax/scopes.js";
import { callFlow, newFlow } from "./call-flow.js";
import { type Changes, few } from "./changes.js";
import type { FlowSyntax } from "./flow-syntax.js";
import type { Invocations } from "./invocations.js";
import { ANY, field, isItem, RETURNED, type Step, type ValuePath, type ValuePaths } from "./value-path.js";
import { type Answers, type Invocation, made, type Question, type Source } from "./value-question.js";
import type { WriteOrder } from "./write-order.js";

/** Constant while questions are answered. */
export interface FlowWorld {
  readonly scopes: Scopes;
  readonly paths: ValuePaths;
  readonly reads: FoundReads;
  readonly changes: Changes;
  readonly uses: ReadonlyMap<Node, Use>;
  readonly syntax: FlowSyntax;
  readonly invocations: Invocations;
  readonly writesAt: WriteOrder;
}

export function valueFlow(question: Question, world: FlowWorld, answers: Answers): void {
  const { at } = question;
  if (!("type" in at)) {
    for (const write of few(at.writes)) writeFlow(write, question, world, answers);
    changeFlow(at, question, world, answers);
  } else expressionFlow(at, question, world, answers);
}

function expressionFlow(given: Node, question: Question, world: FlowWorld, answers: Answers): void {
  const { path, form } = question;
  const { scopes, paths, reads, uses } = world;
  const node = withoutTypes(given);
  const use = uses.get(node);
  if (use !== undefined) {
    if (node === use.call) answers.result(use, path, form);
    else if (path.head === RETURNED && path.tail !== undefined) answers.result(use, path.tail, form);
    else if (path.head === undefined) answers.callable(use);
    return;
  }
  const parameter = reads.parameterAt.get(node);
  // `"a" in args` only says whether it is present.
  if (parameter !== undefined)
    answers.parameter(parameter.name, path, node.type === "BinaryExpression" ? made(form, "boolean") : form);
  switch (node.type) {
    case "Identifier":
      variableFlow(node, question, world, answers);
      return;
    case "MemberExpression": {
      if (parameter !== undefined || node.property.type === "PrivateIdentifier") return;
      const key = staticKey(node.property, node.computed, scopes);
      answers.ask(node.object, paths.before(key === undefined ? ANY : field(key), path), form);
      // Which item is selected depends on the key.
      if (key === undefined) answers.ask(node.property, paths.empty, made(form, "other"));
      return;
    }
    case "ChainExpression":
      answers.ask(node.expression, path, form);
      return;
    case "AwaitExpression":
      answers.ask(node.argument, path, form);
      return;
    case "CallExpression":
      callFlow(node, question, world, answers);
      return;
    case "NewExpression":
      newFlow(node, question, world, answers);
      return;
    case "ObjectExpression":
      objectFlow(node, question, world, answers);
      return;
    case "ArrayExpression":
      arrayFlow(node, question, world, answers);
      return;
    case "ConditionalExpression":
      answers.ask(node.consequent, path, form);
      answers.ask(node.alternate, path, form);
      return;
    case "LogicalExpression":
      // The left side of `&&` is the result only if it is falsy.
      if (node.operator !== "&&") answers.ask(node.left, path, form);
      answers.ask(node.right, path, form);
      return;
    case "SequenceExpression":
      answers.ask(node.expressions.at(-1) as Node, path, form);
      return;
    case "AssignmentExpression":
      if (node.operator === "=") answers.ask(node.right, path, form);
      else {
        answers.ask(node.left, path, form);
        answers.ask(node.right, path, made(form, isLogical(node.operator) ? "value" : "other"));
      }
      return;
    case "TemplateLiteral":
      for (const each of node.expressions) answers.ask(each, paths.empty, made(form, "string"));
      return;
    case "TaggedTemplateExpression":
      for (const each of node.quasi.expressions) answers.ask(each, paths.empty, made(form, "other"));
      return;
    case "BinaryExpression": {
      const result = made(form, binaryForm(node));
      answers.ask(node.left, paths.empty, result);
      answers.ask(node.right, paths.empty, result);
      return;
    }
    case "UnaryExpression":
      if (node.operator === "void" || node.operator === "delete") return;
      answers.ask(node.argument, paths.empty, made(form, unaryForm(node.operator)));
      return;
    case "UpdateExpression":
      answers.ask(node.argument, paths.empty, made(form, "number"));
      return;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      functionFlow(node, question, world, answers);
      return;
    default:
  }
}

function isLogical(operator: string): boolean {
  return operator === "??=" || operator === "||=" || operator === "&&=";
}

const COMPARING: ReadonlySet<string> = new Set("== != === !== < <= > >= in instanceof".split(" "));

function binaryForm({
  operator,
  left,
  right,
}: NodeOf<"BinaryExpression">): "string" | "number" | "boolean" | "other" {
  if (COMPARING.has(operator)) return "boolean";
  if (operator !== "+") return "number";
  return isText(left) || isText(right) ? "string" : "other";
}

function isText(given: Node): boolean {
  const node = withoutTypes(given);
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

function unaryForm(operator: string): "string" | "number" | "boolean" {
  if (operator === "!") return "boolean";
  return operator === "typeof" ? "string" : "number";
}

function variableFlow(
  node: NodeOf<"Identifier">,
  question: Question,
  world: FlowWorld,
  answers: Answers,
): void {
  const { path, form } = question;
  const binding = world.scopes.bindingOf(node);
  if (binding === undefined) {
    const { head, tail } = path;
    if (node.name !== "args") return;
    if (head?.startsWith(".") && tail !== undefined) answers.parameter(head.slice(1), tail, form);
    else answers.parameter("args", path, made(form, "other"));
    return;
  }
  const seen = world.writesAt(node, binding);
  if (isAnyWrite(seen, binding)) {
    answers.ask(binding, path, form);
    return;
  }
  for (const write of seen) writeFlow(write, question, world, answers);
  changeFlow(binding, question, world, answers);
}

/** Whether the visible writes are all writes. */
export function isAnyWrite(seen: readonly Node[], { writes }: Binding): boolean {
  return seen === writes || seen.length === writes.length;
}

/** Values that were added to the variable's value. */
function changeFlow(binding: Binding, { path, form }: Question, world: FlowWorld, answers: Answers): void {
  const { paths, changes } = world;
  for (const { place, value, part } of changes.on(binding, path)) {
    // The added value is a part of the whole that is asked for.
    if (place.length > path.length) answers.ask(value, paths.empty, made(form, "other"));
    else answers.ask(value, prefixed(part, skip(path, place.length), paths), form);
  }
}

export function prefixed(steps: readonly Step[], path: ValuePath, paths: ValuePaths): ValuePath {
  let whole = path;
  for (let i = steps.length - 1; i >= 0; i -= 1) whole = paths.before(steps[i] as Step, whole);
  return whole;
}

function skip(path: ValuePath, count: number): ValuePath {
  let rest = path;
  for (let i = 0; i < count && rest.tail !== undefined; i += 1) rest = rest.tail;
  return rest;
}

/** From a variable to its assigned values, through the patterns around it. */
function writeFlow(write: Node, question: Question, world: FlowWorld, answers: Answers): void {
  const { form } = question;
  const { scopes, paths, syntax } = world;
  let { path } = question;
  let child = write;
  for (let parent = child.parent; parent; parent = child.parent) {
    switch (parent.type) {
      case "Property": {
        const key = staticKey(parent.key, parent.computed, scopes);
        path = paths.before(key === undefined ? ANY : field(key), path);
        break;
      }
      case "ArrayPattern":
        if (child.type !== "RestElement") path = paths.before(field(String(syntax.indexOf(child))), path);
        else if (isItem(path.head) && path.tail !== undefined) path = paths.before(ANY, path.tail);
        break;
      case "AssignmentPattern":
        answers.ask(parent.right, path, form);
        break;
      case "VariableDeclarator": {
        const loop = parent.parent?.parent;
        if (parent.init) answers.ask(parent.init, path, form);
        else if (loop?.type === "ForOfStatement" || loop?.type === "ForInStatement")
          itemFlow(loop, { ...question, path }, world, answers);
        return;
      }
      case "ForOfStatement":
      case "ForInStatement":
        itemFlow(parent, { ...question, path }, world, answers);
        return;
      case "AssignmentExpression":
        if (parent.operator === "=" || isLogical(parent.operator)) answers.ask(parent.right, path, form);
        else
          answers.ask(parent.right, paths.empty, made(form, parent.operator === "+=" ? "other" : "number"));
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        if (parent.type !== "ArrowFunctionExpression" && parent.id === child) answers.ask(parent, path, form);
        else parameterFlow(parent, child, { ...question, path }, world, answers);
        return;
      case "ObjectPattern":
      case "RestElement":
      case "TSParameterProperty":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
        break;
      default:
        return;
    }
    child = parent;
  }
}

function itemFlow(
  loop: NodeOf<"ForOfStatement" | "ForInStatement">,
  { path, form }: Question,
  { paths }: FlowWorld,
  answers: Answers,
): void {
  if (loop.type === "ForOfStatement") answers.ask(loop.right, paths.before(ANY, path), form);
  else answers.ask(loop.right, paths.empty, made(form, "string"));
}

/** From a parameter to the arguments of its function's calls. */
function parameterFlow(
  owner: FunctionNode,
  parameter: Node,
  { path, form }: Question,
  { paths, syntax, invocations }: FlowWorld,
  answers: Answers,
): void {
  const index = syntax.indexOf(parameter);
  if (index === undefined) return;
  if (!invocations.isComplete) answers.provisional();
  for (const invocation of few(invocations.of(owner))) {
    const { sources, rest } =
      parameter.type === "RestElement"
        ? restGiven(invocation, index, path)
        : { sources: invocation.given(index), rest: path };
    for (const source of sources) {
      const inner = prefixed(source.steps, rest ?? paths.empty, paths);
      answers.ask(source.node, inner, made(form, rest === undefined ? "other" : source.form));
    }
  }
}

/** The items of a rest parameter's list; `rest` is the path into an item. */
function restGiven(
  invocation: Invocation,
  index: number,
  { head, tail }: ValuePath,
): { readonly sources: readonly Source[]; readonly rest: ValuePath | undefined } {
  if (head === undefined || !isItem(head)) return { sources: invocation.givenFrom(index), rest: undefined };
  const sources =
    head === ANY ? invocation.givenFrom(index) : invocation.given(index + Number(head.slice(1)));
  return { sources, rest: tail };
}

function functionFlow(
  node: FunctionNode,
  { path, form }: Question,
  { paths, syntax }: FlowWorld,
  answers: Answers,
): void {
  if (path.head === undefined) answers.callable(node);
  if (path.head !== RETURNED || path.tail === undefined) return;
  let rest = path.tail;
  if (node.generator) {
    // A generator counts as a list of the values that it yields.
    if (rest.tail === undefined) {
      for (const source of syntax.returned(node)) answers.ask(source.node, paths.empty, made(form, "other"));
      return;
    }
    rest = rest.tail;
  }
  for (const source of syntax.returned(node))
    answers.ask(source.node, prefixed(source.steps, rest, paths), form);
}

function objectFlow(
  node: NodeOf<"ObjectExpression">,
  { path, form }: Question,
  { scopes, paths, syntax }: FlowWorld,
  answers: Answers,
): void {
  const { head, tail } = path;
  const fields = head?.startsWith(".") ? syntax.fieldsOf(node) : undefined;
  if (fields !== undefined && head !== undefined && tail !== undefined) {
    const property = fields.get(head.slice(1));
    if (property !== undefined) answers.ask(property.value, fieldPath(property, tail, paths), form);
    return;
  }
  if (head === undefined || tail === undefined) {
    for (const property of node.properties) {
      const value = property.type === "SpreadElement" ? property.argument : property.value;
      if (!isFunction(value)) answers.ask(value, paths.empty, made(form, "other"));
    }
    return;
  }
  // The last property with the key counts.
  for (let i = node.properties.length - 1; i >= 0; i -= 1) {
    const property = node.properties[i] as NodeOf<"Property" | "SpreadElement">;
    if (property.type === "SpreadElement") {
      answers.ask(property.argument, path, form);
      continue;
    }
    const key = staticKey(property.key, property.computed, scopes);
    if (key !== undefined && head !== ANY && head !== field(key)) continue;
    answers.ask(property.value, fieldPath(property, tail, paths), form);
    if (key !== undefined && head !== ANY) return;
  }
}

function fieldPath({ kind }: NodeOf<"Property">, path: ValuePath, paths: ValuePaths): ValuePath {
  return kind === "get" ? paths.before(RETURNED, path) : path;
}

function arrayFlow(
  node: NodeOf<"ArrayExpression">,
  { path, form }: Question,
  { paths, syntax }: FlowWorld,
  answers: Answers,
): void {
  const { head, tail } = path;
  if (head === undefined || tail === undefined) {
    for (const element of node.elements) {
      if (element?.type === "SpreadElement") answers.ask(element.argument, paths.empty, made(form, "other"));
      else if (element !== null) answers.ask(element, paths.empty, made(form, "other"));
    }
    return;
  }
  if (!isItem(head)) return;
  const spread = syntax.firstSpread(node);
  const wanted = head === ANY ? undefined : Number(head.slice(1));
  if (wanted !== undefined && wanted < spread) {
    const element = node.elements[wanted];
    if (element) answers.ask(element, tail, form);
    return;
  }
  // After a spread, any index can be any item.
  for (const element of wanted === undefined ? node.elements : node.elements.slice(spread)) {
    if (element?.type === "SpreadElement") answers.ask(element.argument, paths.before(ANY, tail), form);
    else if (element !== null) answers.ask(element, tail, form);
  }
}
