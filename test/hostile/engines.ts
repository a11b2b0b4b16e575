/**
 * The engines under attack, whole or with single defences switched off.
 *
 * @module
 */
import type { Sandbox } from "../../src/execution/ports/sandbox.js";
import { createDenoSandbox, DEFENCES } from "../../src/sandbox/host/deno-sandbox.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { type EngineName, LOOP_MS } from "./hostile-case.js";

export interface Engine {
  readonly name: EngineName;
  /** The sandbox without these defences, as far as the engine has them; `memoryMb` is what its runs will ask for. */
  without(defences: readonly string[], memoryMb?: number): Sandbox;
  /** One in which runs follow one another in the same process, where the engine uses it again. */
  readonly narrow: Sandbox;
  close(): Promise<void>;
}

/** What most cases run with, so that they are given processes that wait already. */
const USUAL = { memoryMb: 64, timeMs: 20_000 };

export function createEngine(name: EngineName, poolSize = 3): Engine {
  const made = new Map<string, Sandbox>();
  const get = (key: string, make: () => Sandbox): Sandbox => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };
  return {
    name,
    without(defences, memoryMb = USUAL.memoryMb) {
      if (name === "quickjs")
        return get(`${memoryMb}`, () => createQuickjsSandbox({ ...USUAL, memoryMb, poolSize }));
      const off = DEFENCES.filter((defence) => defences.includes(defence));
      return get([memoryMb, ...off].join(), () =>
        createDenoSandbox({
          ...USUAL,
          memoryMb,
          // What is left then is the limit of the processor, which follows from this one.
          ...(off.includes("time-limit") ? { timeMs: LOOP_MS } : {}),
          poolSize: off.length === 0 ? poolSize : 1,
          defences: Object.fromEntries(off.map((defence) => [defence, false])),
        }),
      );
    },
    get narrow() {
      return name === "quickjs"
        ? get("narrow", () => createQuickjsSandbox({ ...USUAL, poolSize: 1 }))
        : this.without([]);
    },
    async close() {
      await Promise.all([...made.values()].map((sandbox) => sandbox.close()));
    },
  };
}
