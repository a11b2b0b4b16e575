import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextDecoder as OwnDecoder } from "./quickjs-text-decoder.js";
import { TextEncoder as OwnEncoder } from "./quickjs-text-encoder.js";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\ud83d", "\ude00", "\0", "\ufeff") }),
);
/** Bytes that are nearly text: pieces of characters, marks and surrogates written as bytes. */
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc
    .array(
      fc.constantFrom(
        [0x61],
        [0xef, 0xbb, 0xbf],
        [0xc3, 0xa9],
        [0xe2, 0x82, 0xac],
        [0xf0, 0x9f, 0x98, 0x80],
        [0xe2, 0x82],
        [0xf0, 0x9f, 0x98],
        [0xed, 0xa0, 0x80],
        [0xc0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xff],
        [0x80],
      ),
      { maxLength: 12 },
    )
    .map((pieces) => Uint8Array.from(pieces.flat())),
);

/** What a call gives, or that it throws, and which kind of error. */
function outcome(job: () => unknown): unknown {
  try {
    return job();
  } catch (error) {
    return { threw: (error as Error).name };
  }
}

describe("[FP-2] TextEncoder for QuickJS", () => {
  it("encodes any text as Node does", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(new OwnEncoder().encode(text)).toEqual(new TextEncoder().encode(text));
      }),
    );
  });

  it("encodes long text, and what is no text, as Node does", () => {
    for (const value of ["aé€😀".repeat(5_000), undefined, 5, null])
      expect(new OwnEncoder().encode(value)).toEqual(new TextEncoder().encode(value as string));
  });

  it("fills a view with whole characters as Node does", () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, room) => {
        const [own, native] = [new Uint8Array(room), new Uint8Array(room)];
        expect(new OwnEncoder().encodeInto(text, own)).toEqual(new TextEncoder().encodeInto(text, native));
        expect(own).toEqual(native);
      }),
    );
  });

  it("refuses to fill what is no view of bytes", () => {
    expect(() => new OwnEncoder().encodeInto("a", [])).toThrow(TypeError);
  });
});

describe("[FP-2] TextDecoder for QuickJS", () => {
  it("decodes any bytes as Node does, strict or not, with or without the mark", () => {
    fc.assert(
      fc.property(anyBytes, fc.boolean(), fc.boolean(), (bytes, fatal, ignoreBOM) => {
        const own = new OwnDecoder("utf-8", { fatal, ignoreBOM });
        const native = new TextDecoder("utf-8", { fatal, ignoreBOM });
        expect(outcome(() => own.decode(bytes))).toEqual(outcome(() => native.decode(bytes)));
      }),
      { numRuns: 500 },
    );
  });

  it("decodes in pieces what it decodes as a whole", () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(64), { maxLength: 5 }), (bytes, cuts) => {
        const own = new OwnDecoder();
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        let text = "";
        for (let index = 1; index < at.length; index += 1)
          text += own.decode(bytes.subarray(at[index - 1], at[index]), { stream: true });
        expect(text + own.decode()).toBe(new TextDecoder().decode(bytes));
      }),
    );
  });

  it("starts anew after the last piece", () => {
    const own = new OwnDecoder();
    own.decode(Uint8Array.of(0xe2, 0x82), { stream: true });
    expect(own.decode()).toBe("\ufffd");
    expect(own.decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("a");
  });

  it("decodes long text", () => {
    const text = "aé€😀".repeat(5_000);
    expect(new OwnDecoder().decode(new TextEncoder().encode(text))).toBe(text);
  });

  it("takes buffers and every kind of view", () => {
    const buffer = new TextEncoder().encode("xabc").buffer as ArrayBuffer;
    for (const view of [new DataView(buffer, 1, 2), new Uint16Array(buffer), buffer, undefined])
      expect(new OwnDecoder().decode(view)).toBe(new TextDecoder().decode(view));
  });

  it("refuses what is no bytes, and encodings that it does not have", () => {
    expect(() => new OwnDecoder().decode("text")).toThrow(TypeError);
    expect(() => new OwnDecoder("shift-jis")).toThrow(RangeError);
    expect(new OwnDecoder(" UTF8 ").encoding).toBe("utf-8");
  });
});
