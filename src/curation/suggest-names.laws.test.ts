import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOBODY, subject, suggestNames } from "../../test/support/naming.js";
import { chooseDisplayName, foldDisplayName } from "../registry/display-name.js";
import type { NamingSubject } from "./naming-subject.js";

const WORDS =
  "list delete the all old users of please which are unused count fichiers les convertir en csv with from failed mcp pml cap unnamed 12 not".split(
    " ",
  );
const intents = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(" ")),
);
const servers = fc.oneof(
  fc.constantFrom("slack", "pml", "filesystem", "Ünïcode", "a b", "-"),
  fc.string({ maxLength: 40 }),
);
const codes = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom(
    "",
    "}",
    "return args.a.filter((x) => x.stale);",
    'const r = await mcp.slack.post_message({ text: "hi" }); return r.ok;',
    'for (const x of args.rows) await mcp.postgres.query({ sql: "delete from t where id = 1" });',
  ),
);
const subjects: fc.Arbitrary<readonly NamingSubject[]> = fc
  .array(
    fc.record({
      intent: intents,
      code: codes,
      tools: fc.array(
        fc
          .tuple(servers, fc.oneof(fc.constantFrom("list_users", "delete", ""), fc.string({ maxLength: 30 })))
          .map(([server, tool]) => ({ id: `${server}:${tool}` })),
        { maxLength: 4 },
      ),
      parameters: fc.array(fc.string({ maxLength: 20 }), { maxLength: 3 }),
    }),
    { maxLength: 6 },
  )
  .map((some) => some.map((one, index) => ({ ...one, id: `c${index}` })));

const FILLER =
  /^(?:the|a|an|this|that|my|me|i|we|you|it|please|need|want|can|would|le|la|les|un|une|des|du)$/;

function isTelling(name: string): boolean {
  const [, action = ""] = name.split(":");
  const tokens = action.split(/[_-]+/);
  return tokens.length <= 5 && tokens.every((token) => token !== "" && !FILLER.test(token));
}

describe("whatever it is given", () => {
  it("[CU-2] a name is one that the registry takes, free, short, and no other's", () => {
    fc.assert(
      fc.property(
        subjects,
        fc.array(fc.constantFrom("slack:", "util:", "db:delete"), { maxLength: 2 }),
        (some, starts) => {
          const isTaken = (name: string) =>
            starts.some((start) => name.startsWith(start) && !/\d$/.test(name));
          const names = suggestNames(some, { isTaken }).map(({ name }) => name);
          for (const name of names) {
            expect(chooseDisplayName(name)).toBe(name);
            expect(name).toMatch(/^[a-z0-9_-]+:[a-z0-9_]+$/);
            expect(isTaken(name)).toBe(false);
            expect(isTelling(name)).toBe(true);
          }
          expect(new Set(names.map(foldDisplayName)).size).toBe(some.length);
        },
      ),
    );
  });

  it("[CU-4] confidence is the sum of its parts, and every subject has its suggestion", () => {
    fc.assert(
      fc.property(subjects, (some) => {
        const all = suggestNames(some, NOBODY);
        expect(all.map(({ id }) => id)).toEqual(some.map(({ id }) => id));
        for (const { parts, confidence, description, by } of all) {
          expect(confidence).toBeCloseTo(parts.tools + parts.intent + parts.uniqueness, 3);
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
          expect(description).toMatch(/^\S.{0,200}\.$/u);
          expect(by).toBe("heuristics");
        }
      }),
    );
  });

  it("[CU-2] the same gives the same", () => {
    fc.assert(
      fc.property(subjects, (some) => {
        expect(suggestNames(some, NOBODY)).toEqual(suggestNames(some, NOBODY));
      }),
    );
  });

  it("[CU-2] names that do not clash do not depend on the order", () => {
    fc.assert(
      fc.property(subjects, (some) => {
        const there = suggestNames(some, NOBODY);
        const back = suggestNames([...some].reverse(), NOBODY).toReversed();
        const clashes = there.some(({ reasons }) => reasons.includes("the plain name is taken"));
        if (!clashes) expect(back).toEqual(there);
      }),
    );
  });
});

describe("what is too much", () => {
  it.each([
    ["1 MB of code", subject("List users", `const x = "${"a".repeat(1_000_000)}"; return x;`)],
    ["1 MB of one name", subject("List users", "a".repeat(1_000_000))],
    ["1 MB of braces", subject("List users", "{".repeat(1_000_000))],
    ["1 MB of commas", subject(",".repeat(1_000_000), "return 1;")],
    ["1 MB of words", subject("to list and count ".repeat(60_000), "return 1;")],
    ["1 MB of one word", subject("a".repeat(1_000_000), "return 1;")],
    ["deep code", subject("", `return ${"[".repeat(900)}${"]".repeat(900)};`)],
    ["a long chain", subject("", `return args${".a".repeat(5_000)};`)],
    [
      "SQL without end",
      subject("", `return await mcp.pg.query({ sql: "select ${"left join a ".repeat(5_000)}" });`),
    ],
    [
      "300 tools",
      subject("Do everything", "return 1;", {
        tools: Array.from({ length: 300 }, (_, index) => ({
          id: `s${index}:list_${index}`,
          about: "x ".repeat(2_000),
        })),
      }),
    ],
  ])("[CU-2] %s still has a name", (_, one) => {
    const [suggestion] = suggestNames([one], NOBODY);
    expect(chooseDisplayName(suggestion?.name ?? "")).toBe(suggestion?.name);
  });

  it("[CU-4] a thousand of the same name are told apart, the later the less sure", () => {
    const some = Array.from({ length: 1_000 }, (_, index) =>
      subject("List the users", "return 1;", { id: `c${index}` }),
    );
    const all = suggestNames(some, NOBODY);
    expect(new Set(all.map(({ name }) => name)).size).toBe(1_000);
    expect(all.at(-1)?.confidence).toBeLessThan(all[0]?.confidence ?? 0);
  });

  it("[CU-4] a name that a thousand others have is counted on", () => {
    const taken = new Set([
      "util:list_users",
      ...Array.from({ length: 1_000 }, (_, index) => `util:list_users_${index}`),
    ]);
    const [suggestion] = suggestNames([subject("List users", "return 1;")], {
      isTaken: (name) => taken.has(name),
    });
    expect(suggestion?.name).toMatch(/^util:list_users_\d{4}$/);
  });
});
