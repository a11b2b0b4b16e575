import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import type { ServerOffer } from "../mcp/real-servers.js";
import { parseServerName } from "../registry/tool-id.js";
import { parseWireName } from "../registry/wire-name.js";
import { CatalogueWriter, CopiedLists, readCatalogue, toolsOf } from "./catalogue-file.js";

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

  it("[SC-1] holds how lists are kept, so that the next start need not wait for the store", async () => {
    const state = {
      mode: "lean",
      ranked: ["a"],
      fresh: ["b"],
      rankedAt: new Date("2026-11-17T12:00:00Z"),
    } as const;
    const saved: string[] = [];
    const store = { load: async () => new Map(), save: async (key: string) => void saved.push(key) };
    const write = () =>
      new CatalogueWriter(directory, silentLog, () => ({ ...catalogue, lists: lists.remembered() })).flush();
    const lists = new CopiedLists(store, undefined, write);
    await lists.load();
    await lists.save("local/default", state);
    const unopened = { load: () => new Promise<never>(() => {}), save: store.save };
    const next = new CopiedLists(unopened, readCatalogue(directory)?.lists, () => {});
    expect([...(await next.load())]).toEqual([["local/default", state]]);
    expect(saved).toEqual(["local/default"]);
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
    [
      "a list without an order",
      JSON.stringify({ ...catalogue, version: 1, lists: { local: { mode: "all", rankedAt: "2026-11-17" } } }),
    ],
  ])("is nothing where the file holds %s", (_what, text) => {
    writeFileSync(join(directory, "catalogue.json"), text);
    expect(readCatalogue(directory)).toBeUndefined();
  });

  it("[GW-5] holds tools as agents are shown them, which need not be what servers offer", () => {
    const offered = (hash: string) => ({ hash, raw: { ...tool, hash }, tool: tool as Tool });
    const offer: ServerOffer = {
      server: parseServerName("fs"),
      place: 0,
      naming: "prefixed",
      available: true,
      current: true,
      tools: [offered("2")],
      prompts: [],
      resources: [],
      templates: [],
    };
    expect(toolsOf([offer])).toEqual({ fs: [{ hash: "2", tool: { ...tool, hash: "2" } }] });
    expect(toolsOf([offer], (id) => offered(id === "fs:read" ? "1" : "0"))).toEqual({
      fs: [{ hash: "1", tool: { ...tool, hash: "1" } }],
    });
  });

  it("can be written where the last one is broken", () => {
    writeFileSync(join(directory, "catalogue.json"), "{");
    new CatalogueWriter(directory, silentLog, () => catalogue).flush();
    expect(JSON.parse(readFileSync(join(directory, "catalogue.json"), "utf8"))).toMatchObject({ version: 1 });
  });
});
