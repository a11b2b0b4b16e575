/**
 * Capabilities in the form for agents.
 *
 * @module
 */

import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import type { Saved } from "../../execution/learn/capability-saver.js";
import type { Capability, CapabilityVersion, ParametersSchema } from "../../registry/capability.js";
import { type CapabilityRef, splitCapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Renamed } from "../../registry/capability-store.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { callName } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import { isServerName } from "../../registry/server-registry.js";
import { troubleText } from "../../registry/trust.js";
import { toolSignature } from "../../registry/type-signature.js";
import { canSee } from "../../registry/visibility.js";
import type {
  CapabilityRecord,
  CapabilitySummary,
  Doubts,
  HistoryRename,
  RelatedCapability,
  SaveAnswer,
} from "./answers.js";

/** Between 0 and 1; 0 if it was never used. */
export function successRate({ usageCount, successCount }: Capability): number {
  return usageCount === 0 ? 0 : Math.round((successCount / usageCount) * 10_000) / 10_000;
}

/** The name to call it by from this scope, and its creator if it belongs to another project. */
export function namedFrom(
  capability: Pick<Capability, "org" | "project" | "displayName" | "createdBy">,
  scope: Pick<Scope, "org" | "project">,
): { readonly name: string; readonly owner?: string } {
  const name = callName(capability, scope);
  return { name, ...(name === capability.displayName ? {} : { owner: capability.createdBy }) };
}

/** The parameters that still must be given, without those that the user always gave the same value. */
export function withoutUsual(
  parameters: ParametersSchema,
  usual: Readonly<Record<string, unknown>> = {},
): ParametersSchema {
  const isLeft = (name: string) => !Object.hasOwn(usual, name);
  return {
    ...parameters,
    properties: Object.fromEntries(Object.entries(parameters.properties).filter(([name]) => isLeft(name))),
    required: parameters.required.filter(isLeft),
  };
}

/** One row of `cap_list`. */
export function summaryOf(capability: Capability, scope: Scope, isPerson = false): CapabilitySummary {
  return {
    id: capability.id,
    ...namedFrom(capability, scope),
    description: descriptionOf(capability),
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
    parameters: capability.parameters,
    ...doubtsOf(capability),
    ...(isPerson ? { details: detailsOf(capability) } : {}),
  };
}

function detailsOf(capability: Capability): NonNullable<CapabilitySummary["details"]> {
  const {
    fqdn,
    isNamed: named,
    trust,
    visibility,
    version,
    tags,
    usageCount,
    createdBy,
    lastUsedAt,
  } = capability;
  return {
    ...{ fqdn, named, trust, visibility, version, tags },
    tools_used: capability.toolsUsed,
    average_latency_ms: usageCount === 0 ? 0 : Math.round(capability.totalLatencyMs / usageCount),
    created_by: createdBy,
    created_at: capability.createdAt.toISOString(),
    ...defined({ last_used_at: lastUsedAt?.toISOString() }),
  };
}

/** Whether the newest version is suspect or degraded, and which tools are the reason. */
export function doubtsOf({ trust, troubles }: Pick<Capability, "trust" | "troubles">): Doubts {
  if (trust !== "suspect" && trust !== "degraded") return {};
  const reason = troubleText(troubles);
  return { trust, ...defined({ trust_reason: reason }) };
}

/**
 * The record that most tools return; of an older version if one was requested. Its signature is for code in `scope`.
 */
export function recordOf(
  capability: Capability,
  older?: CapabilityVersion,
  scope: Pick<Scope, "org" | "project"> = capability,
): CapabilityRecord {
  const { version, versionTag, parameters } = older ?? capability;
  return {
    display_name: capability.displayName,
    fqdn: capability.fqdn,
    id: capability.id,
    type: "capability",
    description: descriptionOf(capability),
    signature: toolSignature({ name: callName(capability, scope), inputSchema: parameters }),
    parameters,
    routing: capability.routing,
    version,
    ...defined({ version_tag: versionTag }),
    visibility: capability.visibility,
    tags: capability.tags,
    aliases: capability.aliases,
    usage_count: capability.usageCount,
    success_rate: successRate(capability),
  };
}

/** The stored fields of a version other than the newest; the capability itself has those of the newest. */
export async function olderVersion(
  registry: CapabilityRegistry,
  { fqdn, version: newest }: Capability,
  version: number,
): Promise<CapabilityVersion | undefined> {
  return version === newest ? undefined : registry.store.version(fqdn, version);
}

/** The answer about saved code: the record of its version. */
export async function savedAnswer(
  registry: CapabilityRegistry,
  { capability, version, kind, warnings }: Saved,
): Promise<SaveAnswer> {
  const older = await olderVersion(registry, capability, version);
  return { ...recordOf(capability, older), saved: kind, ...warned(warnings) };
}

/** Records of servers follow the configuration, so changing one throws `NOT_ALLOWED`. */
export function refuseServer(name: string): void {
  if (!isServerName(name)) return;
  throw new PmlError(
    "NOT_ALLOWED",
    `${name.slice(0, 200)} is a server: change its entry in the configuration`,
  );
}

/** A short reference to another capability: a callee, a caller or an origin. */
function relatedOf(capability: Capability, pinned?: number): RelatedCapability {
  const { displayName, fqdn, version, deletedAt } = capability;
  return {
    name: displayName,
    fqdn,
    version,
    ...defined({ pinned, deleted_at: deletedAt?.toISOString() }),
  };
}

/**
 * What a capability calls and what calls it, as far as the session may see them: one entry for each pinned version and
 * one for the newest.
 */
export async function relationsOf(
  registry: CapabilityRegistry,
  { fqdn, dependencies }: Pick<Capability, "fqdn" | "dependencies">,
  scope: Scope,
): Promise<{
  readonly dependencies: readonly RelatedCapability[];
  readonly dependents: readonly RelatedCapability[];
}> {
  const { dependents } = await registry.relations({ fqdn, dependencies }, scope);
  return {
    dependencies: dependencies.flatMap((ref) => knownOf(registry, ref, scope)),
    dependents: dependents.flatMap((caller) => callsOf(caller, fqdn)),
  };
}

/** The capability that a ref means, including a deleted one, since calls of it fail. */
export function knownOf(
  registry: CapabilityRegistry,
  ref: CapabilityRef,
  scope: Scope,
): readonly RelatedCapability[] {
  const { fqdn, version } = splitCapabilityRef(ref);
  const known = registry.directory.get(fqdn) ?? registry.directory.resolveDeleted(fqdn, scope)?.capability;
  return known !== undefined && canSee(known, scope) ? [relatedOf(known, version)] : [];
}

function callsOf(caller: Capability, callee: Fqdn): readonly RelatedCapability[] {
  return caller.dependencies
    .map(splitCapabilityRef)
    .filter(({ fqdn }) => fqdn === callee)
    .map(({ version }) => relatedOf(caller, version));
}

/** The `warnings` field, if there are any. */
export function warned(warnings: readonly string[]): Pick<CapabilityRecord, "warnings"> {
  return warnings.length === 0 ? {} : { warnings };
}

/** The given description, else the intent that it was run or saved for. */
export function descriptionOf({ description, intent }: Capability): string {
  return description ?? intent;
}

export function renameOf({
  oldName,
  newName,
  renamedBy,
  actor,
  renamedAt,
  curatedBy,
  gaveWayTo,
}: Renamed): HistoryRename {
  return {
    from: oldName,
    to: newName,
    by: renamedBy,
    actor,
    ...defined({ curated_by: curatedBy, gave_way_to: gaveWayTo }),
    date: renamedAt.toISOString(),
  };
}
