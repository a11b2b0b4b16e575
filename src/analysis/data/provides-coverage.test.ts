import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import { providesBetween, providesCoverage } from "./provides-coverage.js";

/** `{ path*: string, encoding: string }`: a star is behind what is required. */
function schema(fields: string): Json {
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const field of fields.split(", ")) {
    const [name = "", type = ""] = field.split(": ");
    const key = name.replace("*", "");
    properties[key] = type === "any" ? {} : { type };
    if (name.endsWith("*")) required.push(key);
  }
  return { type: "object", properties, required };
}

describe("[AN-5] coverage", () => {
  it.each([
    ["json", "json*: string", "strict"],
    ["body", "url*: string, body*: object", "partial"],
    ["url body", "url*: string, body*: object, headers: object", "strict"],
    ["headers", "url*: string, headers: object", "optional"],
    ["limit", "limit: integer", "optional"],
    ["", "url*: string", "optional"],
  ])("%j of { %s } is %s", (fields, input, expected) => {
    expect(providesCoverage(new Set(fields.split(" ")), schema(input))).toBe(expected);
  });

  it("of a schema that says nothing is optional", () => {
    expect(providesCoverage(new Set(["a"]), {})).toBe("optional");
    expect(providesCoverage(new Set(["a"]), true)).toBe("optional");
    expect(providesCoverage(new Set(["a"]), { required: "a" })).toBe("optional");
  });
});

describe("[AN-5] what schemas alone make possible", () => {
  it.each([
    ["content: string, path: string", "path*: string, encoding: string", "strict path"],
    ["content: string", "path*: string, content*: string", "partial content"],
    ["content: string", "json*: string", "nothing"],
    ["language: string", "text*: string, language: string", "optional language"],
    ["id: integer, name: string", "id*: string, name*: string", "strict id!,name"],
    ["id: integer", "id*: number", "strict id"],
    ["id: any", "id*: number", "strict id"],
  ])("{ %s } to { %s }: %s", (output, input, expected) => {
    const found = providesBetween(schema(output), schema(input));
    const mapping = found?.fieldMapping.map(
      ({ toField, typeCompatible }) => toField + (typeCompatible ? "" : "!"),
    );
    expect(found === undefined ? "nothing" : `${found.coverage} ${mapping}`).toBe(expected);
  });

  it("nothing where there is no output schema", () => {
    expect(providesBetween(undefined, schema("path*: string"))).toBeUndefined();
  });
});
