import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Fqdn } from "../../registry/fqdn.js";

type Registry = Pick<CapabilityRegistry, "directory" | "versionsOf">;

/** Code that was sent and became a capability was kept before it was one. */
export function firstHash(fqdn: Fqdn | undefined, registry: Registry): ReadonlySet<string> {
  const capability = capabilityOf(fqdn, registry);
  return new Set(capability === undefined ? [] : [capability.codeHash]);
}

/** Of all its versions. */
export async function allHashes(fqdn: Fqdn | undefined, registry: Registry): Promise<ReadonlySet<string>> {
  const capability = capabilityOf(fqdn, registry);
  if (capability === undefined || capability.version === 1) return firstHash(fqdn, registry);
  const versions = await registry.versionsOf(capability).catch(() => []);
  return new Set([capability.codeHash, ...versions.map(({ codeHash }) => codeHash)]);
}

function capabilityOf(fqdn: Fqdn | undefined, { directory }: Registry): Capability | undefined {
  return fqdn === undefined ? undefined : (directory.get(fqdn) ?? directory.getDeleted(fqdn));
}
