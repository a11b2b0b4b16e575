import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ArgumentCheck } from "./argument-check.js";
import { fitsPlainly } from "./plain-fit.js";

const PERSON = {
  type: "object",
  properties: {
    name: { type: "string", description: "of the person" },
    age: { type: ["integer", "null"] },
    kind: { enum: ["child", "adult", 1] },
    tags: { type: "array", items: { type: "string" } },
    home: { type: "object", properties: { city: { type: "string" } }, additionalProperties: true },
  },
  required: ["name"],
  additionalProperties: false,
};

const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object", "any");
const names = fc.constantFrom("a", "b", "constructor");
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc
    .record(
      {
        type: fc.oneof(types, fc.array(types, { minLength: 1, maxLength: 2 })),
        properties: fc.dictionary(names, tie("schema"), { maxKeys: 2 }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: fc.boolean(),
        items: tie("schema"),
        enum: fc.array(fc.constantFrom<unknown>("x", 1, null, {}), { minLength: 1, maxLength: 2 }),
        const: fc.constantFrom<unknown>("x", 1, null, {}),
        minimum: fc.constant(2),
        description: fc.constant("words"),
      },
      { requiredKeys: [] },
    )
    .map((rules) => ({ ...rules })),
}));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>("x", "y", 1, 1.5, 3, true, null),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 2 }),
  ),
}));

afterEach(() => {
  vi.restoreAllMocks();
});

describe("fitsPlainly", () => {
  it.each<[string, object, unknown, boolean]>([
    [
      "a value with all fields",
      PERSON,
      { name: "x", age: null, kind: 1, tags: ["t"], home: { city: "c" } },
      true,
    ],
    ["a value with what is required", PERSON, { name: "x" }, true],
    ["a value without it", PERSON, {}, false],
    ["another type", PERSON, { name: 1 }, false],
    ["a fraction for a whole number", PERSON, { name: "x", age: 1.5 }, false],
    ["a value that is not listed", PERSON, { name: "x", kind: "dog" }, false],
    ["a wrong item", PERSON, { name: "x", tags: ["t", 1] }, false],
    ["a wrong field deep inside", PERSON, { name: "x", home: { city: 1 } }, false],
    ["one field too many", PERSON, { name: "x", other: 1 }, false],
    ["a keyword that is not known here", { type: "string", minLength: 1 }, "x", false],
    ["a format", { type: "string", format: "uri" }, "x", false],
    ["a reference", { $ref: "#/$defs/x" }, "x", false],
  ])("judges %s", (_, of, given, expected) => {
    expect(fitsPlainly(of, given)).toBe(expected);
  });

  it("leaves schemas that are very deep to the validator", () => {
    let deep: object = { type: "object" };
    for (let level = 0; level < 50; level += 1) deep = { type: "array", items: deep };
    expect(fitsPlainly(deep, [[]])).toBe(true);
    let inside: unknown = {};
    for (let level = 0; level < 50; level += 1) inside = [inside];
    expect(fitsPlainly(deep, inside)).toBe(false);
  });

  it("takes nothing that the validator refuses", () => {
    fc.assert(
      fc.property(schema, value, (of, given) => {
        if (!fitsPlainly(of, given)) return;
        expect(new AjvJsonSchemaValidator().getValidator(of)(given).errorMessage).toBeUndefined();
      }),
    );
  });
});

describe("ArgumentCheck", () => {
  it("compiles a schema when a value does not fit it at first sight, and says what is wrong", () => {
    const compiled = vi.spyOn(AjvJsonSchemaValidator.prototype, "getValidator");
    const check = new ArgumentCheck();
    expect(check.problem(PERSON, "person", { name: "x", tags: [] })).toBeUndefined();
    expect(compiled).not.toHaveBeenCalled();
    expect(check.problem(PERSON, "person", { name: 1 })).toBe("name must be string");
    expect(check.problem(PERSON, "person", { name: "x" })).toBeUndefined();
    expect(compiled).toHaveBeenCalledTimes(1);
  });
});
