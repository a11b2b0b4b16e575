/** A real tool keeps its id and its wire name; a capability of the same name gives way. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ask, errorOf, execute, fails, succeeds, wireNames } from "../support/agent.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

/** A busy machine gets more. */
const SOON = { timeout: 20_000 };
const approvals = { unannotated: "auto" };
const mail = { mcpServers: { mail: fixture("growing") }, approvals };

const save = (client: TestClient, name: string, code: string) =>
  ask(client, "cap_save", { intent: "take a name", name, code });
const textOf = async (client: TestClient, tool: string) => {
  const { content } = await client.call(tool);
  return (content as readonly { text?: string }[])[0]?.text;
};
const grow = (client: TestClient, ...names: readonly string[]) => client.call("mail:grow", { names });
const shrink = (client: TestClient, ...names: readonly string[]) => client.call("mail:shrink", { names });
const shownName = async (client: TestClient, fqdn: unknown) =>
  (await ask(client, "cap_lookup", { name: fqdn })).display_name;
const isCalled = (client: TestClient, fqdn: unknown, name: string) =>
  expect.poll(() => shownName(client, fqdn), SOON).toBe(name);
const renamesOf = async (client: TestClient, name: unknown) =>
  (await ask(client, "cap_history", { name })).renames as readonly Readonly<Record<string, unknown>>[];

describe("a capability that had the name of a tool first", () => {
  const gateway = useGateway("background", mail);
  const client = useClient(gateway, "v2-2025");

  it("[TB-6, WIRE-2, WIRE-6] gives way in every spelling, is announced, and says so in its history and in pml doctor", async () => {
    const { fqdn } = await save(client(), "Mail:Send", "return 'captured';");
    expect(await wireNames(client())).toContain("mcp__Mail__Send");
    const told = await client().news.toolChangesAtRest();
    await grow(client(), "send");
    await client().news.until(({ toolChanges }) => toolChanges > told);
    await isCalled(client(), fqdn, "Mail:Send_2");
    await expect.poll(() => wireNames(client()), SOON).toContain("mcp__Mail__Send_2");
    const listed = await client().tools();
    const named = listed.filter(({ name }) => name.toLowerCase() === "mcp__mail__send");
    expect(named.map(({ name, _meta }) => [name, _meta?.["pml/id"]])).toEqual([
      ["mcp__mail__send", "mail:send"],
    ]);
    for (const form of ["mail:send", "mcp__mail__send", "MCP__Mail--Send"])
      expect(await textOf(client(), form), form).toBe("send was here");
    for (const callee of ["mcp.mail.send", "mcp.Mail.Send", 'mcp["mail:send"]', 'mcp["Mail:Send"]'])
      expect((await succeeds(client(), { code: `return await ${callee}({});` })).result, callee).toBe(
        "send was here",
      );
    // The old name is no alias: a request for a capability of that name gets "not found".
    for (const capability of [
      "mail:send",
      "Mail:Send",
      "cap:mail:send",
      "mail:send@v1",
      "local.default:mail:send",
    ])
      expect((await fails(client(), { capability })).code, capability).toBe("CAPABILITY_NOT_FOUND");
    expect((await execute(client(), { code: "return await capabilities.mail.send({});" })).status).toBe(
      "error",
    );
    expect((await succeeds(client(), { capability: "mail:send_2" })).result).toBe("captured");
    expect(await ask(client(), "mcp__Mail__Send_2")).toEqual({ result: "captured" });
    expect(await renamesOf(client(), "mail:send_2")).toMatchObject([
      { from: "Mail:Send", to: "Mail:Send_2", by: "pml", actor: "auto", gave_way_to: "mail:send" },
    ]);
    expect(await gateway().pml("cap", "history", "mail:send_2")).toContain(
      "the old name is the tool mail:send",
    );
    const doctor = await gateway().pml("doctor");
    expect(doctor).toContain("capability Mail:Send_2");
    expect(doctor).toContain("its former name Mail:Send now belongs to the tool mail:send");
  });

  it("[TB-6] does not change what saved code calls", async () => {
    await save(client(), "mail:quote", "return 'quoted ' + args.n;");
    await save(client(), "desk:quote", "return await mcp.mail.quote({ n: args.n });");
    await grow(client(), "quote");
    await expect.poll(() => wireNames(client()), SOON).toContain("mcp__mail__quote_2");
    expect((await succeeds(client(), { capability: "desk:quote", args: { n: 7 } })).result).toBe("quoted 7");
    const fresh = await succeeds(client(), { code: "return await mcp.mail.quote({ n: 7 });" });
    expect(fresh.result).toBe("quote was here");
    await gateway().restart();
    const again = await gateway().connect("v2-2025");
    expect((await succeeds(again, { capability: "desk:quote", args: { n: 8 } })).result).toBe("quoted 8");
    await again.close();
  });
});

