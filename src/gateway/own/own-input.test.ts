import { expect, it } from "vitest";
import { z } from "zod";
import { inputSchemaOf, readInput } from "./own-input.js";

it("[GW-1] clients are shown what is expected, and not what goes without saying", () => {
  const schema = z.strictObject({
    args: z.record(z.string(), z.unknown()).optional(),
    named: z.record(z.string().regex(/^a/), z.number()),
    loose: z.looseObject({}),
    offset: z.int().min(0),
    limit: z.int().max(5),
  });
  expect(inputSchemaOf(schema)).toEqual({
    type: "object",
    properties: {
      args: { type: "object" },
      named: {
        type: "object",
        propertyNames: { type: "string", pattern: "^a" },
        additionalProperties: { type: "number" },
      },
      loose: { type: "object" },
      offset: { type: "integer", minimum: 0 },
      limit: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: 5 },
    },
    required: ["named", "loose", "offset", "limit"],
    additionalProperties: false,
  });
  expect(inputSchemaOf(z.strictObject({}))).toEqual({
    type: "object",
    properties: {},
    additionalProperties: false,
  });
});

it("what is wrong is told at once, field by field, with what was meant", () => {
  const schema = z.strictObject({ name: z.string(), limit: z.int().optional() });
  expect(() => readInput("cap_x", schema, { limits: 1, limit: "5" })).toThrow(
    'Cannot call cap_x: name is missing; limit: expected number, received string; unknown field "limits" (did you mean "limit"?)',
  );
});

it("the hint says which fields are required, and which there are", () => {
  const hint = (schema: z.ZodObject, input: unknown) => {
    try {
      readInput("cap_x", schema, input);
    } catch (error) {
      return (error as { hint?: string }).hint;
    }
    return "accepted";
  };
  const some = z.strictObject({ limit: z.int().optional(), name: z.string(), code: z.string() });
  expect(hint(some, {})).toBe("Required: name, code; optional: limit");
  expect(hint(some.partial(), { other: 1 })).toBe("Required: nothing; optional: limit, name, code");
  expect(hint(some.required(), {})).toBe("Required: limit, name, code");
});
