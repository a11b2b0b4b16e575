import { describe, expect, it } from "vitest";
import { name } from "../../../test/suites/capability-samples.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { analyse } from "../../analysis/analyse.js";
import { ANALYSIS_VERSION } from "../../analysis/analysis.js";
import type { Json } from "../../base/canonical-json.js";
import { type Log, silentLog } from "../../base/log.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { formatCapabilityRef, nameAt } from "../../registry/capability-ref.js";
import { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { AnalysisUpgrade, CapabilityStore } from "../../registry/capability-store.js";
import { parseServerName, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import { CapabilityLoader } from "./capability-loader.js";
import { savedVocabulary } from "./code-vocabulary.js";
import type { CurrentTools } from "./tool-index.js";
import { ToolIndex } from "./tool-index.js";

const NO_TOOLS: CurrentTools = { tools: () => new ToolIndex([]), settled: async () => {} };

const ASKER = { org: "local", project: "default", user: "me" };
const CODE = 'await mcp.fs.read({ path: "a.json", depth: 2 }); return args;';

/** What is lifted from {@link CODE} when it is loaded with a schema that has these properties. */
async function liftedWith(properties: Readonly<Record<string, Json>>): Promise<readonly string[]> {
  const toolsUsed = [toolId(parseServerName("fs"), "read")];
  const { canonicalCode } = analyse(
    CODE,
    savedVocabulary({ toolsUsed, dependencies: [] }, () => undefined),
  );
  const stored = {
    fqdn: sampleCapability("fs:all").fqdn,
    savedCode: CODE,
    canonicalCode,
    codeHash: await sha256Hex(canonicalCode),
    parameters: { type: "object", properties, required: [], additionalProperties: true },
    toolsUsed,
    dependencies: [],
  };
  const registry = { store: { version: async () => stored }, know: async () => () => undefined };
  const signer = { verify: () => true, isTrusted: () => true };
  const loader = new CapabilityLoader(
    registry as unknown as CapabilityRegistry,
    signer as never,
    NO_TOOLS,
    silentLog,
  );
  return (await loader.load(sampleCapability("fs:all"), 1, ASKER)).analysis.liftedParameters;
}

describe("[AN-8] stored code", () => {
  it("has the lifted parameters that it was learned with", async () =>
    expect(await liftedWith({ path: { default: "a.json" }, depth: { default: 2 } })).toEqual([
      "path",
      "depth",
    ]));

  it("has none where it was learned before literals were lifted, and takes such arguments as written", async () =>
    expect(await liftedWith({})).toEqual([]));
});

/** A caller of `fs:read`, stored, and what is done to the store. */
async function stored(code: string, changes: Partial<Capability> = {}) {
  const callee = sampleCapability("fs:read");
  const written = code.replace("FQDN", callee.fqdn);
  const toolsUsed = [toolId(parseServerName("fs"), "stat")];
  const ref = written.includes(`${callee.fqdn}@1`)
    ? formatCapabilityRef({ ...callee, version: 1 })
    : callee.fqdn;
  const dependencies = written.includes(callee.fqdn) ? [ref] : [];
  const { canonicalCode, parameters } = analyse(
    written,
    savedVocabulary({ toolsUsed, dependencies }, () => ({
      ...callee,
      ref,
      name: callee.displayName,
      capability: callee,
    })),
  );
  const codeHash = await sha256Hex(canonicalCode);
  const caller = sampleCapability("fs:caller", { dependencies, codeHash, analysisVersion: 1, ...changes });
  const version = {
    fqdn: caller.fqdn,
    version: 1,
    code: written,
    savedCode: written,
    canonicalCode,
    codeHash,
    parameters,
    toolsUsed,
    dependencies,
  } as Partial<CapabilityVersion> as CapabilityVersion;
  const upgrades: AnalysisUpgrade[] = [];
  const warnings: string[] = [];
  let fetched = 0;
  let failure: Error | undefined;
  const store = {
    load: async () => [caller, callee],
    get: async () => undefined,
    async version(fqdn) {
      if (fqdn === callee.fqdn) return { ...version, fqdn, dependencies: [] };
      fetched += 1;
      return version;
    },
    async upgradeAnalysis(upgrade: AnalysisUpgrade) {
      if (failure !== undefined) throw failure;
      upgrades.push(upgrade);
    },
  } as Partial<CapabilityStore> as CapabilityStore;
  const log: Log = { ...silentLog, warn: (event) => void warnings.push(event) };
  const registry = new CapabilityRegistry({ store, log });
  await registry.loaded();
  const stat = {
    id: toolsUsed[0],
    server: parseServerName("fs"),
    name: "stat",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  } as Partial<KnownTool> as KnownTool;
  const tools = { ...NO_TOOLS, tools: () => new ToolIndex([stat]) };
  const signer = { verify: () => true, isTrusted: () => true };
  const loader = new CapabilityLoader(registry, signer as never, tools, log);
  const load = async () => {
    const { analysis } = await loader.load(caller, 1, ASKER);
    await new Promise((resolve) => setImmediate(resolve));
    return analysis.structure.nodes
      .map((node) => (node.type === "capability" ? nameAt(node.name, node.version) : node.type))
      .join(" ");
  };
  return {
    caller,
    callee,
    registry,
    upgrades,
    warnings,
    load,
    fetched: () => fetched,
    fail(error: Error) {
      failure = error;
    },
  };
}

const CALLS = 'return await mcp["FQDN"]({});';
const PINS = 'return await mcp["FQDN@1"]({});';

describe("[AN-10] stored code that calls a capability", () => {
  it("is fetched once, while what it calls stays as it is", async () => {
    const { load, fetched, registry, callee } = await stored(CALLS);
    expect(await load()).toBe("fs:read");
    registry.directory.put({ ...callee, usageCount: 9 });
    expect([await load(), fetched()]).toEqual(["fs:read", 1]);
  });

  it("shows the new name of what it calls", async () => {
    const { load, registry, callee } = await stored(CALLS);
    await load();
    registry.directory.put({ ...callee, displayName: name("fs:load") });
    expect(await load()).toBe("fs:load");
  });

  it("[ID-11] is fetched once where it pins a version, whatever else the capability becomes", async () => {
    const { load, fetched, registry, callee } = await stored(PINS);
    expect(await load()).toBe("fs:read@1");
    registry.directory.put({ ...callee, version: 2 });
    expect([await load(), fetched()]).toEqual(["fs:read@1", 1]);
    registry.directory.put({ ...callee, version: 2, displayName: name("fs:load") });
    expect(await load()).toBe("fs:load@1");
  });

  it("[ID-12] says what was deleted, and who calls it", async () => {
    const { load, registry, callee } = await stored(PINS);
    registry.directory.put({ ...callee, deletedAt: new Date("2025-12-22T12:00:00Z") });
    await expect(load()).rejects.toMatchObject({
      code: "CAPABILITY_DELETED",
      message:
        "Capability fs:read@1 was deleted on 2025-12-22, and fs:caller calls it: fs:caller → fs:read@1",
    });
  });

  it("says what is gone, and who calls it", async () => {
    const { load, registry, callee } = await stored(CALLS);
    await load();
    registry.directory.remove(callee.fqdn);
    await expect(load()).rejects.toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
      message: `Capability not found: ${callee.fqdn}, which fs:caller calls: fs:caller → fs:read`,
    });
    registry.directory.put(callee);
    expect(await load()).toBe("fs:read");
  });
});

