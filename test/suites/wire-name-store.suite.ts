import { beforeEach, describe, expect, it } from "vitest";
import { parseWireName } from "../../src/registry/wire-name.js";
import type { WireNameEntry, WireNameStore } from "../../src/registry/wire-table.js";

/** `fs:read=fs_read` gives the id `fs:read` the name `fs_read`. */
function entries(text: string): readonly WireNameEntry[] {
  return text.split(" ").map((word) => {
    const [id = "", name = ""] = word.split("=");
    return { id, name: parseWireName(name) };
  });
}

function shown(kept: readonly WireNameEntry[]): string {
  return kept
    .map(({ id, name }) => `${id}=${name}`)
    .sort()
    .join(" ");
}

export function describeWireNameStore(name: string, open: () => Promise<WireNameStore>): void {
  describe(`WireNameStore: ${name}`, () => {
    let store: WireNameStore;
    beforeEach(async () => {
      store = await open();
    });

    async function check(kept: string, asked: string, answer: string): Promise<void> {
      await store.keep(entries(kept));
      expect(shown(await store.keep(entries(asked)))).toBe(answer);
    }

    it("[ST-1] is empty at first", async () => {
      expect(await store.load()).toEqual([]);
    });

    it("keeps new names and loads them", async () => {
      await store.keep(entries("b:y=b__y a:x=a__x"));
      expect(await store.load()).toEqual(entries("a:x=a__x b:y=b__y"));
    });

    it("lets an id keep its first name", () => check("a:x=a__x", "a:x=other", "a:x=a__x"));
    it("gives a taken name to nobody else", () => check("a:x=name", "b:y=name", ""));
    it("takes names that clients may fold together for one", () => check("a:x=My-Name", "b:y=my_name", ""));
    it("keeps what it can of a batch", () => check("a:x=name", "b:y=NAME c:z=free", "c:z=free"));
    it("gives a name to the first of a batch", () => check("q:q=q", "b:y=name a:x=name", "b:y=name"));
    it("keeps one name of an id that comes twice", () => check("q:q=q", "a:x=one a:x=two", "a:x=one"));

    it("[TB-6] gives the name of a capability to a real tool, and none of a tool to anybody", async () => {
      await check("cap:a:x=mcp__a__x", "a:x=MCP__A-_x", "a:x=MCP__A-_x");
      expect(shown(await store.load())).toBe("a:x=MCP__A-_x");
      await check("b:y=mcp__b__y", "cap:b:y=mcp__b__y c:z=mcp__b__y", "");
    });
    it("[TB-6] takes no name away for a tool that has one already", async () => {
      await store.keep(entries("a:x=first cap:q:q=other"));
      await check("a:x=other", "cap:q:q=mine", "cap:q:q=other");
    });

    it("answers for the ids that were asked, and no others", async () => {
      await store.keep(entries("a:x=a b:y=b"));
      expect(await store.keep([])).toEqual([]);
      expect(shown(await store.keep(entries("b:y=zzz")))).toBe("b:y=b");
    });

    it("keeps ids with any character", async () => {
      const id = 'fs:we"ird\\ \0 \udc00';
      await store.keep([{ id, name: parseWireName("weird") }]);
      expect(await store.load()).toEqual([{ id, name: "weird" }]);
    });

    it("[ST-3] has one winner when many want one name at once", async () => {
      const ids = Array.from({ length: 8 }, (_, index) => `s${index}:t`);
      const answers = await Promise.all(
        ids.map((id, index) => store.keep(entries(index % 2 ? `${id}=one x:1=two` : `x:1=two ${id}=one`))),
      );
      const winners = answers.flat().filter(({ name: given }) => given === "one");
      expect(winners).toHaveLength(1);
      expect((await store.load()).filter(({ name: given }) => given === "one")).toEqual(winners);
    });

    it("[ST-3] keeps names that several gateways give at once in different orders, without a deadlock", async () => {
      const forwards = entries(
        Array.from({ length: 3_000 }, (_, index) => `s:${index}=name${index}`).join(" "),
      );
      const backwards = forwards.toReversed();
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => store.keep(index % 2 ? forwards : backwards)),
      );
      expect((await store.load()).length).toBe(3_000);
    });
  });
}
