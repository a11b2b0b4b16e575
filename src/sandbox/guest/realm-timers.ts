/**
 * `setTimeout` and `clearTimeout` for the code: callbacks must be functions, the number of timers is limited, and
 * errors in a callback only go to the log.
 *
 * @module
 */
import {
  apply,
  defineProperty,
  ErrorOf,
  floor,
  isFiniteNumber,
  MapOf,
  mapDelete,
  mapGet,
  mapSet,
  mapSize,
  min,
  push,
  TypeErrorOf,
  toNumber,
} from "./primordials.js";

const TIMERS_MOST = 1_000;
const DELAY_MS_MOST = 2_147_483_647;

export interface TimersOptions {
  setTimer(job: () => void, ms: number): number;
  clearTimer(timer: number): void;
  /** Called with the error of a callback. */
  thrown(reason: unknown): void;
}

export function installTimers({ setTimer, clearTimer, thrown }: TimersOptions): void {
  const timers = new MapOf<number, number>();
  let count = 0;

  function setTimeout(job: unknown, delay?: unknown, ...given: unknown[]): number {
    if (typeof job !== "function")
      throw new TypeErrorOf("Cannot set a timer: the first argument must be a function");
    if (mapSize(timers) >= TIMERS_MOST)
      throw new ErrorOf(`Cannot set a timer: ${TIMERS_MOST} are already waiting`);
    count += 1;
    const id = count;
    const args: unknown[] = [];
    for (let index = 0; index < given.length; index += 1) push(args, given[index]);
    const run = (): void => {
      mapDelete(timers, id);
      try {
        apply(job, undefined, args);
      } catch (reason) {
        thrown(reason);
      }
    };
    mapSet(timers, id, setTimer(run, delayOf(delay)));
    return id;
  }

  function clearTimeout(id: unknown): void {
    if (typeof id !== "number") return;
    const timer = mapGet(timers, id);
    if (timer === undefined) return;
    mapDelete(timers, id);
    clearTimer(timer);
  }

  define("setTimeout", setTimeout);
  define("clearTimeout", clearTimeout);
}

function delayOf(delay: unknown): number {
  const ms = toNumber(delay ?? 0);
  return isFiniteNumber(ms) && ms > 0 ? min(floor(ms), DELAY_MS_MOST) : 0;
}

function define(name: string, value: unknown): void {
  const own = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
  defineProperty(globalThis, name, own as PropertyDescriptor);
}
