import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { ParametersSchema } from "../../registry/capability.js";
import { mergeArguments } from "./merge-arguments.js";

const SCHEMA: ParametersSchema = {
  type: "object",
  properties: { path: { type: "string" }, encoding: { type: "string", default: "utf-8" }, any: {} },
  required: ["path"],
  additionalProperties: false,
};

/** Arguments as JSON in, merged arguments or the refusal out. */
function check(given: string, expected: string, schema = SCHEMA, wrong?: string): void {
  const args = JSON.parse(given) as Record<string, Json>;
  let found: string;
  try {
    found = JSON.stringify(mergeArguments(args, schema, "key", () => wrong));
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    found = `${error.code}: ${error.message}`;
  }
  expect(found).toBe(expected);
}

describe("[EX-5] mergeArguments", () => {
  it("fills in defaults", () => check('{"path":"x"}', '{"path":"x","encoding":"utf-8"}'));
  it("lets what is given win", () =>
    check('{"path":"x","encoding":"latin1"}', '{"path":"x","encoding":"latin1"}'));
  it("lets a given null win", () => check('{"path":"x","encoding":null}', '{"path":"x","encoding":null}'));
  it("names what is missing", () =>
    check("{}", 'ARGUMENTS_INVALID: Wrong arguments: missing argument "path"'));
  it("names what is unknown, and what it looks like", () =>
    check(
      '{"path":"x","encodng":"y"}',
      'ARGUMENTS_INVALID: Wrong arguments: unknown argument "encodng" (did you mean "encoding"?)',
    ));
  it("names everything at once", () =>
    check(
      '{"zzz":1}',
      'ARGUMENTS_INVALID: Wrong arguments: unknown argument "zzz"; missing argument "path"',
    ));
  it("passes on what the schema says is wrong", () =>
    check(
      '{"path":5}',
      "ARGUMENTS_INVALID: Wrong arguments: path must be string",
      SCHEMA,
      "path must be string",
    ));
  it("takes anything where the code uses its arguments as a whole", () =>
    check('{"path":"x","more":1}', '{"path":"x","more":1,"encoding":"utf-8"}', {
      ...SCHEMA,
      additionalProperties: true,
    }));
  it("takes __proto__ for an argument like any other", () => {
    check('{"path":"x","__proto__":1}', 'ARGUMENTS_INVALID: Wrong arguments: unknown argument "__proto__"');
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"default":{"polluted":true}}},"required":[],"additionalProperties":false}',
    ) as ParametersSchema;
    check("{}", '{"__proto__":{"polluted":true}}', schema);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
  it("[AN-8] leaves the defaults of lifted parameters to the code, and takes what is given", () => {
    const merge = (given: Record<string, Json>) =>
      mergeArguments(given, SCHEMA, "key", () => undefined, ["encoding"]);
    expect({ ...merge({ path: "x" }) }).toEqual({ path: "x" });
    expect({ ...merge({ path: "x", encoding: "latin1" }) }).toEqual({ path: "x", encoding: "latin1" });
  });
  it("says what was expected", () => {
    expect(() => mergeArguments({}, SCHEMA, "key", () => undefined)).toThrow(
      expect.objectContaining({
        hint: 'Expected: { path: string, encoding?: string = "utf-8", any?: any }',
      }),
    );
  });
});
