/** One data directory, one gateway: joining it, owning it, and what is left of one that was killed. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  doctor,
  endOwner,
  fixture,
  isAlive,
  newPlace,
  ownerOf,
  ownerPid,
  pml,
  type ServeClient,
  serve,
  startServe,
  until,
} from "../faults/support/pml.js";

// Several gateways start one after the other, and some tests only wait: these run side by side.
vi.setConfig({ testTimeout: 120_000 });

const place = newPlace({ isProcess: true });
const config = place.config({ mcpServers: { healthy: fixture("healthy") } });
const dir = (name: string) => join(place.directory, name);
const on = (name: string, ...more: string[]) => ["--config", config, "--data-dir", dir(name), ...more];

async function echoes(client: ServeClient, text = "hello"): Promise<void> {
  expect(await client.call("healthy:echo", { text })).toEqual({ text, isError: false });
}

const serverPid = async (client: ServeClient) =>
  (JSON.parse((await client.call("healthy:surroundings")).text) as { pid: number }).pid;

const logOf = (dataDir: string) => readFileSync(join(dataDir, "gateway.log"), "utf8");

/** Background gateways that have started for `dataDir`. */
function gatewaysOf(dataDir: string): number {
  return logOf(dataDir)
    .split("\n")
    .filter((line) => line.includes('"gateway.started"')).length;
}

describe("clients that share a gateway [ST-2]", () => {
  it("gives all six that start at the same moment the same gateway and the same servers", async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => serve(place, on("six"))));
    await Promise.all(clients.map((client, index) => echoes(client, `client ${index}`)));
    expect(new Set(await Promise.all(clients.map(serverPid))).size).toBe(1);
    expect(gatewaysOf(dir("six")), logOf(dir("six"))).toBe(1);
    const pid = ownerPid(dir("six"));
    expect(await Promise.all(clients.map((client) => client.close()))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(isAlive(pid)).toBe(true);
    expect(await pml(place, ["stop", ...on("six")])).toMatchObject({
      code: 0,
      stdout: `Stopped the gateway of process ${pid}\n`,
    });
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(dir("six"), "owner.json"))).toBe(false);
  });

  it("says so when there is nothing to stop", async () => {
    expect(await pml(place, ["stop", "--json", ...on("six")])).toMatchObject({
      code: 0,
      stdout: '{\n  "stopped": false\n}\n',
    });
  });

  it("refuses a client with other settings, by the names of what differs and nothing more", async () => {
    const client = await serve(place, on("settings"));
    const other = place.config(
      {
        mcpServers: {
          healthy: { ...fixture("healthy"), env: { TOKEN: "s3cret-1" } },
          another: fixture("healthy"),
        },
        store: { url: "postgres://u:s3cret-2@localhost:1/x" },
      },
      "other.json",
    );
    const { code, stderr, stdout } = await pml(place, [
      "tools",
      "list",
      "--json",
      "--config",
      other,
      "--data-dir",
      dir("settings"),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "it runs with different settings: mcpServers.another, mcpServers.healthy, store [CONFIG_MISMATCH]",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: "CONFIG_MISMATCH",
        different: ["mcpServers.another", "mcpServers.healthy", "store"],
      },
    });
    expect(stderr + stdout).not.toContain("s3cret");
    await echoes(client);
    await client.close();
  });

  it("takes scope and exposure from each client", async () => {
    const whole = await serve(place, on("settings"));
    const lean = place.config({ mcpServers: { healthy: fixture("healthy") }, exposure: "lean" }, "lean.json");
    const few = await serve(place, [
      "--config",
      lean,
      "--data-dir",
      dir("settings"),
      "--scope",
      "acme/shop/ann",
    ]);
    const namesOf = async (client: typeof few) => (await client.tools()).map(({ name }) => name);
    expect(await namesOf(few)).toEqual(["pml_discover", "pml_execute"]);
    expect(await namesOf(whole)).toContain("mcp__healthy__echo");
    await echoes(few);
    await Promise.all([whole.close(), few.close()]);
    await endOwner(dir("settings"));
  });

  it("ends when no client was connected for daemon.idleSeconds", async () => {
    const idle = place.config({ mcpServers: {}, daemon: { idleSeconds: 0.3 } }, "idle.json");
    const args = ["--config", idle, "--data-dir", dir("idle")];
    const client = await serve(place, args);
    const pid = ownerPid(dir("idle"));
    expect(isAlive(pid)).toBe(true);
    // Longer than its idle time: a client is connected.
    await client.ask("tools/list");
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(isAlive(pid)).toBe(true);
    expect(await client.close()).toBe(0);
    await until("it has left", () => !isAlive(pid));
    expect(existsSync(join(dir("idle"), "owner.json"))).toBe(false);
    const next = await serve(place, args);
    expect(ownerOf(dir("idle"))?.pid).not.toBe(pid);
    await next.close();
  });
});

