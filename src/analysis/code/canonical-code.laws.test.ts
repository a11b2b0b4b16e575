import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHANGES, placesOf, withChange } from "../../../test/support/program-changes.js";
import { programs, write } from "../../../test/support/programs.js";
import { sized } from "../../../test/support/sizes.js";
import { uninstrumented } from "../../../test/support/uninstrumented.js";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import { analyse } from "../analyse.js";

// Without readings nothing is corrected: the laws are about code as it is written.
const any = { inputSchema: { type: "object" } };
const { readings: _, ...vocabulary } = testVocabulary(
  { t: { read_file: any, echo: any }, u: { list: any } },
  [
    {
      name: "c:one",
      fqdn: "local.default.c.one.a000",
      parameters: { type: "object", properties: {}, required: [] },
    },
  ],
);

function canonical(code: string): string {
  const { problems, canonicalCode } = analyse(code, vocabulary);
  // Random programs pass any value to tools.
  expect(
    problems.filter(({ code: kind }) => kind !== "ARGUMENTS_INVALID"),
    code,
  ).toEqual([]);
  return canonicalCode;
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const runs = { numRuns: sized(600, 40) };

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

  it("[AN-10] is that of the saved code, and of the code that runs", () => {
    fc.assert(
      fc.property(programs, seeds, (program, seed) => {
        const code = write(program, seed);
        const { canonicalCode, savedCode, runnableCode } = analyse(code, vocabulary);
        expect(canonical(savedCode)).toBe(canonicalCode);
        expect(savedCode.split(/\r\n|[\r\n]/).length).toBe(code.split(/\r\n|[\r\n]/).length);
        const running = analyse(runnableCode, vocabulary).canonicalCode;
        expect(uninstrumented(running)).toBe(uninstrumented(canonicalCode));
      }),
      runs,
    );
  });
});

/** Programs to change in every way: enough of them for each way to be found. */
const sampled = fc.sample(programs, 600).map((program) => ({ program, plain: write(program, 0) }));
/** Of each way. */
const PLACES = 8;
const FEWEST = 4;

describe("[AN-9] the canonical form differs after any small change", () => {
  it.each(Object.entries(CHANGES))("%s", (_, change) => {
    let tried = 0;
    for (const { program, plain } of sampled) {
      if (tried >= PLACES) break;
      const places = placesOf(program, change);
      const place = places[tried % Math.max(1, places.length)];
      if (place === undefined) continue;
      const changed = write(withChange(program, place, change), 0);
      // A place that this program never writes: `await` in a function that is not async.
      if (changed === plain) continue;
      tried += 1;
      expect(canonical(changed), `${plain}\n----\n${changed}`).not.toBe(canonical(plain));
    }
    expect(tried).toBeGreaterThanOrEqual(FEWEST);
  });
});
