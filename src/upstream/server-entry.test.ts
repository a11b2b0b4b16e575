import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Config } from "../app/config-schema.js";
import { serverEntries } from "../app/server-entries.js";

const DIRECTORY = resolve("/etc/pml");
const PLACES = { directory: DIRECTORY, cwd: resolve("/home/me") };
const ENV = { PATH: "/bin", HOME: "/home/me", AWS_SECRET_ACCESS_KEY: "s3cret", NODE_OPTIONS: "--inspect" };

type Servers = NonNullable<Config["mcpServers"]>;

function entries(mcpServers: Servers) {
  return serverEntries({ mcpServers }, PLACES, ENV);
}

/** One field of the entry that a server's configuration becomes. */
function check(server: Servers[string], field: string, expected: unknown): void {
  const [entry] = entries({ s: server });
  expect((entry as unknown as Record<string, unknown>)[field]).toEqual(expected);
}

describe("[GW-2] serverEntries", () => {
  it("fills in everything of a stdio server", () => {
    expect(entries({ fs: { command: "npx" } })).toEqual([
      {
        name: "fs",
        naming: "prefixed",
        transport: "stdio",
        protocol: "2025",
        callTimeoutMs: 600_000,
        command: "npx",
        args: [],
        env: { PATH: "/bin", HOME: "/home/me" },
        cwd: PLACES.cwd,
      },
    ]);
  });

  it("fills in everything of an HTTP server", () => {
    expect(entries({ web: { url: "https://example.test/mcp" } })).toEqual([
      {
        auth: { redirectUrl: "http://127.0.0.1:41739/callback", per: "installation" },
        name: "web",
        naming: "prefixed",
        transport: "http",
        protocol: "auto",
        callTimeoutMs: 600_000,
        url: new URL("https://example.test/mcp"),
        headers: {},
      },
    ]);
  });

  it("takes what is configured", () => {
    const server: Servers[string] = {
      command: "node",
      args: ["server.js"],
      env: { TOKEN: "t" },
      cwd: "work",
      names: "bare",
      protocol: "2026",
      timeoutMs: 5,
    };
    expect(entries({ s: server })[0]).toMatchObject({
      args: ["server.js"],
      env: { TOKEN: "t" },
      cwd: resolve(DIRECTORY, "work"),
      naming: "bare",
      protocol: "2026",
      callTimeoutMs: 5,
    });
  });

  it("passes on the variables that are named, over the few that are always there, and no others", () =>
    check({ command: "x", env: { HOME: "/tmp", API_KEY: "k" } }, "env", {
      PATH: "/bin",
      HOME: "/tmp",
      API_KEY: "k",
    }));

  it("finds a command with a path from the configuration's directory", () =>
    check({ command: "./bin/server" }, "command", resolve(DIRECTORY, "bin/server")));
  it("finds a command in a folder from the configuration's directory", () =>
    check({ command: "bin/server" }, "command", resolve(DIRECTORY, "bin/server")));
  it("leaves a bare command to PATH", () => check({ command: "node" }, "command", "node"));
  it("leaves an absolute command", () => check({ command: "/usr/bin/node" }, "command", "/usr/bin/node"));
  it("leaves an absolute directory", () => check({ command: "x", cwd: "/srv" }, "cwd", "/srv"));

  it("speaks SSE where that is asked for, in a 2025 revision", () => {
    const server = { type: "sse", url: "http://127.0.0.1:1/sse" } as const;
    check(server, "transport", "sse");
    check(server, "protocol", "2025");
  });
  it.each(["http", "streamable-http"] as const)("speaks Streamable HTTP for type %s", (type) =>
    check({ type, url: "http://127.0.0.1:1/mcp" }, "transport", "http"),
  );
  it("sends the headers that are configured", () =>
    check({ url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer t" } }, "headers", {
      Authorization: "Bearer t",
    }));

  it("leaves out servers that are disabled", () => {
    const named = entries({ a: { command: "x", disabled: true }, b: { command: "x", disabled: false } });
    expect(named.map(({ name }) => name)).toEqual(["b"]);
  });
  it("has none where none is configured", () => {
    expect(serverEntries({}, PLACES, ENV)).toEqual([]);
  });
  it("refuses a server name that is reserved", () => {
    expect(() => entries({ pml: { command: "x" } })).toThrow('Cannot use "pml" as a server name');
  });
});
