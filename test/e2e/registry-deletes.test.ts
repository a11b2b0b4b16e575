/** Capabilities that were deleted: what callers are told, who may have the name, and the way back. */
import { describe, expect, it } from "vitest";
import { ask, counted, errorOf, fails, lookUp, succeeds, wireNames } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

const SERVERS = { mcpServers: { work: fixture("work") }, approvals: { unannotated: "auto" } };
const DAY_MS = 86_400_000;
const dayAfter = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

async function refused(client: TestClient, tool: string, args: Fields): Promise<string> {
  const { code, message } = errorOf(await client.call(tool, args)) ?? {};
  return `${code}: ${message}`;
}

describe("[ID-12] a capability that is deleted", () => {
  const gateway = useGateway("http", { ...SERVERS, registry: { reserveDays: 7 } });
  const client = useClient(gateway, "v2-2025");
  const save = (name: string, code: string) => ask(client(), "cap_save", { intent: "keep", name, code });
  const remove = (name: string) => ask(client(), "cap_delete", { name });
  const restore = (name: string) => ask(client(), "cap_delete", { name, undelete: true });

  it("says so by every form of its name, and is listed nowhere", async () => {
    const { fqdn, id } = await save("gone:it", 'await mcp.work.count({ id: "gone" });\nreturn 1;');
    await ask(client(), "cap_rename", { name: "gone:it", new_name: "gone:away" });
    const code = 'return [await mcp["gone:away@1"]({})];';
    await save("calls:gone", "return await mcp.gone.away({});");
    await save("pins:gone", code);
    const today = new Date().toISOString().slice(0, 10);
    const answer = await remove("gone:away");
    expect(answer).toMatchObject({
      deleted_at: expect.stringContaining(today),
      reserved_until: expect.stringContaining(dayAfter(7)),
      dependents: expect.arrayContaining([
        expect.objectContaining({ name: "calls:gone" }),
        expect.objectContaining({ name: "pins:gone", pinned: 1 }),
      ]),
    });
    const told = {
      code: "CAPABILITY_DELETED",
      message: `Capability gone:away was deleted on ${today}`,
      hint: expect.stringContaining("undelete"),
    };
    const label = (fqdn as string).slice(0, (fqdn as string).lastIndexOf("."));
    const forms = ["gone:away", "gone:it", "gone:away@v1", fqdn, label, id, "local.default:gone:away"];
    for (const form of forms as readonly string[]) {
      expect(await fails(client(), { capability: form }), form).toMatchObject(told);
      expect(errorOf(await client().call("cap_lookup", { name: form })), form).toMatchObject(told);
      expect(errorOf(await client().call(`cap:${form}`)), form).toMatchObject(told);
    }
    for (const stale of ["mcp__gone__away", "mcp__gone__it", "gone:away"])
      expect(errorOf(await client().call(stale)), stale).toMatchObject(told);
    for (const capability of ["calls:gone", "pins:gone"])
      expect((await fails(client(), { capability })).code, capability).toBe("CAPABILITY_DELETED");
    for (const code of ["return await mcp.gone.away({});", "return await capabilities['gone:it']({});"])
      expect((await fails(client(), { code })).code, code).toBe("CAPABILITY_DELETED");
    for (const [tool, args] of [
      ["cap_fork", { source: "gone:away", name: "x:y" }],
      ["cap_merge", { sources: ["calls:gone", "gone:away"], name: "x:y" }],
      ["cap_rename", { name: "gone:away", new_name: "x:y" }],
      ["cap_whois", { name: "gone:away" }],
      ["cap_history", { name: "gone:away" }],
      ["cap_delete", { name: "gone:away" }],
      ["cap_save", { intent: "x", code: "return [1, await mcp.gone.away({})];" }],
    ] as const)
      expect(await refused(client(), tool, args), tool).toMatch(/^CAPABILITY_DELETED/);
    expect(await counted(client(), "gone")).toBe(0);
    expect(await wireNames(client())).not.toContain("mcp__gone__away");
    expect(await ask(client(), "cap_list", { pattern: "gone:*" })).toMatchObject({ total: 0 });
    expect((await lookUp(client(), "calls:gone")).dependencies).toMatchObject([
      { name: "gone:away", deleted_at: expect.stringContaining(today) },
    ]);
  });

  it("[WIRE-6] is announced as gone, and as back", async () => {
    await save("news:it", "return 'news';");
    const listener = await gateway().connect("v2-2025");
    expect(await wireNames(listener)).toContain("mcp__news__it");
    let told = await listener.news.toolChangesAtRest();
    await remove("news:it");
    await listener.news.until(({ toolChanges }) => toolChanges > told);
    expect(await wireNames(listener)).not.toContain("mcp__news__it");
    told = await listener.news.toolChangesAtRest();
    await restore("news:it");
    await listener.news.until(({ toolChanges }) => toolChanges > told);
    expect(await wireNames(listener)).toContain("mcp__news__it");
    expect(await ask(listener, "mcp__news__it")).toEqual({ result: "news" });
  });

  it("[ID-3] keeps its names from everybody", async () => {
    await save("kept:old", "return 'kept';");
    await ask(client(), "cap_rename", { name: "kept:old", new_name: "kept:name" });
    await remove("kept:name");
    await save("free:one", "return 'free';");
    const other = 'await mcp.work.count({ id: "kept" });\nreturn 2;';
    for (const name of ["kept:name", "Kept:Name", "kept:old"]) {
      const doors: readonly (readonly [string, Fields])[] = [
        ["cap_save", { intent: "x", code: other, name }],
        ["cap_rename", { name: "free:one", new_name: name }],
        ["cap_fork", { source: "free:one", name }],
        ["cap_merge", { sources: ["free:one", "free:one"], name }],
        ["pml_execute", { intent: "x", code: other, name }],
        ["pml_execute", { intent: "x", code: other, name, options: { update: true } }],
      ];
      for (const [tool, args] of doors)
        expect(await refused(client(), tool, args), `${tool} ${name}`).toMatch(
          /^NAME_TAKEN: Capability name '.*' already exists in scope local\.default/,
        );
    }
    expect(await counted(client(), "kept")).toBe(0);
    const told = errorOf(await client().call("cap_save", { intent: "x", code: other, name: "kept:name" }));
    expect(told?.hint).toContain(`reserved until ${dayAfter(7)}`);
  });

  it("comes back with everything that it had", async () => {
    await save("back:it", "return 'v1';");
    await save("back:it", "return 'v2';");
    await ask(client(), "cap_rename", { name: "back:it", new_name: "back:named", tags: ["a"] });
    await save("back:caller", "return [await mcp.back.named({})];");
    await succeeds(client(), { capability: "back:named" });
    const before = await lookUp(client(), "back:named");
    await remove("back:named");
    expect(await restore("back:it")).toMatchObject({ display_name: "back:named", version: 2, tags: ["a"] });
    expect(await lookUp(client(), "back:named")).toMatchObject({
      id: before.id,
      fqdn: before.fqdn,
      aliases: ["back:it"],
    });
    expect((await succeeds(client(), { capability: "back:it@1" })).result).toBe("v1");
    expect((await succeeds(client(), { capability: "back:caller" })).result).toEqual(["v2"]);
    expect(await refused(client(), "cap_delete", { name: "back:named", undelete: true })).toMatch(
      /^CAPABILITY_NOT_FOUND: Nothing to undelete: back:named is not deleted/,
    );
    expect(await refused(client(), "cap_delete", { name: "back:never", undelete: true })).toMatch(
      /^CAPABILITY_NOT_FOUND: Nothing to undelete/,
    );
    expect(await refused(client(), "cap_delete", { name: "back:named@1" })).toMatch(/^ARGUMENTS_INVALID/);
  });

  it("[ID-8] does not come back where its code lives on as another", async () => {
    const code = "return 'lives on';";
    await save("life:first", code);
    await remove("life:first");
    expect(await save("life:second", code)).toMatchObject({ saved: "created", version: 1 });
    expect(await refused(client(), "cap_delete", { name: "life:first", undelete: true })).toMatch(
      /^CAPABILITY_EXISTS: Cannot undelete life:first: the same code is life:second now/,
    );
    await remove("life:second");
    expect(await restore("life:first")).toMatchObject({ display_name: "life:first" });
    expect((await succeeds(client(), { capability: "life:first" })).result).toBe("lives on");
  });

  it("is still deleted after a restart, and can still come back", async () => {
    await save("rest:it", "return 'rest';");
    expect(await wireNames(client())).toContain("mcp__rest__it");
    await remove("rest:it");
    await gateway().restart();
    const later = await gateway().connect("v2-2025");
    expect(await wireNames(later)).not.toContain("mcp__rest__it");
    expect((await fails(later, { capability: "rest:it" })).code).toBe("CAPABILITY_DELETED");
    expect(errorOf(await later.call("mcp__rest__it"))?.code).toBe("CAPABILITY_DELETED");
    await ask(later, "cap_delete", { name: "rest:it", undelete: true });
    expect((await succeeds(later, { capability: "rest:it" })).result).toBe("rest");
  });
});

