import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { ProvidesIndex } from "../../analysis/data/provides-index.js";
import type { Json } from "../../base/canonical-json.js";
import { silentLog } from "../../base/log.js";
import type { Capability } from "../../registry/capability.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { CodeLinks, GraphNode, GraphStore, ObservedSequence } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import { addUses } from "./edge-weights.js";
import { GraphKeeper, type GraphTool } from "./graph-keeper.js";

const NOW = 700;
const now = () => NOW * 28 * 86_400_000;
const A = "t:a" as ToolId;
const B = "t:b" as ToolId;
const fields = (name: string): Json => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});
const tool = (id: ToolId, takes = "x", hash = takes): GraphTool => ({ id, inputSchema: fields(takes), hash });

/** What several gateways share. */
class SharedStore implements GraphStore {
  readonly rows = new Map<string, ObservedSequence & { readonly at: number }>();
  isAway = false;
  #clock = 0;

  async add(observed: readonly ObservedSequence[]): Promise<void> {
    if (this.isAway) throw new Error("away");
    this.#clock += 1;
    for (const one of observed) {
      const key = `${one.from}>${one.to}`;
      const known = this.rows.get(key);
      this.rows.set(key, { ...one, ...(known === undefined ? {} : addUses(known, one)), at: this.#clock });
    }
  }

  async structures() {
    return new Map();
  }

  async load(most: number) {
    return this.since(new Date(0), most);
  }

  async since(mark: Date, most: number) {
    if (this.isAway) throw new Error("away");
    const observed = [...this.rows.values()].filter(({ at }) => at >= mark.getTime());
    return { observed: observed.slice(0, most), mark: new Date(this.#clock) };
  }

  async prune(): Promise<number> {
    return 0;
  }
}

interface Gateway {
  readonly keeper: GraphKeeper;
  tools: readonly GraphTool[];
  readonly outputs: Map<ToolId, Json>;
}

function gateway(
  store: GraphStore,
  directory = new CapabilityDirectory(),
  code: ReadonlyMap<Fqdn, CodeLinks> = new Map(),
  troubles: { away: boolean; asked?: number; read?: number; laterMs?: number } = { away: false },
): Gateway {
  const one: Gateway = {
    tools: [tool(A), tool(B, "content")],
    outputs: new Map([[A, fields("content")]]),
    keeper: new GraphKeeper({
      directory,
      tools: () => one.tools,
      outputSchemaOf: ({ id }) => one.outputs.get(id),
      codeOf: async (capabilities: readonly Capability[]) => {
        troubles.asked = (troubles.asked ?? 0) + 1;
        if (troubles.away) throw new Error("away");
        troubles.read = (troubles.read ?? 0) + capabilities.length;
        return new Map(
          capabilities.flatMap(({ fqdn }) => {
            const links = code.get(fqdn);
            return links === undefined ? [] : [[fqdn, links] as const];
          }),
        );
      },
      schemas: new ProvidesIndex(),
      store,
      log: silentLog,
      now: () => now() + (troubles.laterMs ?? 0),
    }),
  };
  return one;
}

const drawn = ({ keeper: { graph } }: Gateway) =>
  graph
    .nodes()
    .flatMap((node) => [
      `${graph.isPresent(node) ? "" : "("}${node}`,
      ...graph
        .edgesFrom(node, NOW)
        .map(({ kind, to, weight }) => `${kind} ${node}>${to} ${weight.toFixed(2)}`),
    ]);

describe("[DI-5] the graph of a gateway", () => {
  it("follows tools as they come, change and go", async () => {
    const one = gateway(new SharedStore());
    await one.keeper.ready();
    const both = ["t:a", "provides t:a>t:b 0.70", "t:b"];
    expect(drawn(one)).toEqual(both);
    one.tools = [tool(A), tool(B, "other")];
    await one.keeper.ready();
    expect(drawn(one)).toEqual(["t:a", "t:b"]);
    one.tools = [tool(B, "content")];
    await one.keeper.ready();
    expect(drawn(one)).toEqual(["t:b"]);
    one.tools = [tool(A), tool(B, "content")];
    await one.keeper.ready();
    expect(drawn(one)).toEqual(both);
    one.outputs.set(A, fields("else"));
    await one.keeper.ready();
    expect(drawn(one)).toEqual(both);
    one.keeper.answered(A);
    one.keeper.answered("t:nobody" as ToolId);
    await one.keeper.ready();
    expect(drawn(one)).toEqual(["t:a", "t:b"]);
  });

  it("follows capabilities as they are learnt, changed and deleted, and reads their code", async () => {
    const cap = sampleCapability("x:cap", { toolsUsed: [A] });
    const main = sampleCapability("x:main", {
      dependencies: [`${cap.fqdn}@1` as CapabilityRef],
    });
    const directory = new CapabilityDirectory([cap]);
    const code = new Map([[cap.fqdn, { sequences: [[A, B]], provides: [] } as CodeLinks]]);
    const one = gateway(new SharedStore(), directory, code);
    one.outputs.clear();
    await one.keeper.codeRead();
    expect(drawn(one)).toEqual([
      cap.fqdn,
      `contains ${cap.fqdn}>t:a 0.80`,
      "t:a",
      "sequence t:a>t:b 0.50",
      "t:b",
    ]);
    directory.put(main);
    directory.put({ ...cap, usageCount: 3, lastUsedAt: new Date(now()), revision: 2 });
    await one.keeper.ready();
    expect(drawn(one).slice(0, 4)).toEqual([
      cap.fqdn,
      `contains ${cap.fqdn}>t:a 0.90`,
      main.fqdn,
      `dependency ${main.fqdn}>${cap.fqdn} 1.00`,
    ]);
    // Of other code nothing is known until it is read.
    code.delete(cap.fqdn);
    directory.put({ ...cap, version: 2, toolsUsed: [B], revision: 3 });
    await one.keeper.codeRead();
    expect(drawn(one)).toContain(`contains ${cap.fqdn}>t:b 0.80`);
    expect(drawn(one).slice(-2)).toEqual(["t:a", "t:b"]);
    code.set(cap.fqdn, { sequences: [[B, A]], provides: [] });
    directory.put({ ...cap, version: 3, toolsUsed: [B], revision: 4 });
    await one.keeper.codeRead();
    expect(drawn(one).slice(-2)).toEqual(["t:b", "sequence t:b>t:a 0.50"]);
    // And once more: what is known of a version is not that of the next.
    code.set(cap.fqdn, { sequences: [[A, A]], provides: [] });
    directory.put({ ...cap, version: 4, toolsUsed: [B], revision: 5 });
    await one.keeper.codeRead();
    expect(drawn(one).slice(-3)).toEqual(["t:a", "sequence t:a>t:a 0.50", "t:b"]);
    directory.remove(main.fqdn);
    directory.remove(cap.fqdn);
    await one.keeper.ready();
    expect(drawn(one)).toEqual(["t:a", "t:b"]);
  });

  it("reads code later that could not be read", async () => {
    const caps = Array.from({ length: 130 }, (_, at) => sampleCapability(`x:c${at}`, { toolsUsed: [A] }));
    const code = new Map(caps.map(({ fqdn }) => [fqdn, { sequences: [[A, B]], provides: [] } as CodeLinks]));
    const troubles = { away: true, laterMs: 0 };
    const one = gateway(new SharedStore(), new CapabilityDirectory(caps), code, troubles);
    one.outputs.clear();
    await one.keeper.codeRead();
    expect(drawn(one)).not.toContain("sequence t:a>t:b 0.50");
    // A store that does not answer is not asked with every question.
    await one.keeper.codeRead();
    expect(troubles).toMatchObject({ asked: 1 });
    Object.assign(troubles, { away: false, laterMs: 60_000 });
    await one.keeper.codeRead();
    expect(drawn(one)).toContain("sequence t:a>t:b 0.50");
    expect(troubles).toMatchObject({ asked: 3, read: 130 });
  });

  it("takes over a little at once, and much without holding anybody up", async () => {
    const directory = new CapabilityDirectory();
    const one = gateway(new SharedStore(), directory);
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += 1;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    void one.keeper.catchUp();
    expect(one.keeper.graph.nodeCount).toBe(2);
    for (let at = 0; at < 1_000; at += 1) directory.put(sampleCapability(`x:c${at}`));
    void one.keeper.catchUp();
    expect(one.keeper.graph.nodeCount).toBeLessThan(300);
    await one.keeper.ready();
    expect(one.keeper.graph.nodeCount).toBe(1_002);
  });

  it("survives a restart, and is the same in all gateways of a store", async () => {
    const store = new SharedStore();
    const [one, two] = [gateway(store), gateway(store)];
    for (const each of [one, two]) await each.keeper.exchange();
    one.keeper.followed([
      [A, B],
      [A, B],
      [B, A],
    ]);
    two.keeper.followed([[A, B]]);
    // Its own are known at once.
    expect(one.keeper.graph.followers(A, NOW).get(B)).toBe(2);
    for (const each of [one, two, one]) await each.keeper.exchange();
    const again = gateway(store);
    await again.keeper.exchange();
    for (const each of [one, two, again]) {
      await each.keeper.ready();
      expect(each.keeper.graph.followers(A, NOW).get(B)).toBe(3);
      expect(drawn(each)).toEqual(drawn(one));
    }
    // What is read twice counts once.
    for (let time = 0; time < 3; time += 1) await one.keeper.exchange();
    expect(one.keeper.graph.followers(A, NOW).get(B)).toBe(3);
  });

  it("loses nothing while the store is away, and writes the rest when it stops", async () => {
    const store = new SharedStore();
    const one = gateway(store);
    store.isAway = true;
    one.keeper.followed([[A, B]]);
    await one.keeper.exchange();
    one.keeper.followed([[A, B]]);
    store.isAway = false;
    await one.keeper.exchange();
    expect(store.rows.get("t:a>t:b")?.uses).toBe(2);
    one.keeper.followed([[B, A]]);
    await one.keeper.stop();
    expect(store.rows.get("t:b>t:a")?.uses).toBe(1);
    expect(one.keeper.graph.followers(A, NOW).get(B)).toBe(2);
  });

  it("keeps no names that no index could hold", async () => {
    const store = new SharedStore();
    const one = gateway(store);
    one.keeper.followed([[A, `t:${"x".repeat(500)}` as GraphNode]]);
    await one.keeper.exchange();
    expect(store.rows.size).toBe(0);
    expect(one.keeper.graph.nodeCount).toBe(0);
  });
});
