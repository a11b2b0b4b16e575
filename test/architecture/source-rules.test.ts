import { describe, expect, it } from "vitest";
import { FILE_LINES_MAX } from "./layers.js";
import {
  findCycle,
  findImports,
  folderArrows,
  judgeImports,
  judgeName,
  judgeParts,
  judgePlaces,
  judgeRooms,
  judgeSize,
} from "./source-rules.js";

/** Every module the text loads, with its line: `1 zod | 3 node:fs`. */
function imports(text: string): string {
  return findImports(text)
    .map(({ specifier, line }) => `${line} ${specifier}`)
    .join(" | ");
}

describe("imports are found", () => {
  it.each([
    ["a plain import", `import { a } from "../base/a.js";`, "1 ../base/a.js"],
    ["an import for its effects", `import "../base/a.js";`, "1 ../base/a.js"],
    [
      "a default and a namespace",
      `import a from './a.js';\nimport * as b from "./b.js"`,
      "1 ./a.js | 2 ./b.js",
    ],
    ["an import over several lines", `import {\n  a,\n  type B,\n} from\n  "./a.js";`, "1 ./a.js"],
    ["a type import", `import type { A } from "./a.js";`, "1 ./a.js"],
    ["a JSON import", `import a from "./a.json" with { type: "json" };`, "1 ./a.json"],
    ["export from", `export { a } from "./a.js";\nexport type { B } from "./b.js";`, "1 ./a.js | 2 ./b.js"],
    ["export * from", `export * from "./a.js"; export * as b from "./b.js";`, "1 ./a.js | 1 ./b.js"],
    ["a dynamic import", `const a = await import("./a.js");`, "1 ./a.js"],
    ["a dynamic import over lines", "await import(\n  `./a.js`\n);", "1 ./a.js"],
    ["a type that imports", `type A = typeof import("./a.js");`, "1 ./a.js"],
    [
      "a computed import",
      `await import(name); await import("./" + name); await import(\`./\${a}.js\`);`,
      "1 (computed) | 1 (computed) | 1 (computed)",
    ],
    [
      "a worker loaded by URL",
      `new Worker(new URL("../postgres/w.js", import.meta.url))`,
      "1 ../postgres/w.js",
    ],
    ["an import after a regular expression", `const a = /["'\`]/; import "./a.js";`, "1 ./a.js"],
    ["an import after a template", "const a = `$" + "{b ? `}` : '{'}`; import './a.js';", "1 ./a.js"],
    ["an import after a division", `const a = b / c; import "./a.js"; const d = 1 / 2;`, "1 ./a.js"],
  ])("%s", (_, text, expected) => {
    expect(imports(text)).toBe(expected);
  });

  it.each([
    ["a comment", `// import "./a.js";\n/* import "./b.js"; */`],
    ["a string", `const a = 'import "./a.js"';`],
    ["a template", 'const a = `import "./a.js"`;'],
    ["a plain export", `export { a }; const from = "x"; export const b = 1;`],
    ["import.meta", `const a = import.meta.url;`],
    ["a data file by URL", `new URL("../../package.json", import.meta.url)`],
    ["a method that is called import", `registry.import("./a.js")`],
  ])("but not in %s", (_, text) => {
    expect(imports(text)).toBe("");
  });
});

