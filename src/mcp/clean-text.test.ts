import type { Tool } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, cleanTexts } from "./clean-text.js";

const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
/** Text in which every other character is one that should not be there. */
const dirtyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 4 }),
      fc.constantFrom("\u200b", "\u202e", "\u{e0041}", "\0", "\x1b", "\u00ad", "\ufeff", "\t", "\n", "\r"),
      // Halves of a pair, which become a whole when what is between them goes.
      fc.constantFrom("\udb40", "\udc41", "\ud83d"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("[GW-5] cleanText", () => {
  it.each([
    ["a zero-width space", "a\u200bb", "ab"],
    ["a zero-width joiner", "a\u200db", "ab"],
    ["a byte order mark", "\ufeffa", "a"],
    ["a soft hyphen", "a\u00adb", "ab"],
    ["bidirectional overrides", "\u202ea\u202c\u2066b\u2069", "ab"],
    ["tag characters", "a\u{e0049}\u{e0067}\u{e006e}b", "ab"],
    ["variation selectors", "a\ufe0f\u{e0100}b", "ab"],
    ["a Hangul filler", "a\u3164b", "ab"],
    ["interlinear annotations", "a\ufff9\ufffa\ufffbb", "ab"],
    ["escape sequences", "\x1b[31mred\x1b[0m", "[31mred[0m"],
    ["a null and a C1 control", "a\0\u0085b", "ab"],
    ["a tag character in two halves", "a\udb40\u200b\udc41b", "ab"],
  ])("removes %s", (_what, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it.each(["a\tb\r\nc\n", "naïve – “quoted” 読む 🦊", "e\u0301", "a b\u00a0c", ""])("keeps %j", (text) => {
    expect(cleanText(text)).toBe(text);
  });

  it("leaves nothing invisible but tab, line feed and carriage return, whatever the text", () => {
    fc.assert(
      fc.property(dirtyText, (text) => {
        expect(cleanText(text)).not.toMatch(INVISIBLE);
      }),
      { numRuns: 1_000 },
    );
  });

  it("finds nothing more to clean in what it has cleaned", () => {
    fc.assert(
      fc.property(dirtyText, (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps every visible character, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const visible = [...text].filter((c) => !/[\p{Cs}\ufff9-\ufffb]/u.test(c) && !INVISIBLE.test(c));
        expect(cleanText(text)).toBe(visible.join(""));
      }),
    );
  });
});

describe("[GW-5] cleanTexts", () => {
  /** `~` stands for a zero-width space. */
  function check(value: string, expected: string): void {
    const dirty = JSON.parse(value.replaceAll("~", "\u200b"));
    expect(JSON.stringify(cleanTexts(dirty)).replaceAll("\u200b", "~")).toBe(expected);
  }

  it("cleans descriptions and titles at every depth", () =>
    check(
      '{"title":"a~","inputSchema":{"properties":{"p":{"description":"b~","title":"c~"}}}}',
      '{"title":"a","inputSchema":{"properties":{"p":{"description":"b","title":"c"}}}}',
    ));
  it("cleans lists of texts", () => check('{"examples":["a~",["b~"]]}', '{"examples":["a",["b"]]}'));
  it("keeps the names of properties", () => check('{"properties":{"a~":{}}}', '{"properties":{"a~":{}}}'));
  it("keeps what names properties", () => check('{"required":["a~"]}', '{"required":["a~"]}'));
  it.each(["name", "uri", "uriTemplate", "const", "pattern", "$ref", "$id"])("keeps %s", (key) =>
    check(`{"${key}":"a~"}`, `{"${key}":"a~"}`),
  );
  it("keeps the values of an enum", () => check('{"enum":["a~",1,null]}', '{"enum":["a~",1,null]}'));
  it("cleans the schema of a property that is called like a literal", () =>
    check(
      '{"properties":{"name":{"description":"a~"},"default":{"title":"b~"}}}',
      '{"properties":{"name":{"description":"a"},"default":{"title":"b"}}}',
    ));
  it("keeps a key called __proto__", () => check('{"__proto__":"a~"}', '{"__proto__":"a"}'));

  it("cleans the description of any tool, and changes nothing in one that is clean", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), dirtyText, dirtyText, (name, description, title) => {
        const tool: Tool = {
          name,
          description,
          annotations: { title },
          inputSchema: { type: "object", properties: { p: { description, enum: [title] } } },
        };
        const cleaned = cleanTexts(tool);
        expect(cleaned.name).toBe(name);
        expect(cleaned.description).not.toMatch(INVISIBLE);
        expect(cleaned.annotations?.title).not.toMatch(INVISIBLE);
        expect(cleaned.inputSchema.properties).toEqual({
          p: { description: cleanText(description), enum: [title] },
        });
        expect(cleanTexts(cleaned)).toEqual(cleaned);
      }),
    );
  });

  it("keeps the shape of any JSON value", () => {
    const shape = (value: unknown): unknown => {
      if (typeof value === "string") return "text";
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value !== "object" || value === null) return value;
      return Object.entries(value).map(([key, item]) => [key, shape(item)]);
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(shape(cleanTexts(value))).toEqual(shape(value));
      }),
    );
  });
});
