import { describe, expect, it } from "vitest";
import { parseTaskReference, pathText } from "./check-dag.js";

describe("references to results of tasks", () => {
  it.each([
    ["a", "a", []],
    ["a.items[0].name", "a", ["items", 0, "name"]],
    ["a.items.0", "a", ["items", 0]],
    ["a[3][0]", "a", [3, 0]],
    ['a["any key"].x', "a", ["any key", "x"]],
    ["a['it\\'s']", "a", ["it's"]],
    ["a.00", "a", ["00"]],
    ["step.1.é", "step.1", ["é"]],
    ["__proto__.x", "__proto__", ["x"]],
  ])("[EX-9] reads %s", (text, task, path) => {
    expect(parseTaskReference(text, ["a", "step.1", "__proto__"])).toEqual({ task, path });
  });

  it.each(["", "b", "ab", "a.", "a..x", "a[", "a[x]", "a[-1]", "a[]", 'a["x]', "a.x]", " a"])(
    "[EX-9] does not read %j",
    (text) => {
      expect(parseTaskReference(text, ["a"])).toBeUndefined();
    },
  );

  it("[EX-9] writes a path as it can be read", () => {
    const path = ["items", 0, "any key", "a.b", '"', "é"];
    expect(pathText(path)).toBe('items[0].any key["a.b"]["\\""].é');
    expect(parseTaskReference(`a.${pathText(path)}`, ["a"])).toEqual({ task: "a", path });
  });
});
