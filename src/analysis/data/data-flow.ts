/**
 * The origins of values: results of calls, and parameters of the code.
 *
 * A question is a position in the code and a path into its value. Each step answers it by further questions
 * (`value-flow.ts`), so the answer is everything reachable from it: results and parameters. Variables that are written
 * several times have the values of all their writes; a function is followed from all its calls.
 *
 * @module
 */

import type { References, Use } from "../names/references.js";
import type { FoundReads } from "../parameters/parameter-reads.js";
import { type Node, withoutTypes } from "../syntax/ast.js";
import type { Binding, Scopes } from "../syntax/scopes.js";
import { findChanges } from "./changes.js";
import { flowSyntax } from "./flow-syntax.js";
import { findInvocations, type Invocations, NO_INVOCATIONS } from "./invocations.js";
import { plainFunctions } from "./plain-functions.js";
import { type Place, reaching } from "./reach.js";
import { type FlowWorld, isAnyWrite, prefixed, valueFlow } from "./value-flow.js";
import { ANY, field, MAPPED, RETURNED, stepsOf, type ValuePath, valuePaths } from "./value-path.js";
import { type Answers, type Callable, FORMS, type Form, made, type Question } from "./value-question.js";
import { writeOrder } from "./write-order.js";

export interface ResultOrigin {
  readonly kind: "result";
  readonly use: Use;
  /** The fields that lead into the result, if known; `undefined` is an item or field that is known only at run time. */
  readonly path: readonly (string | undefined)[];
  /** Whether the value at the path is used itself, or something derived from it. */
  readonly form: Form;
}

interface ParameterOrigin {
  readonly kind: "parameter";
  /** `args` means all parameters, or a parameter that is known only at run time. */
  readonly name: string;
  /** Whether this is the caller's whole value, and not a part of it or something derived from it. */
  readonly isItself: boolean;
}

export type Origin = ResultOrigin | ParameterOrigin;

export interface DataFlow {
  /** The origins of an expression, or of a field of its value; `undefined` is any of its items or fields. */
  origins(expression: Node, keys?: readonly (string | undefined)[]): readonly Origin[];
  /** The same for the arguments of a tool or capability, even if it is passed on as a value and called elsewhere. */
  given(use: Use, keys?: readonly (string | undefined)[]): readonly Origin[];
  /** Whether the code adds something to the value of a variable after setting it. */
  isChanged(variable: Node): boolean;
}

/** Longer paths are truncated. */
const PATH_STEPS = 8;
/** The maximum of steps in total and for one question: more than 256 KiB of ordinary code need. */
const STEPS = 400_000;
const STEPS_OF_ONE = 20_000;

type Found = Origin | { readonly kind: "callable"; readonly callable: Callable };

/** A question, as a node in the graph of all questions. */
interface FlowPlace extends Place<Found>, Question {
  /** The round of call analysis in which it was answered. */
  round: number;
}

export function dataFlow(scopes: Scopes, references: References, reads: FoundReads): DataFlow {
  const uses = new Map<Node, Use>();
  for (const use of references.uses) {
    uses.set(use.node, use);
    if (use.call !== undefined) uses.set(use.call, use);
  }
  const world: FlowWorld = {
    scopes,
    paths: valuePaths(),
    reads,
    uses,
    changes: findChanges(scopes),
    syntax: flowSyntax(scopes),
    writesAt: writeOrder(),
    invocations: NO_INVOCATIONS,
  };
  const { paths } = world;
  const search = searchIn(world);
  const invocations = settledInvocations(world, search);
  const originsAt = (node: Node, path: ValuePath, form: Form = "value"): readonly Origin[] => {
    const origins: Origin[] = [];
    for (const found of search.from(node, path, form)) if (found.kind !== "callable") origins.push(found);
    return origins;
  };
  const pathOf = (keys: readonly (string | undefined)[]): ValuePath =>
    prefixed(
      keys.map((key) => (key === undefined ? ANY : field(key))),
      paths.empty,
      paths,
    );

  return {
    origins: (expression, keys = []) => originsAt(expression, pathOf(keys)),
    given(use, keys = []) {
      const path = pathOf(keys);
      if (use.call !== undefined) {
        const [first] = use.call.arguments as readonly (Node | undefined)[];
        return first === undefined || first.type === "SpreadElement" ? [] : originsAt(first, path);
      }
      const sources = invocations.of(use).flatMap((invocation) => invocation.given(0));
      return [
        ...new Set(
          sources.flatMap(({ node, steps, form }) => originsAt(node, prefixed(steps, path, paths), form)),
        ),
      ];
    },
    isChanged(variable) {
      const binding = scopes.bindingOf(variable);
      return binding !== undefined && world.changes.has(binding);
    },
  };
}

/** Functions may be passed to functions: the callees there are known once the outer calls are. */
const ROUNDS = 2;

function settledInvocations(world: FlowWorld, search: Search): Invocations {
  const { syntax, scopes, uses, paths } = world;
  const find = (callablesAt: (node: Node) => readonly Callable[], isComplete: boolean): Invocations => {
    const known = { ...findInvocations(syntax.calls, scopes, uses, callablesAt), isComplete };
    search.learn(known);
    return known;
  };
  const named = isPassedOn(uses) ? undefined : plainFunctions(syntax.functions, scopes);
  if (named !== undefined) return find((node) => listOf(named(node)), true);
  const callablesAt = (node: Node): readonly Callable[] => {
    const callables: Callable[] = [];
    for (const found of search.from(node, paths.empty, "value"))
      if (found.kind === "callable") callables.push(found.callable);
    return callables;
  };
  let known = find(callablesAt, false);
  for (let round = 2; round <= ROUNDS; round += 1) known = find(callablesAt, round === ROUNDS);
  return known;
}

