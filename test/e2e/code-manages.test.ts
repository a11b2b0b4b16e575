/** PML's own operations, called from code: `mcp.cap.lookup({ … })`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/app/operations.js";
import { ask, counted, execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

const config = {
  mcpServers: { work: fixture("work"), "c-a-p": fixture("names", "look_up", "verify") },
  approvals: { unannotated: "auto", scripted: true },
};
/** No person can be asked. */
const ALONE = { can: [] } as const;
/** The same code is one capability, so each is its own. */
const reading = (name: string) =>
  `const one = { ${name.replace(":", "_")}: await mcp.work.read_file({ path: args.path }) };
return JSON.parse(one.${name.replace(":", "_")}.content).n;`;
const A = { path: "a.json" };
const ONLY_OPERATIONS = "Not remembered: the code calls only operations of PML, such as cap:list.";

const gateway = useGateway("background", config);
const client = useClient(gateway, "v2-2025", ALONE);

describe("[LP-3] code that calls operations of PML", () => {
  const remember = (name: string) => succeeds(client(), { code: reading(name), args: A, name });
  const value = async (code: string, more: Fields = {}) =>
    (await succeeds(client(), { code, ...more })).result;
  const thrown = (call: string) =>
    `try { await ${call}; return "done"; } catch (error) { return [error.name, error.code, error.message]; }`;

  it("gets structured answers, under every spelling of a name", async () => {
    await remember("spell:read");
    const code = `const found = await mcp.cap.lookup({ name: "spell:read" });
const all = await mcp["cap:list"]({ pattern: "spell:*" });
const computed = await mcp["cap:" + "list"]({ pattern: "spell:*" });
const history = await mcp.cap.history({ name: "spell:read" });
const whois = await mcp["cap"]["whois"]({ name: found.fqdn });
return [found.fqdn, all.total, computed.total, history.versions.length, whois.display_name];`;
    const { result, tasks, warnings, capabilityName } = await succeeds(client(), { code });
    expect(result).toEqual([
      expect.stringMatching(/^local\.default\.spell\.read\.[0-9a-f]{4}$/),
      1,
      1,
      1,
      "spell:read",
    ]);
    expect(tasks?.map(({ tool, success }) => `${tool} ${success}`)).toEqual([
      "cap:lookup true",
      "cap:list true",
      "cap:list true",
      "cap:history true",
      "cap:whois true",
    ]);
    expect([warnings, capabilityName]).toEqual([[ONLY_OPERATIONS], undefined]);
  });

  it("reads traces, results of tasks, and what fits an intent, as this session sees them", async () => {
    const run: Fields = {
      ...(await succeeds(client(), {
        code: 'return (await mcp.work.echo({ value: "x".repeat(500) })).value.length;',
      })),
    };
    expect(run.result).toBe(500);
    const code = `const { tasks } = await mcp.pml.trace({ workflow_id: args.id });
const page = await mcp.pml.getTaskResult({ workflow_id: args.id, task_id: tasks[0].taskId, limit: 9 });
const { results } = await mcp.pml.discover({ intent: "read a file", filter: { type: "tool" } });
return [tasks[0].tool, page.content, results[0].name];`;
    // The name is the one that code calls.
    expect(await value(code, { args: { id: run.workflowId as string } })).toEqual([
      "work:echo",
      '{"value":',
      "mcp.work.read_file",
    ]);
  });

  it("saves, renames, forks, merges, deletes and curates, with the rights of an agent", async () => {
    await remember("one:read");
    const code = `const renamed = await mcp.cap.rename({ name: "one:read", new_name: "one:load" });
const saved = await mcp.cap.save({ name: "two:count", intent: "count", code: 'return await mcp.work.count({ id: "two" })' });
const forked = await mcp.cap.fork({ source: "one:load", name: "three:load" });
const merged = await mcp.cap.merge({ sources: ["one:load", "two:count"], name: "four:both", code: "return [await mcp.one.load(args), await mcp.two.count({})];" });
await mcp.cap.delete({ name: "three:load" });
const curated = await mcp.cap.curate({ mode: "apply", renames: [{ id: "two:count", name: "two:tell" }] });
return [renamed.display_name, saved.display_name, forked.display_name, merged.display_name, curated.applied];`;
    expect(await value(code)).toEqual(["one:load", "two:count", "three:load", "four:both", 1]);
    expect(await lookUp(client(), "two:tell")).toMatchObject({ display_name: "two:tell" });
    expect((await fails(client(), { capability: "three:load" })).code).toBe("CAPABILITY_DELETED");
    const { versions } = (await ask(client(), "cap_history", { name: "one:load" })) as { versions: unknown };
    expect(versions).toHaveLength(1);
  });

  it("is told what failed as an Error with its code", async () => {
    expect(await value(thrown('mcp.cap.lookup({ name: "nobody:has_it" })'))).toEqual([
      "ToolError",
      "CAPABILITY_NOT_FOUND",
      expect.stringContaining("nobody:has_it"),
    ]);
    expect(await value(thrown('mcp.cap.lookup(JSON.parse("{}"))'))).toEqual([
      "ToolError",
      "ARGUMENTS_INVALID",
      expect.stringContaining("name is missing"),
    ]);
    // An uncaught error fails the run.
    expect(
      await fails(client(), { code: 'return await mcp.cap.rename({ name: "x:y", new_name: "é" });' }),
    ).toMatchObject({ code: "CAPABILITY_NOT_FOUND" });
    expect(await fails(client(), { code: 'return await mcp.cap.lookup({ nam: "x" });' })).toMatchObject({
      code: "ARGUMENTS_INVALID",
      hint: expect.stringContaining("name"),
    });
    expect(await fails(client(), { code: "return await mcp.cap.lokup({});" })).toMatchObject({
      code: "TOOL_NOT_FOUND",
      hint: expect.stringContaining("mcp.cap.lookup"),
    });
  });

  it("shares one run with tools: that is remembered, and what writes fails when it is called", async () => {
    await remember("mix:read");
    const reads = `const { total } = await mcp.cap.list({ pattern: "mix:*" });
return { total, n: (await mcp.work.count({ id: "mix" })).count };`;
    expect(await succeeds(client(), { code: reads, name: "mix:counts" })).toMatchObject({
      capabilityName: "mix:counts",
      result: { total: 1, n: 1 },
    });
    expect(await value("return await mcp.mix.counts({});")).toEqual({ total: 2, n: 2 });
    const writes = `await mcp.work.count({ id: "mix" });
return (await mcp.cap.rename({ name: "mix:read", description: "again" })).description;`;
    expect(await succeeds(client(), { code: writes, name: "mix:writes" })).toMatchObject({ result: "again" });
    const inside = { code: "NOT_ALLOWED", message: expect.stringContaining("inside a called capability") };
    expect(await fails(client(), { capability: "mix:writes" })).toMatchObject(inside);
    expect(await fails(client(), { code: "return await mcp.mix.writes({});" })).toMatchObject(inside);
    // Sent once more it is code of this request, though it is known.
    expect(await value(writes)).toBe("again");
  });

  it("is named after its tools, and misses none", async () => {
    const code = `const { total } = await mcp.cap.list({ pattern: "none:*" });
const file = await mcp.work.read_file({ path: args.path });
return [total, file.content];`;
    const { capabilityName, capabilityFqdn } = await succeeds(client(), { code, args: A });
    expect(capabilityFqdn).toMatch(/^local\.default\.work\./);
    const { suggestions } = await ask(client(), "cap_curate", {});
    expect(suggestions).toContainEqual(
      expect.objectContaining({
        currentName: capabilityName,
        suggestedName: expect.stringMatching(/^work:/),
      }),
    );
    const { trust, tools_used } = await ask(client(), "cap_whois", { name: capabilityName });
    expect(tools_used).toEqual(["cap:list", "work:read_file"]);
    expect(trust).not.toHaveProperty("missing_tools");
  });

  it("may write by a computed name in code that is sent, and not inside a capability", async () => {
    await remember("sly:read");
    const code = `await mcp.work.count({ id: "sly" });
return (await mcp["cap:" + args.what]({ name: "sly:read", description: "sly" })).description;`;
    expect(await succeeds(client(), { code, args: { what: "rename" }, name: "sly:writes" })).toMatchObject({
      result: "sly",
    });
    expect((await fails(client(), { capability: "sly:writes", args: { what: "rename" } })).code).toBe(
      "NOT_ALLOWED",
    );
  });

  it("goes on with what it was planned with, whatever it renames or deletes on the way", async () => {
    await remember("self:read");
    const code = `await mcp.cap.rename({ name: "self:read", new_name: "self:moved" });
const first = await mcp.self.read({ path: "a.json" });
await mcp.cap.delete({ name: "self:moved" });
return [first, await mcp.self.read({ path: "b.json" })];`;
    expect(await value(code)).toEqual([1, 2]);
    const own = 'const all = await mcp.cap.save({ name: "self:saved", intent: "x", code: args.code });';
    const saves = `${own}\nawait mcp.work.count({ id: "self" });\nreturn all.display_name;`;
    const { result, capabilityName } = await succeeds(client(), { code: saves, args: { code: saves } });
    expect([result, capabilityName]).toEqual(["self:saved", "self:saved"]);
  });

  it("is not saved where it calls nothing else", async () => {
    for (const input of [
      { code: "return await mcp.cap.list({});" },
      { source: { type: "tool", tool: "cap:list" } },
      { source: { type: "dag", tasks: [{ id: "a", tool: "cap:list" }] } },
    ])
      expect(await value(thrown(`mcp.cap.save(${JSON.stringify({ intent: "x", ...input })})`))).toEqual([
        "ToolError",
        "ARGUMENTS_INVALID",
        expect.stringContaining("calls only operations of PML"),
      ]);
    const named = await succeeds(client(), { code: "return await mcp.cap.list({});", name: "only:list" });
    expect(named.warnings).toEqual([ONLY_OPERATIONS]);
  });

  it("is not answered from a cache, though it only reads", async () => {
    const code = `await mcp.work.read_file({ path: "a.json" });
return (await mcp.cap.list({ pattern: "fresh:*" })).total;`;
    expect(await succeeds(client(), { code, name: "stale:count" })).toMatchObject({ result: 0 });
    expect(await execute(client(), { capability: "stale:count" })).toMatchObject({ result: 0 });
    await remember("fresh:read");
    const again: Fields = { ...(await execute(client(), { capability: "stale:count" })) };
    expect([again.result, again.cacheHit]).toEqual([1, undefined]);
  });

  it("is shown by a dry run, which asks no person about operations", async () => {
    const code = 'await mcp.work.count({});\nawait mcp.cap.rename({ name: "a:b", description: "c" });';
    const dry: Fields = { ...(await execute(client(), { code, options: { dry_run: true } })) };
    const { permissions, problems } = dry as { readonly permissions: Fields; readonly problems: unknown };
    expect(problems).toEqual([]);
    expect(permissions).toMatchObject({ servers: ["work"], needsApproval: [], missing: [] });
    expect(permissions.tools).toContainEqual(
      expect.objectContaining({ tool: "cap:rename", approvalMode: "auto" }),
    );
  });

  it("has operations in graphs of tasks", async () => {
    await remember("graph:read");
    const tasks = [
      { id: "found", tool: "cap:lookup", arguments: { name: "graph:read" } },
      { id: "count", tool: "work:count", arguments: { id: { $ref: "found.fqdn" } } },
    ];
    expect((await succeeds(client(), { dag: { tasks } })).result).toEqual({ count: { count: 1 } });
    const only = [{ id: "a", tool: "pml:execute", arguments: { intent: "x" } }];
    expect((await fails(client(), { dag: { tasks: only } })).code).toBe("TOOL_DENIED");
  });

  it("is not deceived by a server that is called nearly like PML", async () => {
    await remember("like:read");
    expect(await value('return (await mcp.cap.lookup({ name: "like:read" })).display_name;')).toBe(
      "like:read",
    );
    expect(await value('return (await mcp.cap.lookUp({ name: "like:read" })).display_name;')).toBe(
      "like:read",
    );
    // The server keeps its ids.
    expect(await value('return await mcp["c-a-p"].look_up({});')).toBe("look_up");
    expect(await value('return await mcp["c-a-p:verify"]({});')).toBe("verify");
    expect((await fails(client(), { code: "return await mcp.cap.verify({});" })).code).toBe("TOOL_DENIED");
  });

  it("[TB-6] no capability is what an operation is called", async () => {
    for (const name of ["verify", "list"]) await remember(name);
    expect((await fails(client(), { code: "return await mcp.cap.verify({});" })).code).toBe("TOOL_DENIED");
    expect(await value('return (await mcp.cap.list({ pattern: "no:*" })).total;')).toBe(0);
    expect(await value('return await mcp.list({ path: "b.json" });')).toBe(2);
    expect((await fails(client(), { code: reading("cap:lookup"), args: A, name: "cap:lookup" })).code).toBe(
      "NAME_TAKEN",
    );
  });

  it("asks no person about operations that get PML's own files", async () => {
    const path = JSON.stringify(gateway().dataDir);
    const code = `return (await mcp.pml.discover({ intent: ${path} })).results.length >= 0;`;
    expect(await value(code)).toBe(true);
    expect(await value(code, { options: { per_layer_validation: true } })).toBe(true);
  });
});

