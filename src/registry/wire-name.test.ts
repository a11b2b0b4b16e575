import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldWireName,
  isWireName,
  parseWireName,
  promptWireForm,
  toolWireForm,
  wireNameFor,
} from "./wire-name.js";

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
/** Texts as servers may call their tools: anything, and often nearly alike. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 500 }),
  fc.stringMatching(/^[A-Za-z0-9_.-]{0,70}$/),
  fc.constantFrom("", "🦊", "読む", "a".repeat(500), "__proto__", "pml_x", "cap-x", "9", "-", "_"),
);

function hash(id: string): string {
  return createHash("sha256").update(id, "utf8").digest("hex");
}

describe("[WIRE-1] the grammar of wire names", () => {
  it.each(["a", "A", "mcp__fs__read_file", "a-b_C9", "x".repeat(48)])("takes %s", (name) => {
    expect(isWireName(name)).toBe(true);
    expect(parseWireName(name)).toBe(name);
  });

  it.each(["", "9a", "_a", "-a", "a.b", "a:b", "a b", "é", "a\n", "a🦊", "x".repeat(49)])(
    "refuses %j",
    (name) => {
      expect(isWireName(name)).toBe(false);
      expect(() => parseWireName(name)).toThrow("as a wire name: expected ^[A-Za-z][A-Za-z0-9_-]{0,47}$");
    },
  );

  it("folds case, and takes - and _ as one", () => {
    expect(foldWireName("Mcp__My-Server__Read_File")).toBe("mcp__my_server__read_file");
  });

  it("folds what is folded to itself", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(foldWireName(foldWireName(text))).toBe(foldWireName(text));
      }),
    );
  });
});

describe("[WIRE-2] the name that an id would like", () => {
  it("puts server and tool behind mcp__", () => {
    expect(toolWireForm("filesystem", "read_file")).toBe("mcp__filesystem__read_file");
  });
  it("puts a prompt behind its server", () => {
    expect(promptWireForm("git", "review")).toBe("git__review");
  });
});

describe("[WIRE-1, WIRE-2] wireNameFor", () => {
  /** The name where all names are free but those that `taken` folds to. */
  async function check(wanted: string, expected: string, taken = ""): Promise<void> {
    const folds = new Set(taken.split(" ").map(foldWireName));
    const id = `id of ${wanted}`;
    const name = await wireNameFor(id, wanted, (fold) => !folds.has(fold));
    expect(name).toBe(expected.replace("#", `_${hash(id).slice(0, 6)}`));
  }

  it("gives what is wanted where it is well-formed and free", () => check("mcp__fs__read", "mcp__fs__read"));
  it("gives 48 characters as they are", () => check("a".repeat(48), "a".repeat(48)));
  it("cuts 49 to 41 and the suffix", () => check("a".repeat(49), `${"a".repeat(41)}#`));
  it("gives a suffix where the name is taken", () => check("fs", "fs#", "fs"));
  it("gives a suffix where the name is taken in another case", () => check("fs", "fs#", "FS"));
  it("gives a suffix where the name is taken with - for _", () => check("a-b", "a-b#", "a_b"));
  it("replaces other characters", () => check("mcp__fs__a.b/c", "mcp__fs__a_b_c#"));
  it("puts a letter first", () => check("9lives", "x9lives#"));
  it("has no _ before the suffix's own", () => check("mcp__fs__読む", "mcp__fs#"));
  it("names what has no letter at all", () => check("🦊", "x#"));
  it("names what has no characters", () => check("", "x#"));

  it("takes more digits where six are taken", async () => {
    const digits = hash("b").slice(0, 7);
    const taken = new Set(["a", `a_${digits.slice(0, 6)}`, `x_a_${digits.slice(0, 6)}`]);
    expect(await wireNameFor("b", "a", (fold) => !taken.has(fold))).toBe(`a_${digits}`);
  });

  it("goes round a prefix that is kept for others", async () => {
    const name = await wireNameFor("fs:pml_run", "pml_run", (fold) => !fold.startsWith("pml_"));
    expect(name).toBe(`x_pml_run_${hash("fs:pml_run").slice(0, 6)}`);
  });

  it("gives up with NAME_INVALID where nothing at all is free", async () => {
    await expect(wireNameFor("a", "a", () => false)).rejects.toMatchObject({ code: "NAME_INVALID" });
  });

  it("matches the grammar, whatever is wanted", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, fc.boolean(), async (id, wanted, isFree) => {
        let asked = 0;
        const name = await wireNameFor(id, wanted, () => {
          asked += 1;
          return isFree || asked > 1;
        });
        expect(name).toMatch(NAME);
      }),
      { numRuns: 500 },
    );
  });

  it("has a suffix of _ and six hex digits of the id's hash, unless it is what was wanted", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (id, wanted) => {
        const name = await wireNameFor(id, wanted, () => true);
        if (NAME.test(wanted)) expect(name).toBe(wanted);
        else expect(name.slice(-7)).toBe(`_${hash(id).slice(0, 6)}`);
      }),
      { numRuns: 500 },
    );
  });
});
