import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import type { Capability } from "../../registry/capability.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";
import { judge, Repairs, type RepairsOptions } from "./repairs.js";

type Fields = Readonly<Record<string, Json>>;

const text: Json = { type: "string" };
const number: Json = { type: "number" };

function tool(properties: Fields, required: readonly string[], more: Fields = {}): Json {
  return {
    name: "t",
    description: "Does it",
    inputSchema: { type: "object", properties, required },
    ...more,
  };
}

function verdict(code: string, before: Json, after: Json, required: readonly string[] = ["a"]): string {
  const stored = {
    savedCode: code,
    toolsUsed: ["s:t" as ToolId],
    dependencies: [],
    parameters: { type: "object" as const, properties: {}, required, additionalProperties: true },
  };
  const at = new Date(0);
  const pin = {
    server: "s" as ServerName,
    name: "t",
    pinnedHash: "",
    pinnedTool: after,
    currentHash: "",
    currentTool: after,
    firstSeenAt: at,
    lastSeenAt: at,
  };
  const judged = judge(stored, new Map([["s:t" as ToolId, before]]), new Map([["s:t" as ToolId, pin]]));
  return judged.code ?? `${judged.verdict}: ${judged.reasons.join("; ")}`;
}

describe("[SW-2] repairs", () => {
  const said = { type: "string", description: "who gets it" };
  it.each([
    [
      "a renamed field",
      "return mcp.s.t({ to: args.a, b: 1 });",
      tool({ to: said, b: number }, ["to"]),
      tool({ to_address: said, b: number }, ["to_address"]),
      "return mcp.s.t({ to_address: args.a, b: 1 });",
    ],
    [
      "a shorthand",
      "const fileName = args.a;\nreturn mcp.s.t({ fileName });",
      tool({ fileName: text }, ["fileName"]),
      tool({ file_name: text }, ["file_name"]),
      "const fileName = args.a;\nreturn mcp.s.t({ file_name: fileName });",
    ],
    [
      "a field that moved into an object",
      "return mcp.s.t({ city: args.a, days: args.d });",
      tool({ city: text, days: number }, ["city"]),
      tool({ place: { type: "object", properties: { city: text }, required: ["city"] }, days: number }, [
        "place",
      ]),
      "return mcp.s.t({ place: { city: args.a }, days: args.d });",
    ],
    [
      "a field that moved out of one",
      "return mcp.s.t({ place: { city: args.a } });",
      tool({ place: { type: "object", properties: { city: text } } }, []),
      tool({ city: text }, []),
      "return mcp.s.t({ city: args.a });",
    ],
    [
      "a number that is text now",
      "return mcp.s.t({ n: args.a });",
      tool({ n: number }, ["n"]),
      tool({ n: text }, ["n"]),
      "return mcp.s.t({ n: String(args.a) });",
    ],
    [
      "the same where it may be missing",
      "return mcp.s.t({ n: args.x });",
      tool({ n: number }, []),
      tool({ n: text }, []),
      "return mcp.s.t({ n: ((value) => (value === undefined ? undefined : String(value)))(args.x) });",
    ],
    [
      "a new required field with a default",
      "return mcp.s.t({ a: args.a });",
      tool({ a: text }, ["a"]),
      tool({ a: text, p: { type: "string", default: "x" } }, ["a", "p"]),
      'return mcp.s.t({ a: args.a, p: "x" });',
    ],
    [
      "a result field",
      "return (await mcp.s.t({ a: args.a })).itemId;",
      tool({ a: text }, [], { outputSchema: { type: "object", properties: { itemId: text } } }),
      tool({ a: text }, [], { outputSchema: { type: "object", properties: { item_id: text } } }),
      "return (await mcp.s.t({ a: args.a }).then(({ item_id: new1, ...rest }) => ({ ...rest, itemId: new1 }))).itemId;",
    ],
  ])("%s", (_, code, before, after, expected) => {
    expect(verdict(code, before, after)).toBe(expected);
  });

  it("leaves a literal that callers may replace under its name", () => {
    const code = 'return mcp.s.t({ fileName: "a.txt" });';
    const repaired = verdict(code, tool({ fileName: text }, []), tool({ file_name: text }, []));
    expect(repaired).toBe('return mcp.s.t({ file_name: args.fileName ?? "a.txt" });');
  });
});

const outputOf = (description: string): Json => ({
  type: "object",
  properties: { price: { type: "number", description }, size: number },
});

