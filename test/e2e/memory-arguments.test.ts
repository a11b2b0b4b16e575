/** What a capability's code finds in its arguments: what was given, and defaults for the rest. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, lookUp, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const CODE = `const { indent = 2, words = ["a", "b"] } = args;
const { content } = await mcp.work.readFile({ path: args.path });
const depth = args.depth ?? 7;
return {
  n: JSON.parse(content).n, indent, words, depth,
  held: { indent: args.indent, words: args.words, depth: args.depth },
  rest: args.note?.length,
};`;

const DEFAULTS = { indent: 2, words: ["a", "b"], depth: 7 };

describe("[EX-5] arguments", () => {
  const gateway = useGateway("http", { mcpServers: { work: fixture("work") } });
  const client = useClient(gateway, "v2-2025");
  const inner = async (args: object) =>
    (
      await succeeds(client(), {
        code: "return await mcp.given.all(args.pass);",
        args: { pass: args },
      })
    ).result;

  const doors = [
    {
      door: "code",
      run: async (args: object) => (await succeeds(client(), { code: CODE, args })).result,
    },
    {
      door: "pml_execute by name",
      run: async (args: object) => (await succeeds(client(), { capability: "given:all", args })).result,
    },
    {
      door: "pml_execute with context",
      run: async (context: object) => (await succeeds(client(), { capability: "given:all", context })).result,
    },
    { door: "a tool", run: (args: object) => ask(client(), "mcp__given__all", { ...args }) },
    { door: "other code", run: inner },
  ];

  beforeAll(async () => {
    await succeeds(client(), { code: CODE, args: { path: "a.json" }, name: "given:all" });
  });

  it.each(doors)("of $door: defaults reach the code, and args holds them too", async ({ run }) => {
    expect(await run({ path: "a.json" })).toEqual({ n: 1, ...DEFAULTS, held: DEFAULTS });
  });

  it.each(doors)("of $door: what is given wins, also what is empty", async ({ run }) => {
    const given = { indent: 0, words: [] as string[], depth: 0 };
    expect(await run({ path: "b.json", note: "four", ...given })).toEqual({
      n: 2,
      ...given,
      held: given,
      rest: 4,
    });
  });

  it("are shown with their defaults, in lists and by lookup", async () => {
    const parameters = {
      type: "object",
      properties: {
        path: { type: "string" },
        indent: { default: 2 },
        words: { default: ["a", "b"] },
        depth: { default: 7 },
        note: {},
      },
      required: ["path"],
    };
    const tool = (await client().tools()).find(({ name }) => name === "mcp__given__all");
    expect(tool?.inputSchema).toMatchObject(parameters);
    expect((await lookUp(client(), "given:all")).parameters).toMatchObject(parameters);
  });
});
