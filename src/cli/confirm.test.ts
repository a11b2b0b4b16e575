import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { isConfirmed } from "./confirm.js";

it.each([
  ["y\n", true],
  ["Yes\n", true],
  ["\n", false],
  ["no\n", false],
  ["yess\n", false],
  ["", false],
])("[UX-1] %j is %s", async (typed, isYes) => {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(typed);
  expect(await isConfirmed("Delete fs:read?", input, output)).toBe(isYes);
  expect(String(output.read())).toContain("Delete fs:read? [y/N] ");
});
