/** What programs come out of recorded sessions: text in, text out. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { applications, playable } from "./apply-program.js";
import type { Candidate } from "./choose-programs.js";
import { countValues, flowOf } from "./data-flow.js";
import { evidenceOf } from "./evidence.js";
import { flowRows } from "./flow-rows.js";
import { minedInTurns, mineSessions } from "./mine-sessions.js";
import type { NamedBySchema, Program } from "./program.js";
import { programText } from "./program-text.js";
import type { RecordedCall, RecordedSession } from "./recorded-session.js";

const PEOPLE = ["ada", "bob", "eve", "joe"];
const id = (kind: string, of: string) => `${kind}_${Buffer.from(of).toString("hex")}9`;

const call = (tool: string, args: Record<string, Json>, result: Json): RecordedCall => ({
  tool,
  arguments: args,
  result,
});
const find = (who: string) =>
  call("shop:find_customer", { email: `${who}@x.org` }, { customer: { id: id("cus", who), name: who } });
const latest = (who: string) =>
  call("shop:latest_order", { customer_id: id("cus", who) }, { order_id: id("ord", who), total: 10 });
const note = (who: string, text = "Please call back") =>
  call("shop:add_note", { order_id: id("ord", who), text }, { ok: true });
const stat = (who: string) => call("files:stat", { path: `/${who}.json` }, { size: 1 });

function sessions(of: (who: string) => readonly RecordedCall[], people = PEOPLE): readonly RecordedSession[] {
  return people.map((who) => ({ id: who, calls: of(who) }));
}

function texts(recorded: readonly RecordedSession[], isNamed?: NamedBySchema): readonly string[] {
  return mineSessions(recorded, isNamed).map(({ program }) =>
    programText(program, (tool) => /find|latest|stock|list|get/.test(tool)),
  );
}

const CHAIN = `const customer = await mcp.shop.find_customer({ email: args.email });
const latestOrder = await mcp.shop.latest_order({ customer_id: customer.customer.id });
const note = await mcp.shop.add_note({ order_id: latestOrder.order_id, text: args.text });
return note;`;

describe("[LC-2] a sequence that occurred three times with the same flow becomes a program", () => {
  it("with parameters for what was given, and results where they came from", () => {
    expect(texts(sessions((who) => [find(who), latest(who), note(who, `Call ${who}`)]))).toEqual([CHAIN]);
  });

  it("not after two times", () => {
    expect(texts(sessions((who) => [find(who), latest(who), note(who)], ["ada", "bob"]))).toEqual([]);
  });

  it("in one session as well as in several", () => {
    const calls = PEOPLE.flatMap((who) => [find(who), latest(who), note(who, `Call ${who}`)]);
    expect(texts([{ id: "one", calls }])).toEqual([CHAIN]);
  });

  it("attempts at one task count once", () => {
    const recorded = sessions((who) => [find(who), latest(who), note(who)]);
    expect(texts(recorded.map((session) => ({ ...session, group: "one" })))).toEqual([]);
  });

  it("an unrelated call may stand between", () => {
    const recorded = sessions((who) =>
      who === "bob"
        ? [find(who), stat(who), latest(who), note(who, "Call me")]
        : [find(who), latest(who), note(who, `Call ${who}`)],
    );
    expect(texts(recorded)).toEqual([CHAIN]);
  });

  it("[FP-27] without any data flow there is none", () => {
    expect(texts(sessions((who) => [stat(who), call("files:list", { dir: `/${who}s` }, [])]))).toEqual([]);
  });

  it("calls with more than 50 arguments are no part of it", () => {
    const form = (who: string, fields: number) => {
      const rest = Array.from({ length: fields - 1 }, (_, n) => [`field_${n}`, `${who} ${n}`]);
      return call("shop:fill", { customer_id: id("cus", who), ...Object.fromEntries(rest) }, { ok: true });
    };
    const made = (fields: number) => texts(sessions((who) => [find(who), form(who, fields)]));
    expect(made(50)).toHaveLength(1);
    expect(made(51)).toEqual([]);
  });

  it("failed calls are no part of it", () => {
    const failed = { ...latest("x"), isError: true, result: "no such customer" };
    expect(texts(sessions((who) => [find(who), failed, latest(who), note(who, `Call ${who}`)]))).toEqual([
      CHAIN,
    ]);
  });

  it("one call for every item of a result is a loop", () => {
    const items = (who: string) => ["a", "b", "c"].map((item) => ({ sku: id(item, who) }));
    const recorded = sessions((who) => [
      call("shop:list_items", { order_id: id("ord", who) }, { items: items(who) }),
      ...items(who).map(({ sku }) => call("shop:stock_of", { sku }, { left: 3 })),
    ]);
    expect(texts(recorded)).toEqual([
      `const items = await mcp.shop.list_items({ order_id: args.order_id });
const stocks = [];
for (const sku of items.items.map((item) => item.sku)) {
  stocks.push(await mcp.shop.stock_of({ sku }));
}
return stocks;`,
    ]);
  });

  it("calls that need nothing of one another are made at once, in whichever order they were made", () => {
    const zip = (city: string) => call("geo:get_zip", { city }, { zip: id("zip", city) });
    const both = (who: string) => [zip(`${who}ville`), zip(`${who}town`)];
    const recorded = sessions((who) => [
      ...both(who),
      call("geo:distance", { from: id("zip", `${who}ville`), to: id("zip", `${who}town`) }, { km: 12 }),
    ]);
    expect(texts(recorded)).toEqual([
      `const [zip, zip2] = await Promise.all([
  mcp.geo.get_zip({ city: args.city }),
  mcp.geo.get_zip({ city: args.city_2 }),
]);
const distance = await mcp.geo.distance({ from: zip.zip, to: zip2.zip });
return distance;`,
    ]);
    // A program that makes the same calls in another order is used as well.
    const [{ program } = { program: undefined }] = mineSessions(recorded);
    const [first, second, last] = recorded[0]?.calls ?? [];
    const swapped = { id: "other", calls: [second, first, last] as RecordedCall[] };
    const [used] = applications(program as Program, playable(swapped));
    expect(used).toMatchObject({ isRight: true, calls: [0, 1, 2] });
    expect(used?.given.get("city")).toBe("adaville");
  });

  it("an element is chosen by a rule that fits all", () => {
    const orders = (who: string) => ["x", "y", "z", "w"].map((one) => ({ id: id(one, who) }));
    const recorded = sessions((who) => [
      call("shop:orders", { email: `${who}@x.org` }, { orders: orders(who) }),
      call("shop:get_order", { id: orders(who).at(-1)?.id as string }, { total: 1 }),
    ]);
    expect(texts(recorded)[0]).toContain("await mcp.shop.get_order({ id: orders.orders.at(-1).id })");
  });

  const REST = ["x", "y", "z", "w"];

  it("an element is found by an argument, where one names it", () => {
    const recorded = PEOPLE.map((who, i) => {
      const orders = REST.map((one) => ({ item: `${who} ${one} hat`, card: id(`card${one}`, who) }));
      const { item, card } = orders[i % 3] as (typeof orders)[number];
      const calls = [
        call("shop:orders", { email: `${who}@x.org` }, { orders }),
        call("shop:refund", { item, card }, { ok: true }),
      ];
      return { id: who, calls };
    });
    expect(texts(recorded)[0]).toContain(
      "{ item: args.item, card: orders.orders.find((item) => item.item === args.item).card }",
    );
  });

  it("no element is chosen by its place where calls go from one element to the next", () => {
    const recorded = sessions((who) => [
      call(
        "shop:orders",
        { email: `${who}@x.org` },
        REST.map((one) => id(one, who)),
      ),
      ...REST.slice(0, 3).map((one) => call("shop:get_order", { id: id(one, who) }, { total: 1 })),
    ]);
    expect(texts(recorded)).toEqual([]);
  });

  it("nor where attempts at one task made the same choice", () => {
    const one = (who: string, group: string) => ({
      id: `${who} ${group}`,
      group,
      calls: [
        call("shop:orders", { email: `${who}@x.org` }, { orders: [id("x", who), id("y", who)] }),
        call("shop:get_order", { id: id("x", who) }, { total: 1 }),
      ],
    });
    const recorded = PEOPLE.flatMap((who) => [one(who, who), one(who, who), one(who, who)]);
    expect(texts(recorded)).toEqual([]);
  });

  it("nor where callers often know it by themselves", () => {
    const orders = (who: string) => REST.map((one) => id(one, who));
    const recorded = [
      ...sessions((who) => [
        call("shop:orders", { email: `${who}@x.org` }, { orders: orders(who) }),
        call("shop:get_order", { id: orders(who)[0] as string }, { total: 1 }),
      ]),
      ...sessions((who) => [call("shop:get_order", { id: id("other", who) }, { total: 1 })], ["kim", "lea"]),
    ];
    expect(texts(recorded.slice(0, PEOPLE.length))).toHaveLength(1);
    expect(texts(recorded)).toEqual([]);
  });

  it("what callers choose as often is taken from a result where they give nothing else", async () => {
    const order = (symbol: string, price: number) =>
      call("shop:place_order", { symbol, price }, { order: id("ord", symbol) });
    const quote = (symbol: string, price: number) => call("shop:get_stock", { symbol }, { price });
    const recorded = PEOPLE.map((who, i) => ({
      id: who,
      calls: [quote(who, 101.17 + i), order(who, i === 3 ? 99.51 : 101.17 + i)],
    }));
    const [candidate] = mineSessions(recorded) as [Candidate];
    const { program } = candidate;
    expect(programText(program)).toContain("price: args.price ?? stock.price");
    const [given] = applications(program, playable(recorded[3] as RecordedSession));
    expect(given).toMatchObject({ isRight: true, isAsFound: false });
    expect(given?.given.get("price")).toBe(99.51);
    const flows = recorded.map((session) => flowOf(session, countValues(recorded)));
    const { parameters, occurrences } = await evidenceOf(flows, candidate, async (text) => text);
    expect(parameters).toEqual(["symbol", "price"]);
    expect(occurrences[0]?.values).toEqual(['symbol "ada"', "price 101.17"]);
  });

  it("a number is given as text where it was, and a field of a joined text is cut out", () => {
    const recorded = PEOPLE.map((who, i) => ({
      id: who,
      calls: [
        call("a:start", { who }, { run: 7_001 + i * 37, at: `paris, ${who}land` }),
        call("a:wait", { run: String(7_001 + i * 37), country: `${who}land` }, { done: true }),
      ],
    }));
    expect(texts(recorded)[0]).toContain(
      '{ run: String(start.run), country: start.at.split(",")[1].trim() }',
    );
  });
});

describe("[LC-5] constants", () => {
  const recorded = sessions((who) => [find(who), latest(who), note(who, "same text")]);

  it("what was always the same is a parameter, unless the schema names it", () => {
    expect(texts(recorded)[0]).toContain("text: args.text");
    expect(texts(recorded, (_, path, value) => path[0] === "text" && value === "same text")[0]).toContain(
      'text: "same text"',
    );
  });

  it("it is remembered as usual, and what looks like a secret is not", () => {
    const usual = (args: Record<string, Json>) =>
      mineSessions(
        sessions((who) => [
          find(who),
          latest(who),
          call("shop:add_note", { order_id: id("ord", who), ...args }, null),
        ]),
      )[0]?.program.parameters.filter((one) => one.usual !== undefined);
    expect(usual({ text: "same text" })).toMatchObject([{ name: "text", usual: "same text" }]);
    expect(usual({ api_key: "same text" })).toEqual([]);
    expect(usual({ header: "sk-1234567890abcdef" })).toEqual([]);
  });
});

/** Runs the written code against recorded answers. */
async function madeBy(program: Program, given: ReadonlyMap<string, Json>, answers: readonly RecordedCall[]) {
  const made: { tool: string; arguments: Json }[] = [];
  const left = [...answers];
  const mcp = new Proxy(
    {},
    {
      get: (_, server: string) =>
        new Proxy(
          {},
          {
            get: (__, tool: string) => async (args: Json) => {
              const sent = JSON.parse(JSON.stringify(args)) as Json;
              made.push({ tool: `${server}:${tool}`, arguments: sent });
              const at = left.findIndex(
                (one) =>
                  one.tool === `${server}:${tool}` && canonicalJson(one.arguments) === canonicalJson(sent),
              );
              return at < 0 ? undefined : left.splice(at, 1)[0]?.result;
            },
          },
        ),
    },
  );
  const body = `return (async () => { ${programText(program)} })()`;
  await new Function("mcp", "args", body)(mcp, Object.fromEntries(given));
  return made;
}

