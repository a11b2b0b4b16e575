/** The documents name files, folders and headings that exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LAYERS } from "./layers.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGES = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name)),
].filter((name) => name.endsWith(".md"));

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8").replace(/^```.*?^```/gms, "");
}

describe("ARCHITECTURE.md", () => {
  const text = textOf("ARCHITECTURE.md");

  it("names source files that exist", () => {
    const named = [...text.matchAll(/`([\w./-]+\.m?ts)`/g)].map(([, path = ""]) => path);
    const sources = readdirSync(join(ROOT, "src"), { recursive: true }).map(String);
    const missing = named
      .filter((path) => !existsSync(join(ROOT, "src", path)) && !existsSync(join(ROOT, path)))
      .map(
        (path) =>
          `${path}: now ${sources.filter((file) => basename(file) === basename(path)).join(" or ") || "gone"}`,
      );
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(50);
  });

  it("has the layer table as it is", () => {
    const rows = [...text.matchAll(/^\| `(\w+)` \|.*\| ([\w –]+) \|$/gm)];
    const table = rows.map(([, folder = "", imports = ""]) => [
      folder,
      imports === "–" ? [] : imports.split(" "),
    ]);
    expect(Object.fromEntries(table)).toEqual(LAYERS);
  });
});

/** As GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

it.each(PAGES)("%s links to pages and headings that exist", (page) => {
  const broken = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
    ([, path = "", anchor]) => {
      const target = path === "" ? page : join(dirname(page), path);
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    },
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

it("[FH-8] the index has every page, and each page starts with what it is for", () => {
  const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  const index = textOf("docs/README.md");
  expect(pages.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
  expect(pages.filter((page) => !/^# .+\n\n[A-Z`].*[a-z]/.test(textOf(page)))).toEqual([]);
  expect(pages.length).toBeGreaterThan(20);
});

/** Lists in the documents that grow with the source. */
it.each([
  ["docs/troubleshooting.md", "every error code", "src/base/pml-error.ts", /^ {2}\| "([A-Z_]+)"/gm],
  ["docs/explanation/store.md", "every table", "src/postgres/migrations", /create table (\w+)/g],
])("%s has %s", (page, _what, source, pattern) => {
  const path = join(ROOT, source);
  const files = source.endsWith(".ts") ? [path] : readdirSync(path).map((name) => join(path, name));
  const names = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(pattern)].map(([, name]) => name),
  );
  const text = textOf(page);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
});
