import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import { type JsonPath, requiredNames, typesAt } from "./json-types.js";

const ROOT: Json = {
  type: "object",
  required: ["a"],
  properties: {
    text: { type: "string" },
    maybe: { type: ["integer", "null"] },
    list: { type: "array", items: { $ref: "#/$defs/row" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }] },
    either: { anyOf: [{ type: "string" }, { $ref: "#/$defs/row" }] },
    open: { anyOf: [{ type: "string" }, {}] },
    both: { allOf: [{ $ref: "#/$defs/row" }, { properties: { extra: { type: "boolean" } } }] },
    word: { enum: ["a", "b", 3] },
    one: { const: null },
    named: { type: "object", additionalProperties: { type: "number" } },
    self: { $ref: "#/properties/self" },
    tree: { $ref: "#" },
    remote: { $ref: "https://example.com/x.json" },
    unsaid: {},
    shape: { properties: {} },
  },
  $defs: { row: { type: "object", properties: { id: { type: "integer" } } } },
};

describe("[AN-5] the types of a schema at a place", () => {
  it.each<[JsonPath, string]>([
    [[], "object"],
    [["text"], "string"],
    [["maybe"], "number null"],
    [["list"], "array"],
    [["list", undefined, "id"], "number"],
    [["list", "0", "id"], "number"],
    [["list", "length"], "number"],
    [["text", "length"], "number"],
    [["list", "length", "x"], "?"],
    [["pair", "1"], "boolean"],
    [["either"], "string object"],
    [["open"], "?"],
    [["both", "id"], "number"],
    [["both", "extra"], "boolean"],
    [["word"], "string number"],
    [["one"], "null"],
    [["named", "x"], "number"],
    [["named", undefined], "number"],
    [["self"], "?"],
    [["tree", "tree", "text"], "string"],
    [["remote"], "?"],
    [["unsaid"], "?"],
    [["shape"], "object"],
    [["missing"], "?"],
    [["toString"], "?"],
  ])("%j is %s", (path, expected) => {
    expect([...(typesAt(ROOT, path) ?? ["?"])].join(" ")).toBe(expected);
  });

  it("nothing is known without a schema", () => {
    expect(typesAt(undefined, [])).toBeUndefined();
    expect(typesAt(true, ["a"])).toBeUndefined();
    expect(requiredNames({ $ref: "#/$defs/x", $defs: { x: { required: ["b", 1] } } })).toEqual(["b"]);
  });

  it("alternatives without end are given up", () => {
    const wide: Json = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) };
    expect(typesAt(wide, ["a", "b"])).toBeUndefined();
  });
});
