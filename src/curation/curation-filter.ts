/**
 * Selects and sorts the capabilities to curate.
 *
 * @module
 */
import type { Capability } from "../registry/capability.js";
import { namePartsOf } from "../registry/display-name.js";
import type { Scope } from "../registry/scope.js";
import { mayChange } from "../registry/visibility.js";

export interface CurationFilter {
  /** Only unnamed capabilities; default: true. */
  readonly unnamedOnly?: boolean | undefined;
  readonly minUsage?: number | undefined;
  /** The namespace of the name; for unnamed capabilities, that of their tools. */
  readonly namespace?: string | undefined;
}

/** The capabilities that the session may see and rename in its project, most used first. */
export function curatable(
  all: Iterable<Capability>,
  { unnamedOnly = true, minUsage = 0, namespace }: CurationFilter,
  scope: Scope,
): readonly Capability[] {
  const wanted = namespace?.toLowerCase();
  const found: Capability[] = [];
  for (const capability of all) {
    if (unnamedOnly && capability.isNamed) continue;
    if (capability.usageCount < minUsage) continue;
    if (capability.org !== scope.org || capability.project !== scope.project) continue;
    if (wanted !== undefined && namespaceOf(capability) !== wanted) continue;
    if (mayChange(capability, scope)) found.push(capability);
  }
  return found.sort(byUse);
}

function namespaceOf({ displayName, isNamed, namespace }: Capability): string {
  return (isNamed ? namePartsOf(displayName, namespace).namespace : namespace).toLowerCase();
}

function byUse(one: Capability, other: Capability): number {
  return other.usageCount - one.usageCount || (one.fqdn < other.fqdn ? -1 : 1);
}
