/**
 * Search by the meaning of texts: the vectors of tools and capabilities, and those of an intent.
 *
 * A search waits up to three seconds for a model that is not loaded. If the model is not ready or takes too long, the
 * search uses words alone. A text without a vector yet is found by its words. Errors go to the log and to the status of
 * the model, never to the search.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { type Log, silentLog } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { within } from "../base/within.js";
import type { Capability } from "../registry/capability.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Match } from "../registry/matcher.js";
import type { ToolId } from "../registry/tool-id.js";
import { capabilityDocument, toolDocument } from "./document-text.js";
import type { Background, Embedder } from "./embedder.js";
import { type EmbedderStatus, embedderStatus } from "./embedder.js";
import {
  type AskedVectors,
  type Nearest,
  type VectorSources,
  Vectors,
  type VectorsOptions,
} from "./kept-vectors.js";
import type { MatchableTool } from "./matchable.js";
import type { QueryText } from "./query-text.js";
import type { VectorKeeper, VectorProgress } from "./vector-keeper.js";

export interface MeaningOptions extends VectorSources {
  /** How long a search waits for the vectors of the intent. */
  readonly patienceMs?: number;
  /** How long all searches together wait for one load of the model. */
  readonly coldPatienceMs?: number;
  /** How long a search waits for the vectors of items that were added just before. */
  readonly freshPatienceMs?: number;
}

/** A few similar cosines do not show how much cosines usually vary. */
const LEAST_DEVIATION = 0.02;
/** If more than this share has no vector yet, results are not ranked by meaning. */
const BEHIND_SHARE = 0.1;

export class Meaning {
  readonly #options: MeaningOptions;
  readonly #embedder: Embedder;
  readonly #log: Log;
  readonly #patienceMs: number;
  readonly #coldPatienceMs: number;
  readonly #freshPatienceMs: number;
  #vectors: AllVectors;
  /** Previous keepers that are ending. */
  #ending: Promise<unknown> = Promise.resolve();
  #onAnew: (() => void) | undefined;
  /** How long this load of the model is waited for. */
  #coldUntil = 0;
  /** The model has processed all texts at least once. */
  #wasWarm = false;
  /** Why vectors are being recomputed, until they are ready. */
  #whyAnew: string | undefined;
  /** The problem of the search. */
  #problem: string | undefined;

  constructor(options: MeaningOptions) {
    this.#options = options;
    this.#embedder = options.embedder;
    this.#log = options.log ?? silentLog;
    this.#patienceMs = options.patienceMs ?? LIMITS.discoverPatienceMs;
    this.#coldPatienceMs = options.coldPatienceMs ?? LIMITS.discoverColdPatienceMs;
    this.#freshPatienceMs = options.freshPatienceMs ?? LIMITS.discoverFreshPatienceMs;
    this.#vectors = this.#open(options);
  }

  get tools(): Vectors<ToolId> {
    return this.#vectors.tools;
  }

  get capabilities(): Vectors<Fqdn> {
    return this.#vectors.capabilities;
  }

  /** Calls the listener when all texts must be added again. */
  onAnew(listener: () => void): void {
    this.#onAnew = listener;
  }

  get weight(): number {
    return this.#embedder.weight;
  }

  /** For an unknown model, mean and deviation are computed from the cosines of this search. */
  background(searches: readonly Omit<Nearest<unknown>, "keys">[]): Background {
    const { background } = this.#embedder;
    if (background !== undefined) return background;
    const compared = searches.reduce((sum, search) => sum + search.compared, 0);
    const average = (of: (search: (typeof searches)[number]) => number) =>
      searches.reduce((sum, search) => sum + search.compared * of(search), 0) / Math.max(1, compared);
    return {
      mean: average(({ mean }) => mean),
      deviation: Math.max(
        LEAST_DEVIATION,
        average(({ deviation }) => deviation),
      ),
    };
  }

