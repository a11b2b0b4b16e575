/** A description from an MCP registry, and the entry that is made of it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedServer, findServerJson, isServerReference } from "./server-json.js";

const NPM = {
  registryType: "npm",
  identifier: "@acme/weather",
  version: "1.2.3",
  transport: { type: "stdio" },
};
const made = (json: object, given = {}) =>
  describedServer({ name: "io.github.acme/weather", ...json } as never, given);
const V = (name: string) => `$${`{${name}}`}`;

describe("[FH-4] the entry of a described server", () => {
  it.each([
    ["npm", NPM, ["npx", "-y", "@acme/weather@1.2.3"]],
    ["pypi", { ...NPM, registryType: "pypi", identifier: "weather" }, ["uvx", "weather@1.2.3"]],
    [
      "nuget",
      {
        ...NPM,
        registryType: "nuget",
        identifier: "Acme.Weather",
        packageArguments: [{ type: "positional", value: "mcp" }],
      },
      ["dnx", "Acme.Weather@1.2.3", "--yes", "--", "mcp"],
    ],
    [
      "oci",
      {
        ...NPM,
        registryType: "oci",
        identifier: "docker.io/acme/weather:1.2.3",
        version: undefined,
        environmentVariables: [{ name: "UNITS", default: "celsius" }],
      },
      ["docker", "run", "-i", "--rm", "-e", "UNITS", "docker.io/acme/weather:1.2.3"],
    ],
  ])("starts a package of %s", (_, one, words) => {
    const { name, entry } = made({ packages: [one] });
    expect([name, entry.command, ...(entry.args as string[])]).toEqual(["weather", ...words]);
  });

  it("fills in arguments and variables, and says what the person has to give", () => {
    const { entry, needs } = made(
      {
        packages: [
          {
            ...NPM,
            runtimeArguments: [{ type: "positional", value: "-y" }],
            packageArguments: [
              { type: "positional", valueHint: "target_dir", isRequired: true },
              { type: "positional", valueHint: "optional" },
              { type: "named", name: "--mode", default: "local" },
              {
                type: "named",
                name: "--mount",
                value: "src={from},dst=/x",
                variables: { from: { isRequired: true } },
              },
            ],
            environmentVariables: [
              { name: "API_KEY", isRequired: true, isSecret: true },
              { name: "REGION", isRequired: true },
              { name: "UNITS", default: "celsius" },
              { name: "OPTIONAL" },
            ],
          },
        ],
      },
      { REGION: "eu" },
    );
    expect(entry).toEqual({
      command: "npx",
      args: [
        ...["-y", "@acme/weather@1.2.3", V("TARGET_DIR"), "--mode", "local"],
        ...["--mount", `src=${V("FROM")},dst=/x`],
      ],
      env: { API_KEY: V("secret:API_KEY"), UNITS: "celsius", REGION: "eu" },
    });
    expect(needs).toEqual([
      { name: "API_KEY", isSecret: true },
      { name: "TARGET_DIR", isSecret: false },
      { name: "FROM", isSecret: false },
    ]);
  });

  it("reaches an address where there is no package, with its headers", () => {
    const remotes = [
      { type: "sse", url: "https://acme.example/sse" },
      {
        type: "streamable-http",
        url: "https://{host}/mcp",
        variables: { host: { default: "acme.example" } },
        headers: [
          { name: "Authorization", value: "Bearer {token}", variables: { token: { isSecret: true } } },
        ],
      },
    ];
    expect(made({ remotes, packages: [{ ...NPM, registryType: "mcpb" }] }).entry).toEqual({
      url: "https://acme.example/mcp",
      headers: { Authorization: `Bearer ${V("secret:TOKEN")}` },
    });
    expect(made({ remotes: remotes.slice(0, 1) }).entry).toEqual({
      type: "sse",
      url: "https://acme.example/sse",
    });
  });

  it("takes no variable of the person out of a description", () => {
    const { entry } = made({
      packages: [
        {
          ...NPM,
          packageArguments: [{ type: "positional", value: V("AWS_SECRET") }],
          environmentVariables: [{ name: "X", value: V("secret:GITHUB") }],
        },
      ],
    });
    expect(entry).toMatchObject({
      args: ["-y", "@acme/weather@1.2.3", `$${V("AWS_SECRET")}`],
      env: { X: `$${V("secret:GITHUB")}` },
    });
  });

  it.each([
    [{ packages: [{ ...NPM, identifier: "--call=rm" }] }, "the identifier of its package begins with -"],
    [
      { packages: [{ ...NPM, registryType: "mcpb" }] },
      "no package or address that PML can use (it has mcpb)",
    ],
    [{ packages: [{ ...NPM, registryType: "constructor" }] }, "(it has constructor)"],
    [{}, "it has no package or address that PML can use"],
  ])("is refused: %j", (json, why) => expect(() => made(json)).toThrow(why));
});

describe("[FH-4] finding a description", () => {
  const directory = mkdtempSync(join(tmpdir(), "pml-registry-"));
  const json = { name: "io.github.acme/weather", version: "1.2.3", packages: [NPM] };
  const asked: string[] = [];
  // As the registry of the protocol answers (openapi, v0.1).
  const registry = createServer((req, res) => {
    asked.push(req.url ?? "");
    const isKnown = req.url === "/v0.1/servers/io.github.acme%2Fweather/versions/latest";
    res.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    const meta = { "io.modelcontextprotocol.registry/official": { status: "active", isLatest: true } };
    res.end(JSON.stringify(isKnown ? { server: json, _meta: meta } : { error: "Server not found" }));
  });
  let address = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    registry.close();
    rmSync(directory, { recursive: true });
  });

  it("asks the registry for the latest version, or for the one that is named", async () => {
    expect(await findServerJson("io.github.acme/weather", `${address}/`)).toEqual(json);
    await expect(findServerJson("io.github.acme/weather@0.9.0", address)).rejects.toMatchObject({
      code: "SERVER_NOT_FOUND",
      message: expect.stringContaining("the registry does not know it"),
    });
    expect(asked.at(-1)).toBe("/v0.1/servers/io.github.acme%2Fweather/versions/0.9.0");
  });

  it("reads a file, and an address", async () => {
    const file = join(directory, "server.json");
    writeFileSync(file, JSON.stringify(json));
    expect(await findServerJson(file, "http://127.0.0.1:9")).toEqual(json);
    const url = `${address}/v0.1/servers/io.github.acme%2Fweather/versions/latest`;
    expect(await findServerJson(url, "http://127.0.0.1:9")).toEqual(json);
  });

  it.each([
    ["{", "it is not JSON"],
    ["{}", "at name"],
    ['{"name":"a/b","packages":[{}]}', "at packages.0.registryType"],
  ])("refuses %s", async (text, why) => {
    const file = join(directory, "bad.json");
    writeFileSync(file, text);
    await expect(findServerJson(file, address)).rejects.toThrow(why);
  });

  it.each([
    ["io.github.acme/weather", true],
    ["./server.json", true],
    ["https://acme.example/server.json", true],
    ["weather", false],
  ])("knows %s", (text, expected) => expect(isServerReference(text)).toBe(expected));
});
