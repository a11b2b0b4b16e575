import { describe, expect, it } from "vitest";
import { CallObserver } from "./call-observer.js";

const ME = { org: "o", project: "p", user: "me" };
const LIMITS = { sessionCalls: 3, sessions: 2, ms: 1_000, chars: 100, resultChars: 50 };

function observer() {
  let now = 0;
  const observed = new CallObserver(
    LIMITS,
    (result) => String(result),
    () => now,
  );
  return {
    note: (session: string, result: string, chars = 10, owner = ME) =>
      observed.note(owner, session, { tool: "a:b", arguments: {}, result }, chars),
    pass: (ms: number) => {
      now += ms;
    },
    known: (owner = ME) =>
      observed
        .of(owner)
        .map(({ id, first, calls }) => `${id}+${first}: ${calls.map(({ result }) => result).join(" ")}`),
  };
}

describe("[LC-1] calls are kept in memory, bounded in time and size", () => {
  it("the newest of each session", () => {
    const { note, known } = observer();
    for (const result of ["1", "2", "3", "4"]) note("a", result);
    note("b", "5");
    expect(known()).toEqual(["a+1: 2 3 4", "b+0: 5"]);
    note("c", "6");
    expect(known()).toEqual(["b+0: 5", "c+0: 6"]);
  });

  it("each user's apart", () => {
    const { note, known } = observer();
    note("a", "1");
    note("a", "2", 10, { ...ME, user: "you" });
    expect([known(), known({ ...ME, user: "you" })]).toEqual([["a+0: 1"], ["a+0: 2"]]);
  });

  it("each result is parsed once, when it is first asked for", () => {
    const read: unknown[] = [];
    const observed = new CallObserver(LIMITS, (result) => {
      read.push(result);
      return String(result);
    });
    for (const result of ["1", "2"]) observed.note(ME, "a", { tool: "a:b", arguments: {}, result }, 10);
    const [session] = observed.of(ME);
    expect(read).toEqual([]);
    expect(session?.calls[1]?.result).toBe("2");
    expect(observed.of(ME)[0]?.calls.map(({ result }) => result)).toEqual(["1", "2"]);
    expect(read).toEqual(["2", "1"]);
  });

  it("for a time, and up to a size", () => {
    const { note, pass, known } = observer();
    note("a", "1");
    pass(900);
    note("a", "2");
    pass(200);
    expect(known()).toEqual(["a+1: 2"]);
    note("b", "large", 51);
    expect(known()).toEqual(["a+1: 2", "b+0: "]);
    note("b", "3", 50);
    note("b", "4", 49);
    expect(known()).toEqual(["b+0:  3 4"]);
  });
});