  get status(): EmbedderStatus {
    const all = this.#all();
    const progress = progressOf(all);
    const status = embedderStatus(
      this.#embedder,
      progress,
      all.filter(({ isOutside }) => isOutside).map(({ collection }) => collection),
    );
    const problem = status.problem ?? this.#problem ?? this.#whyMadeAnew();
    return problem === undefined ? status : { ...status, problem };
  }

  /** Many candidates have no vector yet, or the vectors could not be searched. */
  isBehind(kind?: Match["kind"]): boolean {
    const { known, pending } = this.#progressOf(kind);
    return this.#problem !== undefined || pending > BEHIND_SHARE * (known + pending);
  }

  /** There is a model and a text for it. */
  isMeant(kind?: Match["kind"]): boolean {
    const { known, pending } = this.#progressOf(kind);
    return this.#embedder.state !== "none" && (known + pending > 0 || this.#whyMadeAnew() !== undefined);
  }

  setTool(id: ToolId, tool: MatchableTool | undefined): void {
    this.tools.set(id, tool === undefined ? undefined : toolDocument(tool));
  }

  setCapability(fqdn: Fqdn, capability: Capability | undefined): void {
    this.capabilities.set(fqdn, capability === undefined ? undefined : capabilityDocument(capability));
  }

  setPast(key: string, intent: string | undefined): void {
    this.#vectors.past.set(key, intent);
  }