const sorted = (calls: readonly { readonly tool: string; readonly arguments: unknown }[]): string[] =>
  calls.map((call): string => text(call)).sort();
const text = (call: { readonly tool: string; readonly arguments: unknown }) =>
  `${call.tool} ${canonicalJson(call.arguments)}`;

const step = fc.record({
  tool: fc.constantFrom("a:get_one", "a:list_two", "b:set_three"),
  field: fc.constantFrom("id", "key", "deep"),
  from: fc.nat({ max: 4 }),
});

/** Sessions in which every call takes its argument from the user or an earlier result, the same way in each. */
function made(steps: readonly { tool: string; field: string; from: number }[]): readonly RecordedSession[] {
  return PEOPLE.map((who) => ({
    id: who,
    calls: steps.map(({ tool, from }, i) => {
      const source = from < i ? steps[from] : undefined;
      const value = source === undefined ? `user ${who} ${i}` : id(source.field, `${who}${from}`);
      const result = Object.fromEntries(
        ["id", "key", "deep"].map((field) => [field, id(field, `${who}${i}`)]),
      );
      return call(tool, { of: value }, result);
    }),
  }));
}

describe("laws", () => {
  it("[LC-2] a program makes exactly the calls that it was learnt from, as code too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const recorded = made(steps);
        for (const { program } of mineSessions(recorded))
          for (const session of recorded)
            for (const { isRight, calls, given } of applications(program, playable(session))) {
              expect(isRight).toBe(true);
              const expected = calls.map((number) => session.calls[number] as RecordedCall);
              // The same call twice has two answers here, and a program may get either of them first.
              if (new Set(expected.map(text)).size < expected.length) continue;
              const did = await madeBy(program, given, expected);
              expect(sorted(did)).toEqual(sorted(expected));
            }
      }),
      { numRuns: 60 },
    );
  });

  it("[LC-1] results of other sessions give no flow", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), (steps) => {
        const recorded = made(steps);
        const shuffled = recorded.map((session, s) => ({
          ...session,
          calls: session.calls.map((one, i) => ({
            ...one,
            result: recorded[(s + 1) % recorded.length]?.calls[i]?.result as Json,
          })),
        }));
        const counts = countValues(shuffled);
        for (const session of shuffled)
          expect(flowRows(session, counts).filter(({ source }) => source !== undefined)).toEqual([]);
        for (const { program } of mineSessions(shuffled))
          for (const { sources } of program.steps)
            expect([...sources.values()].map(({ kind }) => kind)).not.toContain("result");
      }),
      { numRuns: 60 },
    );
  });
});

describe("[LC-1] what mining costs", () => {
  it("is what the processor did, also where others use it", async () => {
    const recorded = sessions((who) => [find(who), latest(who), note(who)]);
    const { ms } = await minedInTurns(
      recorded,
      () => false,
      async () => {},
      () => 0,
    );
    expect(ms).toBe(0);
  });
});

describe("[LC-1] trivial values", () => {
  it("are no evidence by themselves", () => {
    const recorded = sessions((who) => [
      call("a:get_flag", { who }, { ok: true, n: 1, kind: "" }),
      call("a:set_flag", { ok: true, n: 1, kind: "" }, {}),
    ]);
    expect(texts(recorded).filter((one) => one.includes("flag.ok") || one.includes("flag.kind"))).toEqual([]);
  });
});
