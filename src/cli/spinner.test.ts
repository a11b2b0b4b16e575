import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { paintFor } from "./colour.js";
import { endSpinner, Spinner } from "./spinner.js";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
  endSpinner();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function watched(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const spinner = new Spinner("starting servers", { isTTY, columns, write: (text) => written.push(text) });
  return { spinner, written };
}

const CLEAR = "\r\u001b[2K";

describe("[FH-5] what is waited for", () => {
  it("is said in a terminal after a moment, and is gone in the end", () => {
    const { spinner, written } = watched(true);
    vi.advanceTimersByTime(400);
    spinner.say("asking");
    vi.advanceTimersByTime(120);
    spinner.end();
    vi.advanceTimersByTime(5_000);
    expect(written).toEqual([`${CLEAR}- starting servers`, `${CLEAR}\\ asking`, CLEAR]);
  });

  it("is not said when it is there at once", () => {
    const { spinner, written } = watched(true);
    vi.advanceTimersByTime(399);
    spinner.end();
    expect(written).toEqual([]);
  });

  it("is gone before a question is asked, and counts seconds until then", () => {
    const { written } = watched(true, 24);
    vi.advanceTimersByTime(2_080);
    expect(written.at(-1)).toBe(`${CLEAR}| starting servers (2 s`);
    endSpinner();
    vi.advanceTimersByTime(5_000);
    expect(written.at(-1)).toBe(CLEAR);
  });

  it("is not said without a terminal, nor in one that cannot draw", () => {
    const outside = watched(false);
    vi.advanceTimersByTime(5_000);
    vi.stubEnv("TERM", "dumb");
    const dumb = watched(true);
    vi.advanceTimersByTime(5_000);
    expect([outside.written, dumb.written]).toEqual([[], []]);
  });
});

describe("[FH-5] colours", () => {
  it.each([
    [{ isTTY: true }, {}, "\u001b[31mx\u001b[0m"],
    [{ isTTY: true }, { NO_COLOR: "" }, "\u001b[31mx\u001b[0m"],
    [{ isTTY: true }, { NO_COLOR: "1" }, "x"],
    [{ isTTY: true }, { TERM: "dumb" }, "x"],
    [{}, {}, "x"],
  ])("for %j with %j", (stream, env, text) => expect(paintFor(stream, env)("red", "x")).toBe(text));
});
