import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { silentLog } from "../base/log.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityFile, readCapabilities } from "./capability-file.js";

describe("[ST-2] CapabilityFile", () => {
  let directory: string;
  let file: CapabilityFile;
  let named: readonly Capability[];
  const path = () => join(directory, "capabilities.json");

  beforeEach(() => {
    vi.useFakeTimers();
    directory = mkdtempSync(join(tmpdir(), "pml-capabilities-"));
    named = [
      sampleCapability("fs:read", { description: "Reads", updatedAt: new Date(5), aliases: [] }),
      sampleCapability("fs:write", {
        lastUsedAt: new Date(6),
        deletedAt: new Date(7),
        reservedUntil: new Date(8),
      }),
    ];
    file = new CapabilityFile(directory, silentLog, () => named);
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(directory, { recursive: true, force: true });
  });

  it("gives back what was written", () => {
    file.changed();
    vi.advanceTimersByTime(500);
    const withoutRevision = named.map(({ revision: _, ...rest }) => rest);
    expect(readCapabilities(directory)).toEqual(withoutRevision);
  });

  it("is gone as soon as something is about to change, and right afterwards", () => {
    file.changed();
    vi.advanceTimersByTime(500);
    const ended = file.changing();
    // Also where the store takes its time, and something else changes meanwhile.
    file.changing()();
    vi.advanceTimersByTime(10_000);
    expect(readCapabilities(directory)).toBeUndefined();
    named = [...named, sampleCapability("fs:list")];
    ended();
    vi.advanceTimersByTime(500);
    expect(readCapabilities(directory)).toHaveLength(3);
  });

  it("does away with the file of the gateway before it", () => {
    writeFileSync(path(), "{}");
    file.changing();
    expect(existsSync(path())).toBe(false);
  });

  it("writes once when it stops, and nothing after that", () => {
    file.changing()();
    file.stop();
    expect(readCapabilities(directory)).toEqual(named);
    named = [];
    file.changed();
    vi.advanceTimersByTime(10_000);
    expect(readCapabilities(directory)).toHaveLength(2);
  });

  it("writes none where there are very many", () => {
    named = Array.from({ length: 2_001 }, (_, at) => sampleCapability(`fs:read_${at}`));
    file.changed();
    vi.advanceTimersByTime(500);
    expect(readCapabilities(directory)).toBeUndefined();
  });

  it.each(["", "{", "[]", "null", '{"version":"0.0.0","capabilities":[]}'])(
    "reads nothing from %j",
    (text) => {
      writeFileSync(path(), text);
      expect(readCapabilities(directory)).toBeUndefined();
    },
  );

  it("reads nothing from a file in which one capability is broken", () => {
    file.changed();
    vi.advanceTimersByTime(500);
    writeFileSync(path(), readFileSync(path(), "utf8").replace("fs:write", "fs write"));
    expect(readCapabilities(directory)).toBeUndefined();
  });

  it("gives way to whatever the store says, also where that is older", () => {
    named = [sampleCapability("fs:read", { revision: 9 })];
    file.changed();
    vi.advanceTimersByTime(500);
    expect(readCapabilities(directory)?.[0]).not.toHaveProperty("revision");
  });

  it("reads nothing where there is none", () => expect(readCapabilities(directory)).toBeUndefined());
});
