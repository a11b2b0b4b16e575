import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { PGLITE } from "../../test/support/databases.js";
import { type Log, silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { NO_PERMISSIONS, type Permissions } from "../execution/prepare/approval-policy.js";
import { migrate } from "../postgres/migrate.js";
import { MIGRATIONS } from "../postgres/migrations/index.js";
import { PostgresServerRecordStore } from "../postgres/server-record-store.js";
import type { Scope } from "../registry/scope.js";
import type { ServerRecordStore } from "../registry/server-record.js";
import { ServerPool } from "../upstream/server-pool.js";
import { checkConfig } from "./config-schema.js";
import { serverEntries } from "./server-entries.js";
import { ServerRecords } from "./server-records.js";

const FIXTURES = fileURLToPath(new URL("../../test/fixtures/servers/", import.meta.url));
const VERSIONED = join(FIXTURES, "versioned.mjs");
const CODE_URL = pathToFileURL(VERSIONED).href;
const ANSWER_MS = 30_000;

let store: ServerRecordStore;
let projects = 0;
let scope: Scope;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const database = await PGLITE.open();
  await migrate(database, MIGRATIONS);
  store = new PostgresServerRecordStore(database);
});

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

function versioned(...args: readonly string[]) {
  return { command: process.execPath, args: [VERSIONED, ...args] };
}

interface GatewayOptions {
  readonly permissions?: Permissions;
  readonly store?: ServerRecordStore;
  readonly log?: Log;
  readonly isSecret?: (text: string) => boolean;
}

/** The records of a gateway with these servers, none of which is started. */
function gatewayOf(mcpServers: object, options: GatewayOptions = {}) {
  const config = checkConfig("pml.json", { mcpServers });
  const entries = serverEntries(config, { directory: "/work", cwd: "/work" }, process.env);
  const log = options.log ?? silentLog;
  const pool = new ServerPool(entries, log);
  const records = new ServerRecords({
    store: options.store ?? store,
    live: { now: { entries, config, rules: { permissions: options.permissions ?? NO_PERMISSIONS } } },
    scope,
    servers: pool,
    log,
    ...(options.isSecret === undefined ? {} : { isSecret: options.isSecret }),
  });
  stops.push(async () => {
    await records.stop();
    await pool.stop();
  });
  return { pool, registry: records.registry, records };
}

/** The same once all of them have answered. */
async function answered(mcpServers: object, options: GatewayOptions = {}) {
  const gateway = gatewayOf(mcpServers, options);
  gateway.records.start();
  await gateway.registry.loaded().catch(() => {});
  gateway.pool.start();
  await gateway.pool.settled("tools", ANSWER_MS);
  await gateway.registry.sight();
  return gateway;
}

function newProject(): void {
  projects += 1;
  scope = { org: "acme", project: `p${projects}`, user: "ada" };
}

