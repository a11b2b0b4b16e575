import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import type { ToolId } from "../../registry/tool-id.js";
import { ProvidesIndex } from "./provides-index.js";

const tool = (name: string) => `t:${name}` as ToolId;

/** `url! limit:number`: required, and what type. */
function schema(text: string): Json | undefined {
  if (text === "") return undefined;
  const fields = text.split(" ").map((field) => /^(\w+)(!?)(?::(\w+))?$/.exec(field) ?? []);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([, name = "", , type = "string"]) => [name, { type }])),
    required: fields.flatMap(([, name = "", required]) => (required === "!" ? [name] : [])),
  };
}

function indexOf(tools: Readonly<Record<string, readonly [takes: string, gives: string]>>): ProvidesIndex {
  const index = new ProvidesIndex();
  for (const [name, [takes, gives]] of Object.entries(tools))
    index.put(tool(name), schema(takes), schema(gives));
  return index;
}

/** `t:b strict json>json`, one line each; `!` where types cannot agree. */
const drawn = (index: ProvidesIndex, name: string) =>
  index
    .linksFrom(tool(name))
    .map(
      ({ to, coverage, fieldMapping }) =>
        `${to} ${coverage} ${fieldMapping.map((one) => `${one.toField}${one.typeCompatible ? "" : "!"}`).join(",")}`,
    );

describe("[DI-5] what tools could feed, by their schemas", () => {
  it("is those who take what they give, who need nothing else first", () => {
    const index = indexOf({
      read: ["path!", "content size:number"],
      parse: ["content!", "value"],
      post: ["url! content!", ""],
      log: ["level! size", ""],
      count: ["size:number limit:number", ""],
      other: ["query!", "rows"],
    });
    expect(drawn(index, "read")).toEqual([
      "t:parse strict content",
      "t:post partial content",
      "t:count optional size",
      "t:log optional size!",
    ]);
    expect(drawn(index, "post")).toEqual([]);
    expect(drawn(index, "nobody")).toEqual([]);
  });

  it("counts no field that cannot fit", () => {
    const index = indexOf({ a: ["", "n:number"], b: ["n!:string", ""] });
    expect(drawn(index, "a")).toEqual(["t:b optional n!"]);
  });

  it("looks under no name that everybody has, and is bounded", () => {
    const index = new ProvidesIndex();
    for (let at = 0; at < 100; at += 1) index.put(tool(`many${at}`), schema("id!"), undefined);
    for (let at = 0; at < 60; at += 1) index.put(tool(`some${at}`), schema("id! page!"), undefined);
    index.put(tool("a"), undefined, schema("id"));
    index.put(tool("b"), undefined, schema("id page"));
    expect(drawn(index, "a")).toEqual([]);
    expect(drawn(index, "b")).toHaveLength(32);
    expect(drawn(index, "b")[0]).toBe("t:some0 strict id,page");
  });

  it("is the same whatever order tools came in, where only what has changed is asked again", () => {
    const names = [..."abcdef"];
    const texts = fc.constantFrom("", "x!", "x", "x y!", "y z!", "x! y! z", "z:number");
    const event = fc.record({
      name: fc.constantFrom(...names),
      takes: texts,
      gives: texts,
      isGone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const index = new ProvidesIndex();
        const known = new Map<string, readonly string[]>();
        for (const { name, takes, gives, isGone } of events) {
          if (isGone) index.remove(tool(name));
          else index.put(tool(name), schema(takes), schema(gives));
          for (const id of index.takeChanged()) known.set(id, drawn(index, id.slice(2)));
        }
        const last = new Map(events.map((one) => [one.name, one]));
        const fresh = new ProvidesIndex();
        for (const { name, takes, gives, isGone } of last.values())
          if (!isGone) fresh.put(tool(name), schema(takes), schema(gives));
        for (const name of names) expect(known.get(`t:${name}`) ?? []).toEqual(drawn(fresh, name));
      }),
    );
  });
});
