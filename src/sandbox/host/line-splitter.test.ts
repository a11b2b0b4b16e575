import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineSplitter } from "./line-splitter.js";

describe("lines of a stream", () => {
  it("come out whole, however the bytes were cut", () => {
    const text = fc.string({ unit: "binary" }).map((part) => part.replaceAll("\n", " "));
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const out: string[] = [];
        const splitter = createLineSplitter(Number.MAX_SAFE_INTEGER, (line) => out.push(line.toString()));
        for (let at = 0; at < bytes.length; at += size) splitter.take(bytes.subarray(at, at + size));
        expect(out).toEqual(lines.map((line) => Buffer.from(line).toString()));
      }),
    );
  });

  it("[EX-2] one that is too long is noticed before its end, and nothing comes after it", () => {
    const out: string[] = [];
    const splitter = createLineSplitter(4, (line) => out.push(line.toString()));
    expect(splitter.take(Buffer.from("1234\n123"))).toBe(true);
    expect(splitter.take(Buffer.from("45"))).toBe(false);
    expect(splitter.take(Buffer.from("\nok\n"))).toBe(false);
    expect(out).toEqual(["1234"]);
  });
});
