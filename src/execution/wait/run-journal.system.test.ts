import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import { type JournalEnd, RunJournal, type RunJournalOptions } from "./run-journal.js";
import type { JournalEntry, RecordedCall } from "./workflow-store.js";

type Args = Readonly<Record<string, Json>>;
type Call = (node: string, args?: Args) => Promise<Json>;
type Program = (call: Call) => Promise<Json>;

function tool(id: string): KnownTool {
  const [server = "", name = ""] = id.split(":");
  return {
    id,
    server,
    name,
    inputSchema: {},
    hash: "h",
    transport: "stdio",
    trusted: true,
  } as unknown as KnownTool;
}

/** What is kept of a run between its parts, as the store has it. */
class Kept {
  readonly calls = new Map<number, RecordedCall>();

  write(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      if (entry.kind === "call") this.calls.set(entry.call.seq, entry.call);
      else if (entry.kind === "sent") this.#change(entry.seq, { state: "sent" });
      else {
        const { answerSeq, answer, durationMs } = entry;
        this.#change(entry.seq, { state: "answered", answerSeq, answer, durationMs });
      }
    }
  }

  all(): readonly RecordedCall[] {
    return [...this.calls.values()].sort((a, b) => a.seq - b.seq);
  }

  text(): string {
    return this.all()
      .map(
        ({ taskId, state, answerSeq }) =>
          `${taskId} ${state}${answerSeq === undefined ? "" : ` ${answerSeq}`}`,
      )
      .join(", ");
  }

  #change(seq: number, change: Partial<RecordedCall>): void {
    const call = this.calls.get(seq);
    if (call !== undefined) this.calls.set(seq, { ...call, ...change });
  }
}

interface Part {
  readonly result?: Json;
  readonly end?: JournalEnd | undefined;
  readonly missing?: string | undefined;
}

interface PartOptions {
  readonly kept: Kept;
  /** What the world does with a call: every effect is noted here. */
  readonly send: (taskId: string, args: Args) => Promise<SandboxCallAnswer>;
  readonly asks?: RunJournalOptions["asks"];
  /** Rejects when the process that runs this part is killed. */
  readonly killed?: Promise<never>;
  readonly recorded?: readonly RecordedCall[];
  readonly write?: (entries: readonly JournalEntry[]) => Promise<void>;
  readonly tools?: (node: string) => string;
}

/** Runs a part of a run as the sandbox does: answers reach the code one after the other, each by itself. */
async function runPart(program: Program, options: PartOptions): Promise<Part> {
  const { kept, send, asks, killed, write } = options;
  let stop: () => void = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  const journal = new RunJournal({
    recorded: options.recorded ?? kept.all(),
    write: write ?? (async (entries) => kept.write(entries)),
    ...(asks === undefined ? {} : { asks }),
    stop,
    graceMs: 50,
  });
  let seen = 0;
  const occurrences = new Map<string, number>();
  const inbox: (() => void)[] = [];
  const takeIn = (): void => {
    seen += 1;
    inbox[0]?.();
    inbox.shift();
    if (inbox.length > 0) setImmediate(takeIn);
  };
  const call: Call = (node, args = {}) => {
    const occurrence = (occurrences.get(node) ?? 0) + 1;
    occurrences.set(node, occurrence);
    const taskId = occurrence === 1 ? node : `${node}#${occurrence}`;
    const id = options.tools?.(node) ?? `t:${node}`;
    return new Promise((resolve) => {
      const answered = (answer: SandboxCallAnswer): void => {
        inbox.push(() =>
          resolve(answer.kind === "value" ? (JSON.parse(answer.text) as Json) : answer.message),
        );
        if (inbox.length === 1) setImmediate(takeIn);
      };
      void (async () => {
        const step = await journal.begin({ taskId, tool: tool(id), args, seen, clock: undefined });
        if (step.kind === "answer") return answered(step.answer);
        const answer = await send(taskId, args);
        await journal.answered(taskId, answer, 1);
        answered(answer);
      })();
    });
  };
  const result = await Promise.race([
    program(call).then((value) => ({ value })),
    stopped,
    ...(killed === undefined ? [] : [killed]),
  ]);
  await journal.close();
  return result === undefined || journal.end !== undefined
    ? { end: journal.end }
    : { result: result.value, missing: journal.missing?.taskId };
}

