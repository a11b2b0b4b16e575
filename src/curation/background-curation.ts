/**
 * Automatic curation: when enough capabilities have neither a name nor a suggestion, all of them get a suggestion, or
 * their name, in the background.
 *
 * Every gateway of a store notices that curation is due; the store gives the lease to one of them. Results are stored
 * batch by batch, and the store remembers that curation began until it has ended. A gateway that is killed loses its
 * current batch; another gateway, or the same one after a restart, continues when the lease has expired. Curation works
 * for sessions that this gateway has served, and with what those may see.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityChange, CapabilityDirectory } from "../registry/capability-directory.js";
import type { Fqdn } from "../registry/fqdn.js";
import { formatScope, type Scope } from "../registry/scope.js";
import { curatable } from "./curation-filter.js";
import type { Curating, Curator } from "./curator.js";
import type { NameModel } from "./name-model.js";
import { basisOf } from "./suggester.js";
import type { CurationLease, SuggestionStore } from "./suggestion-store.js";

export interface BackgroundCurationOptions {
  readonly curator: Pick<Curator, "candidates" | "kept" | "prepare" | "autoFor">;
  readonly directory: CapabilityDirectory;
  readonly store: Pick<SuggestionStore, "claim" | "renew" | "finish" | "isOpen">;
  /** The number without a suggestion; 0 disables curation. */
  readonly after: number;
  readonly mode: "suggest" | "auto";
  readonly model?: NameModel | undefined;
  /** The scope that is curated from the start. */
  readonly scope: Scope;
  readonly checkMs?: number;
  readonly retryMs?: number;
  readonly leaseMs?: number;
  readonly log: Log;
}

interface Served {
  readonly scope: Scope;
  /** For capabilities that are known to have a suggestion, its basis. */
  readonly known: Map<Fqdn, string>;
  /** A gateway may have started and not finished. */
  maybeOpen: boolean;
}

/** Renewals within the time of a lease. */
const RENEWALS = 4;

/** Another gateway has taken over. */
class LeaseLost extends Error {}

