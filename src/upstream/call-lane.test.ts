import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import type { PmlError } from "../base/pml-error.js";
import { CallLane } from "./call-lane.js";

/** Lets all promises that are ready have their turn. */
async function turn(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
}

describe("CallLane, waiting", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives up after its limit, naming it, and lets the next one in when there is room", async () => {
    vi.useFakeTimers();
    const lane = new CallLane("srv", { most: 1 });
    const { signal } = new AbortController();
    const leave = await lane.enter({ connection: "a" }, signal);
    const late = lane.enter({ connection: "b" }, signal);
    const refused = expect(late).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(/^Cannot call server "srv": .*laneWaitMs$/),
    });
    vi.advanceTimersByTime(LIMITS.laneWaitMs - 1);
    const next = lane.enter({ connection: "c" }, signal);
    vi.advanceTimersByTime(1);
    await refused;
    leave();
    expect(await next).toBeTypeOf("function");
  });

  it("[TB-8] ends the taking of turns after a while, so that a call that hangs does not stop all others", async () => {
    vi.useFakeTimers();
    const lane = new CallLane("srv");
    lane.takeTurns();
    const { signal } = new AbortController();
    await lane.enter({ connection: "hangs" }, signal);
    let isIn = false;
    const next = lane.enter({ connection: "b" }, signal).then(() => {
      isIn = true;
    });
    await vi.advanceTimersByTimeAsync(LIMITS.laneTurnMs - 1);
    expect(isIn).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await next;
  });
});

/**
 * A lane driven by words: `a1` is call 1 of client a, `-a1` ends it, `!a1` aborts it, `turns` is takeTurns.
 * What is under way after each word is what counts.
 */
class Drive {
  readonly lane: CallLane;
  readonly inside: string[] = [];
  readonly refused: string[] = [];
  readonly #leave = new Map<string, () => void>();
  readonly #abort = new Map<string, AbortController>();

  constructor(most: number) {
    this.lane = new CallLane("srv", { most });
  }

  async word(word: string): Promise<void> {
    const call = word.slice(1);
    if (word === "turns") this.lane.takeTurns();
    else if (word.startsWith("-")) this.end(call);
    else if (word.startsWith("!")) this.#abort.get(call)?.abort(new Error("gone"));
    else this.enter(word);
    await turn();
  }

  enter(call: string): void {
    const controller = new AbortController();
    this.#abort.set(call, controller);
    this.lane.enter({ connection: call.charAt(0) }, controller.signal).then(
      (leave) => {
        this.#leave.set(call, leave);
        this.inside.push(call);
      },
      () => this.refused.push(call),
    );
  }

  end(call: string): void {
    this.#leave.get(call)?.();
    const index = this.inside.indexOf(call);
    if (index >= 0) this.inside.splice(index, 1);
  }
}

async function check(words: string, expected: string, most = 10): Promise<void> {
  const drive = new Drive(most);
  for (const word of words.split(" ")) await drive.word(word);
  expect([drive.inside.join(" "), ...drive.refused.map((call) => `refused ${call}`)].join(", ")).toBe(
    expected,
  );
}

