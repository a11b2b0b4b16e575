/** `pml serve` outlives its gateway, and its gateway outlives `pml serve`: on the real binary, with clients of both eras. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  endOwner,
  fixture,
  isAlive,
  newPlace,
  ownerOf,
  ownerPid,
  pml,
  ROOT,
  ServeClient,
  serve,
  startServe,
  until,
} from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";
import { childrenOf } from "../support/processes.js";
import { sized } from "../support/sizes.js";
import { type ClientKind, clients, connectClient } from "../support/test-client.js";

// Each starts several gateways, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const place = newPlace({ isProcess: true });
const config = place.config({ mcpServers: { healthy: fixture("healthy") } });
const dir = (name: string) => join(place.directory, name);
const on = (name: string, file = config) => ["--config", file, "--data-dir", dir(name)];
const stop = (name: string) => pml(place, ["stop", ...on(name)]);
const pidOf = (name: string) => ownerPid(dir(name));

const connect = (kind: ClientKind, name: string, root = ROOT) =>
  connectClient(kind, {
    command: process.execPath,
    args: [join(root, "dist/cli/main.js"), "serve", ...on(name)],
    env: place.env,
  });
type Client = Awaited<ReturnType<typeof connect>>;

const text = ({ content }: Awaited<ReturnType<Client["call"]>>) => (content[0] as { text: string }).text;
const echo = async (client: Client) => text(await client.call("healthy:echo", { text: "hello" }));

/** In the usual size each ending is seen by a client of one era. */
describe("a client whose gateway ends [FH-6]", () => {
  it.each(clients("v1"))(
    "is told that a call is in doubt, and goes on with another gateway: $client",
    async ({ kind }) => {
      const killed = `killed-${kind}`;
      const client = await connect(kind, killed);
      await client.watchLists();
      const before = (await client.tools()).map(({ name }) => name);
      const first = pidOf(killed);
      const waiting = client.call("healthy:wait", { ms: 60_000 });
      // Answered after the call was sent, on the same stream.
      await echo(client);
      process.kill(first, "SIGKILL");
      const answer = await waiting;
      expect(answer.isError).toBe(true);
      expect(text(answer)).toMatch(/^GATEWAY_RESTARTED: Cannot tell whether "healthy:wait" was done: /);
      const told = client.news.toolChanges;
      expect(await echo(client)).toBe("hello");
      expect(pidOf(killed)).not.toBe(first);
      await client.news.until(({ toolChanges }) => toolChanges > told);
      expect((await client.tools()).map(({ name }) => name)).toEqual(before);
      await client.close();
      await endOwner(dir(killed));
    },
  );

  it.each(clients("v2-2026"))(
    "needs no restart after pml stop, which keeps the gateway stopped until a request comes: $client",
    async ({ kind }) => {
      const stopped = `stopped-${kind}`;
      const client = await connect(kind, stopped);
      await client.watchLists();
      expect(await echo(client)).toBe("hello");
      expect(await stop(stopped)).toMatchObject({ code: 0 });
      expect(ownerOf(dir(stopped))).toBeUndefined();
      const told = client.news.toolChanges;
      expect(await echo(client)).toBe("hello");
      await client.news.until(({ toolChanges }) => toolChanges > told);
      await client.close();
      await endOwner(dir(stopped));
    },
  );
});

