import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseReference } from "./reference.js";

/** `kind what [version]`, or nothing. */
function check(text: string, expected: string): void {
  const reference = parseReference(text);
  if (reference === undefined) {
    expect("").toBe(expected);
    return;
  }
  const { target, version } = reference;
  const { kind, ...rest } = target;
  const shown = [kind, ...Object.values(rest)];
  if (version !== undefined)
    shown.push(version.kind === "latest" ? "latest" : `${version.kind}=${version.text}`);
  expect(shown.join(" ")).toBe(expected);
}

describe("[ID-6, WIRE-3] references", () => {
  it.each([
    ["local.default.fs.read.a1b2", "fqdn local.default.fs.read.a1b2"],
    ["local.default.fs.read.a1b2c3d4@v2", "fqdn local.default.fs.read.a1b2c3d4 tag=v2"],
    ["local.default.fs.read", "label local.default.fs.read"],
    ["acme.shared:fs:read_json", "scoped acme shared fs:read_json"],
    ["acme.shared:read@latest", "scoped acme shared read latest"],
    ["fs:read_json", "name fs:read_json"],
    ["cap:fs:read_json", "name fs:read_json"],
    ["cap:read", "name read"],
    ["cap:acme.shared:fs:read", "scoped acme shared fs:read"],
    ["cap:local.default.fs.read.a1b2", "fqdn local.default.fs.read.a1b2"],
    ["fs:read_json@v1", "name fs:read_json tag=v1"],
    ["fs:read_json@v1.2", "name fs:read_json tag=v1.2"],
    ["fs:read_json@v1.2.0", "name fs:read_json tag=v1.2.0"],
    ["fs:read_json@2025-12-22", "name fs:read_json day=2025-12-22"],
    ["fs:read_json@banana", "name fs:read_json exact=banana"],
    ["01234567-89AB-cdef-0123-456789abcdef", "id 01234567-89ab-cdef-0123-456789abcdef"],
    [
      "acme.shared:01234567-89ab-cdef-0123-456789abcdef",
      "scoped acme shared 01234567-89ab-cdef-0123-456789abcdef",
    ],
  ])("%s is %s", check);

  it.each([
    "",
    "@",
    "@v1",
    "cap:",
    "a b",
    "fs.read",
    "a.b.c:x",
    "acme.:x",
    ".a:x",
    "A.b:x",
    "a.b:",
    "a::b",
    "../x",
  ])("%j has no such form", (text) => check(text, ""));

  it("never throws, and keeps what was written before the version", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a.:@v1-]{0,12}$/)), (text) => {
        const reference = parseReference(text);
        if (reference !== undefined) expect(text.startsWith(reference.text)).toBe(true);
      }),
    );
  });
});
