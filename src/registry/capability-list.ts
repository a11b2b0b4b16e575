/**
 * Which capabilities a session asks for, and in which order.
 *
 * All of memory is gone through for each page, since counters that pages are sorted by change all the time. So a
 * record costs a few comparisons and no copy, and only what may be on the page is put in order.
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
  /** `*` stands for any text; case does not count. */
  readonly pattern?: string | undefined;
  /** True: only capabilities with a name of their own; false: only those without. */
  readonly named?: boolean | undefined;
  readonly createdBy?: string | undefined;
  /** All of these. */
  readonly tags?: readonly string[] | undefined;
  /** `org` and `public` look beyond the project of the session. */
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
  /** On all pages together. */
  readonly total: number;
}

/** One page of the live capabilities that fit and that the session may see. */
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
