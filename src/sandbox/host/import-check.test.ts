import { describe, expect, it } from "vitest";
import { hasImport } from "./import-check.js";

const check = (code: string): boolean =>
  hasImport({
    main: { code: "return 1", parameters: [], lifted: [] },
    capabilities: [{ code, parameters: [], lifted: [] } as never],
  });

describe("hasImport", () => {
  it.each([
    'return await import("node:fs")',
    "const f = () => { if (x) { y([import(z)]); } }",
    "return im\u200bport; import.meta.url",
    "return import /* a comment */ ('x')",
    'import fs from "fs"',
    "}); import('x'); (async () => {",
    "syntax error in import (",
  ])("[EX-1] finds it in %s", (code) => {
    expect(check(code)).toBe(true);
  });

  it.each([
    "return 1",
    "return 'import(\"x\")'",
    "// import('x')\nreturn `import(1)`",
    "return { import: 1 }.import + a.import('x')",
    "return /import\\(/.test('important')",
    "return new.target",
  ])("[EX-1] finds none in %s", (code) => {
    expect(check(code)).toBe(false);
  });
});
