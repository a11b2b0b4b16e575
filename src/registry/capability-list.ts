/**
 * Filters and sorts the capabilities that a session asks for.
 *
 * Each page scans all of memory, since the counters that pages are sorted by change all the time. So a record costs a
 * few comparisons and no copy, and only candidates for the page are sorted.
 *
 * @module
 */

import { compareTexts } from "../base/compare-texts.js";
import type { Capability, Visibility } from "./capability.js";
import { globMatcher } from "./glob.js";
import type { Scope } from "./scope.js";
import { sortedSlice } from "./sorted-slice.js";
import { canSee } from "./visibility.js";

export interface CapabilityFilter {
  /** `*` matches any text; case is ignored. */
  readonly pattern?: string | undefined;
  /** True: only named capabilities; false: only unnamed ones. */
  readonly named?: boolean | undefined;
  readonly createdBy?: string | undefined;
  /** The capability must have all of these. */
  readonly tags?: readonly string[] | undefined;
  /** `org` and `public` include other projects than the session's. */
  readonly visibility?: Visibility | undefined;
  readonly versionTag?: string | undefined;
  readonly trust?: Capability["trust"] | undefined;
  readonly sortBy: "usage" | "name" | "created";
}

export interface PageOf {
  readonly offset: number;
  readonly limit: number;
}

export interface CapabilityPage {
  readonly items: readonly Capability[];
  /** The count over all pages. */
  readonly total: number;
}

/** One page of the live capabilities that match and that the session may see. */
export function listCapabilities(
  all: Iterable<Capability>,
  filter: CapabilityFilter,
  scope: Scope,
  { offset, limit }: PageOf,
): CapabilityPage {
  const fits = fitting(filter, scope);
  const found: Capability[] = [];
  for (const capability of all) if (fits(capability)) found.push(capability);
  return {
    items: sortedSlice(found, offset, offset + limit, ORDER[filter.sortBy]),
    total: found.length,
  };
}

/** Cheap conditions that exclude most capabilities are checked first. */
function fitting(filter: CapabilityFilter, scope: Scope): (capability: Capability) => boolean {
  const { named, tags = [], visibility, trust } = filter;
  const name = globMatcher(filter.pattern);
  const creator = globMatcher(filter.createdBy);
  const tag = globMatcher(filter.versionTag);
  const looksBeyond = visibility === "org" || visibility === "public";
  return (capability) =>
    capability.deletedAt === undefined &&
    (visibility === undefined || capability.visibility === visibility) &&
    (named === undefined || capability.isNamed === named) &&
    (trust === undefined || capability.trust === trust) &&
    (looksBeyond || (capability.org === scope.org && capability.project === scope.project)) &&
    (tag === undefined || (capability.versionTag !== undefined && tag(capability.versionTag))) &&
    (name === undefined || name(capability.displayName)) &&
    (creator === undefined || creator(capability.createdBy)) &&
    tags.every((one) => capability.tags.includes(one)) &&
    canSee(capability, scope);
}

type Order = (a: Capability, b: Capability) => number;

const byName: Order = (a, b) => compareTexts(a.displayName, b.displayName) || compareTexts(a.fqdn, b.fqdn);

const ORDER: Readonly<Record<CapabilityFilter["sortBy"], Order>> = {
  name: byName,
  usage: (a, b) => b.usageCount - a.usageCount || byName(a, b),
  created: (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || byName(a, b),
};
