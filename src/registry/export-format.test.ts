import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import type { CapabilityVersion } from "./capability.js";
import { formatHeader, formatRecord, parseHeader, parseRecord, versionsOf } from "./export-format.js";
import { signedHash } from "./signature.js";
import type { ToolId } from "./tool-id.js";

const KEY = Buffer.alloc(32, 1).toString("base64");
const CAPABILITY = sampleCapability("fs:read", {
  version: 2,
  tags: ["a"],
  description: "reads\u2028\u0000",
  ttlSeconds: 5,
});

function version(number: number, more: Partial<CapabilityVersion> = {}): CapabilityVersion {
  return {
    fqdn: CAPABILITY.fqdn,
    version: number,
    previousHash: null,
    versionTag: undefined,
    code: "return 1;",
    savedCode: "return 1;",
    canonicalCode: "(return 1)",
    codeHash: CAPABILITY.codeHash,
    parameters: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":[],"additionalProperties":false}',
    ),
    toolsUsed: ["fs:read" as ToolId],
    dependencies: [],
    changeSummary: undefined,
    updatedBy: "ada@local",
    updatedAt: new Date("2026-11-15T12:00:00.000Z"),
    signature: `${"A".repeat(86)}==`,
    publicKey: KEY,
    ...more,
  };
}

const VERSIONS = [
  version(1),
  version(2, {
    previousHash: await signedHash(version(1)),
    savedCode: "return 1 ;",
    versionTag: "v1.0.0",
    changeSummary: "more",
  }),
];
const problem = (value: unknown) => {
  try {
    parseRecord(value);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe("[ID-15] a line of an export", () => {
  it("reads back as what was written, whatever the names of parameters", async () => {
    const record = parseRecord(JSON.parse(formatRecord(CAPABILITY, VERSIONS)));
    expect(record).toMatchObject({
      fqdn: CAPABILITY.fqdn,
      display_name: "fs:read",
      description: "reads\u2028\u0000",
      ttl: 5,
    });
    expect(await versionsOf(record)).toEqual(VERSIONS);
    expect(Object.keys(record.versions[0]?.parameters.properties ?? {})).toEqual(["__proto__"]);
  });

  it("is one line, the same for the same state, without runs, counts and ids", () => {
    const line = formatRecord(CAPABILITY, VERSIONS);
    expect(line).not.toContain("\n");
    expect(
      formatRecord({ ...CAPABILITY, usageCount: 9, trust: "verified", revision: 7, id: "other" }, VERSIONS),
    ).toBe(line);
    expect(line).not.toMatch(/usage|trust|revision|pattern/);
  });

  it("has no version that the record does not know of", () => {
    const { versions } = parseRecord(JSON.parse(formatRecord({ ...CAPABILITY, version: 1 }, VERSIONS)));
    expect(versions.map((one) => one.version)).toEqual([1]);
  });

  it("is told what is wrong about its form", () => {
    const line = JSON.parse(formatRecord(CAPABILITY, VERSIONS)) as Record<string, unknown>;
    expect(problem({ ...line, fqdn: "x", visibility: "all" })).toBe(
      'fqdn: expected an FQDN; visibility: Invalid option: expected one of "private"|"project"|"org"|"public"',
    );
    expect(problem({ ...line, more: 1 })).toBe('Unrecognized key: "more"');
    expect(problem({ ...line, versions: [] })).toContain("versions: ");
    expect(problem("text")).toBe("expected object, received string");
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`) as unknown;
    const parameters = { type: "object", properties: { deep }, required: [], additionalProperties: false };
    expect(problem({ ...line, versions: [{ ...(line.versions as object[])[0], parameters }] })).toContain(
      "versions.0.parameters: ",
    );
  });
});

describe("[ID-15] the header of an export", () => {
  it("says who made it, when, with which key", () => {
    const header = formatHeader("ada@local", KEY, new Date("2026-11-15T12:00:00.000Z"));
    expect(header).toBe(
      `{"pml":"export","format":2,"exported_at":"2026-11-15T12:00:00.000Z","exported_by":"ada@local","public_key":"${KEY}"}`,
    );
    expect(parseHeader(JSON.parse(header)).exported_by).toBe("ada@local");
    expect(() => parseHeader({ ...JSON.parse(header), format: 3 })).toThrow("format 3");
    // Its signatures do not cover what those of today do.
    expect(() => parseHeader({ ...JSON.parse(header), format: 1 })).toThrow("format 1");
    expect(() => parseHeader({})).toThrow("does not start with the header");
  });
});
