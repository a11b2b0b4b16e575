import { beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../src/base/canonical-json.js";
import { parseServerName } from "../../src/registry/tool-id.js";
import type { ToolPin, ToolSighting, ToolStore } from "../../src/registry/tool-store.js";

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

export function describeToolStore(name: string, open: () => Promise<ToolStore>): void {
  describe(`ToolStore: ${name}`, () => {
    let store: ToolStore;
    beforeEach(async () => {
      store = await open();
    });

    it("[ST-1] pins a tool that is seen for the first time", async () => {
      expect(shown(await store.observe(files, seen("read=1")))).toBe("read=1");
    });

    it("keeps the pin and notes what is different now", async () => {
      await store.observe(files, seen("read=1"));
      expect(shown(await store.observe(files, seen("read=2")))).toBe("read=1>2");
    });

    it("clears the note when the tool is as pinned again", async () => {
      await store.observe(files, seen("read=1"));
      await store.observe(files, seen("read=2"));
      expect(shown(await store.observe(files, seen("read=1")))).toBe("read=1");
    });

    it("notes the first change's time, also when the tool changes again", async () => {
      await store.observe(files, seen("read=1"));
      const [first] = await store.observe(files, seen("read=2"));
      const [second] = await store.observe(files, seen("read=3"));
      expect(second).toMatchObject({ currentHash: "hash-3", changedAt: first?.changedAt });
    });

    it("says when a tool was seen first and last", async () => {
      const [first] = await store.observe(files, seen("read=1"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      const [second] = await store.observe(files, seen("read=1"));
      expect(second?.firstSeenAt).toEqual(first?.firstSeenAt);
      expect(second?.lastSeenAt.getTime()).toBeGreaterThan(first?.lastSeenAt.getTime() ?? Number.NaN);
    });

    it("answers in the order of the sightings", async () => {
      await store.observe(files, seen("b=1"));
      expect(shown(await store.observe(files, seen("c=1 a=1 b=2")))).toBe("c=1 a=1 b=1>2");
    });

    it("keeps the pin of a tool that is not listed for a while", async () => {
      await store.observe(files, seen("read=1 write=1"));
      await store.observe(files, seen("write=1"));
      expect(shown(await store.observe(files, seen("read=2 write=1")))).toBe("read=1>2 write=1");
    });

    it("takes the first of two tools with one name", async () => {
      expect(shown(await store.observe(files, seen("read=1 read=2")))).toBe("read=1 read=1");
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
      expect(await store.observe(files, [])).toEqual([]);
      const many = Array.from({ length: 1_200 }, (_, index) => `tool${index}=1`).join(" ");
      expect(shown(await store.observe(files, seen(many)))).toBe(many);
      expect((await store.list()).length).toBe(1_200);
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
