/**
 * Reads the ledger. Before that, it counts the tokens of code that has saved something, once per version: a run does
 * not wait for this, and most versions never need it.
 *
 * @module
 */
import { DAY_MS, dayOf } from "../base/day.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { within } from "../base/within.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Saved, SavedByCapability, SavedByDay, SavingsStore } from "../registry/savings.js";
import type { Scope } from "../registry/scope.js";
import type { CountTokens } from "./token-count.js";

const COUNT_WAIT_MS = 2_000;
const WEEK_DAYS = 7;
const WEEK_SHOWN = 5;

/** The whole ledger of a project. */
export interface SavedInProject {
  readonly total: Saved;
  readonly byDay: readonly SavedByDay[];
  readonly byCapability: readonly SavedByCapability[];
  /** Today and the six days before, UTC, with the capabilities that saved most. */
  readonly week: {
    readonly since: string;
    readonly total: Saved;
    readonly best: readonly SavedByCapability[];
  };
}

export interface LedgerOptions {
  readonly store: SavingsStore;
  readonly count: CountTokens;
  readonly log: Log;
  readonly now?: () => number;
}

export class Ledger {
  readonly #options: LedgerOptions;
  #counting: Promise<void> = Promise.resolve();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  async project(scope: Scope): Promise<SavedInProject> {
    const { store, now = Date.now } = this.#options;
    await this.#counted();
    const since = dayOf(new Date(now() - (WEEK_DAYS - 1) * DAY_MS));
    return {
      total: await store.total(scope),
      byDay: await store.byDay(scope),
      byCapability: await store.byCapability(scope, LIMITS.savedCapabilities),
      week: {
        since,
        total: await store.total(scope, since),
        best: await store.byCapability(scope, WEEK_SHOWN, since),
      },
    };
  }

  async total(scope: Scope): Promise<Saved> {
    await this.#counted();
    return this.#options.store.total(scope);
  }

  /** An estimate if counting takes too long, for example behind other callers. The next reader gets the count. */
  async of(fqdn: Fqdn): Promise<Saved> {
    await within(COUNT_WAIT_MS, this.#counted(fqdn));
    return this.#options.store.of(fqdn);
  }

  /** Sequential: a concurrent caller finds everything counted. */
  #counted(fqdn?: Fqdn): Promise<void> {
    const counting = this.#counting.then(() => this.#count(fqdn));
    this.#counting = counting.catch(() => {});
    return counting;
  }

  /** What cannot be counted now stays an estimate, and is retried. */
  async #count(fqdn: Fqdn | undefined): Promise<void> {
    const { store, count, log } = this.#options;
    const codes = await store.uncounted(fqdn);
    if (codes.length === 0) return;
    try {
      const tokens = await count(codes.map(({ text }) => text));
      await store.keepCounts(
        codes.map(({ fqdn, version }, at) => ({ fqdn, version, tokens: tokens[at] ?? 0 })),
      );
    } catch (error) {
      log.warn("ledger.not_counted", { versions: codes.length, message: messageOf(error) });
    }
  }
}
