/**
 * The `pml` object: hints, and progress, which is rate-limited and always sends the last value.
 *
 * @module
 */
import type { HintFrame, ProgressFrame } from "../protocol/frames.js";
import { create, defineProperty, descriptor, freeze, isFiniteNumber, TypeErrorOf } from "./primordials.js";
import { cut } from "./thrown-text.js";

const EVERY_MS = 50;
const MESSAGE_CHARS_MOST = 1_000;
const HINTS_MOST = 20;
const NAME_CHARS_MOST = 200;
const DESCRIPTION_CHARS_MOST = 2_000;

export interface PmlObject {
  readonly object: object;
  /** Sends the delayed value; nothing is sent afterwards. */
  end(): void;
}

export interface PmlObjectOptions {
  post(frame: ProgressFrame | HintFrame): void;
  now(): number;
  setTimer(job: () => void, ms: number): number;
}

export function createPmlObject({ post, now, setTimer }: PmlObjectOptions): PmlObject {
  let held: ProgressFrame | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  let isOver = false;
  let hints = 0;

  function tell(): void {
    isWaiting = false;
    const frame = held;
    if (frame === undefined || isOver) return;
    held = undefined;
    toldAt = now();
    post(frame);
  }

  const progress = (done: unknown, total?: unknown, message?: unknown): void => {
    if (isOver) return;
    if (!isUsable(done))
      throw new TypeErrorOf("Cannot report progress: the first argument must be a number, the work done");
    if (total !== undefined && total !== null && !isUsable(total))
      throw new TypeErrorOf("Cannot report progress: the second argument must be a number, the total work");
    held = {
      kind: "progress",
      done,
      ...(isUsable(total) ? { total } : {}),
      ...(typeof message === "string" ? { message: cut(message, MESSAGE_CHARS_MOST) } : {}),
    };
    const wait = toldAt + EVERY_MS - now();
    if (wait <= 0) {
      tell();
    } else if (!isWaiting) {
      isWaiting = true;
      setTimer(tell, wait);
    }
  };

  const hint = (given: unknown): void => {
    if (isOver || hints >= HINTS_MOST) return;
    if (typeof given !== "object" || given === null)
      throw new TypeErrorOf("Cannot use the hint: expected { name, description }");
    const { name, description } = given as { readonly name?: unknown; readonly description?: unknown };
    hints += 1;
    post({
      kind: "hint",
      ...(typeof name === "string" ? { name: cut(name, NAME_CHARS_MOST) } : {}),
      ...(typeof description === "string" ? { description: cut(description, DESCRIPTION_CHARS_MOST) } : {}),
    });
  };

  const object: object = create(null);
  defineProperty(object, "progress", descriptor(freeze(progress), true));
  defineProperty(object, "hint", descriptor(freeze(hint), true));
  return {
    object: freeze(object),
    end() {
      tell();
      isOver = true;
    },
  };
}

function isUsable(value: unknown): value is number {
  return typeof value === "number" && isFiniteNumber(value);
}
