import { ProtocolError } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { inKeyOrder, pageOf } from "./pages.js";

const PAGE = LIMITS.listPageItems;
const itself = (item: string) => item;

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `item ${String(index).padStart(4, "0")}`);
}

const page = (items: readonly string[], cursor?: string) => pageOf(inKeyOrder(items, itself), itself, cursor);

/** All pages of a list that becomes the next of `lists` after each page, and stays the last. */
function readAll(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const pages: (readonly string[])[] = [];
  let cursor: string | undefined;
  do {
    const list = lists[Math.min(pages.length, lists.length - 1)] ?? [];
    const { items, nextCursor } = page(list, cursor);
    pages.push(items);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** Two pages of `item 0000` … in, the first item of the second page out, after `change`. */
function check(change: (items: string[]) => void, expected: string | undefined): void {
  const items = [...numbers(PAGE * 2)];
  const { nextCursor } = page(items);
  change(items);
  expect(page(items, nextCursor).items[0]).toBe(expected);
}

describe("[WIRE-5, FP-13] pageOf", () => {
  it.each([
    [0, "0"],
    [1, "1"],
    [200, "200"],
    [201, "200 1"],
    [400, "200 200"],
    [401, "200 200 1"],
  ])("cuts %i items into pages of 200", (count, expected) => {
    const pages = readAll([numbers(count)]);
    expect(pages.map(({ length }) => length).join(" ")).toBe(expected);
    expect(pages.flat()).toEqual(numbers(count));
  });

  it("[LP-2] goes through a list that has an order of its own", () => {
    const items = numbers(450).toReversed();
    const pages = [pageOf(items, itself, undefined)];
    for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor)
      pages.push(pageOf(items, itself, cursor));
    expect(pages.flatMap((one) => one.items)).toEqual(items);
  });

  it("goes on behind the last item", () => check(() => {}, "item 0200"));
  it("goes on behind it where it has moved up", () => check((items) => items.splice(0, 7), "item 0200"));
  it("goes on behind it where it has moved down", () => check((items) => items.push("a", "b"), "item 0200"));
  it("goes on where it was, if it has gone", () => check((items) => items.splice(199, 1), "item 0200"));
  it("loses nothing where the whole page has gone", () =>
    check((items) => items.splice(0, 200), "item 0200"));
  it("sends what has come in behind it", () => check((items) => items.push("item 0199 b"), "item 0199 b"));
  it("ends where the rest has gone", () => check((items) => items.splice(200), undefined));
  it("ends where everything has gone", () => check((items) => items.splice(0), undefined));

  it("repeats nothing and loses nothing that stayed, whatever comes and goes between two pages", () => {
    const key = fc.oneof(
      fc.string({ minLength: 1, maxLength: 3 }),
      fc.string({ unit: "binary", minLength: 1 }),
    );
    const list = fc.uniqueArray(key, { maxLength: PAGE * 3, size: "max" });
    fc.assert(
      fc.property(list, fc.array(list, { minLength: 1, maxLength: 3 }), (stays, comings) => {
        const lists = comings.map((coming) => [...new Set([...stays, ...coming])]);
        const sent = readAll(lists).flat();
        expect(new Set(sent).size).toBe(sent.length);
        expect(sent).toEqual(expect.arrayContaining(stays));
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ["", "nothing"],
    ["garbage", "a word"],
    ["pml1.", "no key"],
    ["pml1.a b", "a space"],
    ["pml1.aaaa\n", "a line"],
  ])("refuses the cursor %j (%s) with -32602", (cursor) => {
    expect(() => page(numbers(3), cursor)).toThrow(ProtocolError);
    expect(() => page(numbers(3), cursor)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining("cursor") }),
    );
  });

  it("answers with a page or -32602, whatever the cursor", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^pml1\.[\w-]{0,24}$/)), (cursor) => {
        try {
          expect(page(numbers(3), cursor).items.length).toBeLessThanOrEqual(3);
        } catch (error) {
          expect(error).toMatchObject({ code: -32602 });
        }
      }),
    );
  });
});
