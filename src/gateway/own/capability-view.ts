/**
 * Capabilities as agents read them.
 *
 * @module
 */
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { toolSignature } from "../../registry/type-signature.js";

/** Between 0 and 1; nothing is known of what was never used. */
function successRate({ usageCount, successCount }: Capability): number {
  return usageCount === 0 ? 0 : Math.round((successCount / usageCount) * 10_000) / 10_000;
}

/** One row of `cap_list`. */
export function summaryOf(capability: Capability): object {
  return {
    id: capability.id,
    name: capability.displayName,
    description: descriptionOf(capability),
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
    parameters: capability.parameters,
  };
}

/** What `cap_lookup` and `cap_rename` answer; of an older version where one was asked for. */
export function recordOf(capability: Capability, older?: CapabilityVersion): object {
  const { version, versionTag, parameters } = older ?? capability;
  return {
    display_name: capability.displayName,
    fqdn: capability.fqdn,
    id: capability.id,
    type: "capability",
    description: descriptionOf(capability),
    signature: toolSignature({ name: capability.displayName, inputSchema: parameters }),
    parameters,
    routing: capability.routing,
    version,
    ...(versionTag === undefined ? {} : { version_tag: versionTag }),
    visibility: capability.visibility,
    tags: capability.tags,
    aliases: capability.aliases,
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
  };
}

/** What a capability calls, or is called by. */
export function relatedOf({ displayName, fqdn, version }: Capability): object {
  return { name: displayName, fqdn, version };
}

/** What was said about it, else what it was first run for. */
export function descriptionOf({ description, intent }: Capability): string {
  return description ?? intent;
}
