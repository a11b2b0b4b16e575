import { describe, expect, it } from "vitest";
import { createBoundedMemory } from "./web-assembly.js";

const PAGE = 65_536;

describe("[EX-2] bounded memory", () => {
  it("grows to its maximum and not beyond, and remembers that it was to", () => {
    const bounded = createBoundedMemory(1, 3);
    bounded.memory.grow(2);
    expect([bounded.bytes(), bounded.isRefused()]).toEqual([3 * PAGE, false]);
    expect(() => bounded.memory.grow(1)).toThrow(RangeError);
    expect([bounded.bytes(), bounded.isRefused()]).toEqual([3 * PAGE, true]);
  });

  it("[EX-1] is put back to what was kept, to the last byte, also where it has grown", () => {
    const bounded = createBoundedMemory(1, 3);
    new Uint8Array(bounded.memory.buffer).set([1, 2, 3], 100);
    bounded.keep();
    const before = new Uint8Array(bounded.memory.buffer.slice(0));
    bounded.memory.grow(1);
    new Uint8Array(bounded.memory.buffer).fill(9);
    bounded.putBack();
    const after = new Uint8Array(bounded.memory.buffer);
    expect(Buffer.compare(after.subarray(0, PAGE), before)).toBe(0);
    expect(after.subarray(PAGE).every((byte) => byte === 0)).toBe(true);
  });

  it("forgets a refusal when it is put back", () => {
    const bounded = createBoundedMemory(1, 1);
    expect(() => bounded.memory.grow(1)).toThrow(RangeError);
    bounded.putBack();
    expect(bounded.isRefused()).toBe(false);
  });
});
