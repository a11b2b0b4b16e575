/**
 * Tests that runs can be repeated: the same program with the same answers in the same order makes the same calls, at
 * the same points, however the answers were timed the first time, and however quickly they come now.
 *
 * @module
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  ClockReadings,
  OrderedCallAnswer,
  Sandbox,
  SandboxCall,
  SandboxCallAnswer,
  SandboxOutcome,
} from "../../src/execution/ports/sandbox.js";
import { INNER, program } from "./sandbox-programs.js";
import { type TryOptions, tryCode, value } from "./sandbox-runs.js";

interface Given {
  readonly call: number;
  readonly answer: SandboxCallAnswer;
}

interface Recorded {
  readonly outcome: SandboxOutcome;
  readonly calls: readonly SandboxCall[];
  /** In the order in which they were given. */
  readonly answers: readonly Given[];
}

type Random = () => number;

/** Tools that answer at random times, sometimes several at once, and sometimes with an error. */
function tools(random: Random, answers: Given[]) {
  const ready: (() => void)[] = [];
  return (call: SandboxCall): Promise<OrderedCallAnswer> =>
    new Promise((resolve) => {
      const answer: SandboxCallAnswer =
        random() < 0.15
          ? { kind: "error", code: "TOOL_FAILED", message: `no ${call.id}` }
          : value(Math.floor(random() * 100));
      const go = () => {
        const order = answers.push({ call: call.id, answer });
        resolve({ ...answer, order });
      };
      const way = random();
      if (way < 0.2) go();
      else if (way < 0.5) setImmediate(go);
      else if (way < 0.8) setTimeout(go, random() * 5);
      else {
        ready.push(go);
        setTimeout(() => {
          for (const each of ready.splice(0).sort(() => random() - 0.5)) each();
        }, random() * 4);
      }
    });
}

async function record(
  sandbox: Sandbox,
  code: string,
  random: Random,
  options: TryOptions,
): Promise<Recorded> {
  const answers: Given[] = [];
  const { outcome, calls } = await tryCode(sandbox, code, { ...options, call: tools(random, answers) });
  return { outcome, calls, answers };
}

/**
 * Repeats the answers in their order, each as soon as all calls were made that had seen fewer answers. Further calls
 * are answered in their order, after those.
 */
async function replay(
  sandbox: Sandbox,
  code: string,
  { calls, answers }: Pick<Recorded, "calls" | "answers">,
  random: Random,
  options: TryOptions,
): Promise<Recorded> {
  const made = new Map<number, (answer: OrderedCallAnswer) => void>();
  const live = tools(random, [...answers]);
  const answered = new Set(answers.map(({ call }) => call));
  const clock: ClockReadings = calls.flatMap((call) => call.clock ?? []);
  let given = 0;
  const advance = () => {
    for (;;) {
      const next = answers[given];
      if (next === undefined) return;
      const isEarly = calls.some(({ id, seen }) => seen <= given && !made.has(id));
      const resolve = made.get(next.call);
      if (isEarly || resolve === undefined) return;
      given += 1;
      resolve({ ...next.answer, order: given });
    }
  };
  const again = await tryCode(sandbox, code, {
    ...options,
    clock: options.clock ?? clock,
    call: (call) =>
      new Promise((resolve) => {
        made.set(call.id, resolve);
        if (!answered.has(call.id)) void live(call).then(resolve);
        advance();
      }),
  });
  return { ...again, answers };
}

function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The program must have ended by itself; an error of a tool may have ended it. */
function expectEnded(outcome: SandboxOutcome): void {
  expect(outcome.kind === "threw" ? outcome.name : outcome.kind).toMatch(
    /^(returned|ToolError|AggregateError)$/,
  );
}

export function describeReplay(name: string, programs: number, open: () => Sandbox): void {
  describe(`a run had again: ${name}`, () => {
    let sandbox: Sandbox;
    beforeAll(() => {
      sandbox = open();
    });
    afterAll(async () => {
      await sandbox.close();
    });

    it("[EX-8] makes the same calls at the same points and comes to the same, for any program and any timing", async () => {
      await fc.assert(
        fc.asyncProperty(program, fc.nat(), async (code, seed) => {
          const random = randomFrom(seed);
          const options = { capabilities: [INNER], seed: seed.toString(16).padStart(64, "0") };
          const first = await record(sandbox, code, random, options);
          expectEnded(first.outcome);
          const whole = await replay(sandbox, code, first, random, {
            ...options,
            clock: first.outcome.clock,
          });
          expect(whole.calls).toEqual(first.calls);
          expect(whole.outcome).toEqual(first.outcome);
        }),
        { numRuns: programs },
      );
    }, 120_000);

    it("[EX-8] makes the same calls up to any point at which it was stopped, and goes on from there", async () => {
      await fc.assert(
        fc.asyncProperty(program, fc.nat(), fc.nat(), async (code, seed, stop) => {
          const random = randomFrom(seed);
          const options = { capabilities: [INNER], seed: seed.toString(16).padStart(64, "0") };
          const first = await record(sandbox, code, random, options);
          const calls = first.calls.slice(0, first.calls.length === 0 ? 0 : 1 + (stop % first.calls.length));
          const seen = calls.at(-1)?.seen ?? 0;
          const known = new Set(calls.map(({ id }) => id));
          // Answers that came after the last call, and before the run was stopped.
          const extra = first.answers.slice(seen).findIndex(({ call }) => !known.has(call));
          const end = extra === -1 ? first.answers.length : seen + Math.floor(random() * (extra + 1));
          const part = { calls, answers: first.answers.slice(0, end) };
          const again = await replay(sandbox, code, part, random, options);
          expect(again.calls.slice(0, calls.length)).toEqual(calls);
          expectEnded(again.outcome);
        }),
        { numRuns: programs },
      );
    }, 120_000);

    it("[EX-8] holds for more calls at once than may be under way", async () => {
      const code = `let n = 0; const log = [];
        const t = async (i) => { await mcp.s.t({ i }); log.push(i); if (i % 7 === 0) await mcp.s.t({ i, at: log.length }); };
        setTimeout(() => mcp.s.t({ timer: log.length }), 1);
        await Promise.all(Array.from({ length: 400 }, (_, i) => t(i))); return log`;
      const first = await record(sandbox, code, randomFrom(1), {});
      expect(first.calls.some(({ seen }, at) => at > 256 && seen > 0)).toBe(true);
      const whole = await replay(sandbox, code, first, randomFrom(2), { clock: first.outcome.clock });
      expect(whole.calls).toEqual(first.calls);
      expect(whole.outcome).toEqual(first.outcome);
    });

    it("[EX-8] says of each call how many answers the code had taken in", async () => {
      const code = `const a = mcp.s.t({ n: 1 }); const b = mcp.s.t({ n: 2 }); await b; await mcp.s.t({ n: 3 }); await a; await mcp.s.t({ n: 4 }); return 1`;
      const held: (() => void)[] = [];
      const { calls } = await tryCode(sandbox, code, {
        call: ({ args }) =>
          new Promise((resolve) => {
            const go = () => resolve(value(null));
            if (args.n === 1) held.push(go);
            else go();
            if (args.n === 3) for (const each of held) each();
          }),
      });
      expect(calls.map(({ args, seen }) => `${String(args.n)}:${seen}`)).toEqual([
        "1:0",
        "2:0",
        "3:1",
        "4:3",
      ]);
    });
  });
}
