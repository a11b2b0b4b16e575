import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { structuredClone as ownClone } from "./structured-clone.js";

const anyValue = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
  withBoxedValues: true,
  withObjectString: true,
  withNullPrototype: true,
});

describe("[FP-2] structuredClone for QuickJS", () => {
  it("copies any value as Node does", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(ownClone(value)).toEqual(structuredClone(value));
      }),
      { numRuns: 1_000 },
    );
  });

  it("shares nothing with what it copied", () => {
    const value = {
      list: [{ a: 1 }],
      bytes: Uint8Array.of(1, 2),
      map: new Map([["k", { v: 1 }]]),
      at: new Date(5),
    };
    const copy = ownClone(value) as typeof value;
    copy.list[0] = { a: 2 };
    copy.bytes[0] = 9;
    (copy.map.get("k") as { v: number }).v = 2;
    copy.at.setTime(6);
    expect(value).toEqual({
      list: [{ a: 1 }],
      bytes: Uint8Array.of(1, 2),
      map: new Map([["k", { v: 1 }]]),
      at: new Date(5),
    });
  });

  it("keeps cycles, and what occurs twice", () => {
    const shared = { x: 1 };
    const value: Record<string, unknown> = { first: shared, second: shared };
    value.self = value;
    value.map = new Map([[value, new Set([value])]]);
    const copy = ownClone(value) as Record<string, unknown>;
    expect(copy.self).toBe(copy);
    expect(copy.first).toBe(copy.second);
    expect(copy.first).not.toBe(shared);
    expect(
      [...(copy.map as Map<unknown, Set<unknown>>).entries()].map(([key, set]) => [key, set.has(copy)]),
    ).toEqual([[copy, true]]);
  });

  it("keeps two views of one buffer on one buffer", () => {
    const buffer = new ArrayBuffer(8);
    const copy = ownClone([new Uint8Array(buffer, 2, 4), new DataView(buffer, 1), buffer]) as [
      Uint8Array,
      DataView,
      ArrayBuffer,
    ];
    copy[0][0] = 7;
    expect(copy[1].getUint8(1)).toBe(7);
    expect(copy[0].buffer).toBe(copy[2]);
    expect([copy[0].length, copy[1].byteOffset, new Uint8Array(buffer)[2]]).toEqual([4, 1, 0]);
  });

  it("copies errors with their class, message and cause", () => {
    class OwnError extends RangeError {}
    for (const error of [
      new TypeError("t", { cause: { a: 1 } }),
      new OwnError("o"),
      Object.assign(new Error("m"), { name: "Odd" }),
    ]) {
      const copy = ownClone(error) as Error;
      const native = structuredClone(error) as Error;
      expect([copy.constructor, copy.message, copy.name]).toEqual([
        native.constructor,
        native.message,
        native.name,
      ]);
      // Newer engines have it as an accessor, which is code and is not asked.
      const stack = Object.getOwnPropertyDescriptor(error, "stack")?.value as string | undefined;
      expect(copy.stack).toBe(stack ?? "");
    }
    expect((ownClone(new Error("x", { cause: [1] })) as Error).cause).toEqual([1]);
  });

  it("copies expressions from their start, and instances as plain objects", () => {
    const expression = /a(b)/giu;
    expression.lastIndex = 3;
    const copy = ownClone(expression) as RegExp;
    expect([copy.source, copy.flags, copy.lastIndex]).toEqual(["a(b)", "giu", 0]);
    class Point {
      x = 1;
      get y(): number {
        return 2;
      }
    }
    expect(Object.getPrototypeOf(ownClone(new Point()))).toBe(Object.prototype);
    expect(ownClone(new Point())).toEqual(structuredClone(new Point()));
  });

  it.each([
    ["a function", () => {}],
    ["a symbol", Symbol("s")],
    ["a promise", Promise.resolve()],
    ["a WeakMap", new WeakMap()],
    ["a WeakSet", new WeakSet()],
    ["a WeakRef", new WeakRef({})],
    ["a method inside", { deep: [{ method() {} }] }],
  ])("refuses %s as Node does", (_what, value) => {
    expect(() => structuredClone(value)).toThrow(
      expect.objectContaining({ name: "DataCloneError", code: 25 }),
    );
    expect(() => ownClone(value)).toThrow(expect.objectContaining({ name: "DataCloneError", code: 25 }));
  });

  it("needs an argument", () => {
    expect(() => ownClone()).toThrow(TypeError);
  });
});