describe("names that meet tools", () => {
  const gateway = useGateway("background", mail);
  const client = useClient(gateway, "v2-2025");

  it("[TB-6] keep the new name when the tool goes, and the old one can be given again", async () => {
    const { fqdn } = await save(client(), "mail:draft", "return 'first';");
    await grow(client(), "draft");
    await isCalled(client(), fqdn, "mail:draft_2");
    await shrink(client(), "draft");
    await expect.poll(() => wireNames(client()), SOON).not.toContain("mcp__mail__draft");
    await expect
      .poll(async () => errorOf(await client().call("cap:mail:draft"))?.code, SOON)
      .toBe("CAPABILITY_NOT_FOUND");
    expect(await shownName(client(), fqdn)).toBe("mail:draft_2");
    const second = await save(client(), "mail:draft", "return 'second';");
    expect(await textOf(client(), "mail:draft")).toBe('{"result":"second"}');
    await grow(client(), "draft");
    await isCalled(client(), second.fqdn, "mail:draft_3");
  });

  it("[TB-6] skip numbers that are taken, by capabilities and by tools", async () => {
    await save(client(), "mail:list_2", "return 'two';");
    const { fqdn } = await save(client(), "mail:list", "return 'one';");
    await grow(client(), "list", "list_3");
    await isCalled(client(), fqdn, "mail:list_4");
  });

  it("[TB-6] are no aliases while the tool exists, nor afterwards", async () => {
    const { fqdn } = await save(client(), "mail:reply", "return 'replied';");
    await ask(client(), "cap_rename", { name: "mail:reply", new_name: "desk:answer" });
    expect((await succeeds(client(), { capability: "mail:reply" })).result).toBe("replied");
    await grow(client(), "reply");
    await expect
      .poll(async () => (await ask(client(), "cap_lookup", { name: fqdn })).aliases, SOON)
      .toEqual([]);
    expect(await textOf(client(), "mail:reply")).toBe("reply was here");
    expect(await shownName(client(), fqdn)).toBe("desk:answer");
    expect((await renamesOf(client(), "desk:answer"))[0]).toMatchObject({
      from: "mail:reply",
      gave_way_to: "mail:reply",
    });
  });

  it("[TB-6, ID-12] come back under another name when their capability is undeleted, and the answer says so", async () => {
    await save(client(), "mail:archive", "return 'archived';");
    await ask(client(), "cap_delete", { name: "mail:archive" });
    await grow(client(), "archive");
    await expect.poll(() => wireNames(client()), SOON).toContain("mcp__mail__archive");
    const back = await ask(client(), "cap_delete", { name: "mail:archive", undelete: true });
    expect(back.display_name).toBe("mail:archive_2");
    expect(String(back.warnings)).toContain("mail:archive is now the name of a tool");
    expect(await textOf(client(), "mail:archive")).toBe("archive was here");
  });

  it("[TB-6, ID-3] are refused to code, saves, renames, forks and merges, however they are spelled", async () => {
    await grow(client(), "open_file", "Open-File", "close");
    await expect.poll(() => wireNames(client()), SOON).toContain("mcp__mail__close");
    await save(client(), "desk:free", "return 'free';");
    for (const name of ["mail:close", "Mail:CLOSE", "mail:openfile", "mail:open_File"]) {
      for (const [tool, input] of [
        ["cap_save", { intent: "x", name, code: "return 'other';" }],
        ["cap_rename", { name: "desk:free", new_name: name }],
        ["cap_fork", { source: "desk:free", name }],
        ["cap_merge", { sources: ["desk:free", "desk:free"], name }],
      ] as const)
        expect(errorOf(await client().call(tool, input))?.code, `${tool} ${name}`).toBe("NAME_TAKEN");
      expect((await fails(client(), { code: "return 'new code';", name })).code, name).toBe("NAME_TAKEN");
    }
  });

  it("[WIRE-1, WIRE-3] of two tools that differ in case or punctuation run only by their exact names", async () => {
    await grow(client(), "tool_1", "Tool-1");
    await expect.poll(() => wireNames(client()), SOON).toContain("mcp__mail__Tool-1");
    expect(await textOf(client(), "mcp__mail__Tool-1")).toBe("Tool-1 was here");
    expect(await textOf(client(), "mail:tool_1")).toBe("tool_1 was here");
    await expect(client().call("mcp__mail__tool_1")).rejects.toThrow('Unknown tool: "mcp__mail__tool_1"');
  });
});

