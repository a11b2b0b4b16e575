import { describe, expect, it } from "vitest";
import { pageOf, prettyPageOf } from "./result-page.js";

/** Mulberry32: a failure names its seed, and is the same the next time. */
function randomOf(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

const BITS = [
  "",
  "a",
  "é",
  "漢",
  "😀",
  "👩‍👩‍👧",
  "\u0000",
  "\ud800",
  "\udc00",
  '"',
  "\\",
  '\\"',
  "{",
  "]",
  ",:",
  "\n  ",
  "\u2028",
];

function text(random: (most: number) => number): string {
  return Array.from({ length: random(6) }, () => BITS[random(BITS.length)]).join("");
}

function value(random: (most: number) => number, depth: number): unknown {
  const kind = random(depth === 0 ? 5 : 7);
  if (kind === 0) return null;
  if (kind === 1) return random(2) === 0;
  if (kind === 2) return (random(2_000_000) - 1_000_000) / 10 ** random(8);
  if (kind <= 4) return text(random);
  const count = random(5);
  const inner = () => value(random, depth - 1);
  if (kind === 5) return Array.from({ length: count }, inner);
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${text(random)}${at}`, inner()]));
}

type Pager = typeof pageOf;

function joined(pager: Pager, json: string, limit: number): string {
  let whole = "";
  for (let offset = 0; ; offset += limit) {
    const { content, total } = pager(json, offset, limit);
    expect(Array.from(content)).toHaveLength(Math.max(0, Math.min(limit, total - offset)));
    whole += content;
    if (offset + limit >= total) return whole;
  }
}

describe("pages", () => {
  it("[EX-10] [FP-11] put together are the whole text, for any JSON and any size", () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = randomOf(seed);
      const json = JSON.stringify(value(random, 4));
      const pretty = JSON.stringify(JSON.parse(json), null, 2);
      const limit = 1 + random(40);
      expect(joined(pageOf, json, limit), `seed ${seed}`).toBe(json);
      expect(joined(prettyPageOf, json, limit), `seed ${seed}`).toBe(pretty);
      expect(prettyPageOf(json, 0, 1).total, `seed ${seed}`).toBe(Array.from(pretty).length);
    }
  });

  it("[FP-11] count characters and split none", () => {
    const json = JSON.stringify("a😀b");
    expect(pageOf(json, 0, 3)).toEqual({ content: '"a😀', total: 5 });
    expect(pageOf(json, 3, 10)).toEqual({ content: 'b"', total: 5 });
    expect(pageOf(json, 2, 1)).toEqual({ content: "😀", total: 5 });
  });

  it("[FP-11] are empty past the end", () => {
    expect(pageOf("[1]", 3, 10)).toEqual({ content: "", total: 3 });
    expect(pageOf("[1]", 1_000_000, 10)).toEqual({ content: "", total: 3 });
    expect(prettyPageOf("[1]", 7, 10)).toEqual({ content: "", total: 7 });
  });

  it("[EX-10] indent what would be gigabytes as a whole", () => {
    const depth = 3_000;
    const wide = `${"[".repeat(depth)}${Array.from({ length: 1_000_000 }, () => "1").join(",")}${"]".repeat(depth)}`;
    const { content, total } = prettyPageOf(wide, 0, 12);
    expect(content).toBe("[\n  [\n    [\n");
    expect(total).toBeGreaterThan(6_000_000_000);
    expect(prettyPageOf(wide, total - 5, 10).content).toBe("  ]\n]");
  });
});