describe("a gateway that was killed [ST-2]", () => {
  it("is replaced by the next, which serves those that it had served, too", async () => {
    const clients = await Promise.all([serve(place, on("killed")), serve(place, on("killed"))]);
    await Promise.all(clients.map((client) => echoes(client)));
    const pid = ownerPid(dir("killed"));
    // It leaves its socket and its owner file behind; the clients that it served may start the next at once.
    process.kill(pid, "SIGKILL");
    await until("it has ended", () => !isAlive(pid));
    const next = await serve(place, on("killed"));
    await echoes(next);
    expect(ownerOf(dir("killed"))?.pid).not.toBe(pid);
    for (const client of clients) await echoes(client);
    expect(new Set(await Promise.all([next, ...clients].map(serverPid))).size).toBe(1);
    expect(await Promise.all([next, ...clients].map((client) => client.close()))).toEqual([0, 0, 0]);
    await endOwner(dir("killed"));
  });

  it("can be stopped, and looked at, although it is not there", async () => {
    const client = await serve(place, on("stale"));
    const pid = ownerPid(dir("stale"));
    process.kill(pid, "SIGKILL");
    await until("it has ended", () => !isAlive(pid));
    expect(await pml(place, ["stop", ...on("stale")])).toMatchObject({
      code: 0,
      stdout: `No gateway runs on ${dir("stale")}\n`,
    });
    const { findings, code } = await doctor(place, on("stale"));
    expect(findings.find(({ part }) => part === "gateway")?.detail).toContain("not running on");
    expect(code).toBe(0);
    expect(await client.close()).toBe(0);
  });
});

describe.concurrent("a data directory that is removed under its gateway [ST-2]", () => {
  it("ends that gateway, which leaves the next one's owner file and socket alone", async () => {
    const old = await serve(place, on("removed"));
    const pid = ownerPid(dir("removed"));
    // It may still be making its store.
    rmSync(dir("removed"), { recursive: true, maxRetries: 20 });
    const next = await serve(place, on("removed"));
    const owner = ownerOf(dir("removed"));
    expect(owner?.pid).not.toBe(pid);
    await until("the old one has noticed", () => !isAlive(pid));
    // A request that is sent before the client's side has noticed is in doubt; this one is sent again.
    await old.ask("ping");
    expect(await serverPid(old)).toBe(await serverPid(next));
    expect(await old.close()).toBe(0);
    expect(ownerOf(dir("removed"))).toEqual(owner);
    const third = await serve(place, on("removed"));
    expect(await serverPid(third)).toBe(await serverPid(next));
    expect(await Promise.all([next.close(), third.close()])).toEqual([0, 0]);
    expect(await pml(place, ["stop", ...on("removed")])).toMatchObject({ code: 0 });
    expect(existsSync(owner?.socket ?? "")).toBe(false);
  });
});

