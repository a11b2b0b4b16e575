import { expect, it } from "vitest";
import { Stay } from "./stay.js";

/** How long it stays, at first and after each pause during which it was gone. */
function stays(pauses: readonly number[]): string {
  let now = 0;
  const stay = new Stay({ firstMs: 20, mostMs: 300 }, () => now);
  const all = [stay.ms];
  for (const pause of pauses) {
    stay.left();
    now += pause;
    stay.back();
    all.push(stay.ms);
  }
  return all.join(" ");
}

it.each([
  ["stays short at first", [], "20"],
  ["stays longer each time it is needed soon after it left", [1, 299], "20 80 300"],
  ["never stays longer than the most", [1, 1, 1], "20 80 300 300"],
  ["is back at the first after a long idle time", [1, 300, 1], "20 80 20 80"],
])("[SC-1] %s", (_name, pauses, expected) => {
  expect(stays(pauses)).toBe(expected);
});

it("[SC-1] counts a leave once", () => {
  const stay = new Stay({ firstMs: 20, mostMs: 300 }, () => 0);
  stay.left();
  stay.back();
  stay.back();
  expect(stay.ms).toBe(80);
});
