/**
 * `$pml`, which instrumented code calls to report the nodes that it passes and to get lifted literals. The original
 * code cannot name it.
 *
 * Values are returned unchanged. Nothing here throws or uses globals that the code may have replaced.
 *
 * @module
 */
import { bareFunction } from "./bare-function.js";
import type { Counter, PassedMarks } from "./passed-marks.js";
import {
  create,
  defineProperty,
  descriptor,
  freeze,
  hasOwn,
  indexOfText,
  whenFulfilled,
} from "./primordials.js";

type Method = (...given: unknown[]) => unknown;

const MARKING = ["test", "nullish", "outcome", "enter", "again", "join"] as const;
const OTHERS = ["use", "given"] as const;

/**
 * The parts of `$pml` that the code uses. Each capability call has its own `$pml`, and creating all parts is most of
 * that cost.
 */
export interface FlowUses {
  readonly isMarking: boolean;
  readonly methods: Readonly<Record<string, boolean>>;
}

export function flowUses(code: string): FlowUses {
  const methods = create(null) as Record<string, boolean>;
  const isMarking = lookFor(code, MARKING, methods);
  lookFor(code, OTHERS, methods);
  return { isMarking, methods };
}

function lookFor(code: string, names: readonly string[], found: Record<string, boolean>): boolean {
  let isAny = false;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const isUsed = indexOfText(code, `$pml.${name}`) >= 0;
    found[name] = isUsed;
    isAny ||= isUsed;
  }
  return isAny;
}

/** `marks` is absent for code without marks; `lifted` are the arguments that replace literals. */
export function createFlowObject(
  lifted: object,
  marks: PassedMarks | undefined,
  { methods }: FlowUses,
): object {
  const object: object = create(null);
  const counter = (outcome: string): Counter => marks?.counter(outcome) ?? ignore;
  const pass = counter("");
  const goAgain = counter("again");
  const isTrue = counter("true");
  const isFalse = counter("false");
  const isNullish = counter("nullish");
  const isValue = counter("value");
  method("test", (id, value) => {
    if (value) isTrue(id);
    else isFalse(id);
    return value;
  });
  method("nullish", (id, value) => {
    if (value === null || value === undefined) isNullish(id);
    else isValue(id);
    return value;
  });
  method("outcome", (id, text) => {
    if (typeof text === "string") marks?.add(id, text);
  });
  method("enter", (id, value) => {
    pass(id);
    return value;
  });
  method("again", (id) => goAgain(id));
  method("join", (id, promise) => {
    if (marks !== undefined) whenFulfilled(promise, () => pass(id));
    return promise;
  });
  method("use", (id, callable) => {
    if (typeof callable !== "function") return callable;
    const call = callable as Method;
    return freeze(bareFunction((args) => call(args, id)));
  });
  method("given", (name, literal) =>
    hasOwn(lifted, name as string) ? (lifted as Record<string, unknown>)[name as string] : literal,
  );
  return freeze(object);

  function method(name: (typeof MARKING)[number] | (typeof OTHERS)[number], call: Method): void {
    if (methods[name] !== true) return;
    defineProperty(object, name, descriptor(freeze(bareFunction(call)), true));
  }
}

function ignore(): void {}