describe("[AN-9] what an older analysis has stored", () => {
  it("is brought up to date when the code is loaded, once, and identity stays", async () => {
    const { load, upgrades, caller } = await stored(`await mcp.fs.stat({ path: args.path }); ${CALLS}`);
    await load();
    await load();
    expect(upgrades).toMatchObject([
      {
        fqdn: caller.fqdn,
        codeHash: caller.codeHash,
        analysisVersion: ANALYSIS_VERSION,
        structure: {
          static_structure: {
            nodes: [
              { id: "n1", type: "task", tool: "fs:stat" },
              { id: "n2", type: "capability", name: "fs:read" },
            ],
          },
        },
      },
    ]);
  });

  it("stays where the analysis is the newest, or nothing is known of it", async () => {
    for (const analysisVersion of [ANALYSIS_VERSION, ANALYSIS_VERSION + 1]) {
      const { load, upgrades } = await stored(CALLS, { analysisVersion });
      await load();
      expect(upgrades).toEqual([]);
    }
  });

  it("stays where another version is the newest: there is one pattern, of that", async () => {
    const { load, upgrades } = await stored(CALLS, { version: 2 });
    await load();
    expect(upgrades).toEqual([]);
  });

  it("may fail without an effect", async () => {
    const { load, warnings, fail } = await stored(CALLS);
    fail(new Error("away"));
    expect(await load()).toBe("fs:read");
    expect(warnings).toEqual(["analysis.not_upgraded"]);
  });
});
