/**
 * The parts of an argument that a program fills: its scalars, and its lists as a whole.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { isScalar } from "./value-strength.js";

export interface Slot {
  /** The path as JSON: identifies the slot of a tool. */
  readonly key: string;
  readonly path: readonly string[];
  readonly value: Json;
}

/** A call with more is not part of any program, and its sources are not searched: that would take minutes. */
const MOST_SLOTS = 50;

export function hasTooManySlots(slots: readonly Slot[]): boolean {
  return slots.length > MOST_SLOTS;
}

export function slotsOf(args: Readonly<Record<string, Json>>): readonly Slot[] {
  const slots: Slot[] = [];
  const walk = (value: Json, path: readonly string[]): void => {
    if (hasTooManySlots(slots)) return;
    if (isScalar(value) || Array.isArray(value) || (path.length > 0 && Object.keys(value).length === 0)) {
      slots.push({ key: JSON.stringify(path), path, value });
      return;
    }
    for (const [key, inner] of Object.entries(value)) walk(inner as Json, [...path, key]);
  };
  walk(args, []);
  return slots;
}

export function pathOf(key: string): readonly string[] {
  return JSON.parse(key) as readonly string[];
}