describe.concurrent("a gateway that hangs [ST-2]", () => {
  it("is told of, and not waited for without end", async () => {
    const client = await serve(place, on("hangs"));
    const pid = ownerPid(dir("hangs"));
    process.kill(pid, "SIGSTOP");
    try {
      const { code, stderr } = await pml(place, ["tools", "list", ...on("hangs")]);
      expect(code).toBe(1);
      expect(stderr).toContain("no line within 10000 ms [GATEWAY_UNREACHABLE]");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await client.close();
    await endOwner(dir("hangs"));
  });
});

describe.concurrent("a gateway that takes its time to end [ST-2]", () => {
  it("is waited for by those who come meanwhile", async () => {
    // Ends neither with its stdin nor when it is asked to.
    const stubborn = { command: "sh", args: ["-c", 'trap "" TERM; "$0" "$@"; while :; do sleep 1; done'] };
    const { command, args } = fixture("healthy");
    const slow = place.config(
      { mcpServers: { healthy: { ...stubborn, args: [...stubborn.args, command, ...args] } } },
      "slow.json",
    );
    const on = ["--config", slow, "--data-dir", dir("slow")];
    const client = await serve(place, on);
    const pid = ownerPid(dir("slow"));
    const stopped = pml(place, ["stop", ...on]);
    await until("it is about to end", () => logOf(dir("slow")).includes("gateway.stopping"));
    const next = await serve(place, on);
    expect(await stopped).toMatchObject({ code: 0 });
    expect(ownerOf(dir("slow"))?.pid).not.toBe(pid);
    await echoes(next);
    await echoes(client);
    await Promise.all([next.close(), client.close()]);
    // An orderly end, which ends the server too.
    await pml(place, ["stop", ...on]);
  });
});

describe("owners in the foreground [ST-2]", () => {
  let first: ServeClient;
  beforeAll(async () => {
    first = await serve(place, on("owned", "--no-daemon"));
  });

  it("refuses a second one", async () => {
    const { code, stderr } = await pml(place, ["serve", ...on("owned", "--no-daemon")]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Cannot own the data directory "${dir("owned")}": the gateway of process ${first.child.pid}`,
    );
    expect(stderr).toContain("[STORE_LOCKED]");
    expect(stderr).not.toMatch(/\n\s+at /);
    await echoes(first);
  });

  it("[FH-4] serves HTTP for a process that asks for it, as long as that lives", async () => {
    let said = "";
    const asking = startServe(place, on("owned", "--http", "0"), {}, (text) => {
      said += text;
    });
    const url = () => /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(said);
    await until("it says where", () => url() !== null);
    const health = () =>
      fetch(`http://127.0.0.1:${url()?.[1]}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await health()).toBe(true);
    // A port that is used is told before anything is started.
    const taken = await pml(place, ["serve", ...on("nobody", "--http", url()?.[1] ?? "")]);
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the port is in use [BIND_REFUSED]"),
    });
    const ported = place.config({ http: { port: Number(url()?.[1]) }, mcpServers: {} }, "ported.json");
    const alone = (file: string) =>
      pml(place, ["serve", "--config", file, "--data-dir", dir("nobody"), "--http"]);
    expect(await alone(ported)).toEqual(taken);
    expect(await alone(config)).toMatchObject({ code: 2, stderr: expect.stringContaining("http.port") });
    expect(existsSync(dir("nobody"))).toBe(false);
    asking.child.kill("SIGTERM");
    expect(await asking.exited).toBe(0);
    await until("HTTP has ended", async () => !(await health()));
    await echoes(first);
  });

  it("lets others join it", async () => {
    const second = await serve(place, on("owned"));
    expect(await serverPid(second)).toBe(await serverPid(first));
    expect(await second.close()).toBe(0);
    await echoes(first);
  });

  it("is stopped by pml stop", async () => {
    expect(await pml(place, ["stop", ...on("owned")])).toMatchObject({ code: 0 });
    expect(await first.exited).toBe(0);
  });
});
