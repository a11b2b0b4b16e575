import type { Tool } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { ArgumentCheck } from "./argument-check.js";

type Schema = Readonly<Record<string, unknown>>;

function tool(schema: Schema): Tool {
  return { name: "book", inputSchema: { type: "object", ...schema } as Tool["inputSchema"] };
}

let tools = 0;

/** `fine`, or what is wrong with the arguments. */
function verdict(schema: Schema, args: unknown, checker = new ArgumentCheck()): string {
  tools += 1;
  try {
    checker.check(tool(schema), `hash ${tools}`, args);
    return "fine";
  } catch (error) {
    return error instanceof PmlError ? `${error.code} ${error.message}` : String(error);
  }
}

const BOOKING = {
  properties: { day: { type: "integer" }, seat: { enum: ["aisle", "window"] }, name: { type: "string" } },
  required: ["day"],
  additionalProperties: false,
};

describe("ArgumentCheck", () => {
  it.each([
    ["fits", BOOKING, { day: 1, seat: "aisle" }],
    ["has nothing to say against more than is known", { properties: {} }, { anything: 1 }],
    ["takes no arguments for none", {}, undefined],
  ])("%s", (_what, schema, args) => {
    expect(verdict(schema, args)).toBe("fine");
  });

  it.each([
    ["a field that is missing", { seat: "aisle" }, "the arguments must have required property 'day'"],
    ["no arguments at all", undefined, "the arguments must have required property 'day'"],
    ["a wrong type", { day: "Monday" }, "day must be integer"],
    ["a wrong choice", { day: 1, seat: "middle" }, "seat must be equal to one of the allowed values"],
    ["an unknown field", { day: 1, hour: 2 }, "the arguments must NOT have additional properties"],
    ["something that is not an object", [], "the arguments must be object"],
    ["every field that is wrong", { day: "x", name: 7 }, "day must be integer, name must be string"],
  ])("names %s", (_what, args, expected) => {
    expect(verdict(BOOKING, args)).toBe(`ARGUMENTS_INVALID Cannot call "book": ${expected}`);
  });

  it("shows the schema in the hint, and not more than a thousand characters of it", () => {
    const schema = { properties: { a: { type: "string", description: "d".repeat(5_000) } }, required: ["a"] };
    try {
      new ArgumentCheck().check(tool(schema), "h", {});
      expect.unreachable();
    } catch (error) {
      const { hint = "" } = error as PmlError;
      expect(hint).toMatch(/^Expected arguments: \{"type":"object","properties":\{"a":/);
      expect(hint.length).toBe(1_020);
    }
  });

  it("ignores patterns, which might never end, and checks the rest", () => {
    const schema = { properties: { a: { type: "string", pattern: "^(a+)+$" } } };
    expect(verdict(schema, { a: `${"a".repeat(60)}!` })).toBe("fine");
    expect(verdict(schema, { a: 1 })).toMatch(/^ARGUMENTS_INVALID/);
  });

  it("checks an argument that is called pattern", () => {
    const schema = { properties: { pattern: { type: "string" } }, required: ["pattern"] };
    expect(verdict(schema, { pattern: "*.ts" })).toBe("fine");
    expect(verdict(schema, { pattern: 1 })).toMatch(/^ARGUMENTS_INVALID/);
  });

  it.each([
    [
      "patternProperties, without which the rest means something else",
      { patternProperties: { "^a": {} }, additionalProperties: false },
    ],
    ["a type that there is not", { properties: { a: { type: "thing" } } }],
    ["a reference to nowhere", { properties: { a: { $ref: "#/definitions/none" } } }],
    ["a reference to another machine", { properties: { a: { $ref: "https://example.test/schema.json" } } }],
    ["properties that are a text", { properties: "a" }],
    ["a dialect that is not known", { $schema: "https://example.test/dialect", required: ["a"] }],
  ])("checks nothing against %s", (_what, schema) => {
    expect(verdict(schema, { a: 1, b: {} })).toBe("fine");
  });

  it("does not take one tool's schema for another's that has the same $id", () => {
    const checker = new ArgumentCheck();
    const $id = "https://example.test/arguments";
    expect(verdict({ $id, required: ["a"] }, { a: 1 }, checker)).toBe("fine");
    expect(verdict({ $id, required: ["b"] }, { b: 1 }, checker)).toBe("fine");
    expect(verdict({ $id, required: ["b"] }, { a: 1 }, checker)).toMatch(/^ARGUMENTS_INVALID/);
  });

  it("checks a tool that has changed against its new schema", () => {
    const checker = new ArgumentCheck();
    expect(() => checker.check(tool({ required: ["a"] }), "old", {})).toThrow();
    expect(() => checker.check(tool({}), "new", {})).not.toThrow();
  });

  it("goes on after more tools than it keeps checks of", () => {
    const checker = new ArgumentCheck();
    for (let i = 0; i < 2_001; i += 1) checker.check(tool({}), `many ${i}`, {});
    expect(verdict({ required: ["a"] }, {}, checker)).toMatch(/^ARGUMENTS_INVALID/);
  });

  it("[GW-2] checks nothing against a schema that stands for billions of nodes", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `d${level}`,
        { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
      ]),
    );
    const schema = {
      properties: { x: { $ref: "#/$defs/d0" } },
      $defs: { ...$defs, d40: { type: "string" } },
    };
    expect(verdict(schema, { x: 5 })).toBe("fine");
  });

  it("[GW-2] comes to an end with a schema that only refers to itself", () => {
    const schema = {
      properties: { x: { $ref: "#/$defs/a" } },
      $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } },
    };
    expect(verdict(schema, { x: 5 })).toBe("fine");
  });

  it("[GW-2] leaves it to the server to compare all items with all", () => {
    const schema = { properties: { x: { type: "array", uniqueItems: true } } };
    expect(verdict(schema, { x: [1, 1] })).toBe("fine");
  });
});
