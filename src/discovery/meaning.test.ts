/** Models that change, that are slow, and that are not done yet: what is found, and what it was ranked by. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nextTurn } from "../base/next-turn.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Ranking } from "../registry/matcher.js";
import { type ServerName, toolId } from "../registry/tool-id.js";
import type { Background, EmbeddedKind, Embedder, EmbedderState } from "./embedder.js";
import { HybridMatcher } from "./hybrid-matcher.js";
import type { MatchableTool } from "./matchable.js";
import { Meaning, type MeaningOptions } from "./meaning.js";
import type { VectorStore } from "./vector-index.js";

const ADA = { org: "local", project: "default", user: "ada" };

const tool = (name: string, description: string): MatchableTool => ({
  id: toolId("s" as ServerName, name),
  description,
  hash: description,
  inputSchema: { type: "object", properties: {} },
});
const RAIN = tool("forecast", "Tells of rain");
const BUY = tool("purchase", "Buys goods");

/** Words that mean the same have the same number. */
const MEANINGS = [/rain|wet/i, /buy|bicycle|goods/i];

class PlainEmbedder implements Embedder {
  readonly id = "m";
  readonly weight = 0.7;
  readonly problem = undefined;
  background: Background | undefined;
  state: EmbedderState = "ready";
  length: number;
  before: (kind: EmbeddedKind, texts: readonly string[]) => Promise<void> = async () => {};
  constructor(length: number) {
    this.length = length;
  }
  async embed(texts: readonly string[], kind: EmbeddedKind): Promise<readonly Float32Array[]> {
    await this.before(kind, texts);
    return texts.map((text) =>
      Float32Array.from({ length: this.length }, (_, at) => (MEANINGS[at]?.test(text) === true ? 1 : 0.01)),
    );
  }
  async close(): Promise<void> {}
}