describe("[SW-2] never guesses", () => {
  it.each([
    [
      "two candidates",
      tool({ a: text }, ["a"]),
      tool({ source: text, target: text }, ["source", "target"]),
      "required field",
    ],
    [
      "a unit in the name",
      tool({ a: number }, ["a"]),
      tool({ a_cents: number }, ["a_cents"]),
      "required field",
    ],
    [
      "a unit in the description",
      tool({ a: { type: "number", description: "in euros" } }, []),
      tool({ a: { type: "number", description: "in cents" } }, []),
      "has another description",
    ],
    ["text that is a number now", tool({ a: text }, []), tool({ a: number }, []), "was string and is number"],
    [
      "a required field without a default",
      tool({ a: text }, []),
      tool({ a: text, b: text }, ["b"]),
      "has no default",
    ],
    [
      "another verb",
      tool({ a: text }, [], { description: "Charge it" }),
      tool({ a: text }, [], { description: "Refund it" }),
      "description changed",
    ],
    [
      "a name that is an id now",
      tool({ a: { type: "string", description: "The channel" } }, []),
      tool({ a_id: { type: "string", description: "The channel" } }, []),
      "the field a is gone",
    ],
    [
      "a neighbour under a text that fits both",
      tool({ a: { type: "number", description: "The coordinate" } }, []),
      tool({ b: { type: "number", description: "The coordinate" } }, []),
      "the field a is gone",
    ],
    [
      "a switch under another name",
      tool({ a: { type: "boolean", description: "How it is shown" } }, []),
      tool({ b: { type: "boolean", description: "How it is shown" } }, []),
      "the field a is gone",
    ],
    [
      "a default that a call relies on",
      tool({ a: text, n: { type: "number", default: 10 } }, []),
      tool({ a: text, n: { type: "number", default: 100 } }, []),
      "the default of n was 10 and is 100",
    ],
    [
      "a switch that is on unless it is given",
      tool({ a: text }, []),
      tool({ a: text, dry_run: { type: "boolean", default: true } }, []),
      "the new field dry_run is true unless it is given",
    ],
    [
      "a way of doing it that was never chosen",
      tool({ a: text }, []),
      tool({ a: text, units: { type: "string", default: "imperial" } }, ["units"]),
      'the new field units is "imperial" unless it is given',
    ],
    [
      "another format",
      tool({ a: text }, []),
      tool({ a: { type: "string", pattern: "^[0-9]+$" } }, []),
      "has another format or other limits",
    ],
    [
      "counting from 0",
      tool({ a: { type: "integer", minimum: 1 } }, []),
      tool({ a: { type: "integer", minimum: 0 } }, []),
      "has another format or other limits",
    ],
    [
      "another unit in a list",
      tool({ a: { type: "array", items: { type: "number", description: "in euros" } } }, []),
      tool({ a: { type: "array", items: { type: "number", description: "in cents" } } }, []),
      "the items of the list a have another schema",
    ],
    [
      "a value that only begins in the same way",
      tool({ a: { type: "string", enum: ["read", "new"] } }, []),
      tool({ a: { type: "string", enum: ["ready", "new"] } }, []),
      'the value "read" of a is gone',
    ],
    [
      "another verb among more words",
      tool({ a: text }, [], { description: "Creates an order" }),
      tool({ a: text }, [], { description: "Drops an order and what belongs to it" }),
      "description changed",
    ],
    [
      "a unit among more words",
      tool({ a: text }, [], { description: "Books whole dollars" }),
      tool({ a: text }, [], { description: "Books what is given, in cents" }),
      "description changed",
    ],
    [
      "a result that is passed on",
      tool({ a: text }, [], { outputSchema: outputOf("in euros") }),
      tool({ a: text }, [], { outputSchema: outputOf("in cents") }),
      "and its result is passed on",
    ],
    [
      "what only read before",
      tool({ a: text }, [], { annotations: { readOnlyHint: true } }),
      tool({ a: text }, [], {}),
      "no longer read-only",
    ],
  ])("%s is broken", (_, before, after, reason) => {
    const said = verdict("return mcp.s.t({ a: args.a });", before, after);
    expect(said).toMatch(/^broken: /);
    expect(said).toContain(reason);
  });

  it("one of two of a kind is broken", () => {
    const said = { type: "string", description: "Where the customer lives" };
    const judged = verdict(
      "return mcp.s.t({ billing_address: args.a });",
      tool({ billing_address: said }, []),
      tool({ shipping_address: said }, []),
    );
    expect(judged).toContain("broken: the field billing_address is gone");
  });

  it("does not touch arguments that are not written out", () => {
    const said = verdict(
      "return mcp.s.t(args);",
      tool({ fileName: text }, []),
      tool({ file_name: text }, []),
    );
    expect(said).toBe("broken: the arguments of s:t are not written out in the call");
  });

  it.each([
    ["a default, where the field is given", "return mcp.s.t({ a: args.a, n: 5 });"],
    ["a default, where a caller always gives it", "return mcp.s.t({ n: args.a });"],
  ])("leaves alone %s", (_, code) => {
    const withDefault = (value: number) => tool({ a: text, n: { type: "number", default: value } }, []);
    expect(verdict(code, withDefault(10), withDefault(100))).toMatch(/^unaffected/);
  });

  it("does not take a field for given that a caller may leave out", () => {
    const withDefault = (value: number) => tool({ n: { type: "number", default: value } }, []);
    expect(verdict("return mcp.s.t({ n: args.n });", withDefault(10), withDefault(100))).toMatch(/^broken/);
  });

  it.each([
    "return (await mcp.s.t({ a: args.a })).size;",
    "const { size } = await mcp.s.t({ a: args.a });\nreturn size;",
    "const answer = await mcp.s.t({ a: args.a });\nreturn answer.size + 1;",
    "await mcp.s.t({ a: args.a });\nreturn 1;",
  ])("leaves alone what uses other fields of the result: %s", (code) => {
    const [before, after] = ["in euros", "in cents"].map((said) =>
      tool({ a: text }, [], { outputSchema: outputOf(said) }),
    );
    expect(verdict(code, before ?? null, after ?? null)).toMatch(/^unaffected/);
  });

  it.each([
    "const answer = await mcp.s.t({ a: args.a });\nreturn { size: answer.size, all: answer };",
    "return Object.values(await mcp.s.t({ a: args.a }));",
    "const { size, ...rest } = await mcp.s.t({ a: args.a });\nreturn rest;",
    "const answer = await mcp.s.t({ a: args.a });\nreturn answer[args.a];",
  ])("is broken where the result is used as a whole: %s", (code) => {
    const [before, after] = ["in euros", "in cents"].map((said) =>
      tool({ a: text }, [], { outputSchema: outputOf(said) }),
    );
    expect(verdict(code, before ?? null, after ?? null)).toMatch(/^broken/);
  });

  it("leaves alone what a tool takes more widely", () => {
    const bounded = (maximum: number) => tool({ a: { type: "number", maximum } }, []);
    expect(verdict("return mcp.s.t({ a: args.a });", bounded(10), bounded(20))).toMatch(/^unaffected/);
  });

  it("leaves alone what does not use the change", () => {
    const said = verdict(
      "return mcp.s.t({ a: args.a });",
      tool({ a: text, b: text }, []),
      tool({ a: text, c: text }, []),
    );
    expect(said).toBe("unaffected: s:t changed, and its calls still fit");
  });
});

