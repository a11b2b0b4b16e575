import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { silentLog } from "../../base/log.js";
import { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { CapabilityStore, CapabilityUse, RunTrace } from "../../registry/capability-store.js";
import { RunRecorder } from "./run-recorder.js";

const trace = { workflowId: "w" } as RunTrace;
const read = sampleCapability("fs:read");

function use(version = 1): CapabilityUse {
  return { fqdn: read.fqdn, version, trace };
}

describe("[ST-4] RunRecorder", () => {
  let recorder: RunRecorder;
  let registry: CapabilityRegistry;
  let written: string[];
  let fails: boolean;

  beforeEach(() => {
    vi.useFakeTimers();
    written = [];
    fails = false;
    const store = {
      async addUses(uses: readonly CapabilityUse[]) {
        if (fails) throw new Error("away");
        written.push(`${uses.length} uses`);
        return [{ ...read, usageCount: 5 }];
      },
      async addTraces(traces: readonly RunTrace[]) {
        written.push(`${traces.length} traces`);
      },
    } as Pick<CapabilityStore, "addUses" | "addTraces"> as CapabilityStore;
    registry = new CapabilityRegistry({ store, log: silentLog, named: [read] });
    recorder = new RunRecorder(registry, silentLog);
  });
  afterEach(() => vi.useRealTimers());

  it("writes together what came within half a second, and takes over what the store has counted", async () => {
    for (let i = 0; i < 3; i += 1) recorder.use(use());
    recorder.trace(trace);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    expect(written).toEqual(["3 uses", "1 traces"]);
    expect(registry.directory.get(read.fqdn)?.usageCount).toBe(5);
  });

  it("writes very many in batches", async () => {
    for (let i = 0; i < 1_100; i += 1) recorder.use(use());
    await recorder.flush();
    expect(written).toEqual(["500 uses", "500 uses", "100 uses"]);
  });

  it("keeps what could not be written, tries again, and not after it has stopped", async () => {
    fails = true;
    recorder.use(use());
    await vi.advanceTimersByTimeAsync(500);
    fails = false;
    recorder.use(use());
    await vi.advanceTimersByTimeAsync(5_000);
    expect(written).toEqual(["2 uses"]);
    fails = true;
    recorder.use(use());
    await recorder.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
