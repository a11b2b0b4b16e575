/**
 * Where values come from: which calls' results, and which parameters of the code.
 *
 * A question is a place in the code and a way into its value. Each step answers it by further questions
 * (`value-flow.ts`), so that the answer is what can be reached from it: results and parameters. Variables that are
 * written several times have the values of all their writes; a function is followed from all its calls.
 *
 * @module
 */
import type { Node } from "./ast.js";
import { findChanges } from "./changes.js";
import { flowSyntax } from "./flow-syntax.js";
import { findInvocations, type Invocations, NO_INVOCATIONS } from "./invocations.js";
import type { FoundReads } from "./parameter-reads.js";
import { newPlace, type Place, reach } from "./reach.js";
import type { References, Use } from "./references.js";
import type { Binding, Scopes } from "./scopes.js";
import { type FlowWorld, prefixed, valueFlow } from "./value-flow.js";
import { ANY, field, MAPPED, RETURNED, stepsOf, type ValuePath, valuePaths } from "./value-path.js";
import { type Answers, type Callable, FORMS, type Form, made, type Question } from "./value-question.js";
import { writeOrder } from "./write-order.js";

export interface ResultOrigin {
  readonly kind: "result";
  readonly use: Use;
  /** The fields that lead into the result, as far as known; `undefined` is an item or field that only the run can tell. */
  readonly path: readonly (string | undefined)[];
  /** What lies there itself, or something that was made of it. */
  readonly form: Form;
}

interface ParameterOrigin {
  readonly kind: "parameter";
  /** `args` where it is all of them, or one that only the run can tell. */
  readonly name: string;
}

export type Origin = ResultOrigin | ParameterOrigin;

export interface DataFlow {
  /** Where an expression, or a field of its value, comes from. */
  origins(expression: Node, keys?: readonly string[]): readonly Origin[];
  /** The same of what a tool or capability is given, also where it is passed on and called elsewhere. */
  given(use: Use, keys?: readonly string[]): readonly Origin[];
  /** Whether something is put into what a variable holds, after it was set. */
  isChanged(variable: Node): boolean;
}

/** Longer ways into a value are cut. */
const PATH_STEPS = 8;
/** Steps from place to place, in all and for one question: more than 256 KiB of plain code take. */
const STEPS = 400_000;
const STEPS_OF_ONE = 20_000;

type Found = Origin | { readonly kind: "callable"; readonly callable: Callable };

interface FlowPlace extends Place<Found> {
  readonly question: Question;
}

export function dataFlow(scopes: Scopes, references: References, reads: FoundReads): DataFlow {
  const uses = new Map<Node, Use>();
  for (const use of references.uses) {
    uses.set(use.node, use);
    if (use.call !== undefined) uses.set(use.call, use);
  }
  const world = {
    scopes,
    paths: valuePaths(),
    reads,
    uses,
    changes: findChanges(scopes),
    syntax: flowSyntax(scopes),
    writesAt: writeOrder(),
  };
  const { paths } = world;
  const invocations = settledInvocations(world);
  const search = searchIn({ ...world, invocations });
  const originsAt = (node: Node, path: ValuePath, form: Form = "value"): readonly Origin[] =>
    [...search(node, path, form)].filter((found) => found.kind !== "callable");
  const pathOf = (keys: readonly string[]): ValuePath => prefixed(keys.map(field), paths.empty, paths);

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

/** Functions may be handed to functions: what is called there is known once their own calls are. */
const ROUNDS = 2;

function settledInvocations(world: Omit<FlowWorld, "invocations">): Invocations {
  const hasValues = [...world.uses.values()].some(({ call }) => call === undefined);
  if (world.syntax.functions.length === 0 && !hasValues) return { ...NO_INVOCATIONS, isComplete: true };
  let known = NO_INVOCATIONS;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const search = searchIn({ ...world, invocations: known });
    const callablesAt = (node: Node): readonly Callable[] =>
      [...search(node, world.paths.empty, "value")].flatMap((found) =>
        found.kind === "callable" ? [found.callable] : [],
      );
    known = { ...findInvocations(world.scopes, world.uses, callablesAt), isComplete: round === ROUNDS };
  }
  return known;
}

type Search = (at: Node, path: ValuePath, form: Form) => ReadonlySet<Found>;

function searchIn(world: FlowWorld): Search {
  const { paths } = world;
  const places = new Map<Node | Binding, Map<number, FlowPlace>>();
  const found = foundThings();
  let left = STEPS;
  let leftOfOne = 0;

  const placeOf = (at: Node | Binding, given: ValuePath, form: Form): FlowPlace => {
    const isLong = given.length > PATH_STEPS;
    const path = isLong ? prefixed(stepsOf(given).slice(0, PATH_STEPS), paths.empty, paths) : given;
    const question: Question = { at, path, form: isLong ? made(form, "other") : form };
    const key = path.id * FORMS.length + FORMS.indexOf(question.form);
    let here = places.get(at);
    if (here === undefined) {
      here = new Map();
      places.set(at, here);
    }
    let place = here.get(key);
    if (place === undefined) {
      place = Object.assign(newPlace<Found>(), { question });
      here.set(key, place);
    }
    return place;
  };
  const look = (place: FlowPlace): void => {
    const answers: Answers = {
      ask(at, path, form) {
        if (left <= 0 || leftOfOne <= 0) return;
        left -= 1;
        leftOfOne -= 1;
        place.next.push(placeOf(at, path, form));
      },
      result(use, path, form) {
        const result = found.result(use, path, form);
        if (result !== undefined) place.own.push(result);
      },
      parameter: (name) => place.own.push(found.parameter(name)),
      callable: (callable) => place.own.push(found.callable(callable)),
    };
    valueFlow(place.question, world, answers);
  };
  return (at, path, form) => {
    leftOfOne = STEPS_OF_ONE;
    return reach<FlowPlace, Found>(placeOf(at, path, form), look);
  };
}

interface FoundThings {
  result(use: Use, path: ValuePath, form: Form): ResultOrigin | undefined;
  parameter(name: string): ParameterOrigin;
  callable(callable: Callable): Found;
}

/** What is found is one object however often it is, so that sets hold it once. */
function foundThings(): FoundThings {
  const results = new Map<Use, Map<string, ResultOrigin>>();
  const parameters = new Map<string, ParameterOrigin>();
  const callables = new Map<Callable, Found>();
  return {
    result(use, path, given) {
      const steps = stepsOf(path);
      // Results are data: they have no functions to call.
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
    parameter: (name) => once(parameters, name, () => ({ kind: "parameter", name })),
    callable: (callable) => once(callables, callable, () => ({ kind: "callable", callable })),
  };
}

function once<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
