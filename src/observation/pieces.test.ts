/** Others have their turn while sessions are mined: by counts of what is looked at, and not by a clock. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { choosePrograms } from "./choose-programs.js";
import { countingValues, countValues, findingFlow, flowOf } from "./data-flow.js";
import { findPatterns } from "./find-patterns.js";
import { knowableOf } from "./knowable.js";
import { minedInTurns, seenElsewhere } from "./mine-sessions.js";
import { atOnce, type Work } from "./pieces.js";
import type { RecordedSession } from "./recorded-session.js";
import { tiedRuns } from "./tied-runs.js";

const CALLS = 300;

/** One small call again and again; `seen` is told each time that the argument is read. */
function repeated(seen: () => void = () => {}): RecordedSession {
  const args = {
    get message() {
      seen();
      return "good morning";
    },
  };
  return {
    id: "one",
    calls: Array.from({ length: CALLS }, () => ({ tool: "a:echo", arguments: args, result: "good morning" })),
  };
}

describe("[LC-1] one long session", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is read in pieces of few calls, and each call few times", async () => {
    // So much time passes that every piece is as small as it can be.
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000));
    let all = 0;
    let piece = 0;
    let most = 0;
    const session = repeated(() => {
      all++;
      most = Math.max(most, ++piece);
    });
    await minedInTurns(
      [session],
      () => false,
      async () => {
        piece = 0;
      },
    );
    expect(most).toBeLessThanOrEqual(10);
    expect(all / CALLS).toBeLessThanOrEqual(20);
  });

  const session = repeated();
  const counts = countValues([session]);
  const flows = [flowOf(session, counts)];
  const knowable = atOnce(knowableOf(flows));
  const runs = [...atOnce(tiedRuns(mixed(), knowable)).values()];

  it.each<[string, () => Work<unknown>]>([
    ["values are counted", () => countingValues(session, counts)],
    ["the flow is found", () => findingFlow(session, counts)],
    ["it is counted what can be known", () => knowableOf(flows)],
    ["patterns are found", () => findPatterns(flows, knowable)],
    ["programs are chosen", () => choosePrograms(flows, [], () => false, knowable)],
    ["tied runs are found", () => tiedRuns(flows, knowable)],
    [
      "programs are made of what was seen elsewhere",
      () => {
        const counted = runs.map((pattern) => ({ pattern, times: 3 }));
        return seenElsewhere({ sessions: mixed(), knowable, candidates: [] }, counted, () => false);
      },
    ],
  ])("has at least one piece per call where %s", (_, start) => {
    let pieces = 0;
    for (const work = start(); work.next().done !== true; ) pieces++;
    expect(pieces).toBeGreaterThanOrEqual(CALLS);
  });

  /** Every second call takes its argument from the one before. */
  function mixed() {
    const calls = Array.from({ length: CALLS }, (_, i) => {
      const key = `key_${i >> 1}_7${i >> 1}`;
      return i % 2 === 0
        ? { tool: "a:make", arguments: { name: `name ${i}` }, result: { key } }
        : { tool: "a:use", arguments: { key }, result: true };
    });
    const one = { id: "mixed", calls };
    return [flowOf(one, countValues([one]))];
  }
});
