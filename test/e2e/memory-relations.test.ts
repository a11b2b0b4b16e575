/** What calls what: told by cap_lookup, kept through renames and updates, and named when it is gone. */
import { describe, expect, it } from "vitest";
import { execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import { inStore } from "../support/opened-store.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

interface Related {
  readonly name: string;
  readonly fqdn: string;
  readonly version: number;
}

interface Structure {
  readonly nodes: readonly { readonly type: string; readonly name?: string }[];
}

describe("[AN-10] capabilities that call one another", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const learn = (name: string, code: string, more: object = {}) =>
    succeeds(client(), { code, name, ...more });
  const update = { options: { update: true } };
  const related = async (name: string, field: "dependencies" | "dependents") =>
    ((await lookUp(client(), name))[field] as readonly Related[]).map(
      (one) => `${one.name}@${one.version} ${one.fqdn.split(".").slice(2, 4).join(":")}`,
    );
  const structureOf = async (capability: string) => {
    const answer = await execute(client(), { capability, options: { dry_run: true } });
    const { nodes } = (answer as unknown as { readonly dag: Structure }).dag;
    return nodes.filter(({ type }) => type === "capability").map(({ name }) => name);
  };

  it("are shown by lookup, and follow renames and updates", async () => {
    await learn("rel:callee", "return 'one';");
    await learn("rel:caller", "return [await mcp.rel.callee({})];");
    await learn("rel:outer", "return [await mcp.rel.caller({})];");
    expect(await lookUp(client(), "rel:callee")).toMatchObject({ dependencies: [] });
    expect(await related("rel:callee", "dependents")).toEqual(["rel:caller@1 rel:caller"]);
    expect(await related("rel:caller", "dependencies")).toEqual(["rel:callee@1 rel:callee"]);
    expect(await related("rel:caller", "dependents")).toEqual(["rel:outer@1 rel:outer"]);
    expect(await structureOf("rel:caller")).toEqual(["rel:callee"]);

    await rename(client(), "rel:callee", "rel:renamed");
    expect((await succeeds(client(), { capability: "rel:caller" })).result).toEqual(["one"]);
    expect(await structureOf("rel:caller")).toEqual(["rel:renamed"]);
    expect(await related("rel:caller", "dependencies")).toEqual(["rel:renamed@1 rel:callee"]);

    await learn("rel:renamed", "return 'two';", update);
    expect((await succeeds(client(), { capability: "rel:outer" })).result).toEqual([["two"]]);
    expect(await related("rel:caller", "dependencies")).toEqual(["rel:renamed@2 rel:callee"]);

    await learn("rel:caller", "return 'alone';", update);
    expect(await related("rel:caller", "dependencies")).toEqual([]);
    expect(await related("rel:caller@v1", "dependencies")).toEqual(["rel:renamed@2 rel:callee"]);
    expect(await related("rel:renamed", "dependents")).toEqual([]);
  });

  it("[EX-12] are refused by a dry run too where an update would make callers too deep", async () => {
    await learn("deep:c1", "return 1;");
    for (let depth = 2; depth <= 8; depth += 1)
      await learn(`deep:c${depth}`, `return 1 + (await mcp.deep.c${depth - 1}({}));`);
    await learn("deep:c0", "return 0;");
    const code = "return 1 + (await mcp.deep.c0({}));";
    const dry = (await execute(client(), {
      code,
      name: "deep:c1",
      options: { update: true, dry_run: true },
    })) as unknown as { readonly problems: readonly object[] };
    const path = [8, 7, 6, 5, 4, 3, 2, 1, 0].map((depth) => `deep:c${depth}`).join(" → ");
    expect(dry.problems).toMatchObject([
      {
        code: "CODE_REFUSED",
        message: `Capabilities call each other more than 8 levels deep: ${path}`,
        line: 1,
      },
    ]);
  });

  it("say what is gone, and who calls it, at any distance", async () => {
    await learn("gone:callee", "return 'here';");
    await learn("gone:caller", "return [await mcp.gone.callee({})];");
    await learn("gone:outer", "return [await mcp.gone.caller({})];");
    const { fqdn } = await lookUp(client(), "gone:callee");
    await gateway().restart(() =>
      inStore(gateway().dataDir, async (database) => {
        for (const table of ["capability_versions", "rename_history"])
          await database.query(`alter table ${table} disable trigger all`);
        const of = [String(fqdn)];
        await database.query("delete from execution_trace where capability_id = $1", of);
        await database.query("delete from capability_trust where capability_fqdn = $1", of);
        await database.query("delete from capability_versions where capability_fqdn = $1", of);
        await database.query("delete from capability_records where id = $1", of);
        for (const table of ["capability_versions", "rename_history"])
          await database.query(`alter table ${table} enable trigger all`);
      }),
    );
    const later = await gateway().connect("v2-2025");
    expect(await fails(later, { capability: "gone:caller" })).toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
      message: `Capability not found: ${fqdn}, which gone:caller calls: gone:caller → gone:callee`,
    });
    expect(await fails(later, { capability: "gone:outer" })).toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
      message: `Capability not found: ${fqdn}, which gone:caller calls: gone:outer → gone:caller → gone:callee`,
    });
  });
});
