/**
 * Finds tools and capabilities for an intent: by its words, and also by its meaning as soon as a model is available.
 *
 * @module
 */

import type { Json } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
import { type Capability, reliabilityOf } from "../registry/capability.js";
import { currentParts, foldDisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Certainty, IntentJudge, Match, Matcher, MatchOptions, Ranking } from "../registry/matcher.js";
import type { Scope } from "../registry/scope.js";
import { splitToolId, type ToolId } from "../registry/tool-id.js";
import { canSee } from "../registry/visibility.js";
import { FLOORS } from "./calibration.js";
import { Catalogue, type CatalogueSources } from "./catalogue.js";
import { certaintyOf } from "./certainty/certainty.js";
import type { EmbedderStatus } from "./embedder.js";
import { type Fused, fuse, mergeSteps, type Nearness, usualShare } from "./fusion.js";
import { CONTEXT_WEIGHT } from "./graph/context-bonus.js";
import type { AskedVectors, Near, Nearest, Vectors } from "./kept-vectors.js";
import {
  capabilityText,
  DEPRECATED_LOSS,
  isDeprecated,
  isSameText,
  type MatchableTool,
  toolText,
} from "./matchable.js";
import type { Meaning } from "./meaning.js";
import { type PastIntent, PastIntents } from "./past-intents.js";
import { alikeness, phraseOf } from "./phrase.js";
import { type QueryText, queryText } from "./query-text.js";
import { type Found, WordIndex, type WordSearch } from "./word-index.js";

export interface HybridMatcherOptions extends CatalogueSources<MatchableTool> {
  /** The probabilities of what follows this context, between 0 and 1; empty without context. */
  readonly follows?: (context: NonNullable<MatchOptions["context"]>) => ReadonlyMap<string, number>;
}

type Key = ToolId | Fqdn;

/** The largest effect of reliability, in points of the fused rank: only nearly equal results change places. */
const RELIABILITY_RANGE = 0.3;

