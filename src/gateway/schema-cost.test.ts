import { describe, expect, it } from "vitest";
import { costOf, isAffordable } from "./argument-check.js";

/** `levels` definitions, each of two references to the next: 2 KB that stand for 2^levels nodes. */
function bomb(levels: number): object {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `d${level}`,
      level === levels - 1 ? { type: "string" } : { allOf: [ref(`d${level + 1}`), ref(`d${level + 1}`)] },
    ]),
  );
  return { type: "object", properties: { x: ref("d0") }, $defs };
}

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { x: nested(levels - 1) };
}

describe("[GW-2] what a check may cost", () => {
  it("lets an ordinary schema be checked", () => {
    const schema = { type: "object", properties: { path: { type: "string" }, lines: { type: "integer" } } };
    expect(isAffordable(costOf(schema), { path: "a" })).toBe(true);
  });

  it("follows references, so that shared definitions are counted where they are used", () => {
    const schema = { properties: { a: ref("p"), b: ref("p") }, $defs: { p: { type: "string" } } };
    expect(costOf(schema).nodes).toBeGreaterThan(
      costOf({ properties: { a: ref("p") }, $defs: schema.$defs }).nodes,
    );
  });

  it("refuses a schema that stands for billions of nodes, and finds that out at once", () => {
    expect(isAffordable(costOf(bomb(8)), {})).toBe(true);
    expect(isAffordable(costOf(bomb(40)), {})).toBe(false);
  });

  it("lets a schema that refers to itself once be checked against any value", () => {
    const list = { $defs: { l: { properties: { next: ref("l") } } }, properties: { head: ref("l") } };
    expect(isAffordable(costOf(list), nested(500))).toBe(true);
  });

  it("refuses deep values for a schema that refers to itself in many ways, not shallow ones", () => {
    const many = {
      $defs: { l: { anyOf: Array.from({ length: 10 }, () => ref("l")) } },
      properties: { x: ref("l") },
    };
    expect(isAffordable(costOf(many), nested(2))).toBe(true);
    expect(isAffordable(costOf(many), nested(12))).toBe(false);
  });

  it("takes references that lead nowhere for nothing", () => {
    expect(costOf({ $ref: "https://else.example/schema" }).nodes).toBeLessThan(5);
    expect(costOf({ $ref: "#/$defs/none" }).nodes).toBeLessThan(5);
  });
});
