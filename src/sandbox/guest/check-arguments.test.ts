import { describe, expect, it } from "vitest";
import { argumentRules } from "./check-arguments.js";

const check = (schema: unknown, args: object): unknown => {
  try {
    return argumentRules(schema, "it").complete(args);
  } catch (error) {
    return (error as Error).message.replace("Cannot call it: ", "");
  }
};

const typed = (type: unknown) => ({ properties: { a: { type } } });

describe("arguments of a capability", () => {
  it.each<readonly [unknown, unknown, boolean]>([
    ["string", "x", true],
    ["string", 1, false],
    ["number", 1.5, true],
    ["integer", 1, true],
    ["integer", 1.5, false],
    ["boolean", false, true],
    ["null", null, true],
    ["array", [], true],
    ["array", {}, false],
    ["object", {}, true],
    ["object", [], false],
    ["object", null, false],
    [["string", "null"], null, true],
    [["string", "null"], 5, false],
    [undefined, Symbol.iterator, true],
  ])("[EX-5] type %j takes %o: %s", (type, value, expected) => {
    const outcome = check(typed(type), { a: value });
    if (expected) expect(outcome).toEqual({ a: value });
    else expect(outcome).toMatch(/^argument "a" must be /);
  });

  it("[EX-5] names what is missing and what is unknown", () => {
    const schema = { properties: { a: {}, b: { default: 1 } }, required: ["a", "b"] };
    expect(check(schema, { b: 2 })).toBe('argument "a" is missing');
    expect(check(schema, { a: 1 })).toEqual({ a: 1, b: 1 });
    expect(check(schema, { a: 1, c: 1 })).toBe('unknown argument "c"; it takes a, b');
    expect(check({}, { c: 1 })).toBe('unknown argument "c"; it takes none');
    expect(check({ additionalProperties: true }, { c: 1 })).toEqual({ c: 1 });
  });

  it("keeps a name of Object.prototype a name", () => {
    const given = JSON.parse('{"__proto__":{"a":1}}') as object;
    expect(check({}, given)).toBe('unknown argument "__proto__"; it takes none');
    const args = check({ additionalProperties: true }, given) as object;
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(check({ required: ["toString"] }, {})).toBe('argument "toString" is missing');
  });
});