class PlainStore implements VectorStore {
  readonly #vectors = new Map<string, Float32Array>();
  async get(_: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    return new Map([...this.#vectors].filter(([hash]) => hashes.includes(hash)));
  }
  async put(_: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    for (const [hash, vector] of vectors) this.#vectors.set(hash, vector);
  }
  async prune(): Promise<number> {
    return 0;
  }
  get lengths(): readonly number[] {
    return [...new Set(Array.from(this.#vectors.values(), ({ length }) => length))];
  }
}

function gateway(embedder: PlainEmbedder, more: Partial<MeaningOptions> = {}) {
  const source = { tools: [RAIN, BUY] as readonly MatchableTool[] };
  const logged: string[] = [];
  const log = { debug() {}, info() {}, warn: (event: string) => void logged.push(event), error() {} };
  const matcher = new HybridMatcher({ directory: new CapabilityDirectory([]), tools: () => source.tools });
  const meaning = new Meaning({ embedder, embedAfterMs: 0, log, ...more });
  matcher.useMeaning(meaning);
  onTestFinished(() => matcher.stop());
  /** The best, and what it was ranked by. */
  const ask = async (intent: string) => {
    let ranking: Ranking | undefined;
    const onRanked = (by: Ranking) => {
      ranking = by;
    };
    const [first] = await matcher.match(intent, ADA, { limit: 1, onRanked });
    return `${ranking}: ${first?.id ?? "nothing"}`;
  };
  return { ask, matcher, meaning, source, logged };
}

/** One that knows all there is. */
async function settled(embedder: PlainEmbedder, more: Partial<MeaningOptions> = {}) {
  const made = gateway(embedder, more);
  await made.ask("anything");
  await made.meaning.idle();
  return made;
}

describe("[DI-2] another model behind the same name", () => {
  it("after a restart: words answer, everything is embedded anew, and then meanings count", async () => {
    const store = new PlainStore();
    const before = await settled(new PlainEmbedder(4), { store });
    expect(await before.ask("will it be wet")).toBe("all: s:forecast");
    await before.matcher.stop();
    const { ask, meaning, matcher, logged } = gateway(new PlainEmbedder(6), { store });
    expect(await ask("will it be wet")).toBe("words: nothing");
    expect(matcher.status?.problem).toBe(
      "it now makes vectors of 6 dimensions, before of 4: all are recomputed",
    );
    await ask("anything");
    await meaning.idle();
    expect(await ask("will it be wet")).toBe("all: s:forecast");
    expect([matcher.status?.problem, store.lengths, logged]).toEqual([undefined, [6], ["vectors.made_anew"]]);
  });

  it("which a new tool shows", async () => {
    const embedder = new PlainEmbedder(4);
    const { ask, meaning, source, logged } = await settled(embedder);
    embedder.length = 6;
    source.tools = [...source.tools, tool("ride", "Lends a bicycle")];
    embedder.before = async (kind) => {
      if (kind === "query") throw new Error("no");
    };
    await ask("anything");
    await vi.waitFor(() => expect(logged).toContain("vectors.made_anew"));
    embedder.before = async () => {};
    await ask("anything");
    await meaning.idle();
    expect(await ask("will it be wet")).toBe("all: s:forecast");
  });

  it("vectors that cannot be searched are told, and words answer", async () => {
    const embedder = new PlainEmbedder(4);
    const { ask, matcher, logged } = await settled(embedder);
    const embed = embedder.embed.bind(embedder);
    embedder.embed = async (texts) => texts.map(() => new Float32Array(4).fill(Number.NaN));
    expect(await ask("tells of rain")).toBe("words: s:forecast");
    expect(await ask("tells of rain")).toBe("words: s:forecast");
    expect([matcher.status?.problem, logged]).toEqual([
      "its vectors cannot be searched: A vector has a number that is not finite",
      ["vectors.not_searched"],
    ]);
    embedder.embed = embed;
    expect(await ask("will it be wet")).toBe("all: s:forecast");
    expect(matcher.status?.problem).toBeUndefined();
  });
});

describe("[DI-2] what was ranked by words alone", () => {
  it("is what was asked while more than a tenth has no vector", async () => {
    const embedder = new PlainEmbedder(4);
    const { ask, meaning, source } = await settled(embedder, { freshPatienceMs: 1 });
    const goOn = new Set<() => void>();
    embedder.before = (kind) =>
      kind === "query" ? Promise.resolve() : new Promise((resolve) => goOn.add(resolve));
    source.tools = [...source.tools, tool("ride", "Lends a bicycle")];
    expect(await ask("will it be wet")).toBe("words: s:forecast");
    while (goOn.size === 0) await nextTurn();
    embedder.before = async () => {};
    for (const go of goOn) go();
    await meaning.idle();
    expect(await ask("will it be wet")).toBe("all: s:forecast");
    source.tools = Array.from({ length: 20 }, (_, n) => tool(`rain${n}`, `Rain ${n}`));
    await ask("anything");
    await meaning.idle();
    embedder.before = (kind) => (kind === "query" ? Promise.resolve() : Promise.reject(new Error("no")));
    source.tools = [...source.tools, tool("ride", "Lends a bicycle")];
    expect(await ask("wet")).toMatch(/^all: s:rain/);
  });

  it("is what the model did not answer, and nothing where there is none, or nothing to read", async () => {
    const embedder = new PlainEmbedder(4);
    const { ask, source } = await settled(embedder);
    embedder.before = () => Promise.reject(new Error("no"));
    expect(await ask("tells of rain")).toBe("words: s:forecast");
    source.tools = [];
    expect(await ask("tells of rain")).toBe("all: nothing");
    const none = new PlainEmbedder(4);
    none.state = "none";
    expect(await gateway(none).ask("tells of rain")).toBe("all: s:forecast");
  });
});

describe("[DI-2] how long an intent waits", () => {
  it("the first one for the model, which it starts, and for the vectors of what can be found", async () => {
    const embedder = new PlainEmbedder(4);
    embedder.state = "cold";
    const { ask } = gateway(embedder, { embedAfterMs: 3_600_000, coldPatienceMs: 3_600_000 });
    const waiting: (() => void)[] = [];
    embedder.before = async () => {
      if (embedder.state === "ready") return;
      embedder.state = "loading";
      await new Promise<void>((resolve) => void waiting.push(resolve));
    };
    const asked = ask("will it be wet");
    while (waiting.length === 0) await nextTurn();
    embedder.state = "ready";
    for (const goOn of waiting) goOn();
    expect(await asked).toBe("all: s:forecast");
  });

  it("also for a later load that no search has begun", async () => {
    const embedder = new PlainEmbedder(4);
    embedder.state = "cold";
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { ask, meaning } = gateway(embedder, { coldPatienceMs: 3_000 });
    embedder.before = async () => {
      embedder.state = "ready";
    };
    expect(await ask("will it be wet")).toBe("all: s:forecast");
    await meaning.idle();
    // It has left, and a text that is new brings it back.
    vi.setSystemTime(Date.now() + 60_000);
    embedder.state = "loading";
    embedder.before = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      embedder.state = "ready";
    };
    expect(await ask("will it be wet")).toBe("all: s:forecast");
  });

  it("three seconds for one load at most, all of them together", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const embedder = new PlainEmbedder(4);
    embedder.state = "loading";
    const waiting: (() => void)[] = [];
    embedder.before = () => new Promise((resolve) => void waiting.push(resolve));
    const { ask } = gateway(embedder);
    onTestFinished(() => {
      vi.useRealTimers();
      for (const goOn of waiting) goOn();
    });
    const begun = Date.now();
    const answers: string[] = [];
    const asks = (async () => {
      for (const intent of ["tells of rain", "buys goods"])
        answers.push(`${await ask(intent)} after ${Math.floor((Date.now() - begun) / 100) / 10} s`);
    })();
    await vi.advanceTimersByTimeAsync(10_000);
    await asks;
    expect(answers).toEqual(["words: s:forecast after 3 s", "words: s:purchase after 3 s"]);
    const none = new PlainEmbedder(4);
    none.state = "none";
    const before = Date.now();
    expect(await gateway(none).ask("tells of rain")).toBe("all: s:forecast");
    expect(Date.now()).toBe(before);
  });

  it("for a model that is not ready: hardly, and it is asked all the same", async () => {
    const embedder = new PlainEmbedder(4);
    const { ask } = await settled(embedder, { patienceMs: 3_600_000, coldPatienceMs: 1 });
    const waiting: (() => void)[] = [];
    embedder.before = () => new Promise((resolve) => void waiting.push(resolve));
    for (const state of ["cold", "loading"] as const) {
      embedder.state = state;
      expect(await ask("will it be wet")).toBe("words: nothing");
    }
    expect(waiting).toHaveLength(2);
    embedder.state = "ready";
    const asked = ask("will it be wet");
    while (waiting.length < 3) await nextTurn();
    for (const goOn of waiting) goOn();
    expect(await asked).toBe("all: s:forecast");
  });
});

describe("[DI-2] what is new", () => {
  it("is found by its meaning at once: the search waits a moment for its vector", async () => {
    const embedder = new PlainEmbedder(4);
    const { ask, source } = await settled(embedder);
    embedder.before = async (kind) => {
      if (kind === "document") for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    };
    source.tools = [RAIN, tool("ride", "Lends a bicycle")];
    expect(await ask("buy")).toBe("all: s:ride");
  });

  it("is not waited for while many others have no vector yet, nor for long", async () => {
    const embedder = new PlainEmbedder(4);
    for (const [howMany, freshPatienceMs] of [
      [20, 3_600_000],
      [1, 1],
    ] as const) {
      const { ask, source } = await settled(embedder, { freshPatienceMs });
      const goOn: (() => void)[] = [];
      embedder.before = (kind) =>
        kind === "query" ? Promise.resolve() : new Promise((resolve) => void goOn.push(resolve));
      source.tools = [RAIN, ...Array.from({ length: howMany }, (_, n) => tool(`t${n}`, `Does ${n}`))];
      expect(await ask("tells of rain")).toBe("words: s:forecast");
      embedder.before = async () => {};
      for (const go of goOn) go();
    }
  });

  it("is read before anybody asks, with a model and without", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const embedder = new PlainEmbedder(4);
    const { matcher, source } = gateway(embedder);
    source.tools = [];
    await vi.advanceTimersByTimeAsync(5_000);
    source.tools = [RAIN];
    matcher.prepareSoon();
    await vi.advanceTimersByTimeAsync(5_000);
    await vi.waitFor(() => expect(matcher.status).toMatchObject({ known: 1, pending: 0 }));
    let read = 0;
    const tools = () => {
      read += 1;
      return [RAIN];
    };
    const alone = new HybridMatcher({ directory: new CapabilityDirectory([]), tools });
    alone.prepareSoon();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(read).toBe(1);
    await alone.stop();
    alone.prepareSoon();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(read).toBe(1);
  });
});

describe("[DI-3] a request of several steps", () => {
  const INTENT = "check whether it will be wet, then order a bicycle, then plant trees";
  async function asked(intent: string, isByStep = true) {
    const embedder = new PlainEmbedder(4);
    embedder.background = { mean: 0.03, deviation: 0.1 };
    const { matcher } = await settled(embedder);
    const embedded: (readonly string[])[] = [];
    embedder.before = async (kind, texts) => void (kind === "query" && embedded.push(texts));
    let unmatched: readonly string[] | undefined;
    const found = await matcher.match(intent, ADA, {
      limit: 5,
      isByStep,
      onRanked: (_by, _floor, steps) => {
        unmatched = steps;
      },
    });
    return { found: found.map(({ id, step }) => `${id} ${step}`), embedded, unmatched };
  }

  it("finds what is for each, embeds all of it at once, and says which step finds nothing", async () => {
    const { found, embedded, unmatched } = await asked(INTENT);
    expect(found).toEqual(
      expect.arrayContaining(["s:forecast check whether it will be wet", "s:purchase order a bicycle"]),
    );
    expect(embedded).toEqual([[INTENT, "check whether it will be wet", "order a bicycle", "plant trees"]]);
    expect(unmatched).toEqual(["plant trees"]);
  });

  it("is searched as a whole where nobody asks for steps, and one thing to do is", async () => {
    for (const { found, embedded, unmatched } of [await asked(INTENT, false), await asked("buy a bicycle")]) {
      expect(found.join()).toMatch(/^(?:s:\w+ undefined,?)+$/);
      expect([embedded[0]?.length, unmatched]).toEqual([1, []]);
    }
  });
});
