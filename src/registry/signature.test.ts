import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { parseFqdn } from "./fqdn.js";
import { oldSignedText, type SignedContent, signedHash, signedText } from "./signature.js";

const content = (canonicalCode: string, properties: Record<string, Json> = {}): SignedContent => ({
  fqdn: parseFqdn("local.default.fs.read.a1b2"),
  version: 2,
  previousHash: "ab".repeat(32),
  code: `// as written\n${canonicalCode}`,
  canonicalCode,
  parameters: { type: "object", properties, required: [], additionalProperties: false },
});

describe("[ID-10, TB-4] what is signed", () => {
  const given = content("return 1", { b: { type: "string" }, a: true });

  it("is this text: signatures in people's stores rest on it", () => {
    expect(signedText(given)).toBe(
      'pml-capability-v2\n{"canonicalCode":"return 1","fqdn":"local.default.fs.read.a1b2","parameters":{"additionalProperties":false,"properties":{"a":true,"b":{"type":"string"}},"required":[],"type":"object"},"previous":"abababababababababababababababababababababababababababababababab","source":"// as written\\nreturn 1","version":2}',
    );
    expect(signedText({ ...given, version: 1, previousHash: null, definition: { tool: "fs:read" } })).toBe(
      'pml-capability-v2\n{"canonicalCode":"return 1","definition":{"tool":"fs:read"},"fqdn":"local.default.fs.read.a1b2","parameters":{"additionalProperties":false,"properties":{"a":true,"b":{"type":"string"}},"required":[],"type":"object"},"previous":null,"source":"// as written\\nreturn 1","version":1}',
    );
  });

  it("was this text before versions were a chain: they are signed again by it", () => {
    expect(oldSignedText(given)).toBe(
      'pml-capability-v1\n{"canonicalCode":"return 1","fqdn":"local.default.fs.read.a1b2","parameters":{"additionalProperties":false,"properties":{"a":true,"b":{"type":"string"}},"required":[],"type":"object"}}',
    );
  });

  it("has this hash, which the next version names", async () => {
    expect(await signedHash(given)).toBe("9ec5245ab4344dd17532430f68bfd5dc4b1f1983fdc1a0317008cdbd5caac3c7");
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

  it("differs for other code, source, definition, parameters, FQDN, number or version before", () => {
    const texts = [
      content("a"),
      content("b"),
      content("a", { x: {} }),
      { ...content("a"), fqdn: parseFqdn("local.default.fs.read.a1b3") },
      { ...content("a"), version: 3 },
      { ...content("a"), previousHash: null },
      { ...content("a"), previousHash: "cd".repeat(32) },
      { ...content("a"), code: "a" },
      { ...content("a"), definition: { tool: "fs:read" } },
      { ...content("a"), definition: { tool: "fs:read", arguments: { path: "x" } } },
    ].map(signedText);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
