/**
 * Chooses how many tools a list contains, and their order.
 *
 * An agent reads its list in every turn, and a changed list costs its client the prompt cache. So a list is `all` while
 * it is cheap and `lean` above that limit; mode and order are stored, and change rarely.
 *
 * @module
 */

import type { Tool } from "@modelcontextprotocol/server";
import { DAY_MS } from "../base/day.js";
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { within } from "../base/within.js";
import type { Capability } from "../registry/capability.js";
import type { ListMode, ToolListState, ToolListStore } from "../registry/tool-list.js";
import type { Exposure } from "./session.js";
import { type ListedTokens, tokensAtLeast, tokensAtMost } from "./token-count.js";

interface ListBudget {
  /** Above this limit, a list is lean. */
  readonly tokens: number;
  /** The limit of a lean list, including the entry points. */
  readonly leanTokens: number;
}

export interface ListingOptions {
  readonly store: ToolListStore;
  readonly budget: ListBudget;
  readonly tokens: Pick<ListedTokens, "of">;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A capability as a listed tool. */
export interface ListedCapability {
  readonly capability: Capability;
  readonly tool: Tool;
}

export interface ListingRequest {
  /** See `listKey`. */
  readonly key: string;
  readonly exposure: Exposure;
  /** The first tools of a lean list. */
  readonly entryPoints: readonly Tool[];
  /** PML's own tools and those of the servers. */
  readonly tools: readonly Tool[];
  /** The same tools in the form that is counted: without marks for servers that are away. */
  readonly counted?: readonly Tool[];
  readonly capabilities: readonly ListedCapability[];
  /** Servers are still starting: the mode is not decided yet. */
  readonly isStarting: boolean;
  /** A connected client was sent this list. */
  readonly isInUse: boolean;
}

export interface ChosenList {
  readonly mode: ListMode;
  readonly tools: readonly Tool[];
  /** A lean list has its own order; a list of mode `all` has all listed capabilities. */
  readonly capabilities: readonly Tool[];
}

/** A lean list changes to `all` only if that is well within the budget. */
const HYSTERESIS = 0.8;
const HOUR_MS = 3_600_000;
/** How long a list waits for an order that another gateway may have stored, and how often it checks. */
const OTHERS_WAIT_MS = 1_000;
const OTHERS_EVERY_MS = 60_000;
/** Uses of this many days ago count half. */
const HALF_LIFE_DAYS = 14;
const RANKED_MOST = 500;
const FRESH_MOST = 500;
/** The batch size for counting tools. */
const BATCH = 20;

const TRUST_WEIGHT: Readonly<Record<Capability["trust"], number>> = {
  verified: 1,
  provisional: 0.7,
  unproven: 0.5,
  suspect: 0.1,
  degraded: 0.1,
};

export class ToolListing {
  readonly #options: ListingOptions;
  readonly #states = new Map<string, ToolListState>();
  /** The capabilities of lists of mode `all` when they were last within the budget, by key. */
  readonly #whole = new Map<string, ReadonlySet<string>>();
  #loaded: Promise<void> | undefined;
  /** The time of the last check for orders that other gateways have stored. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #version = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** The times at which capabilities were named since the start, by id, oldest first. */
  readonly #named = new Map<string, number>();

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** Changes when a list may be chosen differently, even if tools and capabilities are the same. */
  get version(): string {
    return `${this.#version} ${Math.floor(this.#options.now() / HOUR_MS)}`;
  }

  /** Sequential: of two concurrent choices, the older one must not be stored last. */
  choose(request: ListingRequest): Promise<ChosenList> {
    const chosen = this.#last.then(() => this.#choose(request));
    this.#last = chosen.catch(() => {});
    return chosen;
  }

  async #choose(request: ListingRequest): Promise<ChosenList> {
    await this.#load();
    const mode = request.exposure === "auto" ? await this.#mode(request) : request.exposure;
    return mode === "lean" ? this.#lean(request) : this.#all(request);
  }

