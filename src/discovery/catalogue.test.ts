import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import type { ToolId } from "../registry/tool-id.js";
import { Catalogue, type CatalogueListener, type CatalogueTool } from "./catalogue.js";

const tool = (id: string, hash = "1"): CatalogueTool => ({ id: id as ToolId, hash });

/** What a listener is told, one line each. */
function listened(
  directory: CapabilityDirectory,
  tools: readonly CatalogueTool[],
  more: Partial<CatalogueListener<CatalogueTool>> = {},
) {
  const told: string[] = [];
  const source = { tools };
  const catalogue = new Catalogue(
    { directory, tools: () => source.tools },
    {
      tool: (id, now) => void told.push(`${id} ${now?.hash ?? "gone"}`),
      capability: (_fqdn, now) => void told.push(now?.displayName ?? "gone"),
      ...more,
    },
  );
  const news = async () => {
    await catalogue.takeOver();
    return told.splice(0);
  };
  return { catalogue, source, told, news };
}

describe("[DI-2, DI-5] whoever listens to what can be found", () => {
  it("is told of what there is, of what changes, and of what goes, once each", async () => {
    const one = sampleCapability("x:one");
    const directory = new CapabilityDirectory([one]);
    const { catalogue, source, news } = listened(directory, [tool("t:a"), tool("t:b")]);
    expect(await news()).toEqual(["t:a 1", "t:b 1", "x:one"]);
    expect(await news()).toEqual([]);
    source.tools = [tool("t:a", "2"), tool("t:b"), tool("t:c")];
    directory.put(sampleCapability("x:two"));
    expect(await news()).toEqual(["t:a 2", "t:c 1", "x:two"]);
    source.tools = [tool("t:c")];
    directory.remove(one.fqdn);
    expect(await news()).toEqual(["t:a gone", "t:b gone", "gone"]);
    catalogue.stop();
    directory.put(sampleCapability("x:three"));
    expect(await news()).toEqual([]);
  });

  it("says which changes of a capability it wants to know", async () => {
    const one = sampleCapability("x:one");
    const directory = new CapabilityDirectory([one]);
    let calls = 0;
    const { news } = listened(directory, [], {
      isOther: (before, after) => before.intent !== after.intent,
      changed: () => {
        calls += 1;
      },
    });
    await news();
    directory.put({ ...one, usageCount: 7, revision: 2 });
    expect([await news(), calls]).toEqual([[], 0]);
    directory.put({ ...one, intent: "something else", revision: 3 });
    expect([await news(), calls]).toEqual([["x:one"], 1]);
  });

  it("is told once more of one, or of all, that it asks for", async () => {
    const one = sampleCapability("x:one");
    const { catalogue, source, news } = listened(new CapabilityDirectory([one]), [tool("t:a"), tool("t:b")]);
    await news();
    catalogue.touchTool("t:b" as ToolId);
    catalogue.touchTool("t:nobody" as ToolId);
    expect(await news()).toEqual(["t:b 1"]);
    catalogue.forget();
    source.tools = [tool("t:b")];
    expect(await news()).toEqual(["t:a gone", "t:b 1", "x:one"]);
    catalogue.touchTool("t:b" as ToolId);
    source.tools = [];
    expect(await news()).toEqual(["t:b gone"]);
  });

  it("lets others have their turn by time, and not by number", async () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const tools = Array.from({ length: 1_000 }, (_, n) => tool(`t:${n}`));
    const { catalogue, told } = listened(new CapabilityDirectory([]), tools, {
      tool(id) {
        told.push(id);
        if (told.length === 500) now += 1_000;
      },
    });
    const all = catalogue.takeOver();
    expect(told).toHaveLength(500);
    await all;
    expect(told).toHaveLength(1_000);
  });

  it("does what follows from tools before capabilities, all of it at once where it is little", async () => {
    const directory = new CapabilityDirectory([sampleCapability("x:one")]);
    const steps = ["first", "second"];
    const { catalogue, told } = listened(directory, [tool("t:a")], {
      follow: () => {
        const step = steps.shift();
        if (step !== undefined) told.push(step);
        return step !== undefined;
      },
    });
    const all = catalogue.takeOver();
    expect(told).toEqual(["t:a 1", "first", "second", "x:one"]);
    await all;
  });
});
