/** Code that calls capabilities, and what becomes of it when those change. */
import { describe, expect, it } from "vitest";
import { counted, execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

describe("code that calls capabilities", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const learn = (name: string, code: string, more: object = {}) =>
    succeeds(client(), { code, name, ...more });
  const run = async (capability: string, args: object = {}) =>
    (await succeeds(client(), { capability, args })).result;
  const update = { options: { update: true } };
  const counts = (id: string) => `await mcp.work.count({ id: "${id}" });\n`;

  it("[EX-1] gets what they return, three within one another, and at the same time too", async () => {
    await learn("deep:one", "return { x: args.x ?? 1 };");
    await learn("deep:two", "const r = await mcp.deep.one({ x: args.x });\nreturn { two: r };", {
      args: { x: 5 },
    });
    const answer = await learn(
      "deep:three",
      "const [a, b] = await Promise.all([mcp.deep.two({ x: 1 }), capabilities.deep.two({ x: 2 })]);\nreturn [a, b];",
    );
    expect(answer.result).toEqual([{ two: { x: 1 } }, { two: { x: 2 } }]);
    expect(answer.tasks?.map(({ tool }) => tool).sort()).toEqual([
      "deep:one",
      "deep:one",
      "deep:two",
      "deep:two",
    ]);
    expect(await run("deep:three")).toEqual(answer.result);
  });

  it("[EX-5] has its arguments checked, and defaults filled in, at each call", async () => {
    await learn(
      "checks:inner",
      `${counts("inner")}const f = await mcp.work.readFile({ path: args.path });\nreturn [f.content.length, args.depth ?? 7, args.depth];`,
      { args: { path: "a.json" } },
    );
    // Nothing says before the run what it will pass.
    await learn("checks:outer", "return await mcp.checks.inner(JSON.parse(args.pass));", {
      args: { pass: '{"path":"a.json"}' },
    });
    const outer = (pass: object) => ({ capability: "checks:outer", args: { pass: JSON.stringify(pass) } });
    expect((await succeeds(client(), outer({ path: "b.json" }))).result).toEqual([18, 7, 7]);
    expect((await succeeds(client(), outer({ path: "b.json", depth: 1 }))).result).toEqual([18, 1, 1]);
    const before = await counted(client(), "inner");
    for (const [pass, field] of [
      [{}, "path"],
      [{ path: 5 }, "path"],
      [{ path: "a.json", paht: 1 }, "paht"],
    ] as const) {
      const error = await fails(client(), outer(pass));
      expect(error.code, field).toBe("RUN_FAILED");
      expect(error.message, field).toMatch(
        new RegExp(`^Cannot call capability "checks:inner": .*"${field}"`),
      );
    }
    expect(await counted(client(), "inner")).toBe(before);
  });

  it("[AN-10] goes on without a warning when a callee is renamed, and code that writes the old name is warned", async () => {
    await learn("ren:old", "return 'callee ' + (args.x ?? 0);");
    await learn("ren:caller", "return await mcp.ren.old({ x: 1 });");
    await rename(client(), "ren:old", "ren:new");
    const saved = await execute(client(), { capability: "ren:caller" });
    expect(saved).toMatchObject({ status: "success", result: "callee 1" });
    expect(saved.warnings).toBeUndefined();
    const fresh = await execute(client(), { code: "return [await mcp.ren.old({ x: 2 })];" });
    expect(fresh).toMatchObject({
      result: ["callee 2"],
      warnings: ['Deprecated: Using alias "ren:old" for capability "ren:new". Update your code.'],
    });
    const modern = await execute(client(), { code: "return { is: await mcp.ren.new({ x: 3 }) };" });
    expect(modern.result).toEqual({ is: "callee 3" });
    expect(modern.warnings).toBeUndefined();
    // The same in another spelling: what it calls is the same.
    expect((await succeeds(client(), { code: "return await mcp.ren.new({ x: 1 });" })).capabilityName).toBe(
      "ren:caller",
    );
  });

  it("[AN-10] calls the newest version of a callee", async () => {
    await learn("newest:callee", "return 'v1 ' + (args.x ?? 0);");
    await learn("newest:caller", "return await mcp.newest.callee({ x: 1 });");
    expect(await run("newest:caller")).toBe("v1 1");
    await learn("newest:callee", "return 'v2 ' + (args.x ?? 0) + (args.y ?? 'y');", update);
    expect(await run("newest:caller")).toBe("v2 1y");
    await learn("newest:callee", "return 'v3 ' + args.z;", { args: { z: 1 }, ...update });
    expect((await fails(client(), { capability: "newest:caller" })).message).toContain(
      'Cannot call capability "newest:callee": unknown argument "x"; it takes z',
    );
  });

  it("[AN-10] may be eight deep, and is refused at nine with the path that is too long", async () => {
    await learn("chain:c1", "return 1;");
    for (let depth = 2; depth <= 8; depth += 1)
      await learn(`chain:c${depth}`, `return 1 + (await mcp.chain.c${depth - 1}({}));`);
    expect(await run("chain:c8")).toBe(8);
    const error = await fails(client(), {
      code: `${counts("nine")}return await mcp.chain.c8({});`,
      name: "chain:c9",
    });
    expect(error).toMatchObject({
      code: "CODE_REFUSED",
      message: expect.stringContaining(
        "chain:c9 → chain:c8 → chain:c7 → chain:c6 → chain:c5 → chain:c4 → chain:c3 → chain:c2 → chain:c1",
      ),
    });
    expect(await counted(client(), "nine")).toBe(0);
    await learn("chain:c0", "return 0;");
    const deeper = await fails(client(), {
      code: `${counts("deeper")}return 1 + (await mcp.chain.c0({}));`,
      name: "chain:c1",
      ...update,
    });
    expect(deeper).toMatchObject({
      code: "CODE_REFUSED",
      message: expect.stringContaining(
        "more than 8 levels deep: chain:c8 → chain:c7 → chain:c6 → chain:c5 → chain:c4 → chain:c3 → chain:c2 → chain:c1 → chain:c0",
      ),
    });
    expect(await counted(client(), "deeper")).toBe(0);
    expect(await run("chain:c8")).toBe(8);
  });

  it("[AN-10] is refused as an update that would close a circle, before anything runs", async () => {
    await learn("circle:a", "return 'a';");
    await learn("circle:b", "return 'b' + (await mcp.circle.a({}));");
    await learn("circle:c", "return 'c' + (await mcp.circle.b({}));");
    for (const [callee, path] of [
      ["c", "circle:a → circle:c → circle:b → circle:a"],
      ["b", "circle:a → circle:b → circle:a"],
      ["a", "circle:a → circle:a"],
    ]) {
      const error = await fails(client(), {
        code: `${counts("circle")}return await mcp.circle.${callee}({});`,
        name: "circle:a",
        ...update,
      });
      expect(error, callee).toMatchObject({
        code: "CODE_REFUSED",
        message: `Capabilities call each other in a cycle: ${path}`,
      });
    }
    expect(await counted(client(), "circle")).toBe(0);
    expect(await run("circle:c")).toBe("cba");
  });

  it("[FP-1] can catch what a capability throws, and is told where when it does not", async () => {
    await learn("throws:it", "if (args.now ?? false) throw new TypeError('inner trouble');\nreturn 1;");
    const caught = "try { await mcp.throws.it({ now: true }); } catch (e) { return e.message; }";
    expect((await succeeds(client(), { code: caught })).result).toContain("inner trouble");
    expect(await fails(client(), { code: "\n\nreturn await mcp.throws.it({ now: true });" })).toMatchObject({
      code: "RUN_FAILED",
      line: 3,
      message: expect.stringContaining("inner trouble"),
    });
  });
});

describe("[EX-15] routing", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
  });
  const client = useClient(gateway, "v2-2025");

  it.each([
    ["cloud", "no tools", "return 1;"],
    ["local", "a tool of a stdio server", "return await mcp.work.echo({ value: 1 });"],
    ["local", "one on a branch that was not taken", "return args.x ? await mcp.work.seen({}) : 2;"],
    ["local", "a tool called by a computed name", "return await mcp.work[args.tool ?? 'seen']({});"],
    ["local", "a capability that is local", "return [await mcp.route.local_1({})];"],
    ["cloud", "a capability that is not", "return [await mcp.route.cloud_0({})];"],
  ])("is %s for code with %s", async (routing, _, code) => {
    const index = (await client().tools()).filter(({ name }) => name.startsWith("mcp__route__")).length;
    const name = `route:${routing}_${index}`;
    await succeeds(client(), { code, name });
    expect((await lookUp(client(), name)).routing).toBe(routing);
  });
});
