import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Capability } from "./capability.js";
import { type CapabilityFilter, listCapabilities } from "./capability-list.js";
import { canSee } from "./visibility.js";

const SCOPE = { org: "acme", project: "web", user: "jo" };
const WHOLE = { offset: 0, limit: 1_000 };

function capability(displayName: string, more: object = {}): Capability {
  return {
    displayName,
    fqdn: `acme.web.x.${displayName}.0000`,
    isNamed: !displayName.startsWith("unnamed_"),
    org: "acme",
    project: "web",
    visibility: "project",
    createdBy: "jo@acme",
    creators: ["jo@acme"],
    createdAt: new Date(0),
    tags: [],
    usageCount: 0,
    versionTag: undefined,
    ...more,
  } as unknown as Capability;
}

const ALL = [
  capability("fs:read", { usageCount: 3, tags: ["file", "json"], versionTag: "v1.2.0" }),
  capability("fs:write", { usageCount: 9, tags: ["file"], createdAt: new Date(5) }),
  capability("git:log", { createdBy: "erwan@acme", versionTag: "v2.0.0", visibility: "org" }),
  capability("unnamed_0badcafe", { visibility: "private" }),
  capability("unnamed_of_another", { isNamed: false, visibility: "private", creators: ["al@acme"] }),
  capability("far:away", { project: "other", visibility: "org" }),
  capability("far:hidden", { project: "other" }),
  capability("fs:gone", { deletedAt: new Date(9), usageCount: 99 }),
];

/** Filter in, names out. */
function check(filter: Partial<CapabilityFilter>, expected: string): void {
  const { items, total } = listCapabilities(ALL, { sortBy: "name", ...filter }, SCOPE, WHOLE);
  expect(items.map(({ displayName }) => displayName).join(" ")).toBe(expected);
  expect(total).toBe(items.length);
}

/** The same said plainly: everything that fits, put in order, and a page of that. */
function plainly(all: readonly Capability[], filter: CapabilityFilter, offset: number, limit: number) {
  const { pattern, named, createdBy, tags = [], visibility, versionTag, sortBy } = filter;
  const looksBeyond = visibility === "org" || visibility === "public";
  const found = all.filter(
    (one) =>
      one.deletedAt === undefined &&
      canSee(one, SCOPE) &&
      (looksBeyond || (one.org === SCOPE.org && one.project === SCOPE.project)) &&
      (visibility === undefined || one.visibility === visibility) &&
      (named === undefined || one.isNamed === named) &&
      matches(pattern, one.displayName) &&
      matches(createdBy, one.createdBy) &&
      (versionTag === undefined || (one.versionTag !== undefined && matches(versionTag, one.versionTag))) &&
      tags.every((tag) => one.tags.includes(tag)),
  );
  const ranks = (one: Capability) => ({
    name: 0,
    usage: -one.usageCount,
    created: -one.createdAt.getTime(),
  });
  found.sort(
    (a, b) =>
      ranks(a)[sortBy] - ranks(b)[sortBy] ||
      (`${a.displayName} ${a.fqdn}` < `${b.displayName} ${b.fqdn}` ? -1 : 1),
  );
  return { items: found.slice(offset, offset + limit), total: found.length };
}

