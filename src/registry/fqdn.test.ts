import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatFqdn, fqdnCandidates, fqdnLabel, isFqdn, isFqdnLabel, parseFqdn, splitFqdn } from "./fqdn.js";

const part = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
const hash = fc.stringMatching(/^(?:[0-9a-f]{4}){1,16}$/);
const parts = fc.record({ org: part, project: part, namespace: part, action: part, hash });

function parsed(text: string): string {
  try {
    return parseFqdn(text);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("[ID-1] FQDNs", () => {
  it.each([
    ["local.default.fs.read_json.a1b2", true],
    ["local.default.fs.read_json.a1b2c3d4", true],
    ["a-b.c_d.0.-.0000", true],
    ["local.default.fs.read_json", false],
    ["local.default.fs.read_json.a1b", false],
    ["local.default.fs.read_json.a1b2c", false],
    ["local.default.fs.read_json.A1B2", false],
    ["local.default.fs.read_json.wxyz", false],
    ["local.default.fs.readJson.a1b2", false],
    ["local.default.fs..a1b2", false],
    ["local.default.fs.a.b.a1b2", false],
    ["local.default.fs.read json.a1b2", false],
    ["local.default.fs.read.a1b2\n", false],
    ["", false],
  ])("%j is one: %s", (text, expected) => {
    expect(isFqdn(text)).toBe(expected);
    expect(parsed(text)).toBe(expected ? text : "NAME_INVALID");
  });

  it("split and format are exact inverses", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const fqdn = formatFqdn(given);
        expect(splitFqdn(fqdn)).toEqual(given);
        expect(formatFqdn(splitFqdn(fqdn))).toBe(fqdn);
        expect(isFqdn(fqdn)).toBe(true);
      }),
    );
  });

  it("parsing gives the text unchanged or refuses it, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-f0-9.]{0,30}$/)), (text) => {
        expect([text, "NAME_INVALID"]).toContain(parsed(text));
      }),
    );
  });

  it("formatting refuses parts that would read as others", () => {
    fc.assert(
      fc.property(parts, fc.constantFrom("a.b", "", "A", "a:b", "a b"), (given, action) => {
        expect(() => formatFqdn({ ...given, action })).toThrow("Cannot use");
      }),
    );
  });

  it("have a label: themselves without the hash", () => {
    fc.assert(
      fc.property(parts, (given) => {
        const label = fqdnLabel(formatFqdn(given));
        expect(label).toBe(`${given.org}.${given.project}.${given.namespace}.${given.action}`);
        expect(isFqdnLabel(label)).toBe(true);
        expect(isFqdn(label)).toBe(false);
      }),
    );
  });

  it("grow by four digits of the hash", () => {
    const label = { org: "o", project: "p", namespace: "n", action: "a" };
    const codeHash = "0123456789abcdef".repeat(4);
    const candidates = [...fqdnCandidates(label, codeHash)];
    expect(candidates.slice(0, 3)).toEqual(["o.p.n.a.0123", "o.p.n.a.01234567", "o.p.n.a.0123456789ab"]);
    expect(candidates).toHaveLength(16);
    expect(candidates.at(-1)).toBe(`o.p.n.a.${codeHash}`);
  });
});
