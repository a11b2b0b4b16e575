import { beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../src/base/canonical-json.js";
import { type ObservedSchema, observe } from "../../src/registry/observed-schema.js";
import { parseServerName, type ServerName } from "../../src/registry/tool-id.js";
import type { Observed, ToolPin, ToolSighting, ToolStore } from "../../src/registry/tool-store.js";

const files = parseServerName("files");
const mail = parseServerName("mail");

/** `read=1` is a sighting of tool `read` with content 1. */
function seen(text: string): readonly ToolSighting[] {
  return text.split(" ").map((word) => {
    const [name = "", content = ""] = word.split("=");
    return { name, hash: `hash-${content}`, tool: { name, content } };
  });
}

/** `read=1` is a tool as pinned; `read=1>2` one that was pinned with content 1 and has content 2 now. */
function shown(pins: readonly ToolPin[]): string {
  return pins
    .map((pin) => {
      const pinned = pin.pinnedHash.slice("hash-".length);
      const current = pin.currentHash.slice("hash-".length);
      expect(pin.pinnedTool).toEqual({ name: pin.name, content: pinned });
      expect(pin.currentTool).toEqual({ name: pin.name, content: current });
      expect(pin.changedAt instanceof Date).toBe(pinned !== current);
      return pinned === current ? `${pin.name}=${pinned}` : `${pin.name}=${pinned}>${current}`;
    })
    .join(" ");
}

/** What a sighting came to: `changed: read; gone: write`. */
function newsOf({ changed, gone }: Observed): string {
  return [`changed: ${changed.join(" ")}`, `gone: ${gone.join(" ")}`].join("; ");
}

export function describeToolStore(name: string, open: () => Promise<ToolStore>): void {
  describe(`ToolStore: ${name}`, () => {
    let store: ToolStore;
    const pinned = async (server: ServerName, sightings: readonly ToolSighting[]) =>
      (await store.observe(server, sightings)).pins;
    beforeEach(async () => {
      store = await open();
    });

    it("[ST-1] pins a tool that is seen for the first time", async () => {
      expect(shown(await pinned(files, seen("read=1")))).toBe("read=1");
    });

    it("keeps the pin and notes what is different now", async () => {
      await store.observe(files, seen("read=1"));
      expect(shown(await pinned(files, seen("read=2")))).toBe("read=1>2");
    });

    it("clears the note when the tool is as pinned again", async () => {
      await store.observe(files, seen("read=1"));
      await store.observe(files, seen("read=2"));
      expect(shown(await pinned(files, seen("read=1")))).toBe("read=1");
    });

    it("notes the first change's time, also when the tool changes again", async () => {
      await store.observe(files, seen("read=1"));
      const [first] = await pinned(files, seen("read=2"));
      const [second] = await pinned(files, seen("read=3"));
      expect(second).toMatchObject({ currentHash: "hash-3", changedAt: first?.changedAt });
    });

    it("says when a tool was seen first and last", async () => {
      const [first] = await pinned(files, seen("read=1"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      const [second] = await pinned(files, seen("read=1"));
      expect(second?.firstSeenAt).toEqual(first?.firstSeenAt);
      expect(second?.lastSeenAt.getTime()).toBeGreaterThan(first?.lastSeenAt.getTime() ?? Number.NaN);
    });

    it("answers in the order of the sightings", async () => {
      await store.observe(files, seen("b=1"));
      expect(shown(await pinned(files, seen("c=1 a=1 b=2")))).toBe("c=1 a=1 b=1>2");
    });

    it("keeps the pin of a tool that is not listed for a while", async () => {
      await store.observe(files, seen("read=1 write=1"));
      await store.observe(files, seen("write=1"));
      expect(shown(await pinned(files, seen("read=2 write=1")))).toBe("read=1>2 write=1");
    });

    it("takes the first of two tools with one name", async () => {
      expect(shown(await pinned(files, seen("read=1 read=2")))).toBe("read=1 read=1");
    });

    it("keeps tools of two servers apart", async () => {
      await store.observe(mail, seen("read=1"));
      await store.observe(files, seen("read=2"));
      const pins = await store.list();
      expect(pins.map(({ server }) => server)).toEqual(["files", "mail"]);
      expect(shown(pins)).toBe("read=2 read=1");
    });

    it("lists by server and name, by the bytes of the name", async () => {
      await store.observe(files, seen("b=1 B=1 a=1 _=1"));
      expect(shown(await store.list())).toBe("B=1 _=1 a=1 b=1");
    });

    it("gives back the object as it was seen: order of keys, odd characters, odd names", async () => {
      const name = 'we"ird\\ \0 \ud800 {a,b} 😀';
      const tool: Json = { z: 1, a: { "\0": "\ud800", n: [null, 1e21, -0.5] }, name };
      await store.observe(files, [{ name, hash: "h", tool }]);
      const [pin] = await store.list();
      expect(pin?.name).toBe(name);
      expect(JSON.stringify(pin?.pinnedTool)).toBe(JSON.stringify(tool));
    });

    it("takes nothing, and a whole server at once", async () => {
      expect(await pinned(files, [])).toEqual([]);
      const many = Array.from({ length: 1_200 }, (_, index) => `tool${index}=1`).join(" ");
      expect(shown(await pinned(files, seen(many)))).toBe(many);
      expect((await store.list()).length).toBe(1_200);
    });

    describe("[GW-5] news of a sighting", () => {
      const see = async (text: string) => newsOf(await store.observe(files, seen(text)));

      it("is nothing for what is new or as before", async () => {
        expect(await see("read=1 write=1")).toBe("changed: ; gone: ");
        expect(await see("read=1 write=1 list=1")).toBe("changed: ; gone: ");
      });

      it("is every tool that is another object than at the last sighting, also as pinned again", async () => {
        await see("read=1 write=1");
        expect(await see("read=2 write=1")).toBe("changed: read; gone: ");
        expect(await see("read=2 write=1")).toBe("changed: ; gone: ");
        expect(await see("read=3 write=1")).toBe("changed: read; gone: ");
        expect(await see("read=1 write=1")).toBe("changed: read; gone: ");
      });

      it("is every tool that is gone, once, and of that server only", async () => {
        await store.observe(mail, seen("send=1"));
        await see("read=1 write=1");
        expect(await see("read=1")).toBe("changed: ; gone: write");
        expect(await see("read=1")).toBe("changed: ; gone: ");
        expect(newsOf(await store.observe(files, []))).toBe("changed: ; gone: read");
        const gone = (await store.list()).filter(({ goneAt }) => goneAt !== undefined);
        expect(gone.map(({ name: tool }) => tool)).toEqual(["read", "write"]);
        await see("read=1 write=1");
        expect((await store.list()).some(({ goneAt }) => goneAt !== undefined)).toBe(false);
      });
    });

    describe("[FP-21] accepting a tool", () => {
      const accept = (content: string, pinnedAs: string) => {
        const [tool] = seen(`read=${content}`);
        if (tool === undefined) throw new Error("There is no such tool");
        const acceptedBy = "ada@home";
        return store.accept({ server: files, tool, pinnedHash: `hash-${pinnedAs}`, acceptedBy });
      };

      it("pins it as it is now, and says who did", async () => {
        await store.observe(files, seen("read=1"));
        await store.observe(files, seen("read=2"));
        expect(await accept("2", "1")).toEqual([]);
        expect(shown(await store.list())).toBe("read=2");
        expect(await store.list()).toMatchObject([{ acceptedBy: "ada@home" }]);
        expect(shown(await pinned(files, seen("read=1")))).toBe("read=2>1");
      });

      it("is refused where the tool is pinned as something else by now", async () => {
        await store.observe(files, seen("read=1"));
        await store.observe(files, seen("read=2"));
        await accept("2", "1");
        expect(await accept("3", "1")).toBe(undefined);
        expect(shown(await store.list())).toBe("read=2");
        expect(await accept("2", "9")).toBe(undefined);
      });

      it("keeps what another gateway sees of it", async () => {
        await store.observe(files, seen("read=1"));
        await store.observe(files, seen("read=3"));
        await accept("2", "1");
        expect(shown(await store.list())).toBe("read=2>3");
      });

      it("is refused of a tool that was never seen", async () => {
        expect(await accept("2", "1")).toBe(undefined);
      });
    });

    describe("[AN-5] what the results of a tool look like", () => {
      const learn = (hash: string, result: Json, name = "read") =>
        store.learnOutput(files, { name, hash: `hash-${hash}` }, observe(result));
      const known = async () => (await store.list()).map(({ observedOutput }) => fields(observedOutput));
      const fields = (schema: ObservedSchema | undefined) =>
        schema === undefined ? undefined : Object.keys(schema.properties ?? {}).join(" ");

      it("is unknown at first, and is kept once it was learnt", async () => {
        await store.observe(files, seen("read=1"));
        expect(await known()).toEqual([undefined]);
        expect(await learn("1", { a: 1 })).toEqual(observe({ a: 1 }));
        expect(await store.list()).toMatchObject([{ observedOutput: observe({ a: 1 }) }]);
        const [pin] = await pinned(files, seen("read=1"));
        expect(pin?.observedOutput).toEqual(observe({ a: 1 }));
      });

      it("grows with what is seen, and answers all of it", async () => {
        await store.observe(files, seen("read=1"));
        await learn("1", { a: 1 });
        expect(fields(await learn("1", { b: "x" }))).toBe("a b");
        expect(fields(await learn("1", { b: "y" }))).toBe("a b");
        expect(await known()).toEqual(["a b"]);
      });

      it("is not learnt of a tool that is not pinned, or is another by now", async () => {
        expect(await learn("1", { a: 1 })).toBe(undefined);
        await store.observe(files, seen("read=1"));
        expect(await learn("2", { a: 1 })).toBe(undefined);
        await store.observe(files, seen("read=2"));
        expect(await learn("1", { a: 1 })).toBe(undefined);
        expect(fields(await learn("2", { b: 1 }))).toBe("b");
        expect(await known()).toEqual(["b"]);
      });

      it("is forgotten when the tool changes, each time, and of that tool only", async () => {
        await store.observe(files, seen("read=1 write=1"));
        await learn("1", { a: 1 });
        await learn("1", { w: 1 }, "write");
        await store.observe(files, seen("read=2 write=1"));
        expect(await known()).toEqual([undefined, "w"]);
        await learn("2", { b: 1 });
        await store.observe(files, seen("read=2"));
        expect(await known()).toEqual(["b", "w"]);
        await store.observe(files, seen("read=1"));
        expect(await known()).toEqual([undefined, "w"]);
      });

      it("is kept for odd names and odd fields", async () => {
        const name = 'we"ird \0 \ud800';
        await store.observe(files, [{ name, hash: "hash-1", tool: {} }]);
        const odd = JSON.parse('{ "__proto__": 1, "größe": { "\\u0000": 1 } }') as Json;
        expect(await learn("1", odd, name)).toEqual(observe(odd));
        expect((await store.list())[0]?.observedOutput).toEqual(observe(odd));
      });

      it("[ST-3] holds what every gateway has seen, also at the same time", async () => {
        await store.observe(files, seen("read=1"));
        const letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
        await Promise.all(letters.map((letter) => learn("1", { [letter]: 1 })));
        expect(await known()).toEqual([letters.join(" ")]);
      });
    });

    it("[ST-3] pins once, without a deadlock, when several gateways see a server at the same time", async () => {
      const names = Array.from({ length: 400 }, (_, index) => `tool${index}=1`);
      const forwards = seen(names.join(" "));
      const backwards = forwards.toReversed();
      const both = Array.from({ length: 8 }, (_, index) =>
        store.observe(files, index % 2 ? forwards : backwards),
      );
      await Promise.all(both);
      expect((await store.list()).length).toBe(400);
    });
  });
}
