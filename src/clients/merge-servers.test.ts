import { describe, expect, it } from "vitest";
import type { FoundServer } from "./found-server.js";
import { mergeServers } from "./merge-servers.js";
import { launchOf } from "./same-server.js";

const server = (name: string, more: Partial<FoundServer> = {}): FoundServer => ({
  name,
  client: "cursor",
  scope: "user",
  file: "FILE",
  args: [],
  env: {},
  headers: {},
  disabled: false,
  foreign: [],
  ...(more.url === undefined ? { command: "run" } : {}),
  ...more,
});

const isName = (name: string) =>
  /^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && !name.includes("__") && name !== "pml";

/** What PML's configuration says of them, and the problems. */
function check(found: readonly FoundServer[], servers: object, ...problems: readonly string[]): void {
  const merged = mergeServers(found, isName);
  expect(merged.mcpServers).toEqual(servers);
  expect(merged.problems.map(({ server: name, message }) => `${name}: ${message}`)).toEqual(problems);
  expect(Object.keys(merged.origins)).toEqual(Object.keys(servers));
}

describe("the servers of several clients become one list", () => {
  it("with each field that PML has, and no empty one", () =>
    check(
      [
        server("a", { args: ["1"], env: { K: "v" }, cwd: "/d", foreign: ["timeout"] }),
        server("b", { url: "https://b.test", headers: { H: "v" }, type: "sse" }),
        server("c"),
      ],
      {
        a: { command: "run", args: ["1"], env: { K: "v" }, cwd: "/d" },
        b: { type: "sse", url: "https://b.test", headers: { H: "v" } },
        c: { command: "run" },
      },
    ));

  it("in which a server of several clients is once, and used where one client uses it", () => {
    const found = [
      server("a", { disabled: true }),
      server("b", { client: "zed" }),
      server("off", { command: "off", disabled: true }),
    ];
    check(found, { a: { command: "run" }, off: { command: "off", disabled: true } });
    expect(mergeServers(found, () => true).origins.a?.map(({ client }) => client)).toEqual(["cursor", "zed"]);
  });

  it("in which two accounts of one service are two, with names of their own", () =>
    check(
      [
        server("gh", { env: { T: "1" } }),
        server("gh", { env: { T: "2" }, client: "zed" }),
        server("gh", { env: { T: "3" }, client: "zed" }),
      ],
      {
        gh: { command: "run", env: { T: "1" } },
        "gh-zed": { command: "run", env: { T: "2" } },
        "server-zed": { command: "run", env: { T: "3" } },
      },
      'gh: PML calls it "gh-zed"',
      'gh: PML calls it "server-zed"',
    ));

  it.each([
    ["desktop only", "desktop-only"],
    ["@scope/name", "scope-name"],
    ["a__b", "a_b"],
    ["__proto__", "proto_"],
    ["pml", "pml-cursor"],
    ["日本", "server-cursor"],
    ["x".repeat(100), "x".repeat(40)],
  ])("with names that PML can have: %s", (name, expected) =>
    check([server(name)], { [expected]: { command: "run" } }, `${name}: PML calls it "${expected}"`),
  );

  it("without PML itself, and without what it cannot reach", () =>
    check(
      [
        server("pml", { command: "npx", args: ["-y", "casys-pml", "serve"] }),
        server("ftp", { url: "ftp://x.test" }),
        server("var", { url: `\${BASE}/mcp` }),
        server("file", { command: "f", envFile: "/x/.env" }),
      ],
      { var: { url: `\${BASE}/mcp` }, file: { command: "f", envFile: "/x/.env" } },
      "ftp: its URL is not an HTTP URL",
    ));

  it("which adds to the servers that are there, and changes none of them", () => {
    const present = [
      launchOf("mine", { command: "run", env: { T: "1" } }),
      launchOf("hidden", { command: "hide", env: { T: `\${secret:T}` } }),
      launchOf("other", { command: "other" }),
      launchOf("new-cursor", { url: "https://x.test" }),
    ];
    const found = [
      server("a", { env: { T: "1" } }),
      server("b", { command: "hide", env: { T: "plain" } }),
      server("other", { command: "changed" }),
      server("new", { command: "new" }),
      server("new", { command: "newer" }),
    ];
    const merged = mergeServers(found, isName, present);
    expect(merged.known).toEqual(["mine", "hidden"]);
    expect(merged.mcpServers).toEqual({ new: { command: "new" }, "server-cursor": { command: "newer" } });
    expect(merged.problems.map(({ message }) => message)).toEqual([
      'pml.json has another server that is named "other", and stays as it is',
      'PML calls it "server-cursor"',
    ]);
  });
});
