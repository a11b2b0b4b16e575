/**
 * Which capabilities a session asks for, and in which order.
 *
 * @module
 */
import type { Capability, Visibility } from "./capability.js";
import type { Scope } from "./scope.js";
import { canSee } from "./visibility.js";

export interface CapabilityFilter {
  /** `*` stands for any text; case does not count. */
  readonly pattern?: string | undefined;
  /** True: only those with a name of their own; false: only those without. */
  readonly named?: boolean | undefined;
  readonly createdBy?: string | undefined;
  /** All of these. */
  readonly tags?: readonly string[] | undefined;
  /** `org` and `public` look beyond the project of the session. */
  readonly visibility?: Visibility | undefined;
  readonly versionTag?: string | undefined;
  readonly sortBy: "usage" | "name" | "created";
}

export function listCapabilities(
  all: Iterable<Capability>,
  filter: CapabilityFilter,
  scope: Scope,
): readonly Capability[] {
  const fits = fitting(filter, scope);
  return [...all].filter(fits).sort(ORDER[filter.sortBy]);
}

function fitting(filter: CapabilityFilter, scope: Scope): (capability: Capability) => boolean {
  const { named, tags = [], visibility } = filter;
  const name = glob(filter.pattern);
  const creator = glob(filter.createdBy);
  const tag = glob(filter.versionTag);
  const looksBeyond = visibility === "org" || visibility === "public";
  return (capability) =>
    (looksBeyond || (capability.org === scope.org && capability.project === scope.project)) &&
    canSee(capability, scope) &&
    (visibility === undefined || capability.visibility === visibility) &&
    (named === undefined || capability.isNamed === named) &&
    (name === undefined || name(capability.displayName)) &&
    (creator === undefined || creator(capability.createdBy)) &&
    (tag === undefined || (capability.versionTag !== undefined && tag(capability.versionTag))) &&
    tags.every((one) => capability.tags.includes(one));
}

/** Without backtracking: patterns come from callers, and a regular expression of many stars takes for ever. */
function glob(pattern: string | undefined): ((text: string) => boolean) | undefined {
  if (pattern === undefined) return undefined;
  const pieces = pattern.toLowerCase().split("*");
  const [first = ""] = pieces;
  const last = pieces.at(-1) ?? "";
  return (given) => {
    const text = given.toLowerCase();
    if (pieces.length === 1) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const piece of pieces.slice(1, -1)) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

type Order = (a: Capability, b: Capability) => number;

const byName: Order = (a, b) => compare(a.displayName, b.displayName) || compare(a.fqdn, b.fqdn);

const ORDER: Readonly<Record<CapabilityFilter["sortBy"], Order>> = {
  name: byName,
  usage: (a, b) => b.usageCount - a.usageCount || byName(a, b),
  created: (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || byName(a, b),
};

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
