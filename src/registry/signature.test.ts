import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { parseFqdn } from "./fqdn.js";
import { type SignedContent, signedText } from "./signature.js";

const content = (canonicalCode: string, properties: Record<string, Json> = {}): SignedContent => ({
  fqdn: parseFqdn("local.default.fs.read.a1b2"),
  canonicalCode,
  parameters: { type: "object", properties, required: [], additionalProperties: false },
});

describe("[ID-10] what is signed", () => {
  it("is this text: signatures in people's stores rest on it", () => {
    expect(signedText(content("return 1", { b: { type: "string" }, a: true }))).toBe(
      'pml-capability-v1\n{"canonicalCode":"return 1","fqdn":"local.default.fs.read.a1b2","parameters":{"additionalProperties":false,"properties":{"a":true,"b":{"type":"string"}},"required":[],"type":"object"}}',
    );
  });

  it("survives the way through JSON, with any character", () => {
    const json = fc.jsonValue({ stringUnit: "binary" }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.dictionary(fc.string(), json), (code, properties) => {
        const given = content(code, properties);
        expect(signedText(JSON.parse(JSON.stringify(given)) as SignedContent)).toBe(signedText(given));
      }),
    );
  });

  it("differs for other code, parameters or FQDN", () => {
    const texts = [
      content("a"),
      content("b"),
      content("a", { x: {} }),
      { ...content("a"), fqdn: parseFqdn("local.default.fs.read.a1b3") },
    ].map(signedText);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
