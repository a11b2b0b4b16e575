import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { isObserved, merge, type ObservedSchema, observe } from "./observed-schema.js";

/** What is learnt of these results, without the mark that every observed schema has. */
function learnt(...results: readonly Json[]): object {
  const { "x-pml-observed": mark, ...schema } = results.map(observe).reduce(merge);
  expect(mark).toBe(true);
  return schema;
}

const object = (properties: Readonly<Record<string, object>>, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const map = (values: object) => ({ type: "object", additionalProperties: values });
const string = { type: "string" };
const integer = { type: "integer" };

describe("[AN-5] what one result looks like", () => {
  it.each<[Json, object]>([
    [null, { type: "null" }],
    [true, { type: "boolean" }],
    [3, integer],
    [0.5, { type: "number" }],
    ["secret", string],
    [[], { type: "array" }],
    [[1, 2], { type: "array", items: integer }],
    [[1, "a", null], { type: "array", items: { type: ["integer", "null", "string"] } }],
    [{}, object({})],
    [{ b: 1, a: "x" }, object({ a: string, b: integer })],
    [
      [{ a: 1 }, { a: 2, b: true }],
      { type: "array", items: object({ a: integer, b: { type: "boolean" } }, ["a"]) },
    ],
  ])("%j", (result, schema) => expect(learnt(result)).toEqual(schema));

  it.each([
    "ada@example.com",
    "7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "deadbeef-aaaa-bbbb",
    "17",
    "2026-11-15",
    "PROJ-17",
    "user:17",
    "C024BE91L",
    "/etc/passwd",
    "example.com",
    "Ada Lovelace",
    "",
    "k".repeat(41),
  ])("keeps no key of an object that has the key %j", (key) => {
    const schema = learnt({ [key]: { n: 1 }, other: { n: 2 } });
    expect(schema).toEqual(map(object({ n: integer })));
    expect(JSON.stringify(learnt({ list: [{ [key]: 1 }] }, { list: [{ plain: 1 }] }))).not.toContain("plain");
  });

  it.each([
    "id",
    "$ref",
    "@type",
    "_links",
    "content-type",
    "isOpen",
    "dc:title",
    "größe",
    "utf8",
    "__proto__",
  ])("keeps the name of the field %j", (key) => {
    const result = JSON.parse(`{ ${JSON.stringify(key)}: 1 }`) as Json;
    expect(JSON.stringify(learnt(result))).toBe(
      `{"type":"object","properties":{${JSON.stringify(key)}:{"type":"integer"}},"required":[${JSON.stringify(key)}]}`,
    );
  });

  it("takes more than 60 keys for data, also when they come one by one", () => {
    const keys = Array.from(
      { length: 61 },
      (_, index) => `key${String.fromCharCode(97 + (index % 26))}${index}`,
    );
    const whole = Object.fromEntries(keys.map((key) => [key, 1]));
    expect(learnt(whole)).toEqual(map(integer));
    expect(learnt(...keys.map((key) => ({ [key]: 1 })))).toEqual(map(integer));
    const { [keys[0] ?? ""]: _, ...fewer } = whole;
    expect(learnt(fewer)).toMatchObject({
      required: Object.keys(fewer).toSorted((a, b) => (a < b ? -1 : 1)),
    });
  });

  it("looks six levels deep, and takes the rest for anything", () => {
    const nested = (levels: number): Json => (levels === 0 ? 1 : { a: nested(levels - 1) });
    const expected = (levels: number): object =>
      levels === 0 ? integer : object({ a: expected(levels - 1) });
    expect(learnt(nested(6))).toEqual(expected(6));
    expect(JSON.stringify(learnt(nested(7)))).toContain('{"type":"object","additionalProperties":{}}');
    expect(learnt(nested(7), nested(6))).toEqual(learnt(nested(6), nested(7)));
  });

  it("looks at the first 50 elements of a list", () => {
    const list = (count: number, last: Json): Json => [...Array<Json>(count - 1).fill(1), last];
    expect(learnt(list(50, "x"))).toEqual({ type: "array", items: { type: ["integer", "string"] } });
    expect(learnt(list(51, "x"))).toEqual({ type: "array", items: integer });
  });

  it("ends soon, whatever the result", () => {
    const wide = (levels: number): Json => (levels === 0 ? 1 : Array<Json>(60).fill(wide(levels - 1)));
    expect(JSON.stringify(learnt(wide(8)))).toContain('"type":"array"');
  });
});

describe("[AN-5] what several results look like", () => {
  it.each<[string, readonly Json[], object]>([
    [
      "a field that one has not is not required",
      [{ a: 1, b: 1 }, { a: 2 }],
      object({ a: integer, b: integer }, ["a"]),
    ],
    ["a whole number is a number too", [{ a: 1 }, { a: 1.5 }], object({ a: { type: "number" } })],
    ["types are listed", [{ a: "x" }, { a: null }], object({ a: { type: ["null", "string"] } })],
    [
      "what is known of objects stays where a result is none",
      [{ a: 1 }, "not found", { a: 1 }],
      { type: ["object", "string"], properties: { a: integer }, required: ["a"] },
    ],
    ["a map stays one", [{ "1": "x" }, { a: 2 }, {}], map({ type: ["integer", "string"] })],
    ["an empty list says nothing of elements", [[], [1], []], { type: "array", items: integer }],
  ])("%s", (_, results, schema) => expect(learnt(...results)).toEqual(schema));
});

/** Results as tools give them: few names, so that they meet, and some keys that are data. */
const result: fc.Arbitrary<Json> = fc.letrec<{ readonly value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 1, 2.5, "text"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "name", "x@y", "12"), tie("value"), { maxKeys: 4 }),
  ),
})).value;

