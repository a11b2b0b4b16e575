import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { textsOf } from "./user-texts.js";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.test|\.test-d)\.ts$/.test(entry.name))
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)).split(sep).join("/"))
  .sort();

describe("texts for people", () => {
  it("are all in user-texts.txt: read what is new there; `npx vitest run test/architecture -u` renews it", async () => {
    const list = files.flatMap((path) => {
      const texts = textsOf(path, readFileSync(join(SRC, path), "utf8"));
      return texts.length === 0 ? [] : [`${path}\n${texts.map((text) => `  ${text}\n`).join("")}`];
    });
    await expect(list.join("\n")).toMatchFileSnapshot("user-texts.txt");
  });

  it.each([
    [`throw new PmlError("USAGE", \`Cannot run "\${name}": it is gone\`)`, ['Cannot run "{…}": it is gone']],
    [`z.string().describe("a tool " + "or " + name)`, ["a tool or {…}"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
    ['const a = `one ${b ? "or two" : ""} three`;', ["one {…} three", "or two"]],
    ['const a = "two\\nlines of text";', ["two\\nlines of text"]],
    [
      'import "a b"; "one two".split(" "); sql`drop it`; db.query("select all from rows"); f("kebab-case", "a.b", "NAME_TAKEN");',
      [],
    ],
  ])("%s", (source, expected) => {
    expect(textsOf("a.ts", source)).toEqual(expected);
  });
});
