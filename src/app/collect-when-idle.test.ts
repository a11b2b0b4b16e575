import { expect, it } from "vitest";
import { idleCheck } from "./collect-when-idle.js";

/** What happens at each check, given how busy the thread was and the MB of the heap, which shrinks to 30 MB. */
function checks(given: readonly (readonly [busy: number, mb: number])[]): string {
  let now: readonly [number, number] = [0, 0];
  let said = "";
  const check = idleCheck({
    busyShare: () => now[0],
    bytes: () => now[1] * 1024 * 1024,
    collect() {
      said = "collected";
      now = [0, 30];
    },
  });
  return given
    .map((each) => {
      [now, said] = [each, "left"];
      check();
      return said;
    })
    .join(" ");
}

it.each([
  [
    "collects once after the start",
    [
      [0.01, 65],
      [0.01, 31],
    ],
    "collected left",
  ],
  [
    "waits while the process works",
    [
      [0.6, 65],
      [0.11, 65],
      [0.09, 65],
    ],
    "left left collected",
  ],
  [
    "collects again when the heap has grown by 8 MB",
    [
      [0, 65],
      [0, 37],
      [0, 38],
    ],
    "collected left collected",
  ],
] as const)("[SC-1] %s", (_name, given, expected) => {
  expect(checks(given)).toBe(expected);
});
