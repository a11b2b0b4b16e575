import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldWireName, parseWireName } from "./wire-name.js";
import type { WireNameEntry, WireNameStore } from "./wire-table.js";
import { keepNames, type NameWish, WireTable } from "./wire-table.js";

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
const isReserved = (fold: string) => fold.startsWith("pml_") || fold.startsWith("cap_");

/** Few letters and many variants, so that names collide often. */
const tool = fc.oneof(
  fc.stringMatching(/^[aA_.-]{1,4}$/),
  fc.constantFrom(
    "read",
    "Read",
    "READ",
    "re-ad",
    "re_ad",
    "re.ad",
    "読む",
    "読",
    "🦊",
    "🦊🦊",
    "é",
    "e\u0301",
  ),
  fc.constantFrom("a".repeat(500), `${"a".repeat(499)}b`, "x".repeat(47), "x".repeat(48), "x".repeat(49)),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const wish: fc.Arbitrary<NameWish> = fc
  .tuple(fc.constantFrom("s", "S", "s-t", "s_t", "s.t"), tool, fc.constantFrom("mcp__", "", "pml_", "Cap-"))
  .map(([server, name, prefix]) => ({
    id: `${prefix}${server}:${name}`,
    wanted: `${prefix}${server}__${name}`,
  }));
const wishes = fc.uniqueArray(wish, { selector: ({ id }) => id, maxLength: 30 });
/** Ids of which most want one of two names. */
const rivals = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(..."abcdefgh"),
    wanted: fc.constantFrom("one", "One", "two", "t-w-o", "t_w_o"),
  }),
  { selector: ({ id }) => id, minLength: 1 },
);

/** `server:tool server:tool=wanted` */
function read(text: string): NameWish[] {
  return text.split(" ").map((word) => {
    const [id = "", wanted] = word.split("=");
    return { id, wanted: wanted ?? `mcp__${id.replace(":", "__")}` };
  });
}

function namesOf(table: WireTable, of: readonly NameWish[]): Record<string, string | undefined> {
  return Object.fromEntries(of.map(({ id }) => [id, table.nameOf(id)]));
}

async function tableOf(of: readonly NameWish[]): Promise<WireTable> {
  const table = new WireTable(isReserved);
  await table.assign(of);
  return table;
}

/** The table that every gateway of one store shares. */
class MemoryWireNameStore implements WireNameStore {
  readonly #entries: WireNameEntry[] = [];

  async load(): Promise<readonly WireNameEntry[]> {
    return [...this.#entries];
  }

  async keep(entries: readonly WireNameEntry[]): Promise<readonly WireNameEntry[]> {
    for (const entry of entries) {
      const isTaken = this.#entries.some(
        ({ id, name }) => id === entry.id || foldWireName(name) === foldWireName(entry.name),
      );
      if (!isTaken) this.#entries.push(entry);
    }
    return this.#entries.filter(({ id }) => entries.some((entry) => entry.id === id));
  }
}

/** A gateway as far as names go: lists what it has, keeps new names, lists again where it lost. */
class NamingGateway {
  readonly table = new WireTable(isReserved);
  readonly #store: WireNameStore;
  rounds = 0;

  constructor(store: WireNameStore) {
    this.#store = store;
  }

