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

function schema(properties: Page): Page {
  return { type: "object", properties };
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
    const sent = tool("a", { description: "do\u200b it" });
    const { tools } = await readTools(clientOf({ tools: [sent] }).client);
    expect(tools).toEqual([
      {
        tool: { name: "a", inputSchema: { type: "object" }, description: "do it" },
        raw: sent,
        hash: await sha256Hex(canonicalJson(sent)),
      },
    ]);
  });

  it.each<[string, Page]>([
    ["a name", tool("a\u200b")],
    ["the name of a parameter", tool("a", { inputSchema: schema({ "to\u{e0041}": {} }) })],
    ["a value of an enum", tool("a", { inputSchema: schema({ to: { enum: ["x", "y\u202e"] } }) })],
    ["a const", tool("a", { inputSchema: schema({ to: { const: "y\u202e" } }) })],
    ["a nested parameter", tool("a", { inputSchema: schema({ to: { ...schema({ "b\u200b": {} }) } }) })],
    ["a result's field", tool("a", { outputSchema: schema({ "b\u200b": {} }) })],
  ])("[TB-9] leaves out a tool with invisible characters in %s", async (_what, item) => {
    const { tools, refused } = await readTools(clientOf({ tools: [item, tool("b")] }).client);
    expect(tools.map(({ tool: { name } }) => name)).toEqual(["b"]);
    expect(refused).toEqual([
      expect.stringMatching(/^a\S*: its (name|value) ".*" holds invisible characters$/),
    ]);
    expect(refused[0]).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
  });

  it("[TB-9] takes emoji in an enum, and texts of a parameter that is called name", async () => {
    const inputSchema = schema({ name: { enum: ["❤️", "👩‍🚀", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"], description: "a\u200bb" } });
    const { tools } = await readTools(clientOf({ tools: [tool("a", { inputSchema })] }).client);
    expect(tools[0]?.tool.inputSchema).toEqual(
      schema({ name: { enum: ["❤️", "👩‍🚀", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"], description: "ab" } }),
    );
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

  it("[TB-8, TB-9] takes no new names of a server that has listed too many, and keeps those that it knows", async () => {
    const known = new Set(Array.from({ length: LIMITS.serverToolNames - 1 }, (_, n) => `t${n}`));
    const { client } = clientOf({ tools: [tool("a"), tool("b"), tool("t5")] });
    const { tools, refused } = await readTools(client, known);
    expect(tools.map(({ tool: { name } }) => name)).toEqual(["a", "t5"]);
    expect(refused).toEqual([
      "b: the server has listed 20000 other names before, the limit of serverToolNames",
    ]);
    expect((await readTools(client, known)).tools.map(({ tool: { name } }) => name)).toEqual(["a", "t5"]);
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
    expect(refused).toEqual(["tools/list: more than 100 pages, the rest are ignored"]);
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
    expect(refused).toEqual(["tools/list: more than 5000 items, the rest are ignored"]);
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
    expect((await readPrompts(clientOf({ prompts }).client)).items).toEqual([
      { name: "p", description: "a" },
    ]);
  });

  it("takes nothing that is nested without end", async () => {
    const _meta = nested(100_000);
    const resources = [{ uri: "a:b", name: "p", _meta }];
    expect((await readPrompts(clientOf({ prompts: [{ name: "p", _meta }] }).client)).items).toEqual([]);
    expect((await readResources(clientOf({ resources }).client)).items).toEqual([]);
  });

  it("takes resources that have an address, cleaned", async () => {
    const resources = [
      { uri: "file:///a", name: "a", title: "t\u200b" },
      { name: "b" },
      { uri: "file:///c" },
      7,
    ];
    expect((await readResources(clientOf({ resources }).client)).items).toEqual([
      { uri: "file:///a", name: "a", title: "t" },
    ]);
  });

  it("takes templates that have one, cleaned", async () => {
    const resourceTemplates = [
      { uriTemplate: "file:///{p}", name: "a", description: "d\u200b" },
      { name: "b" },
    ];
    expect((await readTemplates(clientOf({ resourceTemplates }).client)).items).toEqual([
      { uriTemplate: "file:///{p}", name: "a", description: "d" },
    ]);
  });

  it("[TB-9] cleans the name of a resource, which is for people", async () => {
    const resources = [{ uri: "file:///a", name: "a\u202eb" }];
    expect((await readResources(clientOf({ resources }).client)).items).toEqual([
      { uri: "file:///a", name: "ab" },
    ]);
  });

  it("[TB-9] leaves out what could not be sent back without its invisible characters, and says why", async () => {
    const prompts = [{ name: "p\u200b" }, { name: "q", arguments: [{ name: "to\u202e" }] }, { name: "r" }];
    expect(await readPrompts(clientOf({ prompts }).client)).toEqual({
      items: [{ name: "r" }],
      refused: [
        'prompt p\\u{200b}: its value "p\\u{200b}" holds invisible characters',
        'prompt q: its value "to\\u{202e}" holds invisible characters',
      ],
    });
    const resources = [{ uri: "file:///a\u200b", name: "a" }];
    expect(await readResources(clientOf({ resources }).client)).toEqual({
      items: [],
      refused: ['resource file:///a\\u{200b}: its value "file:///a\\u{200b}" holds invisible characters'],
    });
    const resourceTemplates = [{ uriTemplate: "file:///{a}\u200b", name: "a" }];
    expect((await readTemplates(clientOf({ resourceTemplates }).client)).items).toEqual([]);
  });

  it("[TB-9] drops what only PML may say, and keeps what the server says of itself", async () => {
    const _meta = { "pml/id": "bank:pay", " PML/unavailable": true, "anthropic/alwaysLoad": true };
    const kept = { "anthropic/alwaysLoad": true };
    const prompts = [{ name: "p", _meta }];
    expect((await readPrompts(clientOf({ prompts }).client)).items).toEqual([{ name: "p", _meta: kept }]);
    const sent = tool("a", { _meta });
    const { tools } = await readTools(clientOf({ tools: [sent] }).client);
    expect(tools).toMatchObject([{ tool: { _meta: kept }, raw: sent }]);
    expect(tools[0]?.tool._meta).toEqual(kept);
  });
});
