import { describe, expect, it } from "vitest";
import { type Promotion, versionAt } from "./rollout.js";

const day = (n: number) => new Date(Date.UTC(2026, 0, n, 12));
const end = (n: number) => new Date(Date.UTC(2026, 0, n + 1));

describe("[SW-3] [ID-11] what was the latest version at the end of a day", () => {
  const versions = [
    { version: 3, updatedAt: day(7), updatedBy: "bob@acme" },
    { version: 2, updatedAt: day(3), updatedBy: "ada@acme" },
    { version: 1, updatedAt: day(1), updatedBy: "ada@acme" },
  ];
  const promotions: readonly Promotion[] = [
    { version: 2, kind: "trial", reason: "", at: day(3) },
    { version: 2, kind: "promoted", reason: "", at: day(5) },
    { version: 3, kind: "trial", reason: "", at: day(7) },
    { version: 3, kind: "rolled_back", toVersion: 2, reason: "", at: day(9) },
  ];
  const history = (user: string) =>
    [0, 1, 3, 5, 7, 9].map((n) => versionAt(end(n), versions, promotions, user));

  it("for who made a version, at once", () => {
    expect(history("ada@acme")).toEqual([undefined, 1, 2, 2, 2, 2]);
    expect(history("bob@acme")).toEqual([undefined, 1, 1, 2, 3, 2]);
  });

  it("for others, when it was promoted", () => {
    expect(history("eve@acme")).toEqual([undefined, 1, 1, 2, 2, 2]);
  });
});