describe("[ID-12] without days of reservation", () => {
  const gateway = useGateway("http", { ...SERVERS, registry: { reserveDays: 0 } });
  const client = useClient(gateway, "v2-2025");

  it("a deleted name is free at once, and there is no way back", async () => {
    await succeeds(client(), { code: "return 'old';", name: "free:now" });
    await succeeds(client(), { code: "return [await mcp.free.now({})];", name: "free:caller" });
    await ask(client(), "cap_delete", { name: "free:now" });
    expect((await fails(client(), { capability: "free:now" })).code).toBe("CAPABILITY_NOT_FOUND");
    expect(await refused(client(), "cap_delete", { name: "free:now", undelete: true })).toMatch(
      /^CAPABILITY_NOT_FOUND: Nothing to undelete/,
    );
    await succeeds(client(), { code: "return 'new';", name: "free:now" });
    expect((await succeeds(client(), { capability: "free:now" })).result).toBe("new");
    // It called the old capability, not the one that has its name now.
    expect((await fails(client(), { capability: "free:caller" })).code).toMatch(/^CAPABILITY_/);
    await ask(client(), "cap_delete", { name: "free:now" });
    await succeeds(client(), { code: "return 'old';", name: "free:now" });
    expect((await succeeds(client(), { capability: "free:now" })).result).toBe("old");
  });
});