  async list(of: readonly NameWish[]): Promise<Record<string, string | undefined>> {
    for (let lost: readonly string[] = [""]; lost.length > 0 && this.rounds < 20; this.rounds += 1) {
      const added = await this.table.assign(of);
      lost = added.length === 0 ? [] : await keepNames(this.table, this.#store, added);
    }
    return namesOf(this.table, of);
  }
}

describe("WireTable", () => {
  /** Wishes in, names out; `#` stands for the suffix. */
  async function check(text: string, expected: string): Promise<void> {
    const table = await tableOf(read(text));
    const names = read(text).map(({ id }) => (table.nameOf(id) ?? "none").replace(/_[0-9a-f]{6}$/, "#"));
    expect(names.join(" ")).toBe(expected);
  }

  it("[WIRE-2] gives what is wanted", () => check("fs:read git:log", "mcp__fs__read mcp__git__log"));
  it("[WIRE-1, WIRE-2] gives the first by id what two want", () => check("b:x=n a:x=n", "n# n"));
  it("[WIRE-1] takes case as no difference", () => check("a:x=Name b:x=name", "Name name#"));
  it("[WIRE-1] takes - and _ as no difference", () => check("a:x=a-b b:x=a_b", "a-b a_b#"));
  it("[WIRE-2] tells a_:b from a:_b", () => check("a:_b a_:b", "mcp__a___b mcp__a___b#"));
  it("[WIRE-3] gives nothing under a reserved prefix", () =>
    check("a:x=pml_run a:y=CAP-look a:z=pmlrun", "x_pml_run# x_CAP-look# pmlrun"));

  it("finds the owner of a name as a client may have folded it", async () => {
    const table = await tableOf(read("fs:Read-File"));
    for (const name of ["mcp__fs__Read-File", "MCP__FS__READ_FILE", "mcp--fs--read-file"])
      expect(table.idOf(name)).toBe("fs:Read-File");
    expect(table.idOf("mcp__fs__read")).toBeUndefined();
  });

  it("answers with the new entries only", async () => {
    const table = await tableOf(read("a:x"));
    expect(await table.assign(read("a:x b:y"))).toEqual([{ id: "b:y", name: "mcp__b__y" }]);
    expect(await table.assign(read("a:x b:y"))).toEqual([]);
  });

  it("[WIRE-2] keeps the name of one who is away from others who want it", async () => {
    const table = await tableOf(read("b:x=n"));
    await table.assign(read("a:x=n"));
    expect(table.nameOf("b:x")).toBe("n");
    expect(table.nameOf("a:x")).toMatch(/^n_[0-9a-f]{6}$/);
  });

  it("gives a forgotten name to the next who wants it", async () => {
    const table = await tableOf(read("a:x=n"));
    table.forget("a:x");
    table.forget("nobody");
    expect(table.idOf("n")).toBeUndefined();
    await table.assign(read("b:x=n"));
    expect(table.idOf("N")).toBe("b:x");
  });

  it("adopts nothing that is known, taken or reserved", async () => {
    const table = await tableOf(read("a:x=n"));
    const entries = [
      { id: "a:x", name: "other" },
      { id: "b:x", name: "N" },
      { id: "c:x", name: "pml_run" },
      { id: "d:x", name: "free" },
    ] as unknown as readonly WireNameEntry[];
    table.adopt(entries);
    expect(entries.map(({ id }) => table.nameOf(id))).toEqual(["n", undefined, undefined, "free"]);
  });

  it("[WIRE-1] gives every id a name of the grammar that is unique after folding, whatever the ids", async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (given) => {
        const table = await tableOf(given);
        const names = given.map(({ id }) => table.nameOf(id) ?? "");
        for (const name of names) expect(name).toMatch(NAME);
        for (const name of names) expect(isReserved(foldWireName(name))).toBe(false);
        expect(new Set(names.map(foldWireName)).size).toBe(given.length);
      }),
    );
  });

  it("[WIRE-2] leads from id to name and back, whatever the ids", async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (given) => {
        const table = await tableOf(given);
        for (const { id } of given) expect(table.idOf(table.nameOf(id) ?? "")).toBe(id);
      }),
    );
  });

  it("[WIRE-2] gives the same set the same names, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .oneof(wishes, rivals)
          .chain((given) =>
            fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
          ),
        async ([given, shuffled]) => {
          expect(namesOf(await tableOf(shuffled), given)).toEqual(namesOf(await tableOf(given), given));
        },
      ),
    );
  });

  it("[WIRE-2] never changes a name once given, in whatever order ids come and go", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wishes, { maxLength: 6 }), async (arrivals) => {
        const table = new WireTable(isReserved);
        const given = new Map<string, string>();
        for (const arrived of arrivals) {
          await table.assign(arrived);
          for (const { id } of arrived) {
            const name = table.nameOf(id) ?? "";
            expect(given.get(id) ?? name).toBe(name);
            given.set(id, name);
          }
        }
        for (const [id, name] of given) expect(table.nameOf(id)).toBe(name);
      }),
    );
  });

  it("[WIRE-2] keeps all names over a restart, in any order of listing", async () => {
    await fc.assert(
      fc.asyncProperty(wishes, wishes, async (before, after) => {
        const first = new WireTable(isReserved);
        const entries = await first.assign(before);
        const second = new WireTable(isReserved);
        second.adopt(entries.toReversed());
        await second.assign(after);
        await second.assign(before);
        expect(namesOf(second, before)).toEqual(namesOf(first, before));
      }),
    );
  });

  it("[WIRE-2] names two that want one name at the same time", async () => {
    const table = new WireTable();
    await Promise.all([table.assign(read("a:x=n")), table.assign(read("b:x=N"))]);
    expect([table.nameOf("a:x"), table.nameOf("b:x")]).toEqual([
      "n",
      expect.stringMatching(/^N_[0-9a-f]{6}$/),
    ]);
  });

  it("[WIRE-1, WIRE-2] names everybody once in assignments that run at the same time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(wishes, rivals), { minLength: 2, maxLength: 5 }), async (at) => {
        const table = new WireTable(isReserved);
        const added = (await Promise.all(at.map((given) => table.assign(given)))).flat();
        const ids = new Set(at.flat().map(({ id }) => id));
        expect(added).toHaveLength(ids.size);
        expect(new Set(added.map(({ id }) => id))).toEqual(ids);
        expect(new Set(added.map(({ name }) => foldWireName(name))).size).toBe(ids.size);
        for (const { id, name } of added) expect(table.nameOf(id)).toBe(name);
      }),
    );
  });
});

