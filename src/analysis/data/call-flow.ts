/**
 * The results of calls: of functions in the code, of built-in functions, and of methods of lists, maps, promises and
 * text.
 *
 * @module
 */

import { isKnownGlobal } from "../names/globals.js";
import { isFunction, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { numberOf, staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import type { FlowWorld } from "./value-flow.js";
import { ANY, field, isItem, MAPPED, RETURNED, type ValuePath, type ValuePaths } from "./value-path.js";
import { type Answers, type Form, made, type Question } from "./value-question.js";

/** A call of a function that is not part of the code. */
interface Step {
  readonly path: ValuePath;
  readonly form: Form;
  readonly paths: ValuePaths;
  readonly args: readonly Node[];
  readonly scopes: Scopes;
  readonly ask: Answers["ask"];
}

interface MethodStep extends Step {
  readonly receiver: Node;
}

export function callFlow(
  call: NodeOf<"CallExpression">,
  { path, form }: Question,
  { scopes, paths, invocations }: FlowWorld,
  answers: Answers,
): void {
  const callee = calleeOf(call);
  const step: Step = { path, form, paths, args: call.arguments, scopes, ask: answers.ask };
  const name = globalName(callee, scopes);
  if (name !== undefined) {
    globalFlow(name, step);
    return;
  }
  if (!invocations.isComplete) answers.provisional();
  const targets = invocations.targetsOf(call);
  for (const target of targets) {
    if ("meaning" in target) answers.result(target, path, form);
    else answers.ask(target, paths.before(RETURNED, path), form);
  }
  if (targets.length > 0) return;
  if (!invocations.isComplete) answers.ask(callee, paths.before(RETURNED, path), form);
  if (callee.type === "MemberExpression") methodFlow(callee, step);
  else derive(step, "other");
}

/** The callee, without casts and `?.`. */
export function calleeOf(call: NodeOf<"CallExpression">): Node {
  const callee = withoutTypes(call.callee);
  return callee.type === "ChainExpression" ? withoutTypes(callee.expression) : callee;
}

export function newFlow(
  node: NodeOf<"NewExpression">,
  { path, form }: Question,
  { scopes, paths }: FlowWorld,
  { ask }: Answers,
): void {
  const { head, tail } = path;
  const [first] = node.arguments as readonly (Node | undefined)[];
  const name = globalName(withoutTypes(node.callee), scopes);
  if (name === "Promise") return;
  if ((name === "Map" || name === "Set") && first !== undefined && tail !== undefined) {
    if (head === MAPPED) ask(first, paths.before(ANY, paths.before(field("1"), tail)), form);
    else if (isItem(head)) ask(first, paths.before(ANY, tail), form);
    return;
  }
  derive({ path, form, paths, args: node.arguments, scopes, ask }, "other");
}

/** `String`, `Promise.all`: globals of the language that the code has not replaced. */
export function globalName(callee: Node, scopes: Scopes): string | undefined {
  if (callee.type === "Identifier")
    return scopes.bindingOf(callee) === undefined && isKnownGlobal(callee.name) ? callee.name : undefined;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return undefined;
  const { name } = callee.object;
  if (name === "args" || !isKnownGlobal(name) || scopes.bindingOf(callee.object) !== undefined)
    return undefined;
  const key = staticKey(callee.property, callee.computed, scopes);
  return key === undefined ? undefined : `${name}.${key}`;
}

const TEXT_FUNCTIONS: ReadonlySet<string> = new Set(
  "String JSON.stringify encodeURIComponent encodeURI decodeURIComponent decodeURI btoa atob".split(" "),
);
const NUMBER_FUNCTIONS: ReadonlySet<string> = new Set(
  "Number parseInt parseFloat Number.parseInt Number.parseFloat Date.parse".split(" "),
);
const TRUTH_FUNCTIONS: ReadonlySet<string> = new Set(
  "Boolean Array.isArray Number.isInteger Number.isFinite Number.isNaN isNaN isFinite Object.is".split(" "),
);

function globalFlow(name: string, step: Step): void {
  const { path, form, paths, args, ask } = step;
  const { head, tail } = path;
  const [first, second] = args;
  if (first === undefined) return;
  switch (name) {
    case "Promise.all":
    case "Promise.resolve":
    case "structuredClone":
    case "Object.freeze":
    case "Object.seal":
      ask(first, path, form);
      return;
    case "Promise.race":
    case "Promise.any":
      ask(first, paths.before(ANY, path), form);
      return;
    case "Promise.allSettled":
      settledFlow(first, step);
      return;
    case "Promise.reject":
      return;
    case "Object.assign":
      for (const each of args) ask(each, path, form);
      return;
    case "Object.values":
      if (isItem(head) && tail !== undefined) ask(first, paths.before(ANY, tail), form);
      else ask(first, paths.empty, made(form, "other"));
      return;
    case "Object.keys":
      ask(first, paths.empty, made(form, isItem(head) ? "string" : "other"));
      return;
    case "Object.entries":
      if (isItem(head) && tail?.head === field("1") && tail.tail !== undefined)
        ask(first, paths.before(ANY, tail.tail), form);
      else ask(first, paths.empty, made(form, tail?.head === field("0") ? "string" : "other"));
      return;
    case "Object.fromEntries":
      if (head !== undefined && tail !== undefined)
        ask(first, paths.before(ANY, paths.before(field("1"), tail)), form);
      else ask(first, paths.empty, made(form, "other"));
      return;
    case "Object.groupBy":
    case "Map.groupBy":
      if (tail !== undefined && isItem(tail.head) && tail.tail !== undefined)
        ask(first, paths.before(ANY, tail.tail), form);
      else ask(first, paths.empty, made(form, "other"));
      return;
    case "Array.of":
      for (const each of args) partFlow(each, step);
      return;
    case "Array.from":
      if (second !== undefined) mapFlow({ ...step, receiver: first, args: args.slice(1) });
      else ask(first, reordered(path, paths), form);
      return;
    default:
      derive(step, formOfGlobal(name));
  }
}

/** The type of value that a global function returns. */
export function formOfGlobal(name: string): Form {
  if (TEXT_FUNCTIONS.has(name)) return "string";
  if (NUMBER_FUNCTIONS.has(name) || name.startsWith("Math.")) return "number";
  return TRUTH_FUNCTIONS.has(name) ? "boolean" : "other";
}

/** In the result of `Promise.allSettled`, `value` is the value of the fulfilled promise. */
function settledFlow(list: Node, { path, form, paths, ask }: Step): void {
  const { head, tail } = path;
  if (head === undefined || tail?.head === undefined) ask(list, paths.empty, made(form, "other"));
  else if (tail.head === field("value") && tail.tail !== undefined)
    ask(list, paths.before(head, tail.tail), form);
}

/** Asks for a value that is an item of the result. */
function partFlow(item: Node, { path, form, paths, ask }: Step): void {
  if (item.type === "SpreadElement") ask(item.argument, reordered(path, paths), form);
  else if (isItem(path.head) && path.tail !== undefined) ask(item, path.tail, form);
  else if (path.head === undefined) ask(item, paths.empty, made(form, "other"));
}

/** The path into a list whose items may have been reordered. */
function reordered(path: ValuePath, paths: ValuePaths): ValuePath {
  return isItem(path.head) && path.tail !== undefined ? paths.before(ANY, path.tail) : path;
}

const SAME_ITEMS: ReadonlySet<string> = new Set(
  (
    "filter slice sort toSorted reverse toReversed fill splice toSpliced with copyWithin take drop toArray " +
    "difference intersection valueOf"
  ).split(" "),
);
const ONE_ITEM: ReadonlySet<string> = new Set("find findLast pop shift".split(" "));
const TEXT_METHODS: ReadonlySet<string> = new Set(
  (
    "trim trimStart trimEnd toLowerCase toUpperCase replace replaceAll padStart padEnd repeat substring substr charAt " +
    "join toString toFixed toISOString toJSON toLocaleString normalize"
  ).split(" "),
);
const NUMBER_METHODS: ReadonlySet<string> = new Set(
  "indexOf lastIndexOf findIndex findLastIndex push unshift localeCompare getTime search charCodeAt codePointAt".split(
    " ",
  ),
);
const TRUTH_METHODS: ReadonlySet<string> = new Set(
  "some every includes startsWith endsWith has test isSubsetOf hasOwnProperty".split(" "),
);

function methodFlow(callee: NodeOf<"MemberExpression">, given: Step): void {
  const { path, form, paths, args, scopes, ask } = given;
  const receiver: Node = callee.object;
  const step: MethodStep = { path, form, paths, args, scopes, ask, receiver };
  const name = staticKey(callee.property, callee.computed, scopes);
  const { head, tail } = path;
  if (name === undefined) {
    derive(step, "other", receiver);
    return;
  }
  switch (name) {
    case "at":
      ask(receiver, paths.before(atStep(args[0]), path), form);
      return;
    case "map":
    case "flatMap":
      mapFlow(step, name === "flatMap");
      return;
    case "flat":
      ask(receiver, reordered(path, paths), form);
      if (isItem(head)) ask(receiver, paths.before(ANY, reordered(path, paths)), form);
      return;
    case "concat":
    case "union":
      ask(receiver, reordered(path, paths), head === undefined ? made(form, "other") : form);
      for (const each of args) concatFlow(each, step);
      return;
    case "reduce":
    case "reduceRight":
      callbackFlow(step, path, 0);
      if (args[1] !== undefined) ask(args[1], path, form);
      return;
    case "entries":
      if (tail?.head === field("1") && tail.tail !== undefined) eachFlow(step, tail.tail);
      else if (tail?.head !== field("0")) ask(receiver, paths.empty, made(form, "other"));
      return;
    case "values":
      if (isItem(head) && tail !== undefined) eachFlow(step, tail);
      else ask(receiver, paths.empty, made(form, "other"));
      return;
    case "keys":
      if (isItem(head) && tail !== undefined)
        ask(receiver, paths.before(ANY, paths.before(field("0"), tail)), form);
      return;
    case "get":
      ask(receiver, paths.before(MAPPED, path), form);
      return;
    case "then":
      callbackFlow(step, path, 0);
      callbackFlow(step, path, 1);
      if (args.length === 0) ask(receiver, path, form);
      return;
    case "catch":
      ask(receiver, path, form);
      callbackFlow(step, path, 0);
      return;
    case "finally":
    case "bind":
      ask(receiver, path, form);
      return;
    case "call":
    case "apply":
      ask(receiver, paths.before(RETURNED, path), form);
      return;
    case "forEach":
      return;
    default:
  }
  if (SAME_ITEMS.has(name)) ask(receiver, reordered(path, paths), form);
  else if (ONE_ITEM.has(name)) ask(receiver, paths.before(ANY, path), form);
  else derive(step, formOfMethod(name), receiver);
}

/** The type of value that a method returns. */
export function formOfMethod(name: string): Form {
  if (TEXT_METHODS.has(name)) return "string";
  if (NUMBER_METHODS.has(name)) return "number";
  return TRUTH_METHODS.has(name) ? "boolean" : "other";
}

/** `at(2)` is the third item; `at(-1)` is any. */
function atStep(index: Node | undefined): string {
  const number = index?.type === "Literal" ? numberOf(index) : undefined;
  return number === undefined ? ANY : field(String(number));
}

/** Asks for any item of a list, or any value of a map. */
function eachFlow({ receiver, form, paths, ask }: MethodStep, rest: ValuePath): void {
  ask(receiver, paths.before(ANY, rest), form);
  ask(receiver, paths.before(MAPPED, rest), form);
}

function mapFlow(step: MethodStep, isFlat = false): void {
  const { receiver, path, form, paths, ask } = step;
  const { head, tail } = path;
  if (head === undefined) callbackFlow({ ...step, form: made(form, "other") }, paths.empty, 0);
  else if (isItem(head) && tail !== undefined) {
    callbackFlow(step, tail, 0);
    if (isFlat) callbackFlow(step, paths.before(ANY, tail), 0);
  } else ask(receiver, path, form);
}

function concatFlow(each: Node, { path, form, paths, ask }: Step): void {
  const item = each.type === "SpreadElement" ? each.argument : each;
  if (!isItem(path.head) || path.tail === undefined) ask(item, paths.empty, made(form, "other"));
  else {
    ask(item, paths.before(ANY, path.tail), form);
    ask(item, path.tail, form);
  }
}

/** The result of a callback; a built-in callback derives it from the receiver. */
function callbackFlow(step: MethodStep, path: ValuePath, index: number): void {
  const { receiver, form, paths, args, scopes, ask } = step;
  const callback = args[index];
  if (callback === undefined) return;
  const name = globalName(withoutTypes(callback), scopes);
  if (name === undefined) ask(callback, paths.before(RETURNED, path), form);
  else ask(receiver, paths.empty, made(form, formOfGlobal(name)));
}

/** Derived from all arguments, in an unknown way. */
function derive({ args, form, paths, ask }: Step, result: Form, receiver?: Node): void {
  const resulting = made(form, result);
  const part = (given: Node): void => {
    const node = given.type === "SpreadElement" ? given.argument : given;
    ask(node, isFunction(withoutTypes(node)) ? paths.before(RETURNED, paths.empty) : paths.empty, resulting);
  };
  if (receiver !== undefined) part(receiver);
  for (const given of args) part(given);
}