describe("[LP-3] what code may not call", () => {
  const refused = OPERATIONS.filter((one) => one.who === "person" || one.refusedInCode !== undefined);
  const callable = OPERATIONS.filter((one) => !refused.includes(one)).map(({ id }): string => id);

  it("is all but these", () => {
    expect(callable).toEqual([
      "pml:discover",
      "pml:get_task_result",
      "pml:trace",
      "cap:lookup",
      "cap:list",
      "cap:whois",
      "cap:history",
      "cap:rename",
      "cap:curate",
      "cap:save",
      "cap:fork",
      "cap:merge",
      "cap:delete",
    ]);
  });

  const doors = refused.flatMap(({ id }) => {
    const [space = "", action = ""] = id.split(":");
    return [
      ["dotted", id, `mcp.${space}.${action}(input)`],
      ["in brackets", id, `mcp["${id}"](input)`],
      ["computed", id, `mcp["${space}" + ":" + "${action}"](input)`],
      ["computed in parts", id, `mcp[["${space}"][0]][action](input)`],
    ] as const;
  });

  it.each(doors)("%s: %s", async (_, id, call) => {
    const [, action] = id.split(":");
    const error = await fails(client(), {
      code: `const { input, action } = args;\nreturn [await ${call}, action];`,
      args: { input: {}, action },
    });
    expect(error).toMatchObject({ code: "TOOL_DENIED", message: expect.stringContaining(id) });
  });

  it.each(["mcp.key.trust({})", "mcp.pml.token({})", 'mcp["tools:accept"]({})', "mcp.pml.search_tools({})"])(
    "and what there is not: %s",
    async (call) => {
      expect((await fails(client(), { code: `return await ${call};` })).code).toBe("TOOL_NOT_FOUND");
    },
  );
});

