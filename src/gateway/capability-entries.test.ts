import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import { parseDisplayName } from "../registry/display-name.js";
import { WireTable } from "../registry/wire-table.js";
import { CapabilityEntries } from "./capability-entries.js";

const SCOPE = { org: "local", project: "default", user: "ada" };

function entriesOf(...capabilities: readonly Capability[]) {
  const directory = new CapabilityDirectory(capabilities);
  const table = new WireTable();
  let changes = 0;
  const entries = new CapabilityEntries(
    directory,
    { assign: async (wishes) => void (await table.assign(wishes)), nameOf: (id) => table.nameOf(id) },
    {
      onChange: () => {
        changes += 1;
      },
    },
  );
  return { entries, directory, table, changes: () => changes };
}

async function names(entries: CapabilityEntries, scope = SCOPE): Promise<string> {
  return (await entries.of(scope)).listed.map(({ name }) => name.replace(/_[0-9a-f]{6}$/, "#")).join(" ");
}

function renamed(capability: Capability, name: string): Capability {
  const { displayName, aliases } = capability;
  return { ...capability, displayName: parseDisplayName(name), aliases: [...aliases, displayName] };
}

describe("CapabilityEntries", () => {
  it("[WIRE-2] lists a capability as mcp__namespace__action", async () =>
    expect(await names(entriesOf(sampleCapability("fs:read_json")).entries)).toBe("mcp__fs__read_json"));

  it("[FP-8] lists a name without a namespace under its record's", async () =>
    expect(await names(entriesOf(sampleCapability("read_config", { namespace: "fs" })).entries)).toBe(
      "mcp__fs__read_config",
    ));

  it("[ID-4] does not list what has no name", async () =>
    expect(await names(entriesOf(sampleCapability("unnamed_0badcafe")).entries)).toBe(""));

  it("[WIRE-5] shows no FQDN, and says which capability it is", async () => {
    const { listed } = await entriesOf(sampleCapability("fs:read_json")).entries.of(SCOPE);
    expect(listed[0]).toMatchObject({
      title: "fs:read_json",
      description: "do fs:read_json",
      _meta: { "pml/id": "fs:read_json" },
    });
    expect(JSON.stringify(listed)).not.toContain("local.default");
  });

  it("[GW-5] takes control characters out of a description", async () => {
    const { listed } = await entriesOf(
      sampleCapability("a:b", { description: "x\u202ey\u0007z" }),
    ).entries.of(SCOPE);
    expect(listed[0]?.description).toBe("xyz");
  });

  it("[ID-12] gives what was deleted before anybody listed it its wire names, and lists it nowhere", async () => {
    const HOUR = 3_600_000;
    const gone = renamed(sampleCapability("gone:it"), "gone:away");
    const reservedUntil = new Date(Date.now() + HOUR);
    const { entries, table } = entriesOf({ ...gone, deletedAt: new Date(), reservedUntil });
    expect(await names(entries)).toBe("");
    expect([table.idOf("mcp__gone__away"), table.idOf("mcp__gone__it")]).toEqual([
      "cap:gone:away",
      "cap:gone:it",
    ]);
  });

  it("gives two projects that have one name the same wire name, each its own", async () => {
    const other = { ...SCOPE, project: "other" };
    const { entries } = entriesOf(
      sampleCapability("fs:read_json"),
      sampleCapability("fs:read_json", { project: "other", intent: "of the other" }),
    );
    expect(await names(entries)).toBe("mcp__fs__read_json");
    expect(await names(entries, other)).toBe("mcp__fs__read_json");
    expect((await entries.of(other)).listed[0]?.description).toBe("of the other");
  });

  it.each([
    ["a:b:c", "a:b_c"],
    ["read", "fs:read"],
  ])("[WIRE-2] never gives %s and %s one wire name", async (one, other) => {
    const { entries } = entriesOf(
      sampleCapability(one, { namespace: one.includes(":") ? "a" : "fs" }),
      sampleCapability(other),
    );
    const { listed, byName } = await entries.of(SCOPE);
    expect(new Set(listed.map(({ name }) => name)).size).toBe(2);
    for (const tool of listed) expect(byName.get(tool.name.toLowerCase())?.id).toBe(tool._meta?.["pml/id"]);
  });

  it("[WIRE-2] gives a suffix to one whose name a real tool has", async () => {
    const { entries, table } = entriesOf(sampleCapability("fs:read"));
    await table.assign([{ id: "fs:read", wanted: "mcp__fs__read" }]);
    expect(await names(entries)).toBe("mcp__fs__read#");
  });

  it("[FP-8] still finds a renamed one by its former wire name, and lists the new one only", async () => {
    const before = sampleCapability("fs:old_name");
    const { entries, directory } = entriesOf(before);
    await entries.of(SCOPE);
    directory.put(renamed(before, "fs:new_name"));
    const { byName } = await entries.of(SCOPE);
    expect(await names(entries)).toBe("mcp__fs__new_name");
    expect(byName.get("mcp__fs__old_name")).toMatchObject({ id: "fs:new_name", reference: "fs:old_name" });
  });

  it("[WIRE-6] tells of changes of the list, and of counters not", async () => {
    const capability = sampleCapability("fs:read");
    const { entries, directory, changes } = entriesOf(capability);
    const first = (await entries.of(SCOPE)).listed;
    directory.put({ ...capability, usageCount: 2, successCount: 2 });
    expect(changes()).toBe(0);
    expect((await entries.of(SCOPE)).listed).toBe(first);
    directory.put(sampleCapability("fs:write"));
    expect(changes()).toBe(1);
    expect(await names(entries)).toBe("mcp__fs__read mcp__fs__write");
  });

  it("keeps the very same list where a change made no difference to it", async () => {
    const { entries, directory } = entriesOf(sampleCapability("fs:read"));
    const first = (await entries.of(SCOPE)).listed;
    directory.put(sampleCapability("unnamed_0badcafe"));
    expect((await entries.of(SCOPE)).listed).toBe(first);
  });

  it("[WIRE-3] finds by any form of the name", () => {
    const { entries } = entriesOf(sampleCapability("fs:read_json"));
    for (const form of [
      "fs:read_json",
      "fs:readJson",
      "cap:fs:read_json",
      "fs:read_json@v1",
      sampleCapability("fs:read_json").fqdn,
    ])
      expect(entries.find(form, SCOPE), form).toMatchObject({ id: "fs:read_json", reference: form });
    expect(entries.find("fs:nothing", SCOPE)).toBeUndefined();
    expect(entries.find("fs:read_json", { ...SCOPE, project: "other" })).toBeUndefined();
  });
});
