/**
 * What the cache knows of a run since it was looked for: so it is kept under what it was looked for, and not where
 * something was dropped meanwhile.
 *
 * @module
 */
import type { Scope } from "../../registry/scope.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { type RunKeys, runKeys } from "./cache-key.js";
import { type CacheRule, type CacheSettings, cacheRule } from "./cache-rules.js";
import type { Invalidations, Mark } from "./invalidations.js";

export interface LookedRun extends RunKeys {
  readonly rule: CacheRule | undefined;
  /** When the run began. */
  readonly since: Mark;
  readonly at: number;
  /** It runs whatever is kept, and what was kept is not used again. */
  readonly isFresh: boolean;
}

/** Looks at each run once. */
export class LookedRuns {
  readonly #settings: CacheSettings;
  readonly #invalidations: Invalidations;
  readonly #now: () => number;
  readonly #runs = new WeakMap<PreparedRun, LookedRun>();

  constructor(settings: CacheSettings, invalidations: Invalidations, now: () => number) {
    this.#settings = settings;
    this.#invalidations = invalidations;
    this.#now = now;
  }

  /** Nothing for a run that was not looked for. */
  of(run: PreparedRun): LookedRun | undefined {
    return this.#runs.get(run);
  }

  look(run: PreparedRun, scope: Scope, isFresh = false): LookedRun {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const rule = cacheRule(run.of, this.#settings);
    const looked: LookedRun = {
      rule,
      since: this.#invalidations.now(),
      at: this.#now(),
      isFresh,
      ...runKeys(run, scope, rule),
    };
    this.#runs.set(run, looked);
    return looked;
  }
}