export class BackgroundCuration {
  readonly #options: BackgroundCurationOptions;
  readonly #lease: CurationLease;
  readonly #served = new Map<string, Served>();
  readonly #ending = new AbortController();
  #unlisten: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #plannedAt = 0;
  #working: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(options: BackgroundCurationOptions) {
    this.#options = options;
    this.#lease = { owner: crypto.randomUUID(), ms: options.leaseMs ?? LIMITS.curationLeaseMs };
    this.serve(options.scope);
  }

  /** This gateway serves a session of this scope. */
  serve(scope: Scope): void {
    const key = formatScope(scope);
    if (this.#served.has(key)) return;
    this.#served.set(key, { scope, known: new Map(), maybeOpen: true });
    if (this.#unlisten !== undefined) this.#plan();
  }

  start(): void {
    if (this.#options.after === 0) return;
    this.#unlisten = this.#options.directory.onChange((change) => {
      if (isNewUnnamed(change)) this.#plan();
    });
    this.#plan();
  }

  /** Resolves when nothing is in progress. */
  async stop(): Promise<void> {
    this.#unlisten?.();
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  /** Runs once for all requests that arrive before it starts, and once more for requests that arrive while it runs. */
  #plan(afterMs = this.#options.checkMs ?? LIMITS.curationCheckMs): void {
    if (this.#ending.signal.aborted) return;
    if (this.#working !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    const at = Date.now() + afterMs;
    if (this.#timer !== undefined && this.#plannedAt <= at) return;
    clearTimeout(this.#timer);
    this.#plannedAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#working = this.#check().then((againMs) => {
        this.#working = undefined;
        if (againMs !== undefined) this.#plan(againMs);
        if (this.#isAskedAgain) this.#plan();
        this.#isAskedAgain = false;
      });
    }, afterMs);
    this.#timer.unref();
  }

  /** Returns when to check again, if known. */
  async #check(): Promise<number | undefined> {
    let againMs: number | undefined;
    for (const served of [...this.#served.values()]) {
      if (this.#ending.signal.aborted) break;
      try {
        const waits = await this.#curateIfDue(served);
        if (waits !== undefined) againMs = Math.min(againMs ?? waits, waits);
      } catch (error) {
        if (this.#ending.signal.aborted) break;
        this.#options.log.warn("curation.failed", { message: messageOf(error) });
        againMs = this.#options.retryMs ?? LIMITS.curationRetryMs;
      }
    }
    return againMs;
  }

  #isDue(served: Served): boolean {
    return this.#unnamed(served).filter((one) => !isKnown(one, served)).length >= this.#options.after;
  }

  #unnamed({ scope }: Served): readonly Capability[] {
    return curatable(this.#options.directory.all(), {}, scope);
  }

  /** Returns when to check again, if another gateway is curating. */
  async #curateIfDue(served: Served): Promise<number | undefined> {
    const { curator, store, after } = this.#options;
    const { scope, known } = served;
    const all = await curator.candidates({}, scope);
    if (all.length === 0) return undefined;
    if (!this.#isDue(served) && !(served.maybeOpen && (await store.isOpen(scope)))) {
      served.maybeOpen = false;
      return undefined;
    }
    const claim = await store.claim(scope, this.#lease);
    if (claim.kind === "held") {
      served.maybeOpen = true;
      return claim.forMs + (this.#options.checkMs ?? LIMITS.curationCheckMs);
    }
    // Other suggestions may have been stored since, which take precedence.
    const kept = await curator.kept(all, scope);
    for (const one of all) if (kept.has(one.fqdn)) known.set(one.fqdn, basisOf(one));
    const pending = all.filter((one) => !kept.has(one.fqdn));
    if (claim.wasOpen || pending.length >= after)
      await this.#curate(served, claim.wasOpen ? all : pending, all);
    await store.finish(scope, this.#lease.owner);
    served.maybeOpen = false;
    return undefined;
  }

  async #curate(
    { scope, known }: Served,
    pending: readonly Capability[],
    all: readonly Capability[],
  ): Promise<void> {
    const { curator, mode, model, store, log } = this.#options;
    let isLost = false;
    const renew = async () => {
      isLost ||= !(await store.renew(scope, this.#lease));
    };
    // A model may take longer than the lease.
    const renewing = setInterval(() => void renew().catch(() => {}), this.#lease.ms / RENEWALS);
    renewing.unref();
    const curating: Curating = {
      scope,
      model,
      signal: this.#ending.signal,
      async onBatch() {
        await renew();
        if (isLost) throw new LeaseLost("Another gateway continues it");
      },
    };
    try {
      // In the mode `auto` earlier suggestions are applied too; in the mode `suggest` they need nothing more.
      const outcome = mode === "auto" ? await curator.autoFor(all, curating) : undefined;
      const { problems } = outcome ?? (await curator.prepare(pending, curating));
      for (const one of all) known.set(one.fqdn, basisOf(one));
      log.info("curation.done", {
        scope: formatScope(scope),
        suggested: pending.length,
        ...(outcome === undefined ? {} : { applied: outcome.applied.length }),
      });
      for (const message of problems) log.warn("curation.model", { message });
    } catch (error) {
      // Curation stays open for the next gateway. A gateway that shuts down cleanly ends its lease at once.
      if (this.#ending.signal.aborted) await store.renew(scope, { ...this.#lease, ms: 0 }).catch(() => {});
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      clearInterval(renewing);
    }
  }
}

function isKnown(capability: Capability, { known }: Served): boolean {
  return known.get(capability.fqdn) === basisOf(capability);
}

function isNewUnnamed({ before, after }: CapabilityChange): boolean {
  if (after === undefined || after.isNamed) return false;
  return before === undefined || basisOf(before) !== basisOf(after);
}
