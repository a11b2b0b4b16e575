import { describe, expect, it, vi } from "vitest";
import { capturedLog } from "../../test/support/captured-log.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { CodeTokens, Saved, SavingsStore } from "../registry/savings.js";
import { Ledger } from "./ledger.js";
import type { CountTokens } from "./token-count.js";

const SCOPE = { org: "o", project: "p", user: "u" };
const FQDN = "o.p.a.b.1234" as Fqdn;
const NONE: Saved = { runs: 0, tokensMeasured: 0, tokensEstimated: 0, ms: 0 };

/** A ledger whose store has one version that is not counted yet, and notes what it is asked. */
function ledger(count: CountTokens) {
  const kept: CodeTokens[] = [];
  const asked: string[] = [];
  const log = capturedLog();
  const store: SavingsStore = {
    total: async (_, since = "ever") => {
      asked.push(`total ${since}`);
      return NONE;
    },
    byDay: async () => [],
    byCapability: async (_, most, since = "ever") => {
      asked.push(`${most} ${since}`);
      return [];
    },
    of: async () => NONE,
    uncounted: async () => (kept.length > 0 ? [] : [{ fqdn: FQDN, version: 2, text: "return 1" }]),
    keepCounts: async (counts) => void kept.push(...counts),
    fold: async () => 0,
  };
  const now = () => Date.parse("2026-11-17T00:30:00.000Z");
  return { kept, asked, log, ledger: new Ledger({ store, count, log, now }) };
}

describe("[LP-6] reading the ledger", () => {
  it("counts code once, also for concurrent and later callers", async () => {
    const counted: (readonly string[])[] = [];
    const { kept, ledger: read } = ledger(async (texts) => {
      counted.push(texts);
      return texts.map((text) => text.length);
    });
    await Promise.all([read.of(FQDN), read.total(SCOPE), read.project(SCOPE)]);
    await read.of(FQDN);
    expect(counted).toEqual([["return 1"]]);
    expect(kept).toEqual([{ fqdn: FQDN, version: 2, tokens: 8 }]);
  });

  it("shows an estimate of one capability where counting takes long", async () => {
    vi.useFakeTimers();
    try {
      const { ledger: read } = ledger(() => new Promise(() => {}));
      const asked = read.of(FQDN);
      await vi.runAllTimersAsync();
      expect(await asked).toEqual(NONE);
    } finally {
      vi.useRealTimers();
    }
  });

  it("goes on without a count, says so, and tries again", async () => {
    let fails = true;
    const {
      kept,
      log,
      ledger: read,
    } = ledger(async () => {
      if (fails) throw new Error("no thread");
      return [3];
    });
    expect(await read.of(FQDN)).toEqual(NONE);
    expect(log.lines.join()).toContain("ledger.not_counted");
    fails = false;
    await read.of(FQDN);
    expect(kept).toMatchObject([{ tokens: 3 }]);
  });

  it("has the week of today and six days before, UTC, with the best five", async () => {
    const { asked, ledger: read } = ledger(async () => [1]);
    expect((await read.project(SCOPE)).week.since).toBe("2026-11-11");
    expect(asked).toEqual(["total ever", "100 ever", "total 2026-11-11", "5 2026-11-11"]);
  });
});
