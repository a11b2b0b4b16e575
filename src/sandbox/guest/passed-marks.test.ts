import { describe, expect, it } from "vitest";
import { createPassedMarks } from "./passed-marks.js";

describe("marks", () => {
  it("are counted by node and outcome, in the order of first passing", () => {
    const marks = createPassedMarks({ count: 0 });
    const [isTrue, isFalse] = [marks.counter("true"), marks.counter("false")];
    for (const id of ["d2", "d1", "d2", "d2"]) isTrue(id);
    isFalse("d1");
    marks.add("d3", "'a'");
    marks.add("d1", "true");
    expect(marks.entries()).toEqual([
      ["d2", "true", 3],
      ["d1", "true", 2],
      ["d1", "false", 1],
      ["d3", "'a'", 1],
    ]);
  });

  it("are counted from nothing again when they are told, in the middle of a loop too", () => {
    const marks = createPassedMarks({ count: 0 });
    const again = marks.counter("again");
    const enter = marks.counter("");
    enter("l1");
    again("l1");
    again("l1");
    marks.clear();
    expect(marks.entries()).toEqual([]);
    again("l1");
    enter("f1");
    expect(marks.entries()).toEqual([
      ["l1", "again", 1],
      ["f1", "", 1],
    ]);
  });

  it("[EX-1] are counted beside setters that code put on prototypes", () => {
    const marks = createPassedMarks({ count: 0 });
    const keys = ["0", "d1", "x", "count", "next", "mark"];
    const set = (): never => {
      throw new Error("set");
    };
    for (const key of keys) Object.defineProperty(Object.prototype, key, { set, configurable: true });
    let entries: readonly unknown[];
    try {
      marks.counter("true")("d1");
      marks.add("d1", "x");
      entries = marks.entries();
    } finally {
      for (const key of keys) Reflect.deleteProperty(Object.prototype, key);
    }
    expect(entries).toEqual([
      ["d1", "true", 1],
      ["d1", "x", 1],
    ]);
  });

  it("[EX-2] are told with calls up to a number, and then at the end", () => {
    const marks = createPassedMarks({ count: 0 });
    const enter = marks.counter("");
    let calls = 0;
    for (; !marks.isTalkative(); calls += 1) {
      for (let node = 1; node <= 1_000; node += 1) enter(`d${node}`);
      marks.clear();
    }
    expect(calls).toBe(100);
    enter("l1");
    expect(marks.entries()).toEqual([["l1", "", 1]]);
  });
});