function matches(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}$`, "i").test(text);
}

/** Few values of each, so that they meet. */
const somebody = fc.constantFrom("jo@acme", "Jo@acme", "al@acme", "al@other");
const texts = fc.stringMatching(/^[abAB]{0,3}(:[abAB]{1,3})?$/);
const globs = fc.stringMatching(/^[abAB*:]{0,4}$/);
const tagLists = fc.subarray(["x", "y", "z"]);
const visibilities = fc.constantFrom("private", "project", "org", "public");

const records = fc.array(
  fc.record({
    displayName: texts,
    isNamed: fc.boolean(),
    org: fc.constantFrom("acme", "other"),
    project: fc.constantFrom("web", "app"),
    visibility: visibilities,
    createdBy: somebody,
    creators: fc.array(somebody, { maxLength: 2 }),
    createdAt: fc.integer({ min: 0, max: 3 }).map((time) => new Date(time)),
    deletedAt: fc.constantFrom(undefined, undefined, new Date(9)),
    tags: tagLists,
    usageCount: fc.integer({ min: 0, max: 3 }),
    versionTag: fc.option(fc.constantFrom("v1.0.0", "V1.2.0", "v2.0.0"), { nil: undefined }),
  }),
  { maxLength: 120 },
);

const filters: fc.Arbitrary<CapabilityFilter> = fc.record(
  {
    sortBy: fc.constantFrom("usage", "name", "created"),
    pattern: globs,
    named: fc.boolean(),
    createdBy: fc.constantFrom("jo@acme", "jo@*", "*@acme", "*L@O*", "*"),
    tags: tagLists,
    visibility: visibilities,
    versionTag: fc.constantFrom("v1.*", "*", "v*.0.0", "V2.0.0"),
  },
  { requiredKeys: ["sortBy"] },
);

describe("listCapabilities", () => {
  it("[ID-12] does not show what was deleted", () => check({ pattern: "fs:g*" }, ""));
  it("[ID-7] shows what the session may see of its project", () =>
    check({}, "fs:read fs:write git:log unnamed_0badcafe"));
  it("takes * for any text", () => check({ pattern: "fs:*" }, "fs:read fs:write"));
  it("takes * in the middle, and several", () => check({ pattern: "*:*r*d" }, "fs:read"));
  it("takes a pattern without * for the whole name", () => check({ pattern: "fs:rea" }, ""));
  it("does not let two pieces of a pattern share text", () => check({ pattern: "fs:read*read" }, ""));
  it("takes no case for a difference", () => check({ pattern: "FS:*" }, "fs:read fs:write"));
  it("takes characters of regular expressions as they are", () => check({ pattern: "fs.*" }, ""));
  it("finds an end to a pattern of many stars", () => {
    const long = [capability("a".repeat(100))];
    const filter = { sortBy: "name", pattern: `${"a*".repeat(40)}b` } as const;
    expect(listCapabilities(long, filter, SCOPE, WHOLE)).toEqual({ items: [], total: 0 });
  });
  it("shows named ones only", () => check({ named: true }, "fs:read fs:write git:log"));
  it("shows unnamed ones only", () => check({ named: false }, "unnamed_0badcafe"));
  it("filters by creator", () => check({ createdBy: "erwan@*" }, "git:log"));
  it("wants all tags", () => {
    check({ tags: ["file"] }, "fs:read fs:write");
    check({ tags: ["file", "json"] }, "fs:read");
    check({ tags: ["file", "none"] }, "");
  });
  it("filters by version tag", () => check({ versionTag: "v1.*" }, "fs:read"));
  it("[ID-7] looks beyond the project for org and public", () =>
    check({ visibility: "org" }, "far:away git:log"));
  it("looks nowhere else for project", () => check({ visibility: "project" }, "fs:read fs:write"));
  it("sorts by usage, then by name", () =>
    check({ sortBy: "usage" }, "fs:write fs:read git:log unnamed_0badcafe"));
  it("sorts by creation, newest first", () =>
    check({ sortBy: "created" }, "fs:write fs:read git:log unnamed_0badcafe"));
  it("shows a page, and says how many there are", () => {
    const page = { offset: 1, limit: 2 };
    const { items, total } = listCapabilities(ALL, { sortBy: "name" }, SCOPE, page);
    expect(items.map(({ displayName }) => displayName)).toEqual(["fs:write", "git:log"]);
    expect(total).toBe(4);
  });
  it("shows nothing behind the last page", () =>
    expect(listCapabilities(ALL, { sortBy: "name" }, SCOPE, { offset: 9, limit: 2 })).toEqual({
      items: [],
      total: 4,
    }));
  it("shows what filtering, sorting and cutting would, whatever is asked for", () =>
    fc.assert(
      fc.property(
        records,
        filters,
        fc.nat({ max: 130 }),
        fc.integer({ min: 1, max: 60 }),
        (some, filter, offset, limit) => {
          const all = some.map((one, index) => capability(one.displayName, { ...one, fqdn: `f${index}` }));
          const names = ({ items, total }: ReturnType<typeof listCapabilities>) => ({
            total,
            fqdns: items.map(({ fqdn }) => fqdn),
          });
          expect(names(listCapabilities(all, filter, SCOPE, { offset, limit }))).toEqual(
            names(plainly(all, filter, offset, limit)),
          );
        },
      ),
      { numRuns: 500 },
    ));
});
