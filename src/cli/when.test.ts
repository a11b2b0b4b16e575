import { describe, expect, it } from "vitest";
import { agoText, localTime } from "./when.js";

const NOW = Date.parse("2026-11-16T12:00:00.000Z");

describe("[FH-5] points in time", () => {
  it.each([
    ["2026-11-16T11:59:30.000Z", "just now"],
    ["2026-11-16T11:57:00.000Z", "3 min ago"],
    ["2026-11-16T09:30:00.000Z", "2 h ago"],
    ["2026-11-13T12:00:00.000Z", "3 d ago"],
    ["2026-11-16T12:00:10.000Z", "in less than a minute"],
    ["2026-11-17T11:00:00.000Z", "in 23 h"],
    ["2025-06-15T12:00:00.000Z", "2025-06-15"],
    ["soon", "soon"],
  ])("%s is %s", (iso, text) => expect(agoText(iso, NOW)).toBe(text));

  it("are of the person's own time zone", () => {
    const local = new Date(2026, 10, 6, 7, 8, 9);
    expect(localTime(local.toISOString())).toBe("2026-11-06 07:08:09");
    expect(localTime("soon")).toBe("soon");
  });
});
