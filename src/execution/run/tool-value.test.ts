import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolResult } from "../ports/tool-box.js";
import { toolErrorMessage, toolValue } from "./tool-value.js";

function result(more: Partial<ToolResult>): ToolResult {
  return { content: [], isError: false, ...more };
}

function text(...texts: readonly string[]): ToolResult {
  return result({ content: texts.map((one) => ({ type: "text", text: one })) });
}

describe("[FP-1] toolValue", () => {
  it("prefers the structured content", () =>
    expect(toolValue({ ...text("other"), structuredContent: { a: 1 } })).toEqual({ a: 1 }));
  it("parses a single text that is a JSON object", () =>
    expect(toolValue(text(' {"a":[1]}'))).toEqual({ a: [1] }));
  it("parses a single text that is a JSON list", () => expect(toolValue(text("[1,2]"))).toEqual([1, 2]));
  it("leaves a number a text", () => expect(toolValue(text("42"))).toBe("42"));
  it("leaves a quoted word a text", () => expect(toolValue(text('"word"'))).toBe('"word"'));
  it("leaves broken JSON a text", () => expect(toolValue(text('{"a":'))).toBe('{"a":'));
  it("gives an empty text as it is", () => expect(toolValue(text(""))).toBe(""));
  it("gives several blocks as a list", () =>
    expect(toolValue(text("a", "b"))).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]));
  it("gives no blocks as an empty list", () => expect(toolValue(result({}))).toEqual([]));
  it("gives a single image as a list of blocks", () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    expect(toolValue(result({ content: [image] }))).toEqual([image]);
  });
  it("keeps a key called __proto__", () =>
    expect(JSON.stringify(toolValue(text('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}'));

  it("gives back what a server wrote as JSON, for every object and list", () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
        const written = JSON.stringify(value);
        expect(JSON.stringify(toolValue(text(written)))).toBe(JSON.stringify(JSON.parse(written)));
      }),
    );
  });
});

describe("[FP-1] toolErrorMessage", () => {
  it("joins the texts", () => expect(toolErrorMessage(text("a", "b"))).toBe("a\nb"));
  it("falls back on the structured content", () =>
    expect(toolErrorMessage(result({ structuredContent: { why: "x" } }))).toBe('{"why":"x"}'));
  it("says that there is no reason", () => expect(toolErrorMessage(result({}))).toBe("it gave no reason"));
});