export class HybridMatcher implements Matcher, IntentJudge {
  readonly #options: HybridMatcherOptions;
  readonly #catalogue: Catalogue<MatchableTool>;
  readonly #tools = new WordIndex<ToolId>();
  readonly #capabilities = new WordIndex<Fqdn>();
  readonly #past = new PastIntents({ onGone: (key) => this.#meaning?.setPast(key, undefined) });
  readonly #deprecated = new Set<Key>();
  #meaning: Meaning | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: HybridMatcherOptions) {
    this.#options = options;
    this.#catalogue = new Catalogue(options, {
      tool: (id, tool) => {
        if (tool === undefined) this.#tools.remove(id);
        else this.#tools.put(id, toolText(tool));
        this.#setDeprecated(id, tool !== undefined && isDeprecated(tool.description ?? "", tool.inputSchema));
        this.#meaning?.setTool(id, tool);
      },
      capability: (fqdn, capability) => {
        if (capability === undefined) this.#capabilities.remove(fqdn);
        else this.#capabilities.put(fqdn, capabilityText(capability));
        this.#setDeprecated(fqdn, isDeprecated(capability?.description ?? ""));
        this.#meaning?.setCapability(fqdn, capability);
      },
      isOther: (before, after) => !isSameText(before, after),
      changed: () => this.prepareSoon(),
    });
  }

  #setDeprecated(key: Key, isIt: boolean): void {
    if (isIt) this.#deprecated.add(key);
    else this.#deprecated.delete(key);
  }

  /** Until this is called, only words are used. */
  useMeaning(meaning: Meaning): void {
    this.#meaning = meaning;
    const tellAll = () => {
      for (const { key, text } of this.#past.all()) meaning.setPast(key, text);
      this.#catalogue.forget();
      this.prepareSoon();
    };
    meaning.onAnew(tellAll);
    tellAll();
  }

  /** A capability has succeeded for this intent, which counts for the same user. */
  remember(past: PastIntent): void {
    const kept = this.#past.add(past);
    if (kept !== undefined) this.#meaning?.setPast(kept.key, kept.text);
  }

  /** The status of the model, if there is one. */
  get status(): EmbedderStatus | undefined {
    return this.#meaning?.status;
  }

  /** Indexes everything in advance, so that the first search does not wait for it or for the model. */
  prepareSoon(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#catalogue.takeOver();
    }, LIMITS.discoverPrepareMs);
    this.#timer.unref();
  }

  async match(intent: string, scope: Scope, options: MatchOptions): Promise<readonly Match[]> {
    await this.#catalogue.takeOver();
    const { offset = 0, limit, isByStep = false } = options;
    const all = queryText(intent);
    const query = isByStep ? all : { ...all, steps: [] };
    const asked = await this.#meaning?.ask(query);
    const question = { query, asked, scope, options };
    const past = await this.#pastOf(question);
    const bonus = this.#bonuses(options.context ?? []);
    let unmatched: readonly string[] = [];
    const listed = await steadyList<Ranked>(offset + limit, async (room) => {
      const whole = await this.#ranked(question, room, bonus, past);
      const steps = [];
      for (const { text, vector } of asked?.steps ?? []) {
        const step = {
          query: stepQuery(text),
          asked: { whole: vector, parts: [], steps: [] },
          scope,
          options,
        };
        steps.push({ text, found: await this.#ranked(step, room, bonus) });
      }
      const fitting = steps.filter(({ found }) => (found[0]?.score ?? 0) >= FLOORS.fused.first);
      unmatched = steps.filter((step) => !fitting.includes(step)).map(({ text }) => text);
      return fitting.length === 0 ? whole : mergeSteps(whole, fitting);
    });
    options.onRanked?.(
      query.text === "" ? "all" : this.#rankedBy(asked, options),
      FLOORS[asked === undefined ? "words" : "fused"],
      unmatched,
    );
    return listed.slice(offset).map(({ key, score, reason, isCapability, step }): Match => {
      const judged = {
        score: Math.round(score * 1_000) / 1_000,
        reason,
        ...(step === undefined ? {} : { step }),
      };
      return isCapability
        ? { kind: "capability", id: key as Fqdn, ...judged }
        : { kind: "tool", id: key as ToolId, ...judged };
    });
  }

  /** Ranks `room` tools and as many capabilities, by words and by meaning. */
  async #ranked(
    question: Question,
    room: number,
    bonus: (key: Key) => number,
    past: ReadonlyMap<Fqdn, number> = new Map(),
  ): Promise<readonly Ranked[]> {
    const tools = await this.#foundTools(question, room);
    const capabilities = await this.#foundCapabilities(question, room, past.keys());
    const near = this.#nearness(tools, capabilities, question.asked !== undefined);
    const found: readonly Found<Key>[] = [...capabilities.found, ...tools.found];
    const usual = usualShare([tools.words, capabilities.words]);
    const isCapability = new Set<Key>(capabilities.found.map(({ key }) => key));
    const fused = fuse<Key>(found, usual, near, bonus, past);
    return fused.map((one) => ({ ...one, isCapability: isCapability.has(one.key) }));
  }

  similarity(one: string, other: string): number {
    return alikeness(phraseOf(one), phraseOf(other));
  }

  certainty(intent: string, args: Readonly<Record<string, Json>>, capability: Capability): Certainty {
    return certaintyOf(intent, args, capability);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#catalogue.stop();
    await this.#meaning?.stop();
  }

  /** Also `words` while many candidates have no vector yet. */
  #rankedBy(asked: AskedVectors | undefined, { kind }: MatchOptions): Ranking {
    const meaning = this.#meaning;
    if (meaning === undefined || !meaning.isMeant(kind)) return "all";
    return asked === undefined || meaning.isBehind(kind) ? "words" : "all";
  }

  #foundTools(question: Question, room: number) {
    const { kind, namespace } = question.options;
    const accepts = (id: ToolId) =>
      kind !== "capability" && (namespace === undefined || splitToolId(id).server === namespace);
    return findIn(this.#tools, this.#meaning?.tools, question, { accepts, room });
  }

  #foundCapabilities(question: Question, room: number, also: Iterable<Fqdn>) {
    const accepts = this.#accepts(question);
    return findIn(this.#capabilities, this.#meaning?.capabilities, question, { accepts, room, also });
  }

  #accepts({ scope, options: { kind, namespace } }: Question): (fqdn: Fqdn) => boolean {
    const { directory } = this.#options;
    const wanted = namespace === undefined ? undefined : foldDisplayName(namespace);
    return (fqdn) => {
      if (kind === "tool") return false;
      const capability = directory.get(fqdn);
      if (capability === undefined || !canSee(capability, scope)) return false;
      return wanted === undefined || foldDisplayName(currentParts(capability).namespace) === wanted;
    };
  }

  /** The similarity of the intent to earlier uses of capabilities by the same user. */
  async #pastOf(question: Question): Promise<ReadonlyMap<Fqdn, number>> {
    const { query, asked, scope } = question;
    const cosines = asked && (await this.#meaning?.past(asked, this.#past.keysOf(scope)));
    const accepts = this.#accepts(question);
    return new Map([...this.#past.alike(query.wordings, scope, cosines)].filter(([fqdn]) => accepts(fqdn)));
  }

  #nearness(
    tools: FoundIn<ToolId>,
    capabilities: FoundIn<Fqdn>,
    isAsked: boolean,
  ): Nearness<Key> | undefined {
    const meaning = this.#meaning;
    if (meaning === undefined || !isAsked) return undefined;
    const [one, other] = [tools.near, capabilities.near];
    return {
      whole: new Map<Key, number>([...(one?.whole ?? []), ...(other?.whole ?? [])]),
      parts: (one?.parts ?? other?.parts ?? []).map(({ text }, index) => ({
        text,
        cosines: new Map<Key, number>([
          ...(one?.parts[index]?.cosines ?? []),
          ...(other?.parts[index]?.cosines ?? []),
        ]),
      })),
      background: meaning.background([tools, capabilities].flatMap(({ nearest }) => nearest ?? [])),
      weight: meaning.weight,
    };
  }

  #bonuses(context: NonNullable<MatchOptions["context"]>): (key: Key) => number {
    const { directory, follows } = this.#options;
    const after = context.length === 0 ? undefined : follows?.(context);
    return (key) => {
      const capability = directory.get(key as Fqdn);
      const reliable = capability === undefined ? 0 : RELIABILITY_RANGE * (reliabilityOf(capability) - 0.5);
      const advised = this.#deprecated.has(key) ? -DEPRECATED_LOSS : 0;
      return reliable + advised + CONTEXT_WEIGHT * (after?.get(key) ?? 0);
    };
  }
}

