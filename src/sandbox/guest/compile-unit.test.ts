import { describe, expect, it } from "vitest";
import { compileUnit, LINES_BEFORE, positionsIn } from "./compile-unit.js";

// The other way to make code from text is what biome refuses; here it is the point.
const evaluate = (source: string): unknown =>
  Reflect.construct(Function, [`return ${source.replace('"use strict";', "")}`])();

describe("a unit", () => {
  it("gets what it names, and its own arguments by name alone", async () => {
    const unit = compileUnit(
      {
        handle: "",
        code: "return [mcp, args, a, b, toString, $pml]",
        parameters: ["a", "b", "toString"],
        lifted: ["path", "constructor"],
      },
      undefined,
      evaluate,
    );
    const mcp = {};
    const args = { path: "x", a: 1 };
    const flow = (lifted: object) => ({ ...lifted });
    expect(await unit(mcp, {}, args, {}, {}, flow)()).toEqual([
      mcp,
      { a: 1 },
      1,
      undefined,
      undefined,
      { path: "x" },
    ]);
  });

  it("[EX-1] has no `arguments` that lead to what it was given", async () => {
    const code = "return [arguments.length, typeof new.target]";
    const unit = compileUnit({ handle: "", code, parameters: [], lifted: [] }, undefined, evaluate);
    expect(await unit({}, {}, {}, {}, {}, () => ({}))()).toEqual([0, "undefined"]);
  });

  it.each(["}; }); (function () { return async () => {", "} /*", "return 1 // }", "*/"])(
    "[EX-1] that closes the functions around it is a syntax error, unless it does not: %s",
    (code) => {
      const compile = () =>
        compileUnit({ handle: "", code, parameters: [], lifted: [] }, undefined, evaluate);
      if (code.startsWith("return")) expect(compile).not.toThrow();
      else expect(compile).toThrow(SyntaxError);
    },
  );

  it("that is no function body is refused", () => {
    expect(() =>
      compileUnit({ handle: "", code: "", parameters: [], lifted: [] }, undefined, () => 1),
    ).toThrow("not a function body");
  });
});

describe("positions", () => {
  it("are those of the program's own code, innermost first, without the lines before it", () => {
    const stack = `Error: pml:x
    at f (pml:main:3:5)
    at file:///home/me/pml:evil.js:9:9
    at async pml:acme.web.fs.read.ab12:2:7
    at pml:main:1:1`;
    expect(positionsIn(stack, LINES_BEFORE)).toEqual([
      { line: 2, column: 5 },
      { unit: "acme.web.fs.read.ab12", line: 1, column: 7 },
    ]);
    expect(positionsIn("at pml:main:1:1", 0)).toEqual([{ line: 1, column: 1 }]);
    // The same place twice is one place.
    expect(positionsIn("at pml:main:2:1\n".repeat(100), 1)).toEqual([{ line: 1, column: 1 }]);
    const deep = Array.from({ length: 100 }, (_, index) => `at pml:main:${index + 2}:1\n`);
    expect(positionsIn(deep.join(""), 1)).toHaveLength(20);
  });
});
