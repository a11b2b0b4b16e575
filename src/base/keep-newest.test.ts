import { expect, it } from "vitest";
import { keepNewest } from "./keep-newest.js";

it("keeps what was kept last, and as many as there is room for", () => {
  const map = new Map<string, number>();
  for (const [index, key] of ["a", "b", "a", "c", "d"].entries()) keepNewest(map, key, index, 3);
  expect([...map]).toEqual([
    ["a", 2],
    ["c", 3],
    ["d", 4],
  ]);
});
