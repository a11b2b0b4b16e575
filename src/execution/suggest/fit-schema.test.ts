import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import { cutText, fitSchema } from "./fit-schema.js";

const long = "x".repeat(300);
const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Args",
  type: "object",
  properties: {
    limit: { type: "integer", description: long },
    title: { type: "string", title: "Title", description: "What it is called" },
    mode: { type: "string", enum: ["a", "b"] },
  },
  required: ["title"],
  additionalProperties: false,
} as const;

describe("a schema in little room", () => {
  it("[DI-1] loses what says nothing about what to give, and no field of that name", () => {
    expect(fitSchema(schema, 10_000)).toEqual({
      type: "object",
      properties: {
        limit: { type: "integer", description: long },
        title: { type: "string", description: "What it is called" },
        mode: { type: "string", enum: ["a", "b"] },
      },
      required: ["title"],
    });
  });

  it("[DI-1] then loses long words", () => {
    const short = fitSchema(schema, 300) as unknown as typeof schema;
    expect(JSON.stringify(short).length).toBeLessThanOrEqual(300);
    expect(short.properties.limit.description).toMatch(/^x{59}…$/);
  });

  it("[DI-1] then says which fields there are, those that must be given first, and that it is cut", () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`field${i}`, { type: "string", description: long }]),
    );
    const huge = { type: "object", properties: many, required: ["field199"] } as unknown as Json;
    const cut = fitSchema(huge, 400) as { properties: object; required: string[]; $comment: string };
    expect(JSON.stringify(cut).length).toBeLessThanOrEqual(400);
    expect(Object.keys(cut.properties)[0]).toBe("field199");
    expect(cut.required).toEqual(["field199"]);
    expect(cut.$comment).toMatch(/^Cut short/);
  });

  it.each([true, null, "no schema", [], { properties: "none", required: 5 }] as Json[])(
    "[DI-1] takes anything for a schema: %j",
    (value) => {
      expect(() => fitSchema(value, 5)).not.toThrow();
      expect(() => fitSchema(value, 500)).not.toThrow();
    },
  );

  it("[DI-1] cuts no character in two", () => {
    expect(cutText("ab😀cd", 4)).toBe("ab…");
    expect(cutText("abcd", 4)).toBe("abcd");
  });
});
