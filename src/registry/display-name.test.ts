import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chooseDisplayName,
  type DisplayName,
  foldDisplayName,
  isDisplayName,
  isUnnamed,
  namePartsOf,
  parseDisplayName,
  recordPartsOf,
  unnamedNames,
} from "./display-name.js";

const HASH = "0123456789abcdef".repeat(4);
const displayName = fc
  .stringMatching(/^[A-Za-z0-9_-]{1,12}(?::[A-Za-z0-9_-]{1,12}){0,3}$/)
  .map(parseDisplayName);

function refusal(read: (text: string) => unknown, text: string): string {
  try {
    read(text);
    return "accepted";
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

describe("[ID-2] display names", () => {
  it.each(["read_config", "myapp:fetch", "my-tool-v2", "a:b:c", "x".repeat(100), "_", "-:_"])(
    "%s is fine",
    (text) => {
      expect(parseDisplayName(text)).toBe(text);
      expect(chooseDisplayName(text)).toBe(text);
    },
  );

  it.each(["", " ", "a b", "fs/read", "fs.read", "a::b", ":a", "a:", "é", "a@v1", "a\nb", "a\n"])(
    "%j is not, in the words of the specification",
    (text) => {
      expect(refusal(parseDisplayName, text)).toBe(
        `NAME_INVALID: Invalid capability name: "${text}". Must be alphanumeric with underscores, hyphens, and colons only.`,
      );
    },
  );

  it("says how long a name may be", () => {
    expect(refusal(parseDisplayName, "x".repeat(101))).toBe(
      `NAME_INVALID: Invalid capability name: "${"x".repeat(100)}…" has 101 characters, more than the 100 that a name may have`,
    );
  });

  it("gives the text unchanged or refuses it, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a:_ ]{0,6}$/)), (text) => {
        expect(refusal(parseDisplayName, text) === "accepted").toBe(isDisplayName(text));
      }),
    );
  });
});

describe("[FP-8] names that cannot be chosen", () => {
  it.each(["cap:mine", "pml:mine", "mcp:mine", "CAP:x", "c_ap:x", "mcp:a:b", "pml"])(
    "%s is PML's own",
    (text) => {
      expect(refusal(chooseDisplayName, text)).toBe(
        `NAME_TAKEN: Capability name '${text}' is reserved: names that begin with cap:, pml: and mcp: belong to PML`,
      );
    },
  );

  it.each([
    "unnamed_0123abcd",
    "Unnamed-0123ABCD",
    "unnamed0123abcd",
    "unnamed_0123abcd4567",
    "01234567-89ab-cdef-0123-456789abcdef",
    "01234567-89AB-CDEF-0123-456789ABCDEF",
  ])("[ID-4] %s looks like what PML gives", (text) => {
    expect(refusal(chooseDisplayName, text)).toBe(
      `NAME_TAKEN: Capability name '${text}' is reserved: it looks like a name that PML generates`,
    );
  });

  it.each(["capital:x", "fs:cap", "unnamed_thing", "unnamed_0123", "fs:unnamed_0123abcd"])(
    "%s may be chosen",
    (text) => {
      expect(chooseDisplayName(text)).toBe(text);
    },
  );

  it("holds for every unnamed name, and what is chosen is never unnamed", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), (hash) => {
        for (const name of unnamedNames(hash)) {
          expect(isUnnamed(name)).toBe(true);
          expect(refusal(chooseDisplayName, name)).toMatch(/^NAME_TAKEN/);
        }
      }),
    );
    fc.assert(
      fc.property(displayName, (name) => {
        if (refusal(chooseDisplayName, name) === "accepted") expect(isUnnamed(name)).toBe(false);
      }),
    );
  });
});

describe("[ID-3] the fold", () => {
  it("is one for case, - and _ and camelCase", () => {
    for (const text of ["fs:readJson", "FS:Read-JSON", "fs:read_json", "f-s:READJSON"])
      expect(foldDisplayName(text)).toBe("fs:readjson");
  });

  it("keeps parts apart", () => {
    expect(foldDisplayName("fs:read")).not.toBe(foldDisplayName("fs_read"));
    expect(foldDisplayName("a:bc")).not.toBe(foldDisplayName("ab:c"));
  });

  it("folds what is folded to itself", () => {
    fc.assert(
      fc.property(displayName, (name) => {
        expect(foldDisplayName(foldDisplayName(name))).toBe(foldDisplayName(name));
      }),
    );
  });
});

describe("[ID-4] unnamed names", () => {
  it("begin with 8 digits of the hash and grow by 4", () => {
    const names = [...unnamedNames(HASH)];
    expect(names.slice(0, 2)).toEqual(["unnamed_01234567", "unnamed_0123456789ab"]);
    expect(names.at(-1)).toBe(`unnamed_${HASH}`);
  });
});

describe("namespace and action", () => {
  it.each([
    ["fs:read_json", "fs", "read_json"],
    ["a:b:c", "a", "b_c"],
    ["read_config", "api", "read_config"],
    ["FS:Read-JSON", "FS", "Read-JSON"],
  ])("of %s are %s and %s", (text, namespace, action) => {
    expect(namePartsOf(text as DisplayName, "api")).toEqual({ namespace, action });
    expect(recordPartsOf(text as DisplayName, "api", HASH)).toEqual({
      namespace: namespace.toLowerCase(),
      action: action.toLowerCase(),
    });
  });

  it("[ID-4] of code without a name are inferred, and of its hash", () => {
    expect(recordPartsOf(undefined, "api", HASH)).toEqual({ namespace: "api", action: "exec_01234567" });
  });
});

describe("names of tools in a list", () => {
  it.each(["cap_list", "pml_execute", "mcp__files__write", "CAP_lookup"])(
    "[ID-3] nobody may choose %s",
    (name) =>
      expect(() => chooseDisplayName(name)).toThrow(
        `Capability name '${name}' is reserved: names that begin with cap_, pml_ and mcp__ are names of tools`,
      ),
  );

  it.each(["capital", "my_cap_list", "cap-rates", "fs:cap_list"])("[ID-2] %s is fine", (name) =>
    expect(chooseDisplayName(name)).toBe(name),
  );
});