interface Ranked extends Fused<Key> {
  readonly isCapability: boolean;
  readonly step?: string;
}

function stepQuery(text: string): QueryText {
  return { text, wordings: [text], parts: [], steps: [] };
}

interface Question {
  readonly query: QueryText;
  /** Undefined if no model answers. */
  readonly asked: AskedVectors | undefined;
  readonly scope: Scope;
  readonly options: MatchOptions;
}

interface Sought<K> {
  readonly accepts: (key: K) => boolean;
  /** The number of candidates, both by words and by meaning. */
  readonly room: number;
  /** Additional candidates. */
  readonly also?: Iterable<K>;
}

interface FoundIn<K> {
  readonly words: WordSearch<K>;
  readonly found: readonly Found<K>[];
  readonly near: Near<K> | undefined;
  readonly nearest: Nearest<K> | undefined;
}

async function findIn<K>(
  index: WordIndex<K>,
  vectors: Vectors<K> | undefined,
  { query, asked }: Question,
  { accepts, room, also = [] }: Sought<K>,
): Promise<FoundIn<K>> {
  const words = index.ask(query.wordings, accepts);
  const byWords = words.best(room);
  const have = new Set(byWords.map(({ key }) => key));
  const best = [...byWords, ...words.of([...also].filter((key) => !have.has(key)))];
  if (vectors === undefined || asked === undefined)
    return { words, found: best, near: undefined, nearest: undefined };
  const known = new Set(best.map(({ key }) => key));
  const nearest = await vectors.nearest(asked, room, accepts);
  const found = [...best, ...words.of([...nearest.keys].filter((key) => !known.has(key)))];
  const near = await vectors.near(
    asked,
    found.map(({ key }) => key),
  );
  return { words, found, near, nearest };
}

// One list, independent of the page size.
//
// Words and meaning each rank separately, and only the first candidates of both are compared. With more
// candidates, a result may turn out to belong before results that were shown already. So the list is made in
// stages that do not depend on the page. Results of a stage keep their place; the next stage compares twice
// as many candidates and appends its results.

/** The size of the first stage: three pages. */
const ROOM = 64;
/** The last candidates of a stage are not shown: a candidate that was not compared could belong before them. */
const MARGIN = 30;

interface Listed {
  readonly key: unknown;
  readonly score: number;
}

/** The first `end` results. `ranked` compares `room` of each kind, and fewer only if there are no more. */
export async function steadyList<T extends Listed>(
  end: number,
  ranked: (room: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const listed = new Map<unknown, T>();
  for (let room = ROOM; ; room *= 2) {
    const found = await ranked(room);
    const isAll = found.length < room;
    // A result of a later stage never gets a higher score than the results before it.
    const most = [...listed.values()].at(-1)?.score ?? Number.POSITIVE_INFINITY;
    for (const one of found) {
      if (!isAll && listed.size >= room - MARGIN) break;
      if (listed.has(one.key)) continue;
      listed.set(one.key, one.score <= most ? one : { ...one, score: most });
    }
    if (isAll || listed.size >= end) return [...listed.values()].slice(0, end);
  }
}
