import { expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { CapabilityVersion } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { type ExportedLine, exportLines } from "../learn/export-capabilities.js";

const ADA = { org: "local", project: "default", user: "ada" };
const helper = sampleCapability("fs:helper", { visibility: "private", creators: ["bob@local"] });
const shared = sampleCapability("fs:shared", { dependencies: [helper.fqdn] });

it("[ID-7] an export leaves out what calls a capability that the person may not see", async () => {
  const version = { version: 1, publicKey: "k", dependencies: shared.dependencies, updatedAt: new Date(0) };
  const store = {
    getAll: async (fqdns: readonly Fqdn[]) => [helper, shared].filter(({ fqdn }) => fqdns.includes(fqdn)),
    history: async () => [{ ...version, toolsUsed: [] } as Partial<CapabilityVersion>],
  };
  const lines = exportLines({ store } as unknown as CapabilityRegistry, [shared.fqdn], ADA);
  const told: ExportedLine[] = [];
  for await (const line of lines) told.push(line);
  expect(told).toEqual([
    {
      fqdn: shared.fqdn,
      warning: "fs:shared is left out: its signed code calls a capability that you may not see",
    },
  ]);
});