  /** Called when a capability was named: lean lists show it at once. */
  named({ id }: Pick<Capability, "id">): void {
    keepNewest(this.#named, id, this.#options.now(), FRESH_MOST);
    this.#version += 1;
  }

  #load(): Promise<void> {
    this.#loaded ??= within(LIMITS.storeOpenWaitMs, this.#options.store.load()).then(
      (states) => {
        if (states === undefined) this.#loaded = undefined;
        for (const [key, state] of states ?? []) if (!this.#states.has(key)) this.#states.set(key, state);
      },
      (error: unknown) => {
        this.#loaded = undefined;
        this.#options.log.warn("lists.not_loaded", { message: messageOf(error) });
      },
    );
    return this.#loaded;
  }

  /** An outdated order may have been renewed by another gateway of the same store. */
  async #catchUp(key: string): Promise<void> {
    const known = this.#states.get(key);
    const now = this.#options.now();
    if (known === undefined || !isOld(known, now) || Math.abs(now - this.#lookedAt) < OTHERS_EVERY_MS) return;
    this.#lookedAt = now;
    const kept = await within(OTHERS_WAIT_MS, this.#options.store.load()).catch(() => undefined);
    for (const [of, state] of kept ?? []) {
      const before = this.#states.get(of);
      // The other gateway does not know which lists this one's clients have.
      if (before !== undefined && isOld(before, now) && !isOld(state, now))
        this.#states.set(of, { ...state, mode: before.mode });
    }
  }

  async #mode(request: ListingRequest): Promise<ListMode> {
    const { key, tools, counted = tools, capabilities, isStarting, isInUse } = request;
    const before = this.#states.get(key)?.mode;
    if (isStarting && before !== undefined) return before;
    const whole = [...counted, ...capabilities.map(({ tool }) => tool)];
    const most = this.#options.budget.tokens * (before === "lean" ? HYSTERESIS : 1);
    const wanted = (await this.#isWithin(whole, most)) ? "all" : "lean";
    if (isStarting) return wanted;
    // A list in use stays `all`: it becomes lean when no client has it.
    if (wanted === "lean" && before === "all" && isInUse) return "all";
    if (wanted === "all") this.#whole.set(key, new Set(capabilities.map(({ capability: { id } }) => id)));
    else this.#whole.delete(key);
    // No client has a list of the other mode, so the order may be new.
    if (wanted !== before) this.#keep(key, { ...this.#ranking(request), mode: wanted });
    return wanted;
  }

  async #isWithin(tools: readonly Tool[], most: number): Promise<boolean> {
    if (tokensAtLeast(tools) > most) return false;
    if (tokensAtMost(tools) <= most) return true;
    return sum(await this.#options.tokens.of(tools)) <= most;
  }

  /** A list in use that exceeds its budget shows no new capabilities. */
  #all({ key, exposure, tools, capabilities }: ListingRequest): ChosenList {
    const known = exposure === "auto" ? this.#whole.get(key) : undefined;
    const listed = capabilities.filter(({ capability: { id } }) => known?.has(id) ?? true);
    return { mode: "all", tools, capabilities: listed.map(({ tool }) => tool) };
  }

  async #lean(request: ListingRequest): Promise<ChosenList> {
    const { key, entryPoints, capabilities } = request;
    await this.#catchUp(key);
    const byId = new Map(capabilities.map((listed) => [listed.capability.id, listed.tool]));
    const state = this.#order(request, byId);
    const toolsOf = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
    const [ranked, fresh] = [toolsOf(state.ranked), toolsOf(state.fresh)];
    const shown = await this.#fitting(entryPoints, [...fresh.toReversed(), ...ranked]);
    const listed = [...ranked, ...fresh].filter((tool) => shown.has(tool));
    return { mode: "lean", tools: entryPoints, capabilities: listed };
  }

