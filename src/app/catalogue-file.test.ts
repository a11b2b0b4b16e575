import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import { parseWireName } from "../registry/wire-name.js";
import { CatalogueWriter, readCatalogue } from "./catalogue-file.js";

describe("the remembered catalogue", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "pml-catalogue-"));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const tool = { name: "read", inputSchema: { type: "object" } };
  const catalogue = {
    names: [{ id: "fs:read", name: parseWireName("mcp__fs__read") }],
    tools: { fs: [{ hash: "1", tool }] },
  };

  it("is read as it was written", () => {
    new CatalogueWriter(directory, silentLog, () => catalogue).flush();
    expect(readCatalogue(directory)).toMatchObject(catalogue);
  });

  it("is nothing where there is no file", () => {
    expect(readCatalogue(directory)).toBeUndefined();
  });

  it.each([
    ["no JSON", "{"],
    ["another form", JSON.stringify({ ...catalogue, version: 2 })],
    ["no version", JSON.stringify(catalogue)],
    ["tools that are no list", JSON.stringify({ ...catalogue, version: 1, tools: { s: 5 } })],
    [
      "a tool without a schema",
      JSON.stringify({ ...catalogue, version: 1, tools: { s: [{ hash: "1", tool: { name: "a" } }] } }),
    ],
    [
      "a name that is none",
      JSON.stringify({ ...catalogue, version: 1, names: [{ id: "a", name: "no name" }] }),
    ],
  ])("is nothing where the file holds %s", (_what, text) => {
    writeFileSync(join(directory, "catalogue.json"), text);
    expect(readCatalogue(directory)).toBeUndefined();
  });

  it("can be written where the last one is broken", () => {
    writeFileSync(join(directory, "catalogue.json"), "{");
    new CatalogueWriter(directory, silentLog, () => catalogue).flush();
    expect(JSON.parse(readFileSync(join(directory, "catalogue.json"), "utf8"))).toMatchObject({ version: 1 });
  });
});
