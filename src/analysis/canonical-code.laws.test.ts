import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programs, write } from "../../test/support/programs.js";
import { testVocabulary } from "../../test/support/vocabulary.js";
import { analyse } from "./analyse.js";

const any = { inputSchema: { type: "object" } };
const vocabulary = testVocabulary({ t: { read_file: any, echo: any }, u: { list: any } }, [
  {
    name: "c:one",
    fqdn: "local.default.c.one.a000",
    parameters: { type: "object", properties: {}, required: [] },
  },
]);

function canonical(code: string): string {
  const { problems, canonicalCode } = analyse(code, vocabulary);
  expect(problems, code).toEqual([]);
  return canonicalCode;
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const runs = { numRuns: 300 };

describe("[AN-9] the canonical form of generated programs", () => {
  it("does not depend on formatting, comments, types, local names or spellings of calls", () => {
    fc.assert(
      fc.property(programs, seeds, seeds, (program, one, other) => {
        const plain = canonical(write(program, 0));
        expect(canonical(write(program, one))).toBe(plain);
        expect(canonical(write(program, other))).toBe(plain);
      }),
      runs,
    );
  });

  it("differs for programs that differ in anything else", () => {
    fc.assert(
      fc.property(programs, programs, (one, other) => {
        const texts = [write(one, 0), write(other, 0)] as const;
        expect(canonical(texts[0]) === canonical(texts[1])).toBe(texts[0] === texts[1]);
      }),
      runs,
    );
  });

  it("differs after any small change", () => {
    fc.assert(
      fc.property(programs, fc.nat(), fc.nat(), (program, place, change) => {
        const plain = write(program, 0);
        const changed = write(mutate(program, place, change), 0);
        fc.pre(changed !== plain);
        expect(canonical(changed)).not.toBe(canonical(plain));
      }),
      runs,
    );
  });

  it("[AN-10] is that of the saved code, and of the code that runs", () => {
    fc.assert(
      fc.property(programs, seeds, (program, seed) => {
        const code = write(program, seed);
        const { canonicalCode, savedCode, runnableCode } = analyse(code, vocabulary);
        expect(canonical(savedCode)).toBe(canonicalCode);
        expect(savedCode.split(/\r\n|[\r\n]/).length).toBe(code.split(/\r\n|[\r\n]/).length);
        const erased = analyse(runnableCode.replace(/(?:, ?|undefined, )"n\d+"\)/g, ")"), vocabulary);
        expect(erased.canonicalCode).toBe(canonicalCode);
      }),
      runs,
    );
  });
});

/** The tree with one value in it changed: a word, a number, a flag, or the order of a list. */
function mutate<T>(tree: T, place: number, change: number): T {
  const places: ((value: unknown) => void)[] = [];
  const values: unknown[] = [];
  const copy = structuredClone(tree);
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const fields = node as Record<string, unknown>;
    for (const [key, value] of Object.entries(fields)) {
      if (key === "kind") continue;
      places.push((changed) => {
        fields[key] = changed;
      });
      values.push(value);
      visit(value);
    }
  };
  visit(copy);
  if (places.length === 0) return copy;
  const index = place % places.length;
  places[index]?.(changed(values[index], change));
  return copy;
}

const OPERATORS = ["+", "-", "*", "===", "<", "&&", "||", "**", "in"];

function changed(value: unknown, change: number): unknown {
  if (typeof value === "number") return value + 1 + (change % 3);
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") {
    if (OPERATORS.includes(value)) return OPERATORS[change % OPERATORS.length];
    if (value === "const" || value === "let" || value === "var") return ["const", "let", "var"][change % 3];
    if (value === "break" || value === "continue") return value === "break" ? "continue" : "break";
    if (value === "=" || value === "+=" || value === "??=") return ["=", "+=", "??="][change % 3];
    return value === "a" ? "path" : "a";
  }
  const isList = Array.isArray(value) && value.every((each) => typeof each === "object" && "kind" in each);
  if (isList) return change % 2 === 0 ? value.slice(1) : [...value].reverse();
  return value;
}