const value = (of: Json): SandboxCallAnswer => ({ kind: "value", text: JSON.stringify(of) });
const echo = async (taskId: string): Promise<SandboxCallAnswer> => value(taskId);
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function failureOf({ end }: Part): string {
  return end?.kind === "failed" ? `${end.error.code}: ${end.error.message}` : String(end?.kind);
}

describe("RunJournal", () => {
  it("[EX-8] writes a call before it is sent, and its answer before the next call is sent", async () => {
    const kept = new Kept();
    const told: string[] = [];
    await runPart(async (call) => [await call("n1"), await call("n2")], {
      kept,
      send: async (taskId) => {
        told.push(kept.text());
        return value(taskId);
      },
    });
    expect(told).toEqual(["n1 sent", "n1 answered 1, n2 sent"]);
    expect(kept.text()).toBe("n1 answered 1, n2 answered 2");
  });

  it("[EX-8] answers from the record in the order of then, whichever the code asks for first", async () => {
    const kept = new Kept();
    const program: Program = async (call) => {
      const order: Json[] = [];
      await Promise.all(["n1", "n2", "n3"].map(async (node) => order.push(await call(node))));
      return order;
    };
    const first = await runPart(program, {
      kept,
      send: async (taskId) => {
        await later({ n1: 30, n2: 1, n3: 15 }[taskId] ?? 0);
        return value(taskId);
      },
    });
    expect(first.result).toEqual(["n2", "n3", "n1"]);
    const again = await runPart(program, { kept, send: () => Promise.reject(new Error("sent twice")) });
    expect(again.result).toEqual(["n2", "n3", "n1"]);
  });

  it("[EX-8] gives no answer before the code has done what it did before it took that answer in", async () => {
    const kept = new Kept();
    const program: Program = async (call) => {
      let isDue = false;
      const second = later(20).then(() => {
        isDue = true;
        return call("n2");
      });
      await call("n1");
      return [isDue, await second];
    };
    const send = async (taskId: string) => {
      await later(60);
      return value(taskId);
    };
    expect((await runPart(program, { kept, send })).result).toEqual([true, "n2"]);
    expect((await runPart(program, { kept, send })).result).toEqual([true, "n2"]);
  });

  it.each<[string, Program, string]>([
    ["other arguments", (call) => call("n1", { a: 2 }), "it calls t:n1 (n1) with different arguments"],
    ["another call", (call) => call("n2"), "it calls t:n2 (n2), where it called t:n1 (n1) before"],
  ])("[EX-8] stops code that makes %s", async (_, program, message) => {
    const kept = new Kept();
    await runPart((call) => call("n1", { a: 1 }), { kept, send: echo });
    expect(failureOf(await runPart(program, { kept, send: echo }))).toBe(
      `RUN_DIVERGED: The run took a different path than before: ${message}`,
    );
  });

  it("[EX-8] stops code that calls another tool at the same place", async () => {
    const kept = new Kept();
    await runPart((call) => call("n1"), { kept, send: echo });
    const part = await runPart((call) => call("n1"), { kept, send: echo, tools: () => "t:other" });
    expect(failureOf(part)).toMatch(
      /^RUN_DIVERGED: .* it calls t:other \(n1\), where it called t:n1 \(n1\) before$/,
    );
  });

  it("[EX-8] says which call is missing where the code ends without it", async () => {
    const kept = new Kept();
    await runPart(async (call) => [await call("n1"), await call("n2")], { kept, send: echo });
    expect(await runPart((call) => call("n1"), { kept, send: echo })).toMatchObject({ missing: "n2" });
  });

  it("[EX-8] sends a call in doubt again where that was decided, and gives the result where it is done", async () => {
    const kept = new Kept();
    for (const [seq, doubt] of [
      [1, { kind: "repeat" }],
      [2, { kind: "done", result: "as a person says" }],
    ] as const)
      kept.calls.set(seq, { ...inDoubt(seq), doubt });
    const sent: string[] = [];
    const hashed = await withHashes(kept);
    const { result } = await runPart((call) => Promise.all([call("n1"), call("n2")]), {
      kept,
      recorded: hashed,
      send: async (taskId) => {
        sent.push(taskId);
        return value("again");
      },
    });
    expect(sent).toEqual(["n1"]);
    expect(result).toEqual(["again", "as a person says"]);
  });

  it("ends the run where nothing can be written any more, and sends nothing", async () => {
    const sent: string[] = [];
    const part = await runPart((call) => call("n1"), {
      kept: new Kept(),
      write: () => Promise.reject(new Error("the disk is full")),
      send: async (taskId) => {
        sent.push(taskId);
        return value(1);
      },
    });
    expect(failureOf(part)).toBe("STORE_FAILED: the disk is full");
    expect(sent).toEqual([]);
  });
});