describe("an upgrade in place [FH-6]", () => {
  it.each(sized(["v1", "v2-2026"] as const, ["v2-2026"] as const))(
    "is joined by a client of %s that was there before",
    async (kind) => {
      const root = dir(`package-${kind}`);
      mkdirSync(root);
      for (const name of ["dist", "package.json"])
        cpSync(join(ROOT, name), join(root, name), { recursive: true });
      for (const name of ["node_modules", "models"]) symlinkSync(join(ROOT, name), join(root, name));
      const name = `upgraded-${kind}`;
      const client = await connect(kind, name, root);
      expect(await echo(client)).toBe("hello");
      await stop(name);
      const file = join(root, "dist/base/version.js");
      writeFileSync(file, readFileSync(file, "utf8").replace(/VERSION = "[^"]*"/, 'VERSION = "99.0.0"'));
      expect(await echo(client)).toBe("hello");
      expect(ownerOf(dir(name))).toMatchObject({ version: "99.0.0" });
      const gateway = pidOf(name);
      process.kill(gateway, "SIGKILL");
      // A call that is sent before the end was noticed is in doubt.
      await until("another one answers", async () => (await echo(client)) === "hello");
      await client.close();
      process.kill(pidOf(name), "SIGTERM");
    },
  );
});

describe("a gateway that cannot be started again [FH-6]", () => {
  it("is told of with each request, and tried again", async () => {
    const name = "broken";
    const file = place.config({ mcpServers: { healthy: fixture("healthy") } }, "broken.json");
    const right = readFileSync(file, "utf8");
    const client = await serve(place, on(name, file));
    await client.tools();
    writeFileSync(file, "{");
    await stop(name);
    expect((await client.call("healthy:echo", { text: "hello" })).text).toMatch(/^CONFIG_INVALID: /);
    expect((await client.ask("tools/list")).error?.data?.code).toBe("CONFIG_INVALID");
    expect(ownerOf(dir(name))).toBeUndefined();
    writeFileSync(file, right);
    await until(
      "it works again",
      async () => !(await client.call("healthy:echo", { text: "hello" })).isError,
    );
    expect(await client.close()).toBe(0);
    await pml(place, ["stop", ...on(name, file)]);
  });
});

describe("the answer to a client's first request [GW-1]", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  };
  const initialize = (protocolVersion: string) => ({
    protocolVersion,
    capabilities: { roots: {}, elicitation: {} },
    clientInfo: { name: "test", version: "1.0.0" },
  });
  const requests = [
    ...sized(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "1999-01-01"], ["1999-01-01"]).map(
      (version) => ["initialize", version, initialize(version)] as const,
    ),
    ["server/discover", "2026-07-28", { _meta: meta }] as const,
  ];

  it("is the same, whether a gateway runs already or is started for it", async () => {
    const running = await serve(place, on("known"));
    for (const [method, version, params] of requests) {
      const joining = startServe(place, on("known"));
      const starting = startServe(place, on(`new-${version}`));
      const answers = await Promise.all([joining.ask(method, params), starting.ask(method, params)]);
      expect(answers[1]?.result, version).toEqual(answers[0]?.result);
      expect(answers[0]?.result).toBeDefined();
      await Promise.all([joining.close(), starting.close()]);
    }
    await running.close();
    await endOwner(dir("known"));
  });
});

describe("a client that ends everything it has started [ST-2]", () => {
  it("leaves the gateway to the others", async () => {
    const name = "tree";
    const args = [join(ROOT, "dist/cli/main.js"), "serve", ...on(name)];
    // A group of its own, as a terminal or a client gives it.
    const child = spawn(process.execPath, args, { cwd: place.directory, env: place.env, detached: true });
    child.stdin.on("error", () => {});
    const first = await new ServeClient(child).initialize();
    expect((await first.tools()).length).toBeGreaterThan(6);
    const gateway = pidOf(name);
    const tree = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(tree)];
    const below = tree(child.pid ?? 0);
    expect(below).not.toContain(gateway);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    for (const pid of below.filter(isAlive)) process.kill(pid, "SIGKILL");
    await first.exited;
    const second = await serve(place, on(name));
    expect(await second.call("healthy:echo", { text: "hello" })).toEqual({ text: "hello", isError: false });
    expect([isAlive(gateway), pidOf(name)]).toEqual([true, gateway]);
    await second.close();
    await endOwner(dir(name));
  });
});

describe("pml serve in a terminal [FH-5]", () => {
  it("says what it is for, and goes on", async () => {
    const { code, shown } = await atTerminal(
      place,
      ["serve", ...on("terminal")],
      [["Ctrl-C ends it.", "\u0004"]],
    );
    expect(code).toBe(0);
    expect(shown).toContain(
      "pml: This command speaks MCP on stdin and stdout, for an MCP client that starts it.",
    );
    expect(shown).toContain(`doctor --config ${config}`);
  });

  it("says nothing to a client", async () => {
    const { code, stderr } = await pml(place, ["serve", ...on("terminal")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await endOwner(dir("terminal"));
  });
});
