import type { Capability } from "../../registry/capability.js";
import type { CapabilityChange } from "../../registry/capability-directory.js";
import type { Invalidation } from "./cache-store.js";

/** Which results are not to be used any more after a change of a record, here or elsewhere. */
export function invalidationOf({ before, after }: CapabilityChange): Invalidation | undefined {
  if (before === undefined) return undefined;
  const capability = before.fqdn;
  if (after === undefined) return { trigger: "capability_deleted", capability };
  if (after.version !== before.version) return { trigger: "new_version", capability };
  if (hasOtherPolicy(before, after)) {
    const { updatedBy: by } = after;
    return { trigger: "policy_change", capability, ...(by === undefined ? {} : { by }) };
  }
  const isSuspect = after.trust === "suspect" && before.trust !== "suspect";
  return isSuspect ? { trigger: "repeated_failures", capability } : undefined;
}

function hasOtherPolicy(before: Capability, after: Capability): boolean {
  return (
    before.cachePolicy !== after.cachePolicy ||
    before.ttlSeconds !== after.ttlSeconds ||
    before.cachePersonVersion !== after.cachePersonVersion
  );
}