describe("RunJournal, layer by layer", () => {
  const asks: RunJournalOptions["asks"] = ({ taskId }) => taskId.startsWith("danger");

  it("[EX-7] holds a whole layer where one of its calls needs a person, and lets what is under way end", async () => {
    const kept = new Kept();
    const sent: string[] = [];
    const part = await runPart(
      (call) =>
        Promise.all([
          call("slow"),
          call("n1").then(() => Promise.all([call("n2"), call("danger", { x: 1 })])),
        ]) as Promise<Json>,
      {
        kept,
        asks,
        send: async (taskId) => {
          sent.push(taskId);
          await later(taskId === "slow" ? 60 : 1);
          return value(taskId);
        },
      },
    );
    expect(sent).toEqual(["slow", "n1"]);
    expect(part.end).toMatchObject({ kind: "paused", held: [{ taskId: "n2" }, { taskId: "danger" }] });
    expect(kept.text()).toBe("slow answered 2, n1 answered 1, n2 held, danger held");
  });

  it("[EX-7] continues with held calls once no approval is needed any more", async () => {
    const kept = new Kept();
    const program: Program = async (call) => [await call("n1"), await call("danger"), await call("danger")];
    const sent: string[] = [];
    const send = async (taskId: string) => {
      sent.push(taskId);
      return value(taskId);
    };
    await runPart(program, { kept, asks, send });
    const second = await runPart(program, { kept, asks: ({ taskId }) => taskId === "danger#2", send });
    expect(second.end).toMatchObject({ kind: "paused", held: [{ taskId: "danger#2" }] });
    expect(await runPart(program, { kept, asks: () => false, send })).toMatchObject({
      result: ["n1", "danger", "danger#2"],
    });
    expect(sent).toEqual(["n1", "danger", "danger#2"]);
  });
});

describe("a run that is killed again and again", () => {
  it("[EX-8] does nothing twice, but what was in doubt, whatever its shape", async () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = randomOf(seed);
      const program = randomProgram(random);
      const once = new Effects();
      const { result } = await runPart(program, { kept: new Kept(), send: (...call) => once.send(...call) });
      const kept = new Kept();
      const effects = new Effects();
      const doubted = new Effects();
      let part: Part | undefined;
      for (let parts = 0; part === undefined && parts < 200; parts += 1) {
        for (const call of kept.all())
          if (call.state === "sent") {
            doubted.note(call.taskId, call.args);
            kept.calls.set(call.seq, { ...call, doubt: { kind: "repeat" } });
          }
        part = await killedPart(program, kept, random() * (30 + 5 * parts), random, effects);
      }
      expect(part, `seed ${seed}`).toEqual({ result, missing: undefined });
      for (const [effect, times] of effects.times)
        expect(times, `seed ${seed}: ${effect}`).toBeLessThanOrEqual(once.of(effect) + doubted.of(effect));
      for (const [effect, times] of once.times)
        expect(effects.of(effect), `seed ${seed}: ${effect}`).toBeGreaterThanOrEqual(times);
    }
  }, 60_000);
});

