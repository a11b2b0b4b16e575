import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle } from "../../scripts/bundle-guest.mjs";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pml-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, "entry.js");
}

it("puts a module and what it imports into one file, each once", async () => {
  const entry = write({
    "entry.js": `import { a as first } from "./a.js"; import { b } from "./b.js";\nconst a = 1;\nexport const result = [first(), b, a];\n//# sourceMappingURL=entry.js.map`,
    "a.js": `import { b } from "./b.js";\nconst hidden = 2;\nexport function a() { return [hidden, b]; }`,
    "b.js": `export const b = "import { x } from 'y'".length;`,
  });
  const text = bundle(entry);
  expect(text.match(/from 'y'/g)).toHaveLength(1);
  expect(text).not.toContain("sourceMappingURL");
  const run = Reflect.construct(Function, [`${text}\nreturn result;`]) as () => unknown;
  expect(run()).toEqual([[2, 21], 21, 1]);
});

it.each([
  ["a package", `import { x } from "node:fs";`],
  ["a default", `import x from "./b.js";`],
  ["a namespace", `import * as x from "./b.js";`],
  ["a module at run time", `await import("./b.js");`],
  ["something to export again", `export { b } from "./b.js";`],
])("refuses what it does not know: %s", (_what, text) => {
  const entry = write({ "entry.js": text, "b.js": "export const b = 1;" });
  expect(() => bundle(entry)).toThrow("Cannot bundle");
});

it("[EX-2] is how the guest is shipped", () => {
  const guest = fileURLToPath(new URL("../../dist/sandbox/guest/deno-guest.js", import.meta.url));
  expect(readFileSync(guest, "utf8")).not.toMatch(/^(import|export) /m);
});