  /** Compares only these keys, so that entries of other users are never read. */
  async past(asked: AskedVectors, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return keys.length === 0
      ? new Map()
      : (await this.#vectors.past.near({ ...asked, parts: [] }, keys)).whole;
  }

  /** Undefined without a model, without an answer in time, or with nothing to compare. */
  async ask({ text, parts, steps }: QueryText): Promise<AskedVectors | undefined> {
    if (this.#embedder.state === "none" || text === "") return undefined;
    const { known, pending } = this.#progressOf(undefined);
    if (known + pending === 0) return undefined;
    const [whole, ...others] = (await this.#embed([text, ...parts, ...steps])) ?? [];
    if (whole === undefined || this.tools.index.size + this.capabilities.index.size === 0) return undefined;
    const { length } = whole;
    if (this.#all().some(({ keeper }) => keeper.length !== undefined && keeper.length !== length)) {
      this.#beginAnew(length);
      return undefined;
    }
    const all = others.map((vector, index) => ({ text: [...parts, ...steps][index] ?? "", vector }));
    return { whole, parts: all.slice(0, parts.length), steps: all.slice(parts.length) };
  }

  /** If the model has to be loaded first, waits for it, and then for the vectors of the candidates. */
  async #embed(texts: readonly string[]): Promise<readonly Float32Array[] | undefined> {
    const isCold = this.#isCold();
    const patience = isCold ? Math.max(this.#patienceMs, this.#coldPatienceMs) : this.#patienceMs;
    // The status of the embedder has the reason.
    const asked = this.#embedder.embed(texts, "query", AbortSignal.timeout(patience)).catch(() => undefined);
    const { tools, capabilities } = this.#vectors;
    const keepers = [tools.keeper, capabilities.keeper];
    if (!isCold) {
      // A capability that was just learnt is often searched next; without its vector it would be ranked last.
      const fresh = keepers.filter(({ isAboutToBeDone }) => isAboutToBeDone).map((keeper) => keeper.idle());
      if (fresh.length > 0) await within(this.#freshPatienceMs, Promise.all([asked, ...fresh]));
      return await asked;
    }
    for (const keeper of keepers) keeper.hurry();
    const left = () => Math.max(0, this.#coldUntil - Date.now());
    const vectors = await within(left(), asked);
    if (vectors === undefined) return undefined;
    await within(left(), Promise.all(keepers.map((keeper) => keeper.idle())));
    // The next load may be started by something other than a search, and is waited for too.
    if (!this.isBehind()) this.#loaded();
    return vectors;
  }

  /** The model is not loaded, or has not processed the existing texts. Each load is waited for once. */
  #isCold(): boolean {
    const { state } = this.#embedder;
    if (state === "ready" && (this.#wasWarm || !this.isBehind())) {
      this.#loaded();
      return false;
    }
    if (state === "cold" || this.#coldUntil === 0) this.#coldUntil = Date.now() + this.#coldPatienceMs;
    return true;
  }

  #loaded(): void {
    this.#wasWarm = true;
    this.#coldUntil = 0;
  }

  /** Resolves when every added text has its vector. */
  async idle(): Promise<void> {
    await Promise.all(this.#all().map(({ keeper }) => keeper.idle()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((vectors) => vectors.stop()));
    await this.#ending;
    await this.#embedder.close();
  }

  #open(options: MeaningOptions & Pick<VectorsOptions, "length">): AllVectors {
    const all: VectorsOptions = {
      ...options,
      onOtherLength: (length) => this.#beginAnew(length),
      onSearch: (problem) => this.#searched(problem),
    };
    return {
      length: options.length,
      tools: new Vectors("tools", all),
      capabilities: new Vectors("capabilities", all),
      past: new Vectors("intents", all),
    };
  }

  /** The model behind the name has changed: vectors of the two must not be mixed. */
  #beginAnew(length: number): void {
    if (this.#vectors.length === length) return;
    const before = this.#all();
    const lengths = [...new Set(before.flatMap(({ keeper }) => keeper.length ?? []))];
    this.#whyAnew = `it now makes vectors of ${length} dimensions, before of ${lengths.join(" and ")}: all are recomputed`;
    this.#log.warn("vectors.made_anew", { id: this.#embedder.id, length, before: lengths.join(" and ") });
    this.#vectors = this.#open({ ...this.#options, length, embedAfterMs: 0 });
    this.#ending = Promise.all([this.#ending, ...before.map((vectors) => vectors.stop())]);
    this.#onAnew?.();
  }

  #searched(problem: unknown): void {
    const now = problem === undefined ? undefined : `its vectors cannot be searched: ${messageOf(problem)}`;
    // Logged once, not for every search.
    if (now !== undefined && now !== this.#problem) this.#log.warn("vectors.not_searched", { error: now });
    this.#problem = now;
  }

  /** The reason, until all vectors are present. */
  #whyMadeAnew(): string | undefined {
    const { known, pending } = progressOf(this.#all());
    if (known > 0 && pending === 0) this.#whyAnew = undefined;
    return this.#whyAnew;
  }

  #progressOf(kind: Match["kind"] | undefined): VectorProgress {
    const { tools, capabilities } = this.#vectors;
    return progressOf([
      ...(kind === "capability" ? [] : [tools]),
      ...(kind === "tool" ? [] : [capabilities]),
    ]);
  }

  #all(): readonly SomeVectors[] {
    const { tools, capabilities, past } = this.#vectors;
    return [tools, capabilities, past];
  }
}

interface AllVectors {
  /** The length of vectors, once it is certain: stored vectors may have another length. */
  readonly length: number | undefined;
  readonly tools: Vectors<ToolId>;
  readonly capabilities: Vectors<Fqdn>;
  /** Earlier intents, by keys that identify their owner. */
  readonly past: Vectors<string>;
}

type SomeVectors = Pick<Vectors<unknown>, "collection" | "isOutside" | "stop"> & {
  readonly keeper: Pick<VectorKeeper<unknown>, "idle" | "progress" | "length">;
};

function progressOf(all: readonly Pick<SomeVectors, "keeper">[]): VectorProgress {
  const progress = all.map(({ keeper }) => keeper.progress);
  return {
    known: progress.reduce((sum, { known }) => sum + known, 0),
    pending: progress.reduce((sum, { pending }) => sum + pending, 0),
  };
}
