import { expect, it } from "vitest";
import { referenced } from "./schema-reference.js";

const root = { $defs: { a: 1, "b/c~d": 2, "e f": 3 }, anyOf: [4], "100%": 5 };

it.each<[unknown, unknown]>([
  ["#", root],
  ["#/$defs/a", 1],
  ["#/$defs/b~1c~0d", 2],
  ["#/$defs/e%20f", 3],
  ["#/anyOf/0", 4],
  ["#/100%", 5],
  ["#/$defs/none", undefined],
  ["#/$defs/constructor", undefined],
  ["#/$defs/a/b", undefined],
  ["#a", undefined],
  ["https://example.com/schema", undefined],
  [`#${"/a".repeat(1_000)}`, undefined],
  [5, undefined],
])("[AN-13] %j points within its schema, or nowhere", (ref, target) =>
  expect(referenced(ref, root)).toBe(target),
);