/** Each mutant of a lawful tree, and the sentence that names it. */
describe("a violation is named", () => {
  it.each([
    ["registry/a.ts", `import { b } from "../gateway/b.js";`, "registry/a.ts:1 may not import gateway"],
    ["registry/a.ts", `import {\n  b,\n} from "../gateway/b.js";`, "registry/a.ts:1 may not import gateway"],
    ["registry/a.ts", `import type { B } from "../gateway/b.js";`, "registry/a.ts:1 may not import gateway"],
    ["registry/a.ts", `export * from "../gateway/b.js";`, "registry/a.ts:1 may not import gateway"],
    ["registry/a.ts", `\nexport { b } from "../gateway/b.js";`, "registry/a.ts:2 may not import gateway"],
    ["registry/a.ts", `await import("../gateway/b.js");`, "registry/a.ts:1 may not import gateway"],
    [
      "gateway/handlers/a.ts",
      `import "../../postgres/b.js";`,
      "gateway/handlers/a.ts:1 may not import postgres",
    ],
    ["gateway/a.ts", `import "../app/b.js";`, "gateway/a.ts:1 may not import app"],
    ["cli/a.ts", `import "../registry/b.js";`, "cli/a.ts:1 may not import registry"],
    ["cli/a.ts", `import "../index.js";`, "cli/a.ts:1 may not import index.js"],
    ["app/a.ts", `import "../utils/b.js";`, "app/a.ts:1 may not import utils"],
    ["index.ts", `export * from "./gateway/b.js";`, "index.ts:1 may not import gateway"],
    ["app/a.ts", `import "../../test/b.js";`, `app/a.ts:1 leaves src/ for "../../test/b.js"`],
    ["app/a.ts", `import "casys-pml";`, "app/a.ts:1 may not import its own package"],
    ["base/a.ts", `import "node:fs";`, `base/a.ts:1 is pure and may not import "node:fs"`],
    ["curation/a.ts", `await import("node:fs");`, `curation/a.ts:1 is pure and may not import "node:fs"`],
    ["registry/a.ts", `import type { Client } from "pg";`, `registry/a.ts:1 is pure and may not import "pg"`],
    ["registry/a.ts", `import "oxc-parser";`, `registry/a.ts:1 is pure and may not import "oxc-parser"`],
    ["discovery/a.ts", `await import(model);`, `discovery/a.ts:1 is pure and may not import "(computed)"`],
  ])("in %s: %s", (path, text, expected) => {
    expect(judgeImports({ path, text })).toEqual([expected]);
  });

  it.each([
    ["registry/a.ts", `import "./b.js"; import "../base/b.js"; import "zod";`],
    ["analysis/a.ts", `import { parseSync } from "oxc-parser";`],
    ["postgres/a.ts", `import "node:fs"; import "pg"; import "./migrations/b.js";`],
    ["gateway/handlers/a.ts", `import "../server.js"; import "../../mcp/b.js";`],
    ["cli/a.ts", `import "../app/b.js"; import "../daemon/b.js";`],
    ["index.ts", `export { a } from "./app/a.js"; export { b } from "./base/b.js";`],
    ["registry/a.test.ts", `import "node:fs"; import "../postgres/b.js";`],
  ])("and %s may say %s", (path, text) => {
    expect(judgeImports({ path, text })).toEqual([]);
  });

  it.each([
    ["sandbox/guest/a.ts", `import "../host/b.js";`, "may not import sandbox/host/b.js"],
    ["sandbox/guest/a.ts", `import "../../base/b.js";`, "may not import base/b.js"],
    ["sandbox/guest/a.ts", `import type { B } from "../../base/b.js";`, "may not import base/b.js"],
    ["sandbox/guest/a.ts", `import "node:fs";`, 'may not import "node:fs"'],
    ["sandbox/guest/a.ts", `await import(name);`, 'may not import "(computed)"'],
    ["sandbox/protocol/a.ts", `import "../guest/b.js";`, "may not import sandbox/guest/b.js"],
    ["sandbox/protocol/a.ts", `import { b } from "../../base/b.js";`, "may import only types of base/b.js"],
    ["sandbox/protocol/a.ts", `import type from "../../base/b.js";`, "may import only types of base/b.js"],
    ["sandbox/host/a.ts", `import { b } from "../guest/b.js";`, "may not load sandbox/guest"],
    ["sandbox/a.ts", `await import("./guest/b.js");`, "may not load sandbox/guest"],
  ])("part of a folder, in %s: %s", (path, text, expected) => {
    expect(judgeParts({ path, text })).toEqual([`${path}:1 ${expected}`]);
  });

  it.each([
    ["sandbox/guest/a.ts", `import "./b.js"; import "../protocol/b.js";`],
    ["sandbox/protocol/a.ts", `import "./b.js"; import type { B } from "../../base/b.js";`],
    [
      "sandbox/host/a.ts",
      `import type { B } from "../guest/b.js"; import "node:fs"; import "../protocol/b.js";`,
    ],
    ["sandbox/quickjs/a.ts", `const b: typeof import("../guest/b.js").b = 1;`],
    ["sandbox/guest/a.test.ts", `import "node:fs"; import "../host/b.js";`],
  ])("but a part of a folder, in %s, may say %s", (path, text) => {
    expect(judgeParts({ path, text })).toEqual([]);
  });

  it.each([
    ["execution/run/a.ts", `import "../wait/b.js";`, "execution/run/a.ts:1 may not import execution/wait"],
    [
      "execution/run/a.ts",
      `import "../executor.js";`,
      "execution/run/a.ts:1 may not import execution/executor.js",
    ],
    ["execution/utils/a.ts", "", "execution/utils is not among the rooms of execution"],
  ])("a room, in %s: %s", (path, text, expected) => {
    expect(judgeRooms({ path, text })).toEqual([expected]);
  });

  it.each([
    ["execution/wait/a.ts", `import "../run/b.js"; import "./b.js"; import "../../base/b.js"; import "zod";`],
    ["execution/executor.ts", `import "./wait/b.js";`],
    ["execution/run/a.test.ts", `import "../wait/b.js";`],
    ["gateway/own/a.ts", `import "../b.js";`],
  ])("but a room, in %s, may say %s", (path, text) => {
    expect(judgeRooms({ path, text })).toEqual([]);
  });

  it("a folder or root file outside the table", () => {
    expect(judgePlaces(["base/a.ts", "index.ts", "utils/a.ts", "main.ts"])).toEqual([
      "utils is not in the layer table",
      "main.ts is not in the layer table",
    ]);
  });

  it.each(["base/pmlError.ts", "base/Pml.ts", "base/a_b.ts", "myFolder/a.ts", "base/a--b.ts"])(
    "the name %s",
    (path) => {
      expect(judgeName(path)).toEqual([`${path} is not kebab-case`]);
    },
  );

  it.each(["base/pml-error.ts", "base/pml-error.test-d.ts", "postgres/migrations/0001-tools.ts"])(
    "but not %s",
    (path) => {
      expect(judgeName(path)).toEqual([]);
    },
  );

  it("a file one line too long, unless it is a test or a migration", () => {
    const full = "x\n".repeat(FILE_LINES_MAX);
    expect(judgeSize({ path: "base/a.ts", text: full })).toEqual([]);
    expect(judgeSize({ path: "base/a.ts", text: `${full}x` })).toEqual([
      "base/a.ts has 401 lines, more than 400",
    ]);
    expect(judgeSize({ path: "base/a.test.ts", text: `${full}x` })).toEqual([]);
    expect(judgeSize({ path: "postgres/migrations/0001-a.ts", text: `${full}x` })).toEqual([]);
  });

  it("a cycle between folders, type imports included", () => {
    const arrows = folderArrows([
      { path: "gateway/a.ts", text: `import type { B } from "../execution/b.js";` },
      { path: "execution/b.ts", text: `import "./c.js"; import "../analysis/d.js";` },
      { path: "analysis/d.ts", text: `export * from "../gateway/a.js";` },
    ]);
    expect(findCycle(arrows)).toBe("gateway → execution → analysis → gateway");
    expect(findCycle({ a: ["b", "c"], b: ["c"], c: [] })).toBeUndefined();
  });
});