  /** The stored order, plus what was named since; a new order if it is a day old. */
  #order(request: ListingRequest, listed: ReadonlyMap<string, Tool>): ToolListState {
    const { key, exposure } = request;
    const now = this.#options.now();
    const kept = this.#states.get(key);
    const isNew = kept === undefined || isOld(kept, now);
    // A client that requests a lean list does not decide for clients with `auto`.
    const mode = exposure === "auto" ? "lean" : (kept?.mode ?? "all");
    const state: ToolListState = isNew ? { ...this.#ranking(request), mode } : kept;
    const known = new Set([...state.ranked, ...state.fresh]);
    // A capability that existed when the order was made may have been named since.
    const named = [...this.#named].flatMap(([id, at]) =>
      at > now - DAY_MS && listed.has(id) && !known.has(id) ? [id] : [],
    );
    const added = [...newIn(request, state, new Set([...known, ...named])), ...named];
    if (!isNew && added.length === 0) return state;
    const order = { ...state, fresh: [...state.fresh, ...added].slice(-FRESH_MOST) };
    this.#keep(key, order);
    return order;
  }

  /**
   * The tools of `wanted` that fit into the remaining tokens, in order. A tool that does not fit does not block the
   * next ones.
   */
  async #fitting(entryPoints: readonly Tool[], wanted: readonly Tool[]): Promise<ReadonlySet<Tool>> {
    const { tokens, budget } = this.#options;
    if (tokensAtMost([...entryPoints, ...wanted]) <= budget.leanTokens) return new Set(wanted);
    const shown = new Set<Tool>();
    const room = budget.leanTokens - sum(await tokens.of(entryPoints));
    let left = room;
    for (let at = 0; room > 0 && at < wanted.length; at += BATCH) {
      const batch = wanted.slice(at, at + BATCH);
      for (const [index, cost] of (await tokens.of(batch)).entries()) {
        const tool = batch[index];
        if (cost > room) continue;
        left -= cost;
        if (left < 0 || tool === undefined) return shown;
        shown.add(tool);
      }
    }
    return shown;
  }

  #ranking({ capabilities }: ListingRequest): ToolListState {
    const now = this.#options.now();
    const ranked = capabilities
      .map(({ capability }) => ({ capability, worth: usefulness(capability, now) }))
      .sort((a, b) => b.worth - a.worth || (a.capability.displayName < b.capability.displayName ? -1 : 1))
      .slice(0, RANKED_MOST)
      .map(({ capability: { id } }) => id);
    return { mode: "all", ranked, fresh: [], rankedAt: new Date(now) };
  }

  #keep(key: string, state: ToolListState): void {
    this.#states.set(key, state);
    this.#version += 1;
    this.#options.store.save(key, state).catch((error: unknown) => {
      this.#options.log.warn("lists.not_kept", { message: messageOf(error) });
    });
  }
}

/** An order from the future was made while the clock was wrong. */
function isOld({ rankedAt }: ToolListState, now: number): boolean {
  return Math.abs(now - rankedAt.getTime()) >= DAY_MS;
}

/**
 * Capabilities that were named while no list was made, by another gateway or before a restart. If the order is not
 * truncated, everything that it lacks is new.
 */
function newIn(
  { capabilities }: ListingRequest,
  { ranked, fresh }: ToolListState,
  known: ReadonlySet<string>,
): readonly string[] {
  if (ranked.length === RANKED_MOST || fresh.length === FRESH_MOST) return [];
  return capabilities
    .map(({ capability }) => capability)
    .filter(({ id }) => !known.has(id))
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    .map(({ id }) => id);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Combines uses, the time since the last one, and trust. */
function usefulness({ usageCount, lastUsedAt, createdAt, trust }: Capability, now: number): number {
  const days = Math.max(0, now - (lastUsedAt ?? createdAt).getTime()) / DAY_MS;
  return TRUST_WEIGHT[trust] * Math.log2(1 + usageCount) * 0.5 ** (days / HALF_LIFE_DAYS);
}
