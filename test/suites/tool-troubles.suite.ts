import { beforeEach, describe, expect, it } from "vitest";
import type { Capability } from "../../src/registry/capability.js";
import type { CapabilityStore, NewCapability } from "../../src/registry/capability-store.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import { parseServerName, type ServerName, toolId } from "../../src/registry/tool-id.js";
import type { ToolStore } from "../../src/registry/tool-store.js";
import { troubleText } from "../../src/registry/trust.js";
import { name, newScope, type run, sha256, sign, succeeded, use } from "./capability-samples.js";

export interface OpenedToolStores {
  readonly tools: ToolStore;
  readonly capabilities: CapabilityStore;
}

let servers = 0;
/** Capabilities of other tests still exist, and must not use the same tools. */
function newServer(): ServerName {
  servers += 1;
  return parseServerName(`server${servers}-${process.pid}`);
}

function inOrder(...capabilities: readonly { readonly fqdn: Fqdn }[]): readonly Fqdn[] {
  return capabilities.map(({ fqdn }) => fqdn).toSorted((a, b) => (a < b ? -1 : 1));
}

export function describeToolTroubles(store: string, open: () => Promise<OpenedToolStores>): void {
  describe(`[ID-10] trust that tools take: ${store}`, () => {
    let tools: ToolStore;
    let capabilities: CapabilityStore;
    let scope: Scope;
    let server: ServerName;
    beforeEach(async () => {
      ({ tools, capabilities } = await open());
      scope = newScope();
      server = newServer();
    });

    /** `read=1 write=2`: the tools that the server offers. */
    const sighted = (text: string) =>
      text.split(" ").flatMap((word) => {
        const [tool = "", hash = ""] = word.split("=");
        return tool === "" ? [] : [{ name: tool, hash, tool: { name: tool, hash } }];
      });
    const see = async (text: string) => (await tools.observe(server, sighted(text))).touched;
    const accept = async (text: string, pinnedHash: string) => {
      const [tool] = sighted(text);
      if (tool === undefined) throw new Error("There is no such tool");
      return await tools.accept({ server, tool, pinnedHash, acceptedBy: "ada@acme" });
    };
    const learn = async (code: string, using: string, more: Partial<NewCapability> = {}) => {
      const toolsUsed = using.split(" ").flatMap((tool) => (tool === "" ? [] : [toolId(server, tool)]));
      return (await capabilities.learn(succeeded(scope, code, { toolsUsed, ...more }), sign)).capability;
    };
    /** The stored and the loaded capability, which must be the same. */
    const now = async ({ fqdn }: { readonly fqdn: Fqdn }): Promise<Capability> => {
      const kept = await capabilities.get(fqdn);
      const loaded = (await capabilities.load()).find((one) => one.fqdn === fqdn);
      expect(loaded).toEqual(kept);
      if (kept === undefined) throw new Error(`There is no ${fqdn}`);
      return kept;
    };
    const trust = async (capability: { readonly fqdn: Fqdn }) => (await now(capability)).trust;
    const why = async (capability: { readonly fqdn: Fqdn }) =>
      (troubleText((await now(capability)).troubles) ?? "")
        .replaceAll(`${server}:`, "")
        .replace(/ (on|since) \d{4}-\d\d-\d\d/g, "");
    const runs = (fqdn: Fqdn, ...traces: Parameters<typeof run>[1][]) =>
      capabilities.addUses(traces.map((trace) => use(scope, fqdn, 1, trace)));
    const verified = async (code: string, using: string) => {
      const capability = await learn(code, using);
      await runs(capability.fqdn, { argsHash: sha256("other") });
      expect(await trust(capability)).toBe("verified");
      return capability;
    };

    it("makes what uses a changed tool suspect, and nothing else, until the tool is as pinned", async () => {
      await see("read=1 write=1");
      const reads = await verified("return read()", "read");
      const both = await verified("return both()", "write read");
      const writes = await verified("return write()", "write");
      expect(await see("read=2 write=1")).toEqual(inOrder(reads, both));
      expect([await trust(reads), await trust(both), await trust(writes)]).toEqual([
        "suspect",
        "suspect",
        "verified",
      ]);
      expect(await why(reads)).toBe("the tool read changed");
      expect(await see("read=3 write=1")).toEqual([]);
      expect(await see("read=1 write=1")).toEqual(inOrder(reads, both));
      expect([await trust(reads), await trust(both)]).toEqual(["verified", "verified"]);
      expect(await why(reads)).toBe("");
    });

    it("[SW-2] concerns every version that uses the tool, since others may get an older one, now or later", async () => {
      await see("read=1 write=1");
      const first = await learn("return read()", "read", { name: name("versions:read") });
      const { fqdn } = await learn("return 2", "", { name: name("versions:read"), update: true });
      expect(fqdn).toBe(first.fqdn);
      const { fqdn: third } = await learn("return write()", "write", {
        name: name("versions:read"),
        update: true,
      });
      expect(third).toBe(fqdn);
      expect(await see("read=2 write=1")).toEqual([fqdn]);
      const beforeOf = async (version: number) => [...(await tools.before(fqdn, version)).keys()];
      expect([await beforeOf(1), await beforeOf(2), await beforeOf(3)]).toEqual([
        [toolId(server, "read")],
        [],
        [],
      ]);
      const kept = await now({ fqdn });
      expect(kept.troubles).toBeUndefined();
      expect(kept.trial?.versions.map(({ version, troubles }) => [version, troubles?.length ?? 0])).toEqual([
        [3, 0],
        [2, 0],
        [1, 1],
      ]);
    });

    it("is told to whoever keeps capabilities in memory: the revision grows", async () => {
      await see("read=1");
      const { fqdn, revision: before = 0 } = await learn("return 1", "read");
      await see("read=2");
      expect((await now({ fqdn })).revision).toBeGreaterThan(before);
    });

    it("makes what uses a tool that is gone degraded, until it is back", async () => {
      await see("read=1 write=1");
      const both = await verified("return both()", "read write");
      expect(await see("write=1")).toEqual([both.fqdn]);
      expect([await trust(both), await why(both)]).toEqual(["degraded", "the tool read has been missing"]);
      expect(await see("read=2 write=1")).toEqual([both.fqdn]);
      expect([await trust(both), await why(both)]).toEqual(["suspect", "the tool read changed"]);
      expect(await see("write=1")).toEqual([both.fqdn]);
      expect(await trust(both)).toBe("degraded");
      await see("");
      expect(await why(both)).toBe(
        "the tool read changed; the tool read has been missing; the tool write has been missing",
      );
      await see("read=1 write=1");
      expect(await trust(both)).toBe("verified");
    });

    it("[FP-21] stays suspect with a tool that was accepted, until it has succeeded with it", async () => {
      await see("read=1");
      const reads = await verified("return read()", "read");
      await see("read=2");
      expect(await accept("read=2", "1")).toEqual([reads.fqdn]);
      expect([await trust(reads), await why(reads)]).toEqual([
        "suspect",
        "the tool read changed, was accepted, and has not been used successfully since",
      ]);
      await runs(reads.fqdn, { success: false, errorCode: "RUN_FAILED", errorMessage: "no" });
      expect(await trust(reads)).toBe("suspect");
      await runs(reads.fqdn, { argsHash: sha256("third") });
      expect([await trust(reads), await why(reads)]).toEqual(["provisional", ""]);
      await runs(reads.fqdn, { argsHash: sha256("fourth") });
      expect(await trust(reads)).toBe("verified");
    });

    it("[FP-21] is not proven by the tool's changing again and back to what was accepted", async () => {
      await see("read=1");
      const reads = await verified("return read()", "read");
      await see("read=2");
      await accept("read=2", "1");
      await see("read=3");
      await see("read=2");
      expect(await trust(reads)).toBe("suspect");
    });

    it("is given back by a person who vouches for it, once the tool is accepted", async () => {
      await see("read=1");
      const reads = await learn("return read()", "read");
      await see("read=2");
      expect((await capabilities.verify(reads.fqdn, 1, scope)).trust).toBe("suspect");
      await accept("read=2", "1");
      expect((await capabilities.verify(reads.fqdn, 1, scope)).trust).toBe("verified");
    });

    it("is not proven by runs while the tool is not accepted", async () => {
      await see("read=1");
      const reads = await learn("return read()", "read");
      await see("read=2");
      await runs(reads.fqdn, {}, { argsHash: sha256("other") });
      expect(await trust(reads)).toBe("suspect");
      await see("read=1");
      expect(await trust(reads)).toBe("verified");
    });

    it("is of the newest version: another one that does without the tool is trusted as it has earned", async () => {
      await see("read=1");
      const named = { name: name("fs:read") };
      const first = await learn("return read()", "read", named);
      await see("read=2");
      expect(await trust(first)).toBe("suspect");
      await learn("return 1", "", { ...named, update: true });
      expect(await trust(first)).toBe("provisional");
      await learn("return read(2)", "read", { ...named, update: true });
      expect([await trust(first), await why(first)]).toEqual(["suspect", "the tool read changed"]);
    });

    it("is taken of what is saved while a tool is gone", async () => {
      await see("read=1");
      await see("");
      const { trace: _, ...unrun } = succeeded(scope, "return 1", { toolsUsed: [toolId(server, "read")] });
      const { capability } = await capabilities.learn(unrun, sign);
      expect(capability.trust).toBe("degraded");
      await see("read=1");
      expect(await trust(capability)).toBe("unproven");
    });

    it("does not lose uses that are counted at the same time, and does not deadlock", async () => {
      await see("read=1");
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, index) => learn(`return ${index}`, "read")),
      );
      const uses = () => all.map(({ fqdn }) => use(scope, fqdn));
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          index % 3 === 0
            ? see(`read=${index}`)
            : capabilities.addUses(index % 2 === 0 ? uses() : uses().toReversed()),
        ),
      );
      expect(await Promise.all(all.map(async (one) => (await now(one)).usageCount))).toEqual(
        all.map(() => 9),
      );
    });
  });
}
