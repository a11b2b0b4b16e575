import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atob as ownAtob, btoa as ownBtoa } from "./quickjs-base64.js";

const nearlyBase64 = fc.string({
  unit: fc.constantFrom(..."ABCabc019+/", "=", "=", " ", "\n", "\t", "-", "_", "é", "\0"),
  maxLength: 14,
});

function outcome(job: () => unknown): unknown {
  try {
    return job();
  } catch (error) {
    return { threw: (error as Error).name };
  }
}

describe("[FP-2] atob and btoa for QuickJS", () => {
  it("encodes any text as Node does, and refuses the same", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (text) => {
        expect(outcome(() => ownBtoa(text))).toEqual(outcome(() => btoa(text)));
      }),
    );
  });

  it("decodes any text as Node does, and refuses the same", () => {
    fc.assert(
      fc.property(nearlyBase64, (text) => {
        expect(outcome(() => ownAtob(text))).toEqual(outcome(() => atob(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives back every byte", () => {
    const bytes = Array.from({ length: 5_000 }, (_, index) => String.fromCharCode(index % 256)).join("");
    expect(ownAtob(ownBtoa(bytes))).toBe(bytes);
  });

  it("reads what is no text as text", () => {
    expect([ownBtoa(null), ownBtoa(12), ownAtob(null)]).toEqual([btoa("null"), btoa("12"), atob("null")]);
    expect(() => ownBtoa()).toThrow(TypeError);
  });
});