describe("[LP-3] [EX-8] a run", () => {
  it("is an agent's, also where a person has started it with a command", async () => {
    await succeeds(client(), { code: reading("agent:read"), args: A, name: "agent:read" });
    const file = join(gateway().directory, "code.ts");
    const exec = (code: string) => {
      writeFileSync(file, code);
      return gateway().pml("exec", file, "--json");
    };
    await expect(exec('return await mcp.cap.verify({ name: "agent:read" });')).rejects.toThrow("TOOL_DENIED");
    await exec('return await mcp.cap.rename({ name: "agent:read", new_name: "agent:load" });');
    expect(await ask(client(), "cap_whois", { name: "agent:load" })).toMatchObject({
      naming: { from: "agent:read", actor: "agent" },
    });
  });

  it("repeats no operation that it has done when it waited for a person and goes on after a restart", async () => {
    await succeeds(client(), { code: reading("wait:read"), args: A, name: "wait:read" });
    const code = `const forked = await mcp.cap.fork({ source: "wait:read", name: "wait:forked" });
await mcp.work.destroy({});
return forked.display_name;`;
    const options = { per_layer_validation: true };
    const waiting: Fields = { ...(await execute(client(), { code, options })) };
    expect(waiting.status).toBe("approval_required");
    await rename(client(), "wait:forked", "wait:elsewhere");
    await gateway().restart();
    const other = await gateway().connect("v1", ALONE);
    await gateway().pml("approve", waiting.workflowId as string);
    expect(await succeeds(other, { resume: waiting.workflowId })).toMatchObject({ result: "wait:forked" });
    expect(await counted(other, "destroyed")).toBe(1);
    expect(await ask(other, "cap_list", { pattern: "wait:*" })).toMatchObject({ total: 2 });
    await other.close();
  });
});
