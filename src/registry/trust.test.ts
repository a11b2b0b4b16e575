import { describe, expect, it } from "vitest";
import type { ToolTrouble, TrustState } from "./capability.js";
import { parseServerName, toolId } from "./tool-id.js";
import { type EarnedTrust, NO_TRUST_YET, troubleText, trustAfter, trustWith } from "./trust.js";

/** `a` and `b` are successes with those arguments, `!` is a failure; the result is the state after each. */
function check(runs: string, expected: string, start: EarnedTrust = NO_TRUST_YET): void {
  let trust = start;
  const states = [...runs].map((run) => {
    trust = trustAfter(trust, { success: run !== "!", argsHash: run });
    return trust.state.charAt(0);
  });
  expect(states.join("")).toBe(expected);
}

const accepted = (state: TrustState): EarnedTrust => ({
  ...NO_TRUST_YET,
  state,
  firstArgsHash: "a",
  awaitsProof: true,
});

/** `gone read`, `changed read`, `accepted read`: what happened to a tool of the server `fs`. */
function troubles(text: string): readonly ToolTrouble[] {
  return text.split(", ").map((one) => {
    const [what = "", tool = ""] = one.split(" ");
    return {
      tool: toolId(parseServerName("fs"), tool),
      kind: what === "gone" ? "gone" : "changed",
      since: "2025-12-22T10:00:00Z",
      accepted: what === "accepted",
    };
  });
}

describe("[ID-10] trust", () => {
  it("is unproven until the first success, and suspect after three failures all the same", () =>
    check("!!!a", "uusp"));
  it("that a person gave stays until three failures in a row, and is earned anew after that", () =>
    check("ab!!!ab", "vvvvspv", { ...NO_TRUST_YET, state: "verified" }));
  it("is provisional after the first success, and with the same arguments", () => check("aaa", "ppp"));
  it("is verified by a success with other arguments", () => check("aba", "pvv"));
  it("is not verified by a failure with other arguments", () => check("a!a", "ppp"));
  it("does not count the arguments of what failed first", () => check("!ab", "upv"));
  it("is lost by three failures in a row", () => check("ab!!!!", "pvvvss"));
  it("is not lost by failures with a success between them", () => check("a!!a!!", "pppppp"));
  it("is earned anew after that", () => check("ab!!!ba", "pvvvspv"));
  it("does not take the arguments of before for others", () => check("a!!!bb", "pppspp"));
  it("is earned anew with a tool that was accepted as it is now", () => {
    check("aab", "ppv", accepted("verified"));
    check("a", "p", accepted("unproven"));
    check("!!!ab", "vvspv", accepted("verified"));
  });
  it("waits for a success with such a tool, and for nothing else", () => {
    const failed = trustAfter(accepted("verified"), { success: false, argsHash: "b" });
    expect(failed.awaitsProof).toBe(true);
    expect(trustAfter(failed, { success: true, argsHash: "b" }).awaitsProof).toBe(false);
  });
  it("is taken by tools that changed or are gone, whatever was earned", () => {
    expect(trustWith("verified", [])).toBe("verified");
    expect(trustWith("verified", troubles("changed read"))).toBe("suspect");
    expect(trustWith("provisional", troubles("accepted read"))).toBe("suspect");
    expect(trustWith("suspect", troubles("gone read"))).toBe("degraded");
    expect(trustWith("unproven", troubles("changed read, gone write"))).toBe("degraded");
  });
  it("says which tools took it", () => {
    expect(troubleText(undefined)).toBe(undefined);
    expect(troubleText([])).toBe(undefined);
    expect(troubleText(troubles("changed read, gone write"))).toBe(
      "the tool fs:read changed on 2025-12-22; the tool fs:write has been missing since 2025-12-22",
    );
    expect(troubleText(troubles("accepted read"))).toBe(
      "the tool fs:read changed on 2025-12-22, was accepted, and has not been used successfully since",
    );
  });
});