describe("[GW-2] CallLane", () => {
  it("lets calls of all clients run side by side", () => check("a1 b1 a2", "a1 b1 a2"));
  it("lets no more in than its bound", () => check("a1 b1 c1", "a1 b1", 2));
  it("lets the next one in when one leaves", () => check("a1 b1 c1 -a1", "b1 c1", 2));
  it("goes by the order of arrival", () => check("a1 b1 c1 d1 -a1 -b1", "c1", 1));
  it("lets no call pass waiting ones", () => check("a1 b1 c1 d1 e1 -b1 turns e2 -a1 -c1 -d1", "e1 e2", 4));

  it("lets one client at a time in, once asked to", () => check("turns a1 b1 a2", "a1"));
  it("lets calls of that client in side by side", () => check("turns a1 a2 a3", "a1 a2 a3"));
  it("makes a busy client wait behind another that came first", () => check("turns a1 b1 a2 -a1", "b1"));
  it("gives the turn back", () => check("turns a1 b1 a2 -a1 -b1", "a2"));
  it("lets those who are in already finish", () => check("a1 b1 turns c1 -a1", "b1"));
  it("lets the next in when all of them have", () => check("a1 b1 turns c1 -a1 -b1", "c1"));

  it("[TB-8] gives one client half of what the others leave", () =>
    check("a1 a2 a3 a4 a5 b1 b2 b3 c1 c2", "a1 a2 a3 a4 b1 b2 c1", 8));
  it("[TB-8] lets others pass a client that has its share", () => check("a1 a2 a3 b1", "a1 a2 b1", 4));
  it("[TB-8] lets a client go on when its own calls end", () => check("a1 a2 a3 b1 -a1", "a2 b1 a3", 4));
  it("[TB-8] frees the place of a call that is given up", () =>
    check("a1 a2 a3 a4 !a3 -a2", "a1 a4, refused a3", 4));

  it("[TB-8] counts all connections of one client together", async () => {
    const lane = new CallLane("srv", { most: 4 });
    const { signal } = new AbortController();
    const entered: string[] = [];
    for (const [connection, client] of [
      ["1", "a"],
      ["2", "a"],
      ["3", "a"],
      ["4", "b"],
    ] as const)
      lane.enter({ connection, client }, signal).then(
        () => entered.push(connection),
        // The third never gets in, and is told so long after this test.
        () => {},
      );
    await turn();
    expect(entered).toEqual(["1", "2", "4"]);
  });

  it("[TB-8] leaves room for others, however many calls of one client hang and wait", async () => {
    const lane = new CallLane("srv");
    const { signal } = new AbortController();
    const calls = Array.from({ length: LIMITS.serverRequestsWaiting }, () =>
      lane.enter({ connection: "a" }, signal).then(
        () => "in",
        (error: PmlError) => error.message,
      ),
    );
    expect(await lane.enter({ connection: "b" }, signal)).toBeTypeOf("function");
    const refused = await calls.at(-1);
    expect(refused).toBe(
      `Cannot call server "srv": ${LIMITS.serverRequestsWaiting / 2} of your calls already wait for it, the limit of serverRequestsWaiting`,
    );
  });

  it("forgets a call that was given up while it waited", () =>
    check("a1 b1 c1 !b1 -a1", "c1, refused b1", 1));
  it("lets in who was held up by a call that was given up", () =>
    check("turns a1 b1 a2 !b1", "a1 a2, refused b1"));
  it("does not take an abort for the end of a call that is under way", () => check("a1 b1 !a1", "a1", 1));
  it("frees one place when a call ends twice", () => check("a1 b1 c1 d1 -a1 -a1", "b1 c1", 2));

  it("refuses a call that was given up before it came, if it has to wait", async () => {
    const lane = new CallLane("srv", { most: 1 });
    await lane.enter({ connection: "a" }, new AbortController().signal);
    await expect(lane.enter({ connection: "b" }, AbortSignal.abort(new Error("gone")))).rejects.toThrow(
      "gone",
    );
  });

  it("does as its model does, whatever happens in whatever order", async () => {
    const word = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("enter a", "enter b", "enter c") },
      { weight: 3, arbitrary: fc.nat(9).map((place) => `leave ${place}`) },
      { weight: 1, arbitrary: fc.nat(9).map((place) => `abort ${place}`) },
      { weight: 1, arbitrary: fc.constant("turns") },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        async (words, most) => {
          const drive = new Drive(most);
          const model = new LaneModel(most);
          for (const [index, text] of words.entries()) {
            const [what, which = ""] = text.split(" ");
            if (what === "enter") {
              await drive.word(`${which}${index}`);
              model.enter(`${which}${index}`);
            } else if (what === "turns") {
              await drive.word("turns");
              model.turns = true;
            } else {
              const from = what === "leave" ? model.inside : model.waiting;
              const call = from[Number(which) % Math.max(from.length, 1)];
              if (call === undefined) continue;
              await drive.word(`${what === "leave" ? "-" : "!"}${call}`);
              model.remove(call);
            }
            expect(drive.inside).toEqual(model.inside);
            expect(drive.inside.length).toBeLessThanOrEqual(most);
          }
          // No call waits for ever: when all running calls end, all waiting calls start.
          while (model.inside.length > 0) {
            const call = model.inside[0] ?? "";
            await drive.word(`-${call}`);
            model.remove(call);
          }
          expect(drive.inside).toEqual([]);
          expect(model.waiting).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A queue, and the rule of who may go in; as slow and plain as can be. */
class LaneModel {
  inside: string[] = [];
  waiting: string[] = [];
  turns = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  enter(call: string): void {
    this.waiting.push(call);
    this.#admit();
  }

  remove(call: string): void {
    this.inside = this.inside.filter((other) => other !== call);
    this.waiting = this.waiting.filter((other) => other !== call);
    this.#admit();
  }

  #admit(): void {
    for (;;) {
      // Only clients that have used up their share are passed over.
      const next = this.waiting.find((call) => !this.#hasShare(call));
      if (next === undefined || !this.#isTurnOf(next)) return;
      this.waiting = this.waiting.filter((call) => call !== next);
      this.inside.push(next);
    }
  }

  #ofClient(call: string): number {
    return this.inside.filter((other) => other.charAt(0) === call.charAt(0)).length;
  }

  #hasShare(call: string): boolean {
    const own = this.#ofClient(call);
    return own >= Math.ceil((this.#most - (this.inside.length - own)) / 2);
  }

  #isTurnOf(call: string): boolean {
    return !this.turns || this.inside.length === 0 || this.#ofClient(call) > 0;
  }
}