describe("[ID-14] configured servers are records", () => {
  it("[DO-5] has no address with a secret in it", async () => {
    newProject();
    const servers = { open: { url: "https://x.test/mcp" }, closed: { url: "https://x.test/hush/mcp" } };
    const { records, registry } = gatewayOf(servers, { isSecret: (text) => text.includes("hush") });
    records.start();
    const codeUrlOf = async (name: string) => (await registry.lookUp(name, scope))?.record.codeUrl;
    expect(await codeUrlOf("mcp:open")).toBe("https://x.test/mcp");
    expect(await codeUrlOf("mcp:closed")).toBeUndefined();
  });

  it("is known before it has answered, and has its version once it has", async () => {
    newProject();
    const { pool, records, registry } = gatewayOf({ work: versioned("1.2.0", "Works\u200b hard") });
    records.start();
    const before = await registry.lookUp("mcp:work", scope);
    expect(before).toMatchObject({
      record: { codeUrl: CODE_URL, visibility: "project", routing: "local", createdBy: "ada@acme" },
      version: { version: 1, versionTag: undefined },
      isConfigured: true,
    });
    pool.start();
    await pool.settled("tools", ANSWER_MS);
    await registry.sight();
    expect(await registry.lookUp("mcp:work@v1.2", scope)).toMatchObject({
      record: { description: "Works hard", fqdn: before?.record.fqdn },
      version: { version: 1, versionTag: "1.2.0", codeUrl: CODE_URL },
    });
  });

  it("tells the store by itself when a server has answered", async () => {
    newProject();
    let tell: (tag: string) => void = () => {};
    const told = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const watched: ServerRecordStore = {
      load: () => store.load(),
      versions: (fqdn) => store.versions(fqdn),
      async sight(sightings) {
        for (const { versionTag } of sightings) if (versionTag !== undefined) tell(versionTag);
        return await store.sight(sightings);
      },
    };
    const { pool, records } = gatewayOf({ work: versioned("1.2.0") }, { store: watched });
    records.start();
    pool.start();
    expect(await told).toBe("1.2.0");
  });

  it("does not tell the store what it was told before", async () => {
    newProject();
    let tellings = 0;
    const counted: ServerRecordStore = {
      load: () => store.load(),
      versions: (fqdn) => store.versions(fqdn),
      sight(sightings) {
        tellings += 1;
        return store.sight(sightings);
      },
    };
    const { registry } = await answered({ work: versioned("1.2.0") }, { store: counted });
    const before = tellings;
    await registry.sight();
    expect(tellings).toBe(before);
  });

  it("has a new version when another one answers, and keeps the one before", async () => {
    newProject();
    const first = await answered({ work: versioned("1.2.0") });
    await first.records.stop();
    const { registry } = await answered({ work: versioned("2026.8") });
    const numbers = async (...names: readonly string[]) =>
      await Promise.all(names.map(async (name) => (await registry.lookUp(name, scope))?.version.version));
    const day = new Date().toISOString().slice(0, 10);
    expect(
      await numbers(
        "mcp:work",
        "mcp:work@latest",
        "mcp:work@v1.2.0",
        "mcp:work@v1",
        "mcp:work@1",
        `mcp:work@${day}`,
      ),
    ).toEqual([2, 2, 1, 1, 1, 2]);
    expect(await numbers("mcp:work@2026.8")).toEqual([2]);
    await expect(registry.lookUp("mcp:work@v2026.8", scope)).rejects.toMatchObject({
      code: "VERSION_NOT_FOUND",
      message: "Version v2026.8 not found for mcp:work",
    });
  });

  it("says what the configuration and the permissions say, and nothing of what is disabled", async () => {
    newProject();
    const { records, registry } = gatewayOf(
      {
        mail: { url: "https://me:hush@mail.example/mcp?key=hush" },
        web: { url: "https://web.example/mcp", visibility: "public", codeUrl: "https://code.example/web" },
        git: { command: "uvx", args: ["mcp-server-git"], visibility: "org" },
        off: { command: "x", disabled: true },
      },
      { permissions: { defaults: {}, servers: new Map([["web", { routing: "local", tools: new Map() }]]) } },
    );
    records.start();
    await registry.loaded();
    const own = registry.directory.list({ sortBy: "name", createdBy: "ada@acme" }, scope);
    expect(
      own
        .filter(({ project }) => project === scope.project)
        .map(({ displayName, codeUrl, visibility, routing }) =>
          [displayName, codeUrl, visibility, routing].join(" "),
        ),
    ).toEqual([
      "mcp:git pypi:mcp-server-git org local",
      "mcp:mail https://mail.example/mcp project cloud",
      "mcp:web https://code.example/web public local",
    ]);
  });

  it("takes the version that its entry asks for where the server gives none", async () => {
    newProject();
    const { pool, registry } = gatewayOf({ work: { command: "npx", args: ["work@3.1.0"] } });
    // A program of that name is not started in tests: this is what a server that gives no version looks like.
    const [status] = pool.statuses();
    if (status === undefined) throw new Error("There is no server");
    pool.statuses = () => [{ ...status, state: "ready", serverVersion: "" }];
    expect((await registry.lookUp("mcp:work", scope))?.version.versionTag).toBe("3.1.0");
  });

  it("takes the place of the seeded one, in every scope of this gateway", async () => {
    newProject();
    const { registry } = gatewayOf({ filesystem: { command: "files" } });
    const stranger = { org: "other", project: "x", user: "eve" };
    const fqdns = await Promise.all(
      ["mcp:filesystem", "mcp:shell"].map(
        async (name) => (await registry.lookUp(name, stranger))?.record.fqdn,
      ),
    );
    expect(fqdns).toEqual([
      expect.stringMatching(`^acme.${scope.project}.mcp.filesystem.`),
      "pml.std.mcp.shell.2e6b",
    ]);
  });

  it("[ID-7] the same answer for what may not be seen and for what does not exist", async () => {
    newProject();
    const { registry } = gatewayOf({ hidden: { command: "x", visibility: "private" } });
    const stranger = { ...scope, user: "eve" };
    const refusal = async (name: string) =>
      await registry.lookUp(name, stranger).catch((error: unknown) => error);
    expect(String(await refusal("mcp:hidden"))).toBe(
      String(await refusal("mcp:absent")).replace("absent", "hidden"),
    );
    expect(await refusal("mcp:hidden@v9")).toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
      message: "Capability not found: mcp:hidden@v9",
    });
    expect((await registry.lookUp("mcp:hidden", scope))?.record.server).toBe("hidden");
  });

  it("leaves to others what may be a capability", async () => {
    newProject();
    const { registry } = gatewayOf({});
    expect(await registry.lookUp("fs:read_json", scope)).toBeUndefined();
    expect(await registry.lookUp("acme.web.fs.read.0000", scope)).toBeUndefined();
  });

  it("a store that fails is told again at the next change, and no error is thrown", async () => {
    newProject();
    const logged: string[] = [];
    const warn = (message: string) => void logged.push(message);
    let isDown = true;
    const shaky: ServerRecordStore = {
      load: () => store.load(),
      versions: (fqdn) => store.versions(fqdn),
      sight: (sightings) =>
        isDown ? Promise.reject(new PmlError("STORE_FAILED", "Cannot write")) : store.sight(sightings),
    };
    const { registry } = await answered(
      { work: versioned("1.2.0") },
      { store: shaky, log: { ...silentLog, warn } },
    );
    expect(logged).toContain("servers.not_told");
    await expect(registry.lookUp("mcp:work", scope)).rejects.toMatchObject({ code: "CAPABILITY_NOT_FOUND" });
    isDown = false;
    await registry.sight();
    expect((await registry.lookUp("mcp:work", scope))?.version.versionTag).toBe("1.2.0");
  });
});