/** Killed after a few events: later actions of the killed part have no effect on the world or the record. */
async function killedPart(
  program: Program,
  kept: Kept,
  events: number,
  random: () => number,
  effects: Effects,
): Promise<Part | undefined> {
  let left = Math.floor(events);
  let isDead = false;
  let kill: () => void = () => {};
  const killed = new Promise<never>((_, reject) => {
    kill = () => reject(new Error("killed"));
  });
  killed.catch(() => {});
  const event = async (): Promise<void> => {
    left -= 1;
    if (left === 0) {
      isDead = true;
      kill();
    }
    if (isDead) await new Promise<never>(() => {});
  };
  try {
    return await runPart(program, {
      kept,
      killed,
      write: async (entries) => {
        await event();
        kept.write(entries);
        await event();
      },
      send: async (taskId, args) => {
        await event();
        const answer = effects.send(taskId, args);
        await later(Math.floor(random() * 9));
        await event();
        return answer;
      },
    });
  } catch {
    return undefined;
  }
}

/** What was done, and how often; which round of a loop did it does not count. */
class Effects {
  readonly times = new Map<string, number>();

  note(taskId: string, args: Args): string {
    const effect = `${taskId.replace(/#.*/, "")} ${JSON.stringify(args)}`;
    this.times.set(effect, this.of(effect) + 1);
    return effect;
  }

  of(effect: string): number {
    return this.times.get(effect) ?? 0;
  }

  async send(taskId: string, args: Args): Promise<SandboxCallAnswer> {
    return value(this.note(taskId, args));
  }
}

/** Calls in a row, at once, in loops, behind timers and chains of promises of different lengths; arguments are results. */
function randomProgram(random: () => number): Program {
  let nodes = 0;
  const step = (depth: number): ((call: Call, last: Json) => Promise<Json>) => {
    const kind = depth === 0 ? 3 : Math.floor(random() * (depth > 3 ? 2 : 5));
    const hops = Math.floor(random() * 4);
    const waits = random() < 0.5;
    if (kind <= 1) {
      nodes += 1;
      const node = `n${nodes}`;
      return async (call, last) => {
        for (let hop = 0; hop < hops; hop += 1) await undefined;
        if (waits) await later(Number(textOf(last)) % 7);
        return call(node, { last: textOf(last) });
      };
    }
    const parts = Array.from({ length: 2 + Math.floor(random() * 2) }, () => step(depth + 1));
    if (kind === 2)
      return async (call, last) => {
        let value = last;
        for (const part of parts) value = await part(call, value);
        return value;
      };
    if (kind === 3) return (call, last) => Promise.all(parts.map((part) => part(call, last)));
    const body = async (call: Call, last: Json): Promise<Json> => {
      let value = last;
      for (const part of parts) value = await part(call, value);
      return value;
    };
    return async (call, last) => {
      const results = await Promise.all([1, 2, 3].map((item) => body(call, [last, item])));
      return [...results, await body(call, results)];
    };
  };
  const main = step(0);
  return (call) => main(call, 0);
}

/** Another text for another value, and never a long one. */
function textOf(value: Json): string {
  let sum = 7;
  for (const char of JSON.stringify(value)) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_003;
  return String(sum);
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function inDoubt(seq: number): RecordedCall {
  const node = `n${seq}`;
  return { seq, taskId: node, tool: `t:${node}` as ToolId, args: {}, argsHash: "", seen: 0, state: "sent" };
}

async function withHashes(kept: Kept): Promise<readonly RecordedCall[]> {
  const { sha256Hex } = await import("../../base/sha256.js");
  const argsHash = await sha256Hex("{}");
  return kept.all().map((call) => ({ ...call, argsHash }));
}