describe("a server that is added later", () => {
  const gateway = useGateway("background", { mcpServers: {}, approvals });

  it("[TB-6] has its names at once, on every start", async () => {
    const before = await gateway().connect("v2-2025");
    const { fqdn } = await save(before, "odd:1st", "return 'captured';");
    // Its wire name is that of a tool, its display name is not.
    const bare = await ask(before, "cap_save", { intent: "x", name: "odd:colon:n", code: "return 'colon';" });
    await wireNames(before);
    await gateway().restart(async () => {
      const config = JSON.parse(readFileSync(gateway().config, "utf8")) as object;
      writeFileSync(
        gateway().config,
        JSON.stringify({ ...config, mcpServers: { odd: fixture("names", "colon_n") } }),
      );
    });
    const client = await gateway().connect("v2-2025");
    expect(await textOf(client, "odd:1st")).toBe("1st");
    expect(await textOf(client, "mcp__odd__1st")).toBe("1st");
    expect((await succeeds(client, { code: 'return await mcp.odd["1st"]({});' })).result).toBe("1st");
    await isCalled(client, fqdn, "odd:1st_2");
    expect(await textOf(client, "mcp__odd__colon_n")).toBe("colon_n");
    expect(await shownName(client, bare.fqdn)).toBe("odd:colon:n");
    const [wire] = (await client.tools()).filter(({ _meta }) => _meta?.["pml/id"] === "odd:colon:n");
    expect(wire?.name).toMatch(/^mcp__odd__colon_n_[0-9a-f]{6}$/);
    expect(await ask(client, wire?.name ?? "")).toEqual({ result: "colon" });
    const folds = (await wireNames(client)).map((name) => name.toLowerCase().replaceAll("-", "_"));
    expect(new Set(folds).size).toBe(folds.length);
  });

  it("[TB-6, ID-15] is not shadowed by an import", async () => {
    const client = await gateway().connect("v2-2025");
    const file = join(gateway().directory, "exported.jsonl");
    await gateway().pml("export", "--output", file);
    const lines = readFileSync(file, "utf8").replaceAll('"odd:1st_2"', '"odd:A-b"');
    writeFileSync(file, lines);
    const target = await startedElsewhere();
    writeFileSync(join(target.directory, "in.jsonl"), lines);
    const said = await target
      .pml("import", join(target.directory, "in.jsonl"), "--yes", "--json")
      .catch((error: { stdout: string }) => error.stdout);
    expect(said).toContain("it is the id of the tool");
    await client.close();
  });

  const elsewhere = useGateway("background", {
    mcpServers: { odd: fixture("names") },
    approvals: { ...approvals, scripted: true },
  });
  const startedElsewhere = async () => elsewhere();
});

const shared = await sharedStoreConfig();

describe("two gateways on one store, one of which has the server", () => {
  const one = useGateway("http", { ...shared, mcpServers: { mail: fixture("growing") } });
  const two = useGateway("http", { ...shared, mcpServers: {} });
  const others = useGateway("http", { ...shared, mcpServers: {}, scope: { project: "elsewhere" } });

  it("[TB-6, ST-3] agree on the name, and other projects keep theirs", async () => {
    const a = await one().connect("v2-2025");
    const b = await two().connect("v2-2025");
    const c = await others().connect("v2-2025");
    const { fqdn } = await save(b, "mail:send", "return 'captured';");
    const { fqdn: foreign } = await save(c, "mail:send", "return 'elsewhere';");
    await wireNames(b);
    await wireNames(a);
    await grow(a, "send");
    await isCalled(a, fqdn, "mail:send_2");
    await isCalled(b, fqdn, "mail:send_2");
    expect(await textOf(a, "mcp__mail__send")).toBe("send was here");
    expect((await succeeds(b, { capability: "mail:send_2" })).result).toBe("captured");
    const again = await save(b, "mail:send", "return 'captured again';");
    await isCalled(b, again.fqdn, "mail:send_3");
    expect(await textOf(a, "mail:send")).toBe("send was here");
    expect(await shownName(c, foreign)).toBe("mail:send");
  });
});
