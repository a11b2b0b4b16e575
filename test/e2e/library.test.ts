/** PML as a library: the built package, used by a program as its users would. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Pml } from "../../src/index.js";
import { useClient, useGateway } from "../support/test-gateway.js";

// The built one: it has worker threads and programs beside it.
const { createPml, PmlError } = (await import(
  fileURLToPath(new URL("../../dist/index.js", import.meta.url))
)) as typeof import("../../src/index.js");

const CODE_OF: Readonly<Record<string, string>> = { one: "return 'one';", two: "return 'two';" };

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PmlError);
  const { code, message } = error as InstanceType<typeof PmlError>;
  return `${code}: ${message}`;
}

describe("[UX-4] the library", () => {
  const home = mkdtempSync(join(tmpdir(), "pml-library-"));
  const config = join(home, "pml.json");
  let pml: Pml;

  beforeAll(async () => {
    writeFileSync(config, JSON.stringify({ mcpServers: {} }));
    pml = await createPml({ config, scope: "acme/web/ada" });
  });
  afterAll(async () => {
    await pml?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("runs code, remembers it, and runs it by name", async () => {
    const first = await pml.execute({
      intent: "add two numbers",
      code: "return args.a + args.b;",
      args: { a: 1, b: 2 },
      name: "math:add",
    });
    expect(first).toMatchObject({ status: "success", result: 3, capabilityName: "math:add" });
    const again = await pml.execute({ intent: "add", capability: "math:add", args: { a: 20, b: 22 } });
    expect(again).toMatchObject({ status: "success", mode: "call_by_name", result: 42 });
  });

  it("answers a run that failed, and throws every other error with its code", async () => {
    expect(await pml.execute({ intent: "fail", code: "throw new Error('no');" })).toMatchObject({
      status: "error",
      error: { code: "RUN_FAILED" },
    });
    expect(await refusal(pml.lookup("no:such"))).toBe("CAPABILITY_NOT_FOUND: Capability not found: no:such");
    expect(await refusal(pml.save({ intent: "x", code: "const = 1;" }))).toMatch(/^CODE_SYNTAX: /);
  });

  it("[CU-1] suggests names, and gives those that are given", async () => {
    await pml.execute({
      intent: "sort the words of a text",
      code: "return args.text.split(' ').sort().join(' ');",
      args: { text: "b a" },
    });
    const { suggestions } = await pml.curate({ mode: "suggest", filter: { minUsage: 1 }, detail: "full" });
    const [one] = suggestions;
    expect(one).toMatchObject({ suggestedName: expect.stringMatching(/^\w+:\w+$/), usageCount: 1 });
    const renames = [
      { id: one?.id ?? "", name: "text:sort_words" },
      { id: "no:such", name: "a:b" },
    ];
    const { applied, failed, results } = await pml.curate({ mode: "apply", renames });
    expect([applied, failed, results[1]?.error?.code]).toEqual([1, 1, "CAPABILITY_NOT_FOUND"]);
    expect((await pml.lookup("text:sort_words")).display_name).toBe("text:sort_words");
    expect((await pml.curate({ mode: "auto" })).applied).toEqual([]);
    expect(await refusal(pml.curate({ mode: "apply", renames: [] }))).toMatch(/^ARGUMENTS_INVALID: /);
  });

  it("[FP-5] tells what happened in a run", async () => {
    const { workflowId } = (await pml.execute({
      intent: "look closer",
      code: "throw new Error('again');",
    })) as {
      readonly workflowId: string;
    };
    expect(await pml.trace(workflowId)).toMatchObject({
      workflowId,
      intent: "look closer",
      by: "ada@acme",
      success: false,
      error: { code: "RUN_FAILED" },
    });
    expect((await pml.runs(1)).runs).toMatchObject([{ workflowId }]);
    expect(await refusal(pml.trace("none"))).toBe("RUN_NOT_FOUND: No trace of the run none");
  });

  it("[ID-11] saves versions, and tells their history", async () => {
    for (const [word, tag] of [
      ["one", "v1.0.0"],
      ["two", "v2.0.0"],
    ] as const)
      await pml.save({
        intent: "say a number",
        code: CODE_OF[word] ?? "",
        name: "say:number",
        versionTag: tag,
      });
    const history = await pml.history("say:number", 1);
    if (history.type !== "capability") throw new Error("It is no server");
    expect(history.versions).toMatchObject([{ version: 2, version_tag: "v2.0.0" }]);
    expect(history.versions[0]?.diff).toContain("-return 'one';\n+return 'two';");
    expect(await pml.execute({ intent: "say", capability: "say:number@v1" })).toMatchObject({
      result: "one",
    });
  });

  it("[ID-9] looks up, lists and tells everything of a record", async () => {
    expect(await pml.lookup("math:add@v1")).toMatchObject({ display_name: "math:add", type: "capability" });
    expect(await pml.whois("math:add")).toMatchObject({
      created_by: "ada@acme",
      trust: { signed_by: "this installation" },
    });
    const { capabilities, total } = await pml.query({ pattern: "say:*", sortBy: "name", limit: 5 });
    expect(await pml.query({ namespace: "say", sortBy: "name", limit: 5 })).toEqual({ capabilities, total });
    expect([capabilities.map(({ name }) => name), total]).toEqual([["say:number"], 1]);
    expect(await pml.lookup("mcp:sqlite")).toMatchObject({ type: "mcp-server", visibility: "public" });
  });

  it("[DI-1] discovers", async () => {
    const { results } = await pml.discover("add two numbers", {
      type: "capability",
      minScore: 0.5,
      limit: 1,
    });
    expect(results).toMatchObject([{ type: "capability", name: "math:add" }]);
    const full = await pml.discover("add two numbers", { namespace: "math", detail: "full" });
    expect(full.results).toMatchObject([{ source: { type: "code", code: "return args.a + args.b;" } }]);
    expect(await refusal(pml.discover(""))).toMatch(/^ARGUMENTS_INVALID: Cannot call pml_discover: intent: /);
  });

  it("[ID-5, ID-12, ID-13] renames, forks, merges, deletes and undeletes", async () => {
    const changes = { newName: "say:word", tags: ["small"], cachePolicy: "none", ttl: 60 } as const;
    expect(await pml.rename("say:number", changes)).toMatchObject({ display_name: "say:word", ttl: 60 });
    expect(await pml.fork("say:word", "my:word")).toMatchObject({ display_name: "my:word", version: 1 });
    await pml.save({ intent: "shout", code: "return args.word.toUpperCase();", name: "say:loud" });
    await pml.merge(["say:word", "say:loud"], "say:word_loud");
    expect(await pml.execute({ intent: "shout", capability: "say:word_loud" })).toMatchObject({
      result: "TWO",
    });
    expect(await pml.delete("say:loud")).toMatchObject({ dependents: [{ name: "say:word_loud" }] });
    expect(await refusal(pml.lookup("say:loud"))).toMatch(/^CAPABILITY_DELETED: /);
    expect(await pml.undelete("say:loud")).toMatchObject({ display_name: "say:loud" });
  });

  it("is joined by later clients, and joins a running gateway", async () => {
    const other = await createPml({ config, scope: "acme/web/bob" });
    try {
      expect(await other.lookup("math:add")).toMatchObject({ display_name: "math:add" });
      expect(await refusal(other.lookup("no:such"))).toMatch(/^CAPABILITY_NOT_FOUND: /);
      await other.save({ intent: "b", code: "return 'bob';", name: "bob:own" });
      expect(await pml.whois("bob:own")).toMatchObject({ created_by: "bob@acme" });
      expect(await other.execute({ intent: "b", capability: "bob:own" })).toMatchObject({ result: "bob" });
    } finally {
      await other.close();
    }
  });
});

describe("[UX-4] what the library saved, an agent has", () => {
  const gateway = useGateway("background", { mcpServers: {} });
  const client = useClient(gateway, "v2-2025");

  it("in its list of tools", async () => {
    vi.stubEnv("PML_KEY_DIR", gateway().env.PML_KEY_DIR ?? "");
    const pml = await createPml({ config: gateway().config, dataDir: gateway().dataDir });
    vi.unstubAllEnvs();
    try {
      await client().tools();
      await pml.save({ intent: "seven", code: "return 7;", name: "num:seven" });
      expect((await client().tools()).map(({ name }) => name)).toContain("mcp__num__seven");
    } finally {
      await pml.close();
    }
  });
});
