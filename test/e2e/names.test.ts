/** Names in tools/list are valid for every client, for any names that a server gives its tools. */
import type { Tool } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { OWN_TOOLS } from "../support/agent.js";
import { CLIENTS, clients } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const ODD_NAMES = ["a.b", "A-b", "a_B", "a_b", "grüße 🎉", "x".repeat(80), "colon:name", "1st"];
const MANY = 450;

const idOf = ({ _meta }: Tool) => _meta?.["pml/id"];

/** PML's own tools are in the list too. */
const ALL = MANY + 2 * ODD_NAMES.length + OWN_TOOLS.length;

describe.each(transports("http"))("over $over", ({ transport }) => {
  const gateway = useGateway(transport, {
    exposure: "all",
    mcpServers: {
      odd: fixture("names"),
      many: fixture("many", String(MANY)),
      "a.server-with-a-long-name-that-fills-the-wire": fixture("names"),
    },
  });

  describe.each(clients("v1"))("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    it("[WIRE-1] lists names that every model provider takes and no client confuses", async () => {
      const tools = await client().tools();
      expect(tools).toHaveLength(ALL);
      expect(
        tools.map(({ name }) => name).filter((name) => !/^[A-Za-z][A-Za-z0-9_-]{0,47}$/.test(name)),
      ).toEqual([]);
      expect(new Set(tools.map(({ name }) => name.toLowerCase().replaceAll("-", "_"))).size).toBe(
        tools.length,
      );
    });

    it("[WIRE-1] has the exact id in _meta and a title for people", async () => {
      const tools = await client().tools();
      const odd = tools.filter((tool) => String(idOf(tool)).startsWith("odd:"));
      expect(new Set(odd.map(idOf))).toEqual(new Set(ODD_NAMES.map((name) => `odd:${name}`)));
      expect(new Set(odd.map(({ title }) => title))).toEqual(
        new Set(ODD_NAMES.map((name) => `odd: ${name}`)),
      );
    });

    it("[WIRE-2] gives 6 hex digits to a name that is too long, odd or taken, and only to those", async () => {
      const tools = await client().tools();
      const nameOf = new Map(tools.map((tool) => [idOf(tool), tool.name]));
      expect(nameOf.get("many:tool_7")).toBe("mcp__many__tool_7");
      expect(nameOf.get("odd:1st")).toBe("mcp__odd__1st");
      expect(nameOf.get("odd:a.b")).toMatch(/^mcp__odd__a_b_[0-9a-f]{6}$/);
      expect(nameOf.get(`odd:${"x".repeat(80)}`)).toMatch(/^mcp__odd__x+_[0-9a-f]{6}$/);
      // Three of them fold to one name: the first by id has it, the others get a suffix.
      expect(nameOf.get("odd:A-b")).toBe("mcp__odd__A-b");
      expect(nameOf.get("odd:a_B")).toMatch(/^mcp__odd__a_B_[0-9a-f]{6}$/);
      expect(nameOf.get("odd:a_b")).toMatch(/^mcp__odd__a_b_[0-9a-f]{6}$/);
    });

    it("[WIRE-5, FP-13] pages by 200, repeats and loses nothing, and keeps its order", async () => {
      const sizes: number[] = [];
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client().page(cursor);
        sizes.push(page.tools.length);
        names.push(...page.tools.map(({ name }) => name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(sizes).toEqual([200, 200, ALL - 400]);
      expect(new Set(names).size).toBe(names.length);
      expect((await client().tools()).map(({ name }) => name)).toEqual(names);
    });

    it("[WIRE-3] calls each odd tool by wire name and by id", async () => {
      const tools = await client().tools();
      const odd = tools.filter((tool) => String(idOf(tool)).startsWith("odd:"));
      for (const tool of odd) {
        const own = String(idOf(tool)).slice("odd:".length);
        expect((await client().call(tool.name)).content).toEqual([{ type: "text", text: own }]);
        expect((await client().call(`odd:${own}`)).content).toEqual([{ type: "text", text: own }]);
      }
    });
  });

  it("[WIRE-5] lists the same for every client, whenever it connected", async () => {
    const lists = [];
    for (const { kind } of CLIENTS) {
      const tools = await (await gateway().connect(kind)).tools();
      lists.push(tools.map((tool) => [tool.name, idOf(tool), tool.title]));
    }
    expect(lists[1]).toEqual(lists[0]);
    expect(lists[2]).toEqual(lists[0]);
  });
});
