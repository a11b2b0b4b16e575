import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerUrl } from "../quickjs/answer-url.js";
import { createUrlClass } from "./quickjs-url.js";
import { URLSearchParams as OwnParams } from "./quickjs-url-search-params.js";

const OwnUrl = createUrlClass(answerUrl) as unknown as typeof URL;
const PARTS = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
const text = fc.string({
  unit: fc.constantFrom(
    ..."aZ09 &=+%?#/:@[].*-_~'\"<>\\|^`{}é€😀\u0000\ufeff",
    "\ud83d",
    "%41",
    "%zz",
    "%C3%A9",
    "%ff",
  ),
  maxLength: 10,
});
const pairs = fc.array(fc.tuple(text, text), { maxLength: 5 });
const nearlyUrl = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc
    .tuple(
      fc.constantFrom("http://", "https://user:pw@", "file:///", "mailto:", "//", "/", "?", "data:"),
      text,
    )
    .map((parts) => parts.join("")),
  text,
);

function outcome(job: () => unknown): unknown {
  try {
    return job();
  } catch (error) {
    return { threw: (error as Error).name };
  }
}

/** What is wrongly encoded Node reads by another way, on which characters beyond ASCII are lost. */
function isMisreadByNode(query: string): boolean {
  const isAscii = [...query].every((char) => char <= "\x7f");
  return !isAscii && typeof outcome(() => decodeURIComponent(query)) !== "string";
}

function shown(url: URL): unknown {
  return [...PARTS.map((part) => url[part]), [...url.searchParams], `${url}`, JSON.stringify(url)];
}

describe("[FP-2] URL for QuickJS", () => {
  it("reads any address as Node does, and refuses the same", () => {
    fc.assert(
      fc.property(nearlyUrl, fc.option(nearlyUrl, { nil: undefined }), (href, base) => {
        expect(outcome(() => shown(new OwnUrl(href, base)))).toEqual(
          outcome(() => shown(new URL(href, base))),
        );
        expect(OwnUrl.canParse(href, base)).toBe(URL.canParse(href, base));
      }),
      { numRuns: 500 },
    );
  });

  it("sets parts as Node does", () => {
    const settable = PARTS.filter((part) => part !== "origin");
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...settable), text), { maxLength: 4 }), (changes) => {
        const change = (url: URL): unknown => {
          const held = url.searchParams;
          for (const [part, value] of changes) url[part as "href"] = value;
          return [shown(url), held === url.searchParams, [...held]];
        };
        const href = "https://u:p@example.org:81/a/b?c=d&c=e#f";
        expect(outcome(() => change(new OwnUrl(href)))).toEqual(outcome(() => change(new URL(href))));
      }),
      { numRuns: 500 },
    );
  });

  it("follows its parameters, and they follow it", () => {
    const change = (url: URL): unknown => {
      url.searchParams.append("x y", "1&2");
      const first = url.href;
      url.search = "?only=this";
      const second = [...url.searchParams];
      url.searchParams.delete("only");
      return [first, second, url.href];
    };
    expect(change(new OwnUrl("https://example.org/?a=b#h"))).toEqual(
      change(new URL("https://example.org/?a=b#h")),
    );
  });

  it("is null where it cannot be parsed, when asked that way", () => {
    expect(OwnUrl.parse("nonsense")).toBeNull();
    expect(OwnUrl.parse("/a", "https://example.org")?.href).toBe("https://example.org/a");
  });
});

describe("[FP-2] URLSearchParams for QuickJS", () => {
  it("reads and writes any text as Node does", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.webQueryParameters()), (query) => {
        fc.pre(!isMisreadByNode(query));
        const [own, native] = [new OwnParams(query), new URLSearchParams(query)];
        expect([[...own], own.toString(), own.size]).toEqual([[...native], native.toString(), native.size]);
      }),
      { numRuns: 500 },
    );
  });

  it("reads lists of pairs, records, itself, and what is none of these, as Node does", () => {
    const makers: readonly unknown[] = [
      [["a", 1]],
      new Map([["a", "b"]]),
      { a: 1, "b c": null },
      { "\ud83d": "1", "\ude00": "2" },
      new URLSearchParams("x=1"),
      undefined,
      5,
      [["a"]],
      ["ab"],
      [5],
      [["a", "b", "c"]],
    ];
    for (const init of makers) {
      const native = outcome(() => [...new URLSearchParams(init as never)]);
      expect(outcome(() => [...new OwnParams(init)])).toEqual(native);
    }
    expect([...new OwnParams(new OwnParams("a=1&a=2"))]).toEqual([
      ["a", "1"],
      ["a", "2"],
    ]);
  });

  it("answers and changes as Node does", () => {
    const change = fc.oneof(
      fc.tuple(fc.constantFrom("append", "set"), text, text),
      fc.tuple(fc.constantFrom("delete", "has"), text, fc.option(text, { nil: undefined })),
      fc.tuple(fc.constantFrom("get", "getAll"), text),
      fc.tuple(fc.constant("sort")),
    );
    fc.assert(
      fc.property(pairs, fc.array(change, { maxLength: 6 }), (start, changes) => {
        const [own, native] = [new OwnParams(start), new URLSearchParams(start)];
        for (const [method, ...given] of changes) {
          const call = (params: object): unknown =>
            (params as Record<string, (...args: unknown[]) => unknown>)[method]?.(...given);
          expect(call(own)).toEqual(call(native));
        }
        expect(own.toString()).toBe(native.toString());
        expect([[...own.keys()], [...own.values()], [...own.entries()]]).toEqual([
          [...native.keys()],
          [...native.values()],
          [...native.entries()],
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it("walks with value, name and itself", () => {
    const own = new OwnParams("a=1&b=2");
    const seen: unknown[] = [];
    own.forEach((value: string, name: string, params: unknown) => {
      seen.push([value, name, params === own]);
    });
    expect(seen).toEqual([
      ["1", "a", true],
      ["2", "b", true],
    ]);
    expect(() => own.append("only a name")).toThrow(TypeError);
  });
});
