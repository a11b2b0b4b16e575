import { expect, it } from "vitest";
import { isNewerVersion } from "./version.js";

it.each([
  ["0.2.0", "0.1.9", true],
  ["0.10.0", "0.9.0", true],
  ["1.0.0", "0.9.9", true],
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.1.1", false],
  ["0.1.1-beta", "0.1.0", true],
  [undefined, "0.1.0", false],
  ["new", "0.1.0", false],
])("[FH-6] %s is newer than %s: %s", (one, other, expected) =>
  expect(isNewerVersion(one, other)).toBe(expected),
);
