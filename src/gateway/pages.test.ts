import { ProtocolError } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { pageOf } from "./pages.js";

const PAGE = LIMITS.listPageItems;

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `item ${index}`);
}

const page = (items: readonly string[], cursor?: string) => pageOf(items, (item) => item, cursor);

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

/** `item 0` … in, the first of the second page out, after `change`. */
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

  it("goes on behind the last item", () => check(() => {}, "item 200"));
  it("goes on behind it where it has moved up", () => check((items) => items.splice(0, 7), "item 200"));
  it("goes on behind it where it has moved down", () =>
    check((items) => items.unshift("a", "b"), "item 200"));
  it("goes on where the last item was, if it has gone", () =>
    check((items) => items.splice(199, 1), "item 200"));
  it("loses nothing where the last item and others have gone", () =>
    check((items) => {
      items.splice(199, 1);
      items.splice(0, 50);
    }, "item 200"));
  it("repeats nothing where the last item has gone and others have come", () =>
    check((items) => {
      items.splice(199, 1);
      items.unshift("a", "b", "c");
    }, "item 200"));
  it("loses nothing where the whole page has gone", () => check((items) => items.splice(0, 200), "item 200"));
  it("sends what was put in behind the last item", () =>
    check((items) => items.splice(200, 0, "new"), "new"));
  it("ends where the rest has gone", () => check((items) => items.splice(200), undefined));
  it("ends where everything has gone", () => check((items) => items.splice(0), undefined));

  it("loses and repeats nothing that stayed, whatever comes and goes between two pages", () => {
    const changes = fc.array(fc.tuple(fc.nat(1_000), fc.nat(400), fc.nat(3)), { maxLength: 6 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 900 }), fc.array(changes, { maxLength: 5 }), (count, between) => {
        const lists = [numbers(count)];
        for (const [page_, spots] of between.entries()) {
          const next = [...(lists.at(-1) ?? [])];
          // One item of every page stays, so that there is always a place to go on from.
          for (const [place, removed, added] of spots) {
            const start = next.length === 0 ? 0 : place % next.length;
            const gone = next.splice(start, removed);
            const stay = gone.filter((item) => item.endsWith("0"));
            next.splice(
              start,
              0,
              ...stay,
              ...Array.from({ length: added }, (_, i) => `new ${page_} ${place} ${i}`),
            );
          }
          lists.push([...new Set(next)]);
        }
        const pages = readAll(lists);
        const sent = pages.flat();
        expect(new Set(sent).size).toBe(sent.length);
        const stayed = numbers(count).filter((item) =>
          lists.slice(0, pages.length).every((list) => list.includes(item)),
        );
        expect(sent).toEqual(expect.arrayContaining(stayed));
      }),
    );
  });

  it.each([
    ["", "nothing"],
    ["garbage", "a word"],
    ["MA", "base64"],
    ["-1.aaaaaaaa", "a negative place"],
    ["1.aaaaaaa", "half a mark"],
    [`1.${"a".repeat(8 * 201)}`, "more than a page"],
    ["9999999999.aaaaaaaa", "a place out of reach"],
    ["1.aaaaaaaa\n", "a line"],
  ])("refuses the cursor %j (%s) with -32602", (cursor) => {
    expect(() => page(numbers(3), cursor)).toThrow(ProtocolError);
    expect(() => page(numbers(3), cursor)).toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining("cursor") }),
    );
  });

  it("answers with a page or -32602, whatever the cursor", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{0,11}\.[\w-]{0,24}$/)), (cursor) => {
        try {
          expect(page(numbers(3), cursor).items.length).toBeLessThanOrEqual(3);
        } catch (error) {
          expect(error).toMatchObject({ code: -32602 });
        }
      }),
    );
  });

  it("gives cursors that any list of the gateway can be asked with, and that stay short", () => {
    const cursor = page(numbers(201)).nextCursor ?? "";
    expect(cursor.length).toBeLessThan(2_000);
    expect(page([], cursor)).toEqual({ items: [] });
  });
});