/** Whether a tool or capability is used other than by being called. */
function isPassedOn(uses: ReadonlyMap<Node, Use>): boolean {
  for (const { call } of uses.values()) if (call === undefined) return true;
  return false;
}

function listOf<T>(item: T | undefined): readonly T[] {
  return item === undefined ? NOTHING : [item];
}

interface Search {
  from(at: Node, path: ValuePath, form: Form): ReadonlySet<Found>;
  /** Keeps answers that did not depend on calls; computes the rest again. */
  learn(invocations: Invocations): void;
}

function searchIn(given: FlowWorld): Search {
  const { paths } = given;
  /** By path and form, since there are fewer of these than positions in the code. */
  const places = new Map<number, Map<Node | Binding, FlowPlace>>();
  const found = foundThings();
  let world = given;
  let round = 1;
  let left = STEPS;
  let leftOfOne = 0;
  let current: FlowPlace;

  const placeOf = (at: Node | Binding, whole: ValuePath, formOfWhole: Form): FlowPlace => {
    const isLong = whole.length > PATH_STEPS;
    const path = isLong ? prefixed(stepsOf(whole).slice(0, PATH_STEPS), paths.empty, paths) : whole;
    const form = isLong ? made(formOfWhole, "other") : formOfWhole;
    const key = path.id * FORMS.length + FORMS.indexOf(form);
    let table = places.get(key);
    if (table === undefined) {
      table = new Map();
      places.set(key, table);
    }
    let place = table.get(at);
    if (place === undefined || (place.isProvisional && place.round !== round)) {
      place = {
        at,
        path,
        form,
        own: NOTHING,
        next: NOTHING,
        done: 0,
        index: -1,
        low: -1,
        isOpen: false,
        isProvisional: false,
        reached: undefined,
        round,
      };
      table.set(at, place);
    }
    return place;
  };
  const own = (one: Found): void => {
    if (current.own === NOTHING) current.own = [one];
    else current.own.push(one);
  };
  const answers: Answers = {
    ask(at, path, form) {
      if (left <= 0 || leftOfOne <= 0) {
        current.isProvisional = true;
        return;
      }
      left -= 1;
      leftOfOne -= 1;
      const source = sourceOf(at, world);
      if (source === undefined) return;
      const place = placeOf(source, path, form);
      if (current.next === NOTHING) current.next = [place];
      else current.next.push(place);
    },
    result(use, path, form) {
      const result = found.result(use, path, form);
      if (result !== undefined) own(result);
    },
    parameter: (name, path, form) => own(found.parameter(name, path.length === 0 && form === "value")),
    callable: (callable) => own(found.callable(callable)),
    provisional() {
      current.isProvisional = true;
    },
  };
  const reach = reaching<FlowPlace, Found>((place) => {
    current = place;
    valueFlow(place, world, answers);
  });
  return {
    from(at, path, form) {
      leftOfOne = STEPS_OF_ONE;
      return reach(placeOf(at, path, form));
    },
    learn(invocations) {
      world = { ...world, invocations };
      round += 1;
      left = STEPS;
    },
  };
}

/** The certain source of a value, without a place for each step; undefined for a literal. */
function sourceOf(
  at: Node | Binding,
  { uses, reads, scopes, writesAt }: FlowWorld,
): Node | Binding | undefined {
  if (!("type" in at)) return at;
  let node = withoutTypes(at);
  while (node.type === "AwaitExpression") node = withoutTypes(node.argument);
  if (node.type === "Literal") return undefined;
  if (node.type !== "Identifier" || uses.has(node) || reads.parameterAt.has(node)) return node;
  const binding = scopes.bindingOf(node);
  return binding !== undefined && isAnyWrite(writesAt(node, binding), binding) ? binding : node;
}

/** Shared by places without own results, which are most of them. */
const NOTHING: never[] = [];

interface FoundThings {
  result(use: Use, path: ValuePath, form: Form): ResultOrigin | undefined;
  parameter(name: string, isItself: boolean): ParameterOrigin;
  callable(callable: Callable): Found;
}

/** Each result is one object, so that sets contain it once. */
function foundThings(): FoundThings {
  const results = new Map<Use, Map<string, ResultOrigin>>();
  const parameters = new Map<string, ParameterOrigin>();
  const ofParameters = new Map<string, ParameterOrigin>();
  const callables = new Map<Callable, Found>();
  return {
    result(use, path, given) {
      const steps = stepsOf(path);
      // Results are data and contain no functions to call.
      if (steps.includes(RETURNED)) return undefined;
      const mapped = steps.indexOf(MAPPED);
      const known = mapped === -1 ? steps : steps.slice(0, mapped);
      const form = mapped === -1 ? given : made(given, "other");
      const ofUse = once(results, use, () => new Map<string, ResultOrigin>());
      return once(ofUse, `${form} ${known.join("\u0000")}`, () => ({
        kind: "result",
        use,
        path: known.map((step) => (step === ANY ? undefined : step.slice(1))),
        form,
      }));
    },
    parameter: (name, isItself) =>
      once(isItself ? parameters : ofParameters, name, () => ({ kind: "parameter", name, isItself })),
    callable: (callable) => once(callables, callable, () => ({ kind: "callable", callable })),
  };
}

function once<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  let found = known.get(key);
  if (found === undefined) {
    found = make();
    known.set(key, found);
  }
  return found;
}
