import { describe, expect, it } from "vitest";
import type { Embedder } from "./embedder.js";
import { describeEmbedder, embedderStatus } from "./embedder.js";

function said(state: Embedder["state"], problem?: string): string {
  const embedder = { id: "mini:1", weight: 0.7, state, problem } as Embedder;
  const report = describeEmbedder(embedderStatus(embedder, { known: 2, pending: 3 }));
  return [report.state, report.detail, ...(report.advice === undefined ? [] : [report.advice])].join(" | ");
}

describe("what a person is told of the embedder [DI-2]", () => {
  it.each<[Embedder["state"], string | undefined, string]>([
    ["none", undefined, "ok | no model: tools are found by words alone"],
    [
      "cold",
      undefined,
      "ok | mini:1: not loaded, since nobody asked; 2 of 5 descriptions have their vector, searched in memory",
    ],
    ["loading", undefined, "ok | mini:1: loading; 2 of 5 descriptions have their vector, searched in memory"],
    ["ready", undefined, "ok | mini:1: ready; 2 of 5 descriptions have their vector, searched in memory"],
    [
      "ready",
      "its vectors cannot be searched",
      "warning | mini:1: ready; its vectors cannot be searched; 2 of 5 descriptions have their vector, searched in memory",
    ],
    [
      "failed",
      "it is damaged",
      "warning | mini:1: it is damaged; tools are found by words alone | Check discovery.embedder in the configuration",
    ],
  ])("%s", (state, problem, expected) => expect(said(state, problem)).toBe(expected));

  it.each<[readonly string[], string | undefined, string]>([
    [["capabilities"], undefined, "pgvector searches those of capabilities"],
    [["tools", "capabilities"], undefined, "pgvector searches those of tools and capabilities"],
    [
      [],
      "PostgreSQL does not have the extension pgvector",
      "searched in memory (PostgreSQL does not have the extension pgvector, which only very many would need)",
    ],
  ])("and of where vectors are searched: %j, %s", (outside, noOutside, expected) => {
    const status = { id: "mini:1", state: "ready", known: 5, pending: 0, outside } as const;
    const { detail } = describeEmbedder({ ...status, ...(noOutside === undefined ? {} : { noOutside }) });
    expect(detail).toBe(`mini:1: ready; 5 of 5 descriptions have their vector, ${expected}`);
  });

  it("a gateway of an earlier version does not say where", () => {
    const { detail } = describeEmbedder({ id: "mini:1", state: "ready", known: 1, pending: 0 });
    expect(detail).toBe("mini:1: ready; 1 of 1 descriptions have their vector, searched in memory");
  });
});