describe("[WIRE-2] keepNames", () => {
  it("changes nothing if no other gateway was first", async () => {
    const store = new MemoryWireNameStore();
    const table = new WireTable();
    const added = await table.assign(read("a:x b:y"));
    expect(await keepNames(table, store, added)).toEqual([]);
    expect(await store.load()).toEqual(added);
  });

  it("takes over the name that another gateway gave the same id", async () => {
    const store = new MemoryWireNameStore();
    await new NamingGateway(store).list(read("a:x=theirs"));
    const ours = new NamingGateway(store);
    expect(await ours.list(read("a:x=ours"))).toEqual({ "a:x": "theirs" });
  });

  it("goes round a name that another gateway gave another id", async () => {
    const store = new MemoryWireNameStore();
    await new NamingGateway(store).list(read("my-fs:read"));
    const ours = new NamingGateway(store);
    const names = await ours.list(read("my_fs:read"));
    expect(names["my_fs:read"]).toMatch(/^mcp__my_fs__read_[0-9a-f]{6}$/);
    // One round that lost, one that went round it.
    expect(ours.rounds).toBe(2);
  });

  it("untangles names that were given crosswise", async () => {
    const store = new MemoryWireNameStore();
    await new NamingGateway(store).list(read("a:x=two b:y=one"));
    const ours = new NamingGateway(store);
    expect(await ours.list(read("a:x=one b:y=two"))).toEqual({ "a:x": "two", "b:y": "one" });
  });

  it("ends with one owner per name for all gateways of a store, and in few rounds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(rivals, wishes), fc.oneof(rivals, wishes), async (theirs, ours) => {
        const store = new MemoryWireNameStore();
        const gateways = [new NamingGateway(store), new NamingGateway(store)] as const;
        await gateways[0].list(theirs);
        await gateways[1].list(ours);
        const names = { ...(await gateways[0].list(theirs)), ...(await gateways[1].list(ours)) };
        expect(new Set(Object.values(names).map((name) => foldWireName(name ?? ""))).size).toBe(
          Object.keys(names).length,
        );
        const kept = Object.fromEntries((await store.load()).map(({ id, name }) => [id, name]));
        expect(names).toEqual(kept);
        expect(gateways[1].rounds).toBeLessThan(5);
      }),
    );
  });
});

describe("[TB-6, WIRE-2] a real tool and a capability that want one name", () => {
  it("the tool has it, whichever came first", async () => {
    const [tool, capability] = read("mail:send cap:mail:send=mcp__Mail__Send");
    if (tool === undefined || capability === undefined) throw new Error("two wishes");
    for (const order of [
      [tool, capability],
      [capability, tool],
    ]) {
      const table = new WireTable(isReserved);
      for (const wished of order) await table.assign([wished]);
      expect(table.nameOf(tool.id)).toBe("mcp__mail__send");
      await table.assign([capability]);
      expect(table.nameOf(capability.id)).toMatch(/^mcp__Mail__Send_[0-9a-f]{6}$/);
      expect(table.idOf("mcp__mail__send")).toBe(tool.id);
    }
  });

  it("of two capabilities, the one that came first has it", async () => {
    const table = new WireTable(isReserved);
    for (const wished of read("cap:mail:send=mcp__mail__send cap:Mail:Send=mcp__mail__send"))
      await table.assign([wished]);
    expect(table.idOf("mcp__mail__send")).toBe("cap:mail:send");
    expect(table.nameOf("cap:Mail:Send")).toMatch(/^mcp__mail__send_[0-9a-f]{6}$/);
  });

  it("keeps the name that it was given before, though a capability has a better one", async () => {
    const table = new WireTable(isReserved);
    table.adopt([
      { id: "mail:send", name: parseWireName("mcp__mail__send_123456") },
      { id: "cap:mail:send", name: parseWireName("mcp__mail__send") },
    ]);
    expect(await table.assign(read("mail:send"))).toEqual([]);
    expect(table.nameOf("mail:send")).toBe("mcp__mail__send_123456");
  });
});
