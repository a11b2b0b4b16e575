/**
 * Compiles code of a program to functions, and translates positions to the author's lines.
 *
 * A unit becomes `function (mcp, …) { return function () { return async () => { CODE }; }(); }`. The code may declare
 * the same names as the outer function; the middle function has no `this`, and no arguments that would lead to the
 * outer values. The wrapper is on a separate first line, and a line break after the code ends a comment there.
 *
 * @module
 */
import type { FramePosition, GuestUnit } from "../protocol/frames.js";
import { takeLifted } from "./lifted-arguments.js";
import { construct, hasOwn, matchNext, push, TypeErrorOf, textSlice, toNumber } from "./primordials.js";
import { unitGlobal } from "./unit-global.js";

/** A unit with its arguments; calling it runs the code. */
type Start = () => Promise<unknown>;
export type Unit = (
  mcp: object,
  capabilities: object,
  args: Readonly<Record<string, unknown>>,
  console: object,
  pml: object,
  /** Creates `$pml` from the arguments that replace literals. */
  flow: (lifted: object) => object,
) => Start;

/** Lines of a script before its code. */
export const LINES_BEFORE = 1;
const MAIN = "main";
/** Creates code from text, so code in the sandbox must not get it. */
const AsyncFunctionOf = (async () => {}).constructor;
const STACK_CHARS_MOST = 16_384;
const POSITIONS_MOST = 20;

/** Compiles a unit; `ref` is the capability's reference in code. Throws the engine's error for invalid syntax. */
export function compileUnit(
  unit: GuestUnit,
  ref: string | undefined,
  evaluate: (source: string, name: string) => unknown,
): Unit {
  const name = `pml:${ref ?? MAIN}`;
  const { code, parameters } = unit;
  let names = "mcp, capabilities, args, console, pml, $pml, globalThis";
  for (let index = 0; index < parameters.length; index += 1) names += `, ${parameters[index]}`;
  const source = `"use strict"; (function (${names}) { return (function () { return async () => {\n${code}\n}; })(); })\n//# sourceURL=${name}`;
  // The code is first compiled alone, because code that closes the functions around it would be accepted as part of
  // them.
  construct(AsyncFunctionOf, [`"use strict";\n${code}\n`]);
  const factory = evaluate(source, name);
  if (typeof factory !== "function") throw new TypeErrorOf("The code is not a function body");
  const bind = factory as (...given: unknown[]) => Start;
  return (mcp, capabilities, whole, console, pml, flow) => {
    const { args, lifted } = takeLifted(whole, unit.lifted);
    const given: unknown[] = [mcp, capabilities, args, console, pml, flow(lifted), unitGlobal(code)];
    for (let index = 0; index < parameters.length; index += 1) {
      const parameter = parameters[index] as string;
      push(given, hasOwn(args, parameter) ? args[parameter] : undefined);
    }
    return applyList(bind, given);
  };
}

const { apply } = Reflect;

function applyList(bind: (...given: unknown[]) => Start, given: readonly unknown[]): Start {
  return apply(bind, undefined, given as unknown[]) as Start;
}

function isAmong(position: FramePosition, others: readonly FramePosition[]): boolean {
  for (let index = 0; index < others.length; index += 1) {
    const other = others[index] as FramePosition;
    if (other.line === position.line && other.column === position.column && other.unit === position.unit)
      return true;
  }
  return false;
}

/** Positions in the program's code from a stack, innermost first; `linesBefore` is subtracted from each. */
export function positionsIn(stack: string, linesBefore: number): readonly FramePosition[] {
  const text = textSlice(stack, 0, STACK_CHARS_MOST);
  const place = /[\s(]pml:([^\s():]+):(\d+):(\d+)/g;
  const positions: FramePosition[] = [];
  for (let match = matchNext(place, text); match !== null; match = matchNext(place, text)) {
    const line = toNumber(match[2]) - linesBefore;
    const column = toNumber(match[3]);
    if (line < 1 || column < 1) continue;
    const unit = match[1] as string;
    const position = unit === MAIN ? { line, column } : { unit, line, column };
    // The stack of an error that crossed from one unit to another contains their shared frames twice.
    if (!isAmong(position, positions)) push(positions, position);
    if (positions.length >= POSITIONS_MOST) break;
  }
  return positions;
}
