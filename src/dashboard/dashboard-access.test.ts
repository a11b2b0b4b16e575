import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { DashboardAccess } from "./dashboard-access.js";

const SCOPE = { org: "acme", project: "web", user: "ada" };

function access() {
  let now = 1_000_000;
  const at = new DashboardAccess(() => now);
  return {
    at,
    later(ms: number) {
      now += ms;
    },
  };
}

describe("[DA-1] the one-time link", () => {
  it("lets one browser in, once", () => {
    const { at } = access();
    const { ticket } = at.link(SCOPE);
    const cookie = at.enter(ticket) ?? "";
    expect(at.session(cookie)?.scope).toEqual(SCOPE);
    expect(at.enter(ticket)).toBeUndefined();
  });

  it.each([
    [59_999, "in"],
    [60_000, "out"],
  ])("after %i ms it is %s", (ms, expected) => {
    const { at, later } = access();
    const { ticket } = at.link(SCOPE);
    later(ms);
    expect(at.enter(ticket) === undefined ? "out" : "in").toBe(expected);
  });

  it("is unlike any other, and nothing else is one", () => {
    const { at } = access();
    const [one, other] = [at.link(SCOPE).ticket, at.link(SCOPE).ticket];
    expect(one).not.toBe(other);
    for (const wrong of ["", "x", one.slice(1), `${one}x`, one.toUpperCase()])
      expect(at.enter(wrong)).toBeUndefined();
    expect(at.enter(one)).toBeDefined();
  });

  it("is expected until it was used or is too old", () => {
    const { at, later } = access();
    expect(at.isExpected).toBe(false);
    const { ticket } = at.link(SCOPE);
    expect(at.isExpected).toBe(true);
    at.enter(ticket);
    expect(at.isExpected).toBe(false);
    at.link(SCOPE);
    later(LIMITS.dashboardLinkMs);
    expect(at.isExpected).toBe(false);
  });

  it("of too many the oldest go", () => {
    const { at } = access();
    const { ticket: first } = at.link(SCOPE);
    const others = Array.from({ length: LIMITS.dashboardLinks }, () => at.link(SCOPE).ticket);
    expect(at.enter(first)).toBeUndefined();
    expect(at.enter(others[0] ?? "")).toBeDefined();
  });
});

describe("[DA-1] the session of a browser", () => {
  const entered = ({ at }: ReturnType<typeof access>) => at.enter(at.link(SCOPE).ticket) ?? "";

  it("ends when it was idle for too long, and not while it is used", () => {
    const place = access();
    const cookie = entered(place);
    place.later(LIMITS.dashboardSessionIdleMs - 1);
    expect(place.at.session(cookie)).toBeDefined();
    place.later(LIMITS.dashboardSessionIdleMs - 1);
    expect(place.at.session(cookie)).toBeDefined();
    place.later(LIMITS.dashboardSessionIdleMs);
    expect(place.at.session(cookie)).toBeUndefined();
  });

  it("has a word of its own, which is not its cookie", () => {
    const place = access();
    const [one, other] = [entered(place), entered(place)];
    const words = [place.at.session(one)?.csrf, place.at.session(other)?.csrf];
    expect(new Set([...words, one, other]).size).toBe(4);
  });

  it("makes room for others where it was not used for the longest", () => {
    const place = access();
    const cookies = Array.from({ length: LIMITS.dashboardSessions }, () => entered(place));
    place.at.session(cookies[0] ?? "");
    entered(place);
    expect(place.at.session(cookies[0] ?? "")).toBeDefined();
    expect(place.at.session(cookies[1] ?? "")).toBeUndefined();
  });
});
