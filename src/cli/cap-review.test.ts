import { describe, expect, it } from "vitest";
import { type Review, review } from "./cap-review.js";

interface Waiting {
  readonly id: string;
  readonly suggestedName: string;
  readonly confidence: number;
}

const SURE = 0.9;
const UNSURE = 0.6;

function waiting(...names: readonly (readonly [string, number])[]): readonly Waiting[] {
  return names.map(([suggestedName, confidence], at) => ({ id: `id${at}`, suggestedName, confidence }));
}

/** A gateway that has these to name, and a person who types keys and lines. */
function session(all: readonly Waiting[], typed: readonly string[], taken: readonly string[] = []) {
  let left = [...all];
  const keys = [...typed];
  const printed: string[] = [];
  const applied: string[] = [];
  const next = async (question: string) => {
    printed.push(question);
    return keys.shift();
  };
  const io: Review = {
    async suggest(offset, limit) {
      const suggestions = left.slice(offset, offset + limit).map((one) => ({
        ...one,
        currentName: `unnamed_${one.id}`,
        reasoning: "its tools say so",
        description: `Does ${one.suggestedName}.`,
        tags: ["t"],
        code: "return 1;",
      }));
      const end = offset + limit;
      return {
        mode: "suggest",
        suggestions,
        total: left.length,
        ...(end < left.length ? { next_offset: end } : {}),
      };
    },
    async apply(renames) {
      const results = renames.map(({ id, name, currentName, description }) => {
        if (taken.includes(String(name)))
          return { id, ok: false, error: { code: "NAME_TAKEN", message: `${String(name)} is taken` } };
        left = left.filter((one) => one.id !== id);
        applied.push(`${String(currentName)} ${String(name)} ${String(description)}`);
        return { id, ok: true, from: String(currentName), name };
      });
      return { mode: "apply", results, applied: 0, failed: 0 };
    },
    key: next,
    line: next,
    print: (text: string) => void printed.push(text),
  };
  return { run: () => review(io), printed, applied, left: () => left.map(({ id }) => id), unused: keys };
}

describe("[CU-1, UX-1] a review", () => {
  it("accepts, skips and leaves with a key each, and applies at once", async () => {
    const all = waiting(["a:one", SURE], ["a:two", UNSURE], ["a:three", SURE], ["a:four", SURE]);
    const { run, applied, left } = session(all, ["a", "s", "a", "q"]);
    expect(await run()).toEqual({ accepted: 2, skipped: 1, failed: 0 });
    expect(applied).toEqual(["unnamed_id0 a:one Does a:one.", "unnamed_id2 a:three Does a:three."]);
    expect(left()).toEqual(["id1", "id3"]);
  });

  it("shows code, reasons and how sure it is, and how many are left", async () => {
    const { run, printed } = session(waiting(["a:one", SURE], ["a:two", UNSURE]), ["s", "s"]);
    await run();
    const text = printed.join("\n");
    expect(text).toContain("1 of 2  unnamed_id0");
    expect(text).toContain("2 of 2  unnamed_id1");
    for (const part of ["return 1;", "its tools say so", "Does a:one.", "a:one  0.90", "a:two  0.60, unsure"])
      expect(text).toContain(part);
  });

  it("goes through all pages, and shows what was skipped once", async () => {
    const all = waiting(...Array.from({ length: 45 }, (_, at) => [`a:n${at}`, SURE] as const));
    const keys = all.map((_, at) => (at % 3 === 0 ? "s" : "a"));
    const { run, left, unused } = session(all, keys);
    expect(await run()).toEqual({ accepted: 30, skipped: 15, failed: 0 });
    expect([left().length, unused]).toEqual([15, []]);
    const none = session(all, Array(45).fill("s"));
    expect(await none.run()).toEqual({ accepted: 0, skipped: 45, failed: 0 });
  });

  it("takes another name and description, or thinks better of it", async () => {
    const all = waiting(["a:one", SURE], ["a:two", SURE]);
    const { run, applied } = session(all, ["e", "mine:own", "What I say.", "e", "", "", "q"]);
    expect(await run()).toEqual({ accepted: 2, skipped: 0, failed: 0 });
    expect(applied).toEqual(["unnamed_id0 mine:own What I say.", "unnamed_id1 a:two Does a:two."]);
  });

  it("asks again where a name cannot be given", async () => {
    const { run, printed, applied } = session(
      waiting(["a:taken", SURE]),
      ["a", "e", "a:taken", "", "e", "a:free", ""],
      ["a:taken"],
    );
    expect(await run()).toEqual({ accepted: 1, skipped: 0, failed: 0 });
    expect(printed.filter((line) => line.includes("a:taken is taken [NAME_TAKEN]"))).toHaveLength(2);
    expect(applied).toEqual(["unnamed_id0 a:free Does a:taken."]);
  });

  it("accepts all that are sure, on whatever page, but what was skipped", async () => {
    const all = waiting(
      ["a:skipped", SURE],
      ["a:this", SURE],
      ["a:unsure", UNSURE],
      ...Array.from({ length: 230 }, (_, at) => [`a:n${at}`, at % 2 === 0 ? SURE : 0.8] as const),
      ["a:bad", SURE],
    );
    const { run, left } = session(all, ["s", "A", "q"], ["a:bad"]);
    expect(await run()).toEqual({ accepted: 116, skipped: 1, failed: 1 });
    expect(left()).toHaveLength(all.length - 116);
    expect(left()).toEqual(expect.arrayContaining(["id0", "id2"]));
  });

  it("explains its keys to who types another one, and leaves at the end of the input", async () => {
    const { run, printed } = session(waiting(["a:one", SURE]), ["?", "x"]);
    expect(await run()).toEqual({ accepted: 0, skipped: 0, failed: 0 });
    expect(printed.filter((line) => line.includes("a  accept the suggested name"))).toHaveLength(2);
  });

  it("says nothing where there is nothing", async () => {
    const { run, printed } = session([], []);
    expect([await run(), printed]).toEqual([{ accepted: 0, skipped: 0, failed: 0 }, []]);
  });
});
