import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { VersionSummary } from "./capability-store.js";
import { isVersionTag, parseVersionSpec, resolveVersion } from "./version-spec.js";

/** `1 2=v1.0.0 3@2025-12-22T10:00` is a list of versions, oldest first, some with a tag, some with a time. */
function versions(text: string): readonly VersionSummary[] {
  return text
    .split(" ")
    .map((word) => {
      const [, version = "", tag, time = "2025-01-01T00:00"] =
        /^(\d+)(?:=([^@]+))?(?:@(.+))?$/.exec(word) ?? [];
      return {
        version: Number(version),
        versionTag: tag,
        codeHash: "",
        updatedBy: "",
        updatedAt: new Date(`${time}Z`),
        changeSummary: undefined,
      };
    })
    .reverse();
}

function check(spec: string, stored: string, expected: number | string): void {
  try {
    expect(resolveVersion(parseVersionSpec(spec), versions(stored), "my-reader")).toBe(expected);
  } catch (error) {
    if (typeof expected === "number") throw error;
    const { code, message, hint } = error as { code: string; message: string; hint: string };
    expect(`${code}: ${message} (${hint})`).toContain(expected);
  }
}

describe("[ID-11] versions", () => {
  it.each([
    ["latest", "1 2 3", 3],
    ["v1", "1 2 3", 1],
    ["v2", "1 2 3", 2],
    ["2", "1 2 3", 2],
    ["1", "1 2=1.0.0 3=1.4.2 4=2.0.0", 1],
    ["v1", "1 2=1.0.0 3=1.4.2 4=2.0.0", 3],
    ["v1", "1 2=v1.0.0 3=v1.4.2 4", 3],
    ["v2", "1=v2.0.0 2", 1],
    ["v1.2", "1=1.2.0 2=1.2.7 3=1.3.0", 2],
    ["v1.2.0", "1=1.2.0 2=1.2.7 3=1.3.0", 1],
    ["v0", "1=0.1.0", 1],
    ["v1.2.0-beta", "1=v1.2.0-beta 2=v1.2.0", 1],
    ["v1", "1 2=v1.2.0-beta", 1],
    ["2025-12-22", "1@2025-12-21T00:00 2@2025-12-22T23:59 3@2025-12-23T00:00", 2],
    ["2025-12-31", "1@2025-12-21T00:00 2@2025-12-22T23:59", 2],
  ])("@%s of %s is %s", check);

  it.each([
    [
      "v5",
      "1 2 3",
      "VERSION_NOT_FOUND: Version v5 not found for my-reader (It has version 3, version 2, version 1.",
    ],
    ["v1.2", "1 2", "Version v1.2 not found for my-reader"],
    ["v1.2.1", "1=1.2.0", "Version v1.2.1 not found for my-reader (It has version 1 (1.2.0)."],
    ["2001-01-01", "1", "Version 2001-01-01 not found for my-reader"],
    ["2025-02-30", "1", "Version 2025-02-30 not found for my-reader"],
    ["2025-13-01", "1", "Version 2025-13-01 not found for my-reader"],
    ["banana", "1", "Version banana not found for my-reader"],
    ["", "1", "Version  not found for my-reader"],
    ["4", "1 2 3", "Version 4 not found for my-reader"],
    ["0", "1", "Version 0 not found for my-reader"],
    ["01", "1", "Version 01 not found for my-reader"],
    ["v01", "1", "Version v01 not found for my-reader"],
    [
      "v8",
      "1 2 3 4 5 6 7",
      "It has 7 versions, the newest version 7, version 6, version 5, version 4, version 3.",
    ],
  ])("@%s of %s is not there", check);

  it("is a stored version or not found, whatever is asked", () => {
    const stored = versions("1 2=1.0.0 3=1.1.0-a 4");
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^v?[0-2](\.[0-2]){0,3}$/)), (text) => {
        try {
          expect([1, 2, 3, 4]).toContain(resolveVersion(parseVersionSpec(text), stored, "x"));
        } catch (error) {
          expect((error as { code: string }).code).toBe("VERSION_NOT_FOUND");
        }
      }),
    );
  });

  it.each([
    ["1.2.0", true],
    ["v1.2.0", true],
    ["v1.2.0-beta.1", true],
    ["1.2", false],
    ["v01.2.0", false],
    ["1.2.0 ", false],
    ["", false],
  ])("%j is a tag: %s", (text, expected) => expect(isVersionTag(text)).toBe(expected));
});
