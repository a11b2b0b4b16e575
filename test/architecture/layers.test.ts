import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LAYERS, PURE, ROOT_FILES } from "./layers.js";
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
  type SourceFile,
} from "./source-rules.js";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

const paths = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(SRC, join(entry.parentPath, entry.name)).split(sep).join("/"));

const sources: readonly SourceFile[] = paths
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));

describe("the folders of src/", () => {
  it("import only from the folders below them, and stay free of I/O where they are pure", () => {
    expect(sources.flatMap(judgeImports)).toEqual([]);
  });

  it("[EX-1] keep what runs beside untrusted code apart from all else", () => {
    expect(sources.flatMap(judgeParts)).toEqual([]);
    expect(paths).toContain("sandbox/guest/guest-core.ts");
  });

  it("have rooms that import only from the rooms before them", () => {
    expect(sources.flatMap(judgeRooms)).toEqual([]);
    expect(paths).toContain("execution/wait/durable-runs.ts");
  });

  it("are all in the layer table", () => {
    expect(judgePlaces(paths)).toEqual([]);
  });

  it("draw no cycle", () => {
    expect(findCycle(folderArrows(sources))).toBeUndefined();
  });

  it("hold files with kebab-case names", () => {
    expect(paths.flatMap(judgeName)).toEqual([]);
  });

  it("hold no file that has grown a second noun", () => {
    expect(sources.flatMap(judgeSize)).toEqual([]);
  });

  it("sanity: the walk found imports to judge", () => {
    const found = sources.flatMap(({ text }) => findImports(text)).map(({ specifier }) => specifier);
    expect(found).toContain("./base/pml-error.js");
    expect(Object.values(folderArrows(sources)).flat()).toContain("base");
  });
});

describe("the layer table", () => {
  it("names only folders that are in it", () => {
    const named = [...Object.values(LAYERS), ...Object.values(ROOT_FILES), Object.keys(PURE)].flat();
    expect(named.filter((folder) => !(folder in LAYERS))).toEqual([]);
  });

  it("draws no cycle, and lists every folder after those it imports", () => {
    const order = Object.keys(LAYERS);
    const upward = order.flatMap((from) =>
      (LAYERS[from] ?? [])
        .filter((to) => order.indexOf(to) >= order.indexOf(from))
        .map((to) => `${from} → ${to}`),
    );
    expect(upward).toEqual([]);
    expect(findCycle(LAYERS)).toBeUndefined();
  });

  it("keeps pure folders on pure folders", () => {
    const impure = Object.keys(PURE).flatMap((from) => (LAYERS[from] ?? []).filter((to) => !(to in PURE)));
    expect(impure).toEqual([]);
  });
});