describe("[SW-2] a repair that does not pass a recording", () => {
  it("is refused without a word of what was recorded: agents are told this, too", async () => {
    const pinOf = (currentTool: Json) => ({ server: "s", name: "t", currentTool, lastSeenAt: new Date(0) });
    const stored = {
      version: 1,
      savedCode: "return mcp.s.t({ to: args.a });",
      toolsUsed: ["s:t"],
      dependencies: [],
      parameters: { type: "object", properties: {}, required: ["a"], additionalProperties: true },
    };
    const said = { type: "string", description: "who gets it" };
    const differences = [{ kind: "result", recorded: "salary of ada", now: null }];
    const repairs = new Repairs({
      loader: { load: async () => ({ stored }) },
      recordings: {
        of: async () => [{ recording: { calls: [] } }],
        testCode: async () => [{ digest: "", recording: {}, differences }],
      },
      tools: {
        list: async () => [pinOf(tool({ to_address: said }, ["to_address"]))],
        before: async () => new Map([["s:t", tool({ to: said }, ["to"])]]),
      },
    } as unknown as RepairsOptions);
    const capability = { fqdn: "a.b.c.d.0000", displayName: "c:d", version: 1 } as unknown as Capability;
    const drift = await repairs.of({ capability, version: 1 }, { org: "a", project: "b", user: "u" });
    expect(drift?.verdict).toBe("broken");
    expect(drift?.reasons.at(-1)).toBe("the repair does not pass a recording (result)");
  });
});
