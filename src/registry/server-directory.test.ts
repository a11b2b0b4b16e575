import { describe, expect, it } from "vitest";
import { sampleServer } from "../../test/support/sample-server.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";
import type { ServerRecord } from "./server-record.js";
import { isServerName, ServerDirectory, type ServerFilter } from "./server-registry.js";
import { parseServerName } from "./tool-id.js";

const ADA: Scope = { org: "acme", project: "web", user: "ada" };
const BOB: Scope = { org: "acme", project: "shop", user: "bob" };
const EVE: Scope = { org: "evil", project: "web", user: "eve" };
const SEEDED = sampleServer("pml.std:filesystem", {
  visibility: "public",
  createdAt: new Date("2024-01-01T00:00:00Z"),
});

/** A gateway of acme.web that has `configured`; a name with `!` has a visibility of its own there. */
function directory(records: readonly ServerRecord[], ...configured: readonly string[]): ServerDirectory {
  const servers = new ServerDirectory(
    ADA,
    configured.map((name) => ({
      server: parseServerName(name.replace("!", "")),
      hasVisibility: name.endsWith("!"),
    })),
  );
  servers.replace(records);
  return servers;
}

function resolved(servers: ServerDirectory, text: string, scope: Scope = ADA): Fqdn | undefined {
  return servers.resolve(text, scope)?.record.fqdn;
}

function listed(servers: ServerDirectory, scope: Scope, filter: Partial<ServerFilter> = {}): string {
  return servers
    .list({ sortBy: "name", ...filter }, scope)
    .map(({ fqdn }) => fqdn)
    .join(" ");
}

describe("[ID-14] what a server is called", () => {
  const servers = directory([sampleServer("acme.web:My-Files")]);
  it.each([
    "mcp:My-Files",
    "mcp:my_files",
    "MCP:MyFiles",
    "cap:mcp:My-Files",
    "mcp:My-Files@v1",
    "acme.web:mcp:My-Files",
    "acme.web.mcp.my-files.0000",
    "acme.web.mcp.my-files.0000@latest",
    "acme.web.mcp.my-files",
  ])("%s", (text) => expect(resolved(servers, text)).toBe("acme.web.mcp.my-files.0000"));

  it.each([
    "My-Files",
    "mcp:",
    "mcp:a b",
    "mcp:other",
    "acme.shop:mcp:My-Files",
    "acme.web.mcp.my-files.0001",
    "",
  ])("not %s", (text) => expect(resolved(servers, text)).toBeUndefined());

  it("may hold dots", () =>
    expect(resolved(directory([sampleServer("acme.web:v1.files")]), "mcp:v1.files")).toBe(
      "acme.web.mcp.v1_files.0000",
    ));

  it("of two that fold alike, the one that is spelt so", () => {
    const two = directory([
      sampleServer("acme.web:files"),
      sampleServer("acme.web:Files", { fqdn: "acme.web.mcp.files.1111" as Fqdn }),
    ]);
    expect([
      resolved(two, "mcp:Files"),
      resolved(two, "mcp:files"),
      resolved(two, "acme.web.mcp.files"),
    ]).toEqual(["acme.web.mcp.files.1111", "acme.web.mcp.files.0000", "acme.web.mcp.files.0000"]);
  });

  it.each([
    ["mcp:files", true],
    ["cap:mcp:files@v1", true],
    ["acme.web:mcp:files", true],
    ["acme.web.mcp.files.0000", false],
    ["files", false],
    ["fs:read", false],
  ])("%s can mean nothing but a server: %s", (text, expected) => expect(isServerName(text)).toBe(expected));

  it("keeps the version that is asked for", () =>
    expect(servers.resolve("mcp:My-Files@v1.2.0", ADA)?.version).toMatchObject({
      kind: "tag",
      text: "v1.2.0",
    }));
});

describe("[ID-14] which record a name means", () => {
  const open = { visibility: "public" } as const;
  const all = [
    SEEDED,
    sampleServer("zeta.old:filesystem", { ...open, createdAt: new Date("2025-01-01T00:00:00Z") }),
    sampleServer("other.new:filesystem", open),
    sampleServer("acme.data:filesystem", { visibility: "org" }),
    sampleServer("acme.shop:filesystem"),
    sampleServer("acme.web:filesystem"),
  ];
  const without = (...gone: readonly string[]) =>
    all.filter(({ fqdn }) => !gone.some((one) => fqdn.startsWith(one)));

  it.each([
    ["what this gateway has configured", directory(all, "filesystem"), "acme.web.mcp.filesystem.0000"],
    ["then the session's own project", directory(all), "acme.shop.mcp.filesystem.0000"],
    ["then its org", directory(without("acme.shop")), "acme.data.mcp.filesystem.0000"],
    ["then the oldest of the others", directory(without("acme")), "zeta.old.mcp.filesystem.0000"],
    ["then what every installation knows", directory([SEEDED]), "pml.std.mcp.filesystem.0000"],
  ])("%s", (_, servers, expected) => expect(resolved(servers, "mcp:filesystem", BOB)).toBe(expected));

  it("a seeded record can still be named by its FQDN", () =>
    expect(resolved(directory(all, "filesystem"), "pml.std.mcp.filesystem.0000")).toBe(SEEDED.fqdn));

  it("what the session may not see does not stand in the way", () =>
    expect(resolved(directory([SEEDED, sampleServer("acme.web:filesystem")]), "mcp:filesystem", EVE)).toBe(
      SEEDED.fqdn,
    ));
});

