import { describe, expect, it } from "vitest";
import type { TrustState } from "./capability.js";
import { type EarnedTrust, NO_TRUST_YET, trustAfter } from "./trust.js";

/** `a` and `b` are successes with those arguments, `!` is a failure; the result is the state after each. */
function check(runs: string, expected: string, start: EarnedTrust = NO_TRUST_YET): void {
  let trust = start;
  const states = [...runs].map((run) => {
    trust = trustAfter(trust, { success: run !== "!", argsHash: run });
    return trust.state.charAt(0);
  });
  expect(states.join("")).toBe(expected);
}

const because = (state: TrustState): EarnedTrust => ({ state, firstArgsHash: "a", failuresInARow: 0 });

describe("[ID-10] trust", () => {
  it("is unproven until the first success, and suspect after three failures all the same", () =>
    check("!!!a", "uusp"));
  it("that a person gave stays until three failures in a row, and is earned anew after that", () =>
    check("ab!!!ab", "vvvvspv", { state: "verified", firstArgsHash: undefined, failuresInARow: 0 }));
  it("is provisional after the first success, and with the same arguments", () => check("aaa", "ppp"));
  it("is verified by a success with other arguments", () => check("aba", "pvv"));
  it("is not verified by a failure with other arguments", () => check("a!a", "ppp"));
  it("does not count the arguments of what failed first", () => check("!ab", "upv"));
  it("is lost by three failures in a row", () => check("ab!!!!", "pvvvss"));
  it("is not lost by failures with a success between them", () => check("a!!a!!", "pppppp"));
  it("is earned anew after that", () => check("ab!!!ba", "pvvvspv"));
  it("does not take the arguments of before for others", () => check("a!!!bb", "pppspp"));
  it("that a changed tool took does not come back by running", () => check("ab", "ss", because("suspect")));
  it("that a missing tool took does not come back by running, nor turn suspect", () =>
    check("a!!!!b", "dddddd", because("degraded")));
});
