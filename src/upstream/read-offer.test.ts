import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
import { sha256Hex } from "../base/sha256.js";
import { readPrompts, readResources, readTemplates, readTools } from "./read-offer.js";

type Page = Readonly<Record<string, unknown>>;

/** A client whose server answers with `pages`, in order, and then for ever with the last of them. */
function clientOf(...pages: readonly Page[]) {
  const cursors: unknown[] = [];
  const request = async ({ params }: { readonly params: { readonly cursor?: string } }) => {
    cursors.push(params.cursor);
    return pages[Math.min(cursors.length, pages.length) - 1];
  };
  return { client: { request } as unknown as Client, cursors };
}

function tool(name: unknown, more: Page = {}): Page {
  return { name, inputSchema: { type: "object" }, ...more } as Page;
}

/** The tools that are taken, then those that are refused. */
async function check(tools: readonly unknown[], expected: string): Promise<void> {
  const { tools: taken, refused } = await readTools(clientOf({ tools }).client);
  expect([...taken.map((offered) => offered.tool.name), ...refused].join(" | ")).toBe(expected);
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

describe("[GW-2] readTools", () => {
  it("takes tools in the server's order", () => check([tool("b"), tool("a")], "b | a"));
  it("takes what it can of a list", () =>
    check(
      [tool("a"), tool("b", { inputSchema: {} }), tool("c")],
      'a | c | b: its inputSchema is not of type "object"',
    ));

  it.each([
    ["nothing", null, "(a tool): it has no name"],
    ["a text", "a", "(a tool): it has no name"],
    ["a list", [], "(a tool): it has no name"],
    ["an empty name", tool(""), "(a tool): it has no name"],
    ["a name that is no text", tool(7), "(a tool): it has no name"],
    ["no schema", { name: "a" }, 'a: its inputSchema is not of type "object"'],
    ["a schema that is a list", tool("a", { inputSchema: [] }), 'a: its inputSchema is not of type "object"'],
    [
      "a schema of a text",
      tool("a", { inputSchema: { type: "string" } }),
      'a: its inputSchema is not of type "object"',
    ],
    [
      "an output schema that is none",
      tool("a", { outputSchema: true }),
      "a: its outputSchema is not a JSON Schema object",
    ],
  ])("refuses %s", (_what, item, expected) => check([item], expected));

  it.each([
    ["description", null, "a: its description is wrong: expected string, received null"],
    ["title", 7, "a: its title is wrong: expected string, received number"],
    [
      "annotations",
      { readOnlyHint: "yes" },
      "a: its annotations.readOnlyHint is wrong: expected boolean, received string",
    ],
    ["icons", [{}], "a: its icons.0.src is wrong: expected string, received undefined"],
    ["_meta", [], "a: its _meta is wrong: expected record, received array"],
    [
      "inputSchema",
      { type: "object", required: "x" },
      "a: its inputSchema.required is wrong: expected array, received string",
    ],
  ])("refuses a tool for whose %s clients would refuse the whole list", (field, value, expected) =>
    check([tool("a", { [field]: value }), tool("b")], `b | ${expected}`),
  );

  it("takes fields that it does not know", () => check([tool("a", { tomorrow: { any: 1 } })], "a"));

  it("refuses a name the second time", () =>
    check([tool("a"), tool("a")], "a | a: the server lists it twice"));

  it("takes a name of 256 characters and refuses one more", async () => {
    await check([tool("n".repeat(256))], "n".repeat(256));
    await check([tool("n".repeat(257))], `${"n".repeat(80)}: its name is longer than 256 characters`);
  });

  it("refuses a tool object that is too large", async () => {
    const room = LIMITS.toolObjectBytes - JSON.stringify(tool("a", { description: "" })).length;
    await check([tool("a", { description: "d".repeat(room) })], "a");
    await check([tool("a", { description: "d".repeat(room + 1) })], "a: it is larger than 262144 bytes");
    await check([tool("a", { description: "é".repeat(room / 2 + 1) })], "a: it is larger than 262144 bytes");
  });

  it("refuses a tool object that is nested without end, and takes the next", () =>
    check(
      [tool("a", { _meta: nested(100_000) }), tool("b")],
      `b | a: it is nested deeper than ${LIMITS.toolObjectLevels} levels`,
    ));

  it("[GW-5] cleans what agents see, and pins what the server sent", async () => {
    const sent = tool("a\u200b", { description: "do\u200b it" });
    const { tools } = await readTools(clientOf({ tools: [sent] }).client);
    expect(tools).toEqual([
      {
        tool: { name: "a\u200b", inputSchema: { type: "object" }, description: "do it" },
        raw: sent,
        hash: await sha256Hex(canonicalJson(sent)),
      },
    ]);
  });

  it("[GW-5] hashes the whole object, whatever the order of its keys", async () => {
    const read = async (item: Page) => (await readTools(clientOf({ tools: [item] }).client)).tools[0]?.hash;
    const hash = await read(tool("a", { description: "d", annotations: { readOnlyHint: true } }));
    expect(await read({ annotations: { readOnlyHint: true }, description: "d", ...tool("a") })).toBe(hash);
    expect(await read(tool("a", { description: "d", annotations: { readOnlyHint: false } }))).not.toBe(hash);
    expect(await read(tool("a", { description: "d\u200b", annotations: { readOnlyHint: true } }))).not.toBe(
      hash,
    );
  });

  it("follows cursors to the last page", async () => {
    const { client, cursors } = clientOf(
      { tools: [tool("a")], nextCursor: "1" },
      { tools: [tool("b")], nextCursor: "2" },
      { tools: [tool("c")] },
    );
    expect((await readTools(client)).tools.map(({ tool: { name } }) => name)).toEqual(["a", "b", "c"]);
    expect(cursors).toEqual([undefined, "1", "2"]);
  });

  it("stops at a cursor that leads to itself", async () => {
    const { client, cursors } = clientOf({ tools: [tool("a")], nextCursor: "1" });
    await readTools(client);
    expect(cursors).toEqual([undefined, "1"]);
  });

  it("gives up a list that never ends, and says so", async () => {
    let page = 0;
    const request = async () => {
      page += 1;
      return { tools: [tool(`t${page}`)], nextCursor: `${page}` };
    };
    const { tools, refused } = await readTools({ request } as unknown as Client);
    expect(page).toBe(100);
    expect(tools).toHaveLength(100);
    expect(refused).toEqual(["tools/list: more than 100 pages, the rest are left out"]);
  });

  it.each([
    ["on one page", [5_001]],
    ["over two pages", [3_000, 2_001]],
    ["with more to come", [5_000, 1]],
  ])("takes 5000 tools and says that there are more, %s", async (_how, counts) => {
    const pages = counts.map((count, page) => ({
      tools: Array.from({ length: count }, (_, index) => tool(`p${page}_${index}`)),
      ...(page === counts.length - 1 ? {} : { nextCursor: `${page}` }),
    }));
    const { tools, refused } = await readTools(clientOf(...pages).client);
    expect(tools).toHaveLength(5_000);
    expect(refused).toEqual(["tools/list: more than 5000 items, the rest are left out"]);
  });

  it("takes just 5000 tools without a word", async () => {
    const tools = Array.from({ length: 5_000 }, (_, index) => tool(`t${index}`));
    expect((await readTools(clientOf({ tools }).client)).refused).toEqual([]);
  });

  it.each([[{}], [{ tools: null }], [{ tools: "a" }], [{ tools: [], nextCursor: 7 }]])(
    "reads nothing from %j",
    async (page) => {
      expect(await readTools(clientOf(page).client)).toEqual({ tools: [], refused: [] });
    },
  );

  it("fails as the server does", async () => {
    const request = async () => {
      throw new Error("method not found");
    };
    await expect(readTools({ request } as unknown as Client)).rejects.toThrow("method not found");
  });
});

describe("[GW-2, GW-5] prompts, resources and templates", () => {
  it("takes prompts that have a name, cleaned", async () => {
    const prompts = [
      { name: "p", description: "a\u200b" },
      { name: "" },
      { name: "q", arguments: 7 },
      {},
      null,
    ];
    expect(await readPrompts(clientOf({ prompts }).client)).toEqual([{ name: "p", description: "a" }]);
  });

  it("takes nothing that is nested without end", async () => {
    const _meta = nested(100_000);
    expect(await readPrompts(clientOf({ prompts: [{ name: "p", _meta }] }).client)).toEqual([]);
    expect(await readResources(clientOf({ resources: [{ uri: "a:b", name: "p", _meta }] }).client)).toEqual(
      [],
    );
  });

  it("takes resources that have an address, cleaned", async () => {
    const resources = [
      { uri: "file:///a", name: "a", title: "t\u200b" },
      { name: "b" },
      { uri: "file:///c" },
      7,
    ];
    expect(await readResources(clientOf({ resources }).client)).toEqual([
      { uri: "file:///a", name: "a", title: "t" },
    ]);
  });

  it("takes templates that have one, cleaned", async () => {
    const resourceTemplates = [
      { uriTemplate: "file:///{p}", name: "a", description: "d\u200b" },
      { name: "b" },
    ];
    expect(await readTemplates(clientOf({ resourceTemplates }).client)).toEqual([
      { uriTemplate: "file:///{p}", name: "a", description: "d" },
    ]);
  });
});
