import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.js";

describe("lines of a stream", () => {
  it("come out whole, however the bytes were cut", () => {
    const text = fc.string({ unit: "binary" }).map((part) => part.replaceAll("\n", " "));
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const out: string[] = [];
        const splitter = new LineSplitter(Number.MAX_SAFE_INTEGER, {
          line: (line) => void out.push(line.toString()),
        });
        for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
        expect(out).toEqual(lines.map((line) => Buffer.from(line).toString()));
      }),
    );
  });

  it("[EX-2] one that is too long is noticed before its end, and nothing comes after it", () => {
    const out: string[] = [];
    const splitter = new LineSplitter(4, {
      line: (line) => void out.push(line.toString()),
      endless: () => void out.push("(endless)"),
    });
    splitter.push(Buffer.from("1234\n123"));
    expect(out).toEqual(["1234"]);
    splitter.push(Buffer.from("45"));
    expect(out).toEqual(["1234", "(endless)"]);
    splitter.push(Buffer.from("\nok\n"));
    expect(out).toEqual(["1234", "(endless)"]);
  });

  it("one that is too long is shown to its reader in parts, and the next ones come out", () => {
    const out: string[] = [];
    const splitter = new LineSplitter(4, {
      line: (line) => void out.push(line.toString()),
      scan: () => ({
        seen: "",
        take(part: Buffer) {
          this.seen += part.toString();
        },
      }),
      tooLong: ({ seen }) => void out.push(`(${seen})`),
    });
    for (const part of ["12", "345", "67", "8\nok\n"]) splitter.push(Buffer.from(part));
    expect([out, splitter.isInLongLine]).toEqual([["(12345678)", "ok"], false]);
  });

  it("keep no chunk in memory for a small part of it", () => {
    const chunk = Buffer.from(`${"x".repeat(1_000)}\nab`);
    const out: Buffer[] = [];
    const splitter = new LineSplitter(2_000, { line: (line) => void out.push(line) });
    splitter.push(chunk);
    chunk.fill("z");
    splitter.push(Buffer.from("c\n"));
    expect(out[1]?.toString()).toBe("abc");
  });
});