describe("[ID-7] who sees a server", () => {
  const at = (visibility: ServerRecord["visibility"]) => [sampleServer("acme.web:files", { visibility })];
  it.each([
    ["private", "ada"],
    ["project", "ada amy"],
    ["org", "ada amy bob"],
    ["public", "ada amy bob eve"],
  ] as const)("%s: %s", (visibility, expected) => {
    for (const servers of [directory(at(visibility)), directory(at(visibility), "files!")]) {
      const seeing = [ADA, { ...ADA, user: "amy" }, BOB, EVE].filter(
        (scope) => resolved(servers, "mcp:files", scope) !== undefined,
      );
      expect(seeing.map(({ user }) => user).join(" ")).toBe(expected);
    }
  });

  it("every session of the gateway that has it configured, unless the configuration says who", () =>
    expect([
      resolved(directory(at("project"), "files"), "mcp:files", EVE),
      resolved(directory(at("project"), "files!"), "mcp:files", EVE),
    ]).toEqual(["acme.web.mcp.files.0000", undefined]));

  it("of another project's server with that name, only who may see it", () =>
    expect(
      resolved(directory([sampleServer("acme.shop:files")], "files"), "mcp:files", ADA),
    ).toBeUndefined());

  it("names that the session may not see are not offered to it", () => {
    const servers = directory([sampleServer("acme.web:files")]);
    expect([servers.nearest("mcp:file", ADA), servers.nearest("mcp:file", EVE)]).toEqual([["mcp:files"], []]);
  });
});

describe("[FP-9] lists of servers", () => {
  const servers = directory(
    [
      SEEDED,
      sampleServer("pml.std:shell", { visibility: "public" }),
      sampleServer("acme.web:FileSystem", {
        createdAt: new Date("2026-02-01T00:00:00Z"),
        versionTag: "2.0.0",
      }),
      sampleServer("acme.shop:mail", { visibility: "org" }),
      sampleServer("evil.web:mail", { visibility: "public" }),
      sampleServer("evil.web:secrets"),
    ],
    "FileSystem",
  );

  it("what the session may see, a configured one in place of the seeded one", () =>
    expect([listed(servers, BOB), listed(servers, EVE)]).toEqual([
      "acme.web.mcp.filesystem.0000 acme.shop.mcp.mail.0000 evil.web.mcp.mail.0000 pml.std.mcp.shell.0000",
      "acme.web.mcp.filesystem.0000 evil.web.mcp.mail.0000 evil.web.mcp.secrets.0000 pml.std.mcp.shell.0000",
    ]));

  it.each([
    [{ pattern: "MCP:*l" }, "acme.shop.mcp.mail.0000 evil.web.mcp.mail.0000 pml.std.mcp.shell.0000"],
    [{ visibility: "org" }, "acme.shop.mcp.mail.0000"],
    [{ createdBy: "ada@acme" }, "acme.web.mcp.filesystem.0000 acme.shop.mcp.mail.0000"],
    [{ versionTag: "2.*" }, "acme.web.mcp.filesystem.0000"],
    [{ sortBy: "created", visibility: "public" }, "evil.web.mcp.mail.0000 pml.std.mcp.shell.0000"],
    [{ sortBy: "usage", pattern: "mcp:mail" }, "acme.shop.mcp.mail.0000 evil.web.mcp.mail.0000"],
  ] as const)("%j", (filter, expected) => expect(listed(servers, BOB, filter)).toBe(expected));

  it("newest first by creation", () =>
    expect(listed(servers, BOB, { sortBy: "created" }).split(" ")[0]).toBe("acme.web.mcp.filesystem.0000"));
});

it("takes over records as they are now", () => {
  const servers = directory([sampleServer("acme.web:files")]);
  servers.put([sampleServer("acme.web:files", { versionTag: "2.0.0" })]);
  expect(servers.resolve("mcp:files", ADA)?.record.versionTag).toBe("2.0.0");
  servers.replace([]);
  expect(servers.resolve("mcp:files", ADA)).toBeUndefined();
});