const schema: fc.Arbitrary<ObservedSchema> = fc
  .array(result, { minLength: 1, maxLength: 4 })
  .map((results) => results.map(observe).reduce(merge));

/** Whether a value fits, as a validator of JSON Schema would say. */
function fits(value: Json, shape: object): boolean {
  const { type, items, properties, required, additionalProperties } = shape as {
    type?: string | readonly string[];
    items?: object;
    properties?: Readonly<Record<string, object>>;
    required?: readonly string[];
    additionalProperties?: object;
  };
  if (type === undefined) return true;
  const types = typeof type === "string" ? [type] : type;
  if (!types.some((one) => isOf(value, one))) return false;
  if (Array.isArray(value))
    return items === undefined ? value.length === 0 : value.every((one) => fits(one, items));
  if (typeof value !== "object" || value === null) return true;
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  return (
    (required ?? []).every((key) => Object.hasOwn(value, key)) &&
    entries.every(([key, one]) => {
      const of = properties?.[key] ?? additionalProperties;
      return of !== undefined && fits(one, of);
    })
  );
}

function isOf(value: Json, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

const text = (one: ObservedSchema) => JSON.stringify(one);

describe("[AN-5] laws of what is learnt", () => {
  it("merging is commutative, associative and idempotent, down to the text", () => {
    fc.assert(
      fc.property(schema, schema, schema, (a, b, c) => {
        expect(text(merge(a, b))).toBe(text(merge(b, a)));
        expect(text(merge(merge(a, b), c))).toBe(text(merge(a, merge(b, c))));
        expect(text(merge(a, a))).toBe(text(a));
        expect(text(merge(merge(a, b), b))).toBe(text(merge(a, b)));
      }),
      { numRuns: 500 },
    );
  });

  it("every result that was seen fits, however much was seen besides", () => {
    fc.assert(
      fc.property(result, schema, (seen, more) => {
        expect(fits(seen, observe(seen))).toBe(true);
        expect(fits(seen, merge(observe(seen), more))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("no text, number or key that is data is kept", () => {
    const secret = fc.string({ minLength: 3 }).map((noise) => `s3cr3t ${noise}`);
    fc.assert(
      fc.property(result, secret, (value, hidden) => {
        const seen = observe([value, { a: hidden, list: [hidden], [hidden]: 987_654 }]);
        expect(text(seen)).not.toMatch(/s3cr3t|987654/);
      }),
    );
  });

  it("is never longer than 8,000 characters, and still fits what was seen", () => {
    const wide = fc.array(fc.stringMatching(/^[a-z]{8,12}$/), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(wide, wide), { minLength: 2, maxLength: 5 }), (shapes) => {
        const results = shapes.map(([outer, inner]) =>
          Object.fromEntries(outer.map((key) => [key, Object.fromEntries(inner.map((one) => [one, 1]))])),
        );
        const all = results.map(observe).reduce(merge);
        expect(text(all).length).toBeLessThanOrEqual(8_000);
        for (const one of results) expect(fits(one, all)).toBe(true);
        expect(text(merge(all, all))).toBe(text(all));
      }),
      { numRuns: 20 },
    );
  });

  it("is known by its mark, also when it has been stored", () => {
    expect(isObserved(JSON.parse(text(observe({ a: 1 }))))).toBe(true);
    expect([null, [], "x", {}, { type: "object" }].map(isObserved)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
