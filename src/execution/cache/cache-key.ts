/**
 * The cache key of a run, and the state of the cache at the lookup. A result is stored under the key of its lookup,
 * unless something was dropped since then.
 *
 * @module
 */
import { canonicalJson } from "../../base/canonical-json.js";
import { sha256Hex } from "../../base/sha256.js";
import { fqdnOfRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { type CacheRule, type CacheSettings, cacheRule } from "./cache-rules.js";
import type { StoredKey } from "./cache-store.js";
import type { Invalidations, Mark } from "./invalidations.js";

const KEY_CHARS = 1_000;

type Keyed = Pick<PreparedRun, "plan" | "args" | "codeHash" | "of">;

/** Covers the code, the current state of everything that it calls, the arguments, and the user. */
export function executionKey(run: Keyed, scope: Scope): Promise<string> {
  return keyInMemory(["execution", who(scope), run.codeHash, units(run), tools(run), run.args]);
}

/**
 * Covers the version, what it calls, and the arguments; capability and user are separate columns of a stored
 * result. If a changed tool does not change the result, only the names of the tools count.
 */
export function paramsKey(run: Keyed, followsTools: boolean): Promise<string> {
  const called = followsTools ? tools(run) : run.plan.tools.map(({ id }) => [id]).sort();
  const parts = ["capability", run.of?.version ?? 0, run.codeHash, units(run), called, run.args];
  return sha256Hex(canonicalJson(parts));
}

/** Arguments as given: an intent has no schema that could add defaults. */
export function intentKey(args: PreparedRun["args"], scope: Scope): Promise<string> {
  return keyInMemory(["intent", who(scope), args]);
}

/** The capability of a run, and those that its code calls. */
export function capabilitiesOf({ plan, of }: Pick<PreparedRun, "plan" | "of">): readonly Fqdn[] {
  const called = plan.units.map(({ ref }) => fqdnOfRef(ref));
  return [...new Set(of === undefined ? called : [of.capability.fqdn, ...called])];
}

function who({ org, project, user }: Scope): readonly string[] {
  return [org, project, user];
}

function units({ plan }: Keyed): readonly unknown[] {
  return plan.units.map(({ ref, version, codeHash }) => [ref, version, codeHash]).sort();
}

function tools({ plan }: Keyed): readonly unknown[] {
  return plan.tools.map(({ id, hash }) => [id, hash]).sort();
}

/**
 * A key of limited length, however long the arguments are. Hashing takes longer than the rest of a lookup, so short
 * keys are not hashed.
 */
async function keyInMemory(parts: readonly unknown[]): Promise<string> {
  const text = canonicalJson(parts);
  return text.length > KEY_CHARS ? await sha256Hex(text) : text;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export interface LookedRun {
  /** The run's key in memory. Keys are computed when they are first needed. */
  key(): Promise<string>;
  /** The run's key in the store; undefined if the run is not stored there. */
  storedKey(): Promise<StoredKey | undefined>;
  readonly rule: CacheRule | undefined;
  readonly since: Mark;
  readonly at: number;
  /** The run ignores the cache, and the cached result is dropped. */
  readonly isFresh: boolean;
}

/** Remembers one lookup per run. */
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

  /** Undefined if the run was not looked up. */
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
      key: once(() => executionKey(run, scope)),
      storedKey: once(async () => {
        if (run.of === undefined || rule?.store === undefined) return undefined;
        const paramsHash = await paramsKey(run, rule.followsTools);
        return { capabilityId: run.of.capability.id, scope, paramsHash };
      }),
    };
    this.#runs.set(run, looked);
    return looked;
  }
}
