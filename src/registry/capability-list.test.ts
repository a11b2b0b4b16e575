import { describe, expect, it } from "vitest";
import type { Capability } from "./capability.js";
import { type CapabilityFilter, listCapabilities } from "./capability-list.js";

const SCOPE = { org: "acme", project: "web", user: "jo" };

function capability(displayName: string, more: Partial<Capability> = {}): Capability {
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
];

/** Filter in, names out. */
function check(filter: Partial<CapabilityFilter>, expected: string): void {
  const found = listCapabilities(ALL, { sortBy: "name", ...filter }, SCOPE);
  expect(found.map(({ displayName }) => displayName).join(" ")).toBe(expected);
}

describe("listCapabilities", () => {
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
    expect(listCapabilities(long, filter, SCOPE)).toEqual([]);
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
});
