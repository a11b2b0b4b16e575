/** What is found from another project can be called by what the result gives. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, execute, fails, succeeds } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

interface Found {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly owner?: string;
  readonly signature: string;
}

describe("[ID-6, DI-1] a public capability, seen from another project", () => {
  const gateway = useGateway("background", { mcpServers: { work: fixture("work") } });
  const session = (scope: string) => gateway().connect("v2-2025", { scope });
  const intent = "greet a visitor of the zoo";
  let maker: TestClient;
  let reader: TestClient;

  beforeAll(async () => {
    maker = await session("acme/shop/ann");
    reader = await session("else/blog/bob");
    for (const [name, word] of [
      ["zoo:greet_visitor", "Hello"],
      ["greet-zoo", "Hi"],
    ] as const) {
      await succeeds(maker, { code: `return "${word} " + args.who;`, args: { who: "x" }, name, intent });
      await ask(maker, "cap_rename", { name, visibility: "public" });
    }
  });

  async function found(client: TestClient): Promise<readonly Found[]> {
    const { results } = (await ask(client, "pml_discover", { intent, filter: { type: "capability" } })) as {
      results: readonly Found[];
    };
    return results;
  }

  it("has a name, a signature and an owner there that all hold", async () => {
    const results = await found(reader);
    expect(results.map(({ name }) => name).sort()).toEqual([
      "acme.shop:greet-zoo",
      "acme.shop:zoo:greet_visitor",
    ]);
    for (const { id, name, owner, signature } of results) {
      const said = name.endsWith("greet-zoo") ? "Hi you" : "Hello you";
      const args = { who: "you" };
      expect(owner).toBe("ann@acme");
      for (const called of [name, id]) {
        expect((await succeeds(reader, { capability: called, args })).result, called).toBe(said);
        expect((await ask(reader, called, args)).result, called).toBe(said);
      }
      const callee = signature.slice(0, signature.indexOf("("));
      expect(callee).toBe(`mcp["${name}"]`);
      const code = `return [await ${callee}({ who: args.who })];`;
      const again = await succeeds(reader, { code, args, name: `mine:${said.split(" ")[0]}` });
      expect(again.result).toEqual([said]);
      expect((await succeeds(reader, { capability: again.capabilityName, args })).result).toEqual([said]);
      const looked = await ask(reader, "cap_lookup", { name });
      expect(looked.signature).toMatch(`mcp["${name}"](`);
    }
  });

  it("is suggested there by the same name", async () => {
    const { suggestions } = (await execute(reader, { intent })) as unknown as {
      suggestions: { capabilities: readonly { name: string }[] };
    };
    expect(suggestions.capabilities.map(({ name }) => name)).toContain("acme.shop:zoo:greet_visitor");
  });

  it("has its plain name where it is at home, and a plain name leads nowhere else", async () => {
    const [first] = await found(maker);
    expect(first).toMatchObject({
      name: expect.not.stringContaining("acme"),
      signature: expect.not.stringContaining("acme"),
    });
    expect(first?.owner).toBeUndefined();
    const { code } = await fails(reader, { capability: "zoo:greet_visitor", args: { who: "x" } });
    expect(code).toBe("CAPABILITY_NOT_FOUND");
  });
});
