/** Code with literals, learned once and used again with other values. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, execute, fails, lookUp, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const CODE = `const dir: string = "a.json";
const first = await mcp.work.readFile({ path: dir });
const second = await mcp.work.readFile({ path: "b.json" as const });
const { value } = await mcp.work.echo({ value: { n: JSON.parse(first.content).n, kind: "plain", tags: ["x", "y"] } });
return { names: [first, second].map(({ content }) => JSON.parse(content).name), value, from: \`<\${dir}>\` };`;

/** What it answers where nothing is given. */
const AS_WRITTEN = { names: ["a", "b"], value: { n: 1, kind: "plain", tags: ["x", "y"] }, from: "<a.json>" };

const LIFTED = {
  path: { type: "string", description: "Path of the file", default: "a.json" },
  path_2: { type: "string", description: "Path of the file", default: "b.json" },
  kind: { default: "plain" },
  tags: { default: ["x", "y"] },
};

describe("[AN-8] lifted literals", () => {
  const gateway = useGateway("http", { mcpServers: { work: fixture("work") } });
  const client = useClient(gateway, "v2-2025");

  const doors = [
    {
      door: "the code itself",
      run: async (args: object) => (await succeeds(client(), { code: CODE, args })).result,
    },
    {
      door: "pml_execute by name",
      run: async (args: object) => (await succeeds(client(), { capability: "lift:two", args })).result,
    },
    { door: "a tool", run: (args: object) => ask(client(), "mcp__lift__two", { ...args }) },
    {
      door: "other code",
      run: async (pass: object) =>
        (await succeeds(client(), { code: "return await mcp.lift.two(args.pass);", args: { pass } })).result,
    },
  ];

  beforeAll(async () => {
    await succeeds(client(), { code: CODE, name: "lift:two" });
    await succeeds(client(), {
      code: 'const { content } = await mcp.work.readFile({ path: "a.json" });\nreturn { n: JSON.parse(content).n, args };',
      name: "lift:whole",
    });
  });

  it.each(doors)("by $door: the code does as written where nothing is given", async ({ run }) => {
    expect(await run({})).toEqual(AS_WRITTEN);
  });

  it.each(doors)(
    "by $door: each takes another value, a shared constant in all its places",
    async ({ run }) => {
      expect(await run({ path: "b.json" })).toEqual({
        ...AS_WRITTEN,
        names: ["b", "b"],
        value: { ...AS_WRITTEN.value, n: 2 },
        from: "<b.json>",
      });
      expect(await run({ path_2: "a.json", kind: "", tags: [] })).toEqual({
        ...AS_WRITTEN,
        names: ["a", "a"],
        value: { n: 1, kind: "", tags: [] },
      });
    },
  );

  it("are shown with their defaults, in lists and by lookup", async () => {
    const parameters = { type: "object", properties: LIFTED, required: [], additionalProperties: false };
    const tool = (await client().tools()).find(({ name }) => name === "mcp__lift__two");
    expect(tool?.inputSchema).toMatchObject({ type: "object", properties: LIFTED });
    expect((await lookUp(client(), "lift:two")).parameters).toEqual(parameters);
  });

  it("are refused where they are of another type, and unknown names too", async () => {
    expect(await fails(client(), { capability: "lift:two", args: { path: 5 } })).toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: expect.stringContaining("path"),
    });
    expect(await fails(client(), { capability: "lift:two", args: { path_3: "a" } })).toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: expect.stringContaining('unknown argument "path_3" (did you mean "path_2"?)'),
    });
    const inner = await execute(client(), {
      code: "return await mcp.lift.two({ path: Number(args.where) });",
      args: { where: 5 },
    });
    expect(inner.error?.message).toContain("path");
  });

  it("are no part of args, which holds what else is given", async () => {
    const by = async (args: object) => (await succeeds(client(), { capability: "lift:whole", args })).result;
    expect(await by({})).toEqual({ n: 1, args: {} });
    expect(await by({ path: "b.json", more: [1] })).toEqual({ n: 2, args: { more: [1] } });
  });

  it("are the same for code that differs in formatting alone, and give no other identity", async () => {
    const { capabilityName } = await succeeds(client(), {
      code: CODE.replaceAll("dir", "folder").replaceAll(";\n", ";\n\n"),
      args: { path: "b.json" },
    });
    expect(capabilityName).toBe("lift:two");
  });

  it("are not those of a capability that is called: its own parameters are", async () => {
    const { capabilityName, result } = await succeeds(client(), {
      code: 'const { names } = await mcp.lift.two({ path_2: "a.json" });\nreturn names;',
      name: "lift:outer",
    });
    expect(result).toEqual(["a", "a"]);
    expect((await lookUp(client(), capabilityName ?? "")).parameters).toMatchObject({ properties: {} });
  });
});
