import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OfferKind } from "../mcp/real-servers.js";
import { Announcer, ClientConnections } from "./client-connections.js";
import type { Exposure, View } from "./session.js";

function viewOf(exposure: Exposure): View {
  return { exposure, scope: { org: "local", project: "default", user: "me" } };
}

describe("[WIRE-6, FP-13] Announcer", () => {
  let connections: ClientConnections;
  let announcer: Announcer;
  let told: string[];
  /** The kinds whose list was made, which for many tools is work. */
  let made: OfferKind[];
  let lists: Record<OfferKind, Record<Exposure, unknown>>;

  beforeEach(() => {
    vi.useFakeTimers();
    connections = new ClientConnections();
    told = [];
    made = [];
    lists = { tools: newList(), prompts: newList(), resources: newList() };
    announcer = new Announcer(connections, async (kind, view) => {
      made.push(kind);
      return lists[kind][view.exposure];
    });
  });
  afterEach(() => {
    announcer.stop();
    vi.useRealTimers();
  });

  function newList(): Record<Exposure, unknown> {
    return { auto: [], all: [], lean: [] };
  }

  function connect(id: string, exposure: Exposure = "all"): () => void {
    return connections.add({
      id,
      view: viewOf(exposure),
      listChanged: (kind) => void told.push(`${id} ${kind}`),
      resourceUpdated() {},
      logged() {},
    });
  }

  /** What has been told by the time that `ms` have passed. */
  async function toldWithin(ms: number): Promise<string> {
    await vi.advanceTimersByTimeAsync(ms);
    return told.splice(0).join(", ");
  }

  it("tells of a change once its burst is over", async () => {
    connect("a");
    announcer.changed(["tools"]);
    expect(await toldWithin(199)).toBe("");
    expect(await toldWithin(1)).toBe("a tools");
    expect(await toldWithin(10_000)).toBe("");
  });

  it("tells who has fetched the new list before the burst was over", async () => {
    connect("a");
    connections.noteSent("a", "tools", lists.tools.all);
    announcer.changed(["tools"]);
    lists.tools = newList();
    connections.noteSent("a", "tools", lists.tools.all);
    expect(await toldWithin(200)).toBe("a tools");
  });

  it("does not tell who has fetched its first list during the burst", async () => {
    connect("a");
    announcer.changed(["tools"]);
    connections.noteSent("a", "tools", lists.tools.all);
    expect(await toldWithin(200)).toBe("");
  });

  it("does not tell of what is as it was before the burst", async () => {
    connect("a");
    const before = lists.tools.all;
    connections.noteSent("a", "tools", before);
    announcer.changed(["tools"]);
    connections.noteSent("a", "tools", []);
    lists.tools = { auto: [], all: before, lean: [] };
    expect(await toldWithin(200)).toBe("");
  });

  it("tells every client", async () => {
    connect("a");
    connect("b");
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("a tools, b tools");
  });

  it("tells of a burst once, and does not wait longer because it goes on", async () => {
    connect("a");
    for (let i = 0; i < 4; i += 1) {
      announcer.changed(["tools"]);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(await toldWithin(0)).toBe("a tools");
    expect(await toldWithin(10_000)).toBe("");
    expect(made).toEqual(["tools"]);
  });

  it("makes the lists anew of which a change was told, and no others", async () => {
    connect("a");
    announcer.changed(["tools"]);
    await toldWithin(200);
    announcer.changed(["prompts"]);
    await toldWithin(200);
    expect(made).toEqual(["tools", "prompts"]);
  });

  it("tells of each kind that changed", async () => {
    connect("a");
    announcer.changed(["tools"]);
    announcer.changed(["resources", "prompts"]);
    expect(await toldWithin(200)).toBe("a tools, a resources, a prompts");
  });

  it("tells nothing to a client that was sent just this list", async () => {
    connect("a");
    connect("b");
    connections.noteSent("a", "tools", lists.tools.all);
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("b tools");
  });

  it("tells nothing where the list is as it was told the last time", async () => {
    connect("a");
    announcer.changed(["tools"]);
    await toldWithin(200);
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("");
  });

  it("tells of the next burst", async () => {
    connect("a");
    announcer.changed(["tools"]);
    await toldWithin(200);
    lists.tools = newList();
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("a tools");
  });

  it("[WIRE-5] tells a lean client of a change of its own list only", async () => {
    connect("full");
    connect("lean", "lean");
    connections.noteSent("full", "tools", lists.tools.all);
    connections.noteSent("lean", "tools", lists.tools.lean);
    lists.tools = { auto: [], all: [], lean: lists.tools.lean };
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("full tools");
    lists.tools = newList();
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("full tools, lean tools");
  });

  it("tells no client that has left, and treats one that comes back as new", async () => {
    const leave = connect("a");
    connections.noteSent("a", "tools", lists.tools.all);
    leave();
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("");
    connect("a");
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("a tools");
  });

  it("tells who has caused it at once, and not again; the others when the burst is over", async () => {
    connect("a");
    connect("b");
    for (const id of ["a", "b"]) connections.noteSent(id, "tools", lists.tools.all);
    lists.tools = newList();
    announcer.changed(["tools"]);
    await announcer.tellNow("a");
    expect(await toldWithin(0)).toBe("a tools");
    await announcer.tellNow("a");
    expect(await toldWithin(199)).toBe("");
    expect(await toldWithin(1)).toBe("b tools");
  });

  it("tells who has caused it of what changes after that, too", async () => {
    connect("a");
    announcer.changed(["tools"]);
    await announcer.tellNow("a");
    lists.tools = newList();
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("a tools, a tools");
  });

  it("tells at once in the way of the request, and only of a list that is another", async () => {
    connect("a");
    connections.noteSent("a", "tools", lists.tools.all);
    const tell = async () => void told.push("a in its request");
    announcer.changed(["tools"]);
    await announcer.tellNow("a", tell);
    await announcer.tellNow("nobody", tell);
    expect(await toldWithin(0)).toBe("");
    lists.tools = newList();
    await announcer.tellNow("a", tell);
    expect(await toldWithin(200)).toBe("a in its request");
    await announcer.tellNow("a", tell);
    expect(await toldWithin(0)).toBe("");
  });

  it("has told who asks when it answers, though the burst has just ended", async () => {
    connect("a");
    let finish: () => void = () => {};
    const list = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = new Announcer(connections, async () => {
      await list;
      return ["new"];
    });
    slow.changed(["tools"]);
    await vi.advanceTimersByTimeAsync(200);
    const now = slow.tellNow("a").then(() => told.push("answered"));
    await vi.advanceTimersByTimeAsync(1_000);
    finish();
    await now;
    expect(told).toEqual(["a tools", "answered"]);
  });

  it("[LP-1] does not take a client for one that has the list because it was told of a change", async () => {
    connect("a");
    announcer.changed(["tools"]);
    expect(await toldWithin(200)).toBe("a tools");
    expect(connections.hasList("tools", viewOf("all"))).toBe(false);
    announcer.changed(["tools"]);
    await announcer.tellNow("a");
    expect(connections.hasList("tools", viewOf("all"))).toBe(false);
    connections.noteSent("a", "tools", lists.tools.all);
    expect(connections.hasList("tools", viewOf("all"))).toBe(true);
  });

  it("tells nothing after it was stopped", async () => {
    connect("a");
    announcer.changed(["tools"]);
    announcer.changed(["prompts"]);
    announcer.stop();
    expect(await toldWithin(10_000)).toBe("");
  });
});

describe("ClientConnections", () => {
  it("notes nothing of a client that is not connected", async () => {
    const connections = new ClientConnections();
    const told: string[] = [];
    const list = {};
    connections.noteSent("a", "tools", list);
    connections.add({
      id: "a",
      view: viewOf("all"),
      listChanged: (kind) => void told.push(kind),
      resourceUpdated: (uri) => told.push(uri),
      logged() {},
    });
    await connections.announce("tools", async () => list);
    connections.tell((target) => target.resourceUpdated("file:///a"));
    expect(told).toEqual(["tools", "file:///a"]);
  });
});
