import { afterAll, describe, expect, it, vi } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { HybridMatcher } from "../../src/discovery/hybrid-matcher.js";
import { Meaning } from "../../src/discovery/meaning.js";
import { createEmbedder } from "../../src/embedding/create-embedder.js";
import { CapabilityDirectory } from "../../src/registry/capability-directory.js";
import type { Scope } from "../../src/registry/scope.js";
import { frozenTools } from "../support/frozen-set.js";
import { qualityOf, type RankingQuality } from "../support/ranking-quality.js";

// A real model, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ANN: Scope = { org: "local", project: "default", user: "ann" };
/** On a busy machine a vector takes its time; without it words would answer alone. */
const PATIENCE_MS = 60_000;
const few = frozenTools();
const more = frozenTools("frozen-set-more");
const all = { tools: [...few.tools, ...more.tools], queries: [...few.queries, ...more.queries] };

/** What is expected is a query or two below what was measured. */
interface Expected {
  readonly en: RankingQuality;
  readonly fr: RankingQuality;
}

const SETS: readonly {
  readonly what: string;
  readonly set: typeof few;
  readonly words: Expected;
  readonly both: Expected;
}[] = [
  {
    what: "44 tools, few of them alike",
    set: few,
    words: {
      en: { ndcg5: 0.6, recall1: 0.46, recall5: 0.68 },
      fr: { ndcg5: 0.88, recall1: 0.87, recall5: 0.87 },
    },
    both: {
      en: { ndcg5: 0.92, recall1: 0.81, recall5: 0.96 },
      fr: { ndcg5: 0.95, recall1: 0.92, recall5: 0.95 },
    },
  },
  {
    what: "163 tools, many of them alike",
    set: all,
    words: {
      en: { ndcg5: 0.53, recall1: 0.38, recall5: 0.64 },
      fr: { ndcg5: 0.88, recall1: 0.84, recall5: 0.9 },
    },
    both: {
      en: { ndcg5: 0.87, recall1: 0.74, recall5: 0.94 },
      fr: { ndcg5: 0.94, recall1: 0.87, recall5: 0.96 },
    },
  },
];

describe.each(SETS)("ranking quality on the frozen set: $what", ({ set, words, both }) => {
  const matcher = new HybridMatcher({ directory: new CapabilityDirectory([]), tools: () => set.tools });

  async function quality(language: "en" | "fr") {
    const asked = set.queries.filter((one) => one.language === language);
    const ranked = await Promise.all(
      asked.map(async ({ query, relevant }) => ({
        relevant,
        found: (await matcher.match(query, ANN, { limit: 10 })).map(({ id }) => String(id)),
      })),
    );
    return qualityOf(ranked);
  }

  afterAll(() => matcher.stop());

  it("[DI-2] [DI-3] by words alone", async () => {
    expect(missed(await quality("en"), words.en)).toEqual({});
    expect(missed(await quality("fr"), words.fr)).toEqual({});
  });

  it("[DI-2] [DI-3] by words and meaning", async () => {
    const embedder = await createEmbedder("bundled", silentLog, { queryVectorMs: PATIENCE_MS });
    const meaning = new Meaning({ embedder, patienceMs: PATIENCE_MS, embedAfterMs: 0 });
    matcher.useMeaning(meaning);
    await matcher.match("anything", ANN, { limit: 1 });
    await meaning.idle();
    expect(missed(await quality("en"), both.en)).toEqual({});
    expect(missed(await quality("fr"), both.fr)).toEqual({});
  });
});

function missed(got: RankingQuality, least: RankingQuality): Partial<RankingQuality> {
  const names = ["ndcg5", "recall1", "recall5"] as const;
  return Object.fromEntries(names.filter((name) => got[name] < least[name]).map((name) => [name, got[name]]));
}
