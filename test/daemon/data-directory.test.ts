/** Where a data directory may lie, who else may own it, and what the process that owns it is given. */
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  endOwner,
  fixture,
  newPlace,
  ownerOf,
  ownerPid,
  pml,
  ROOT,
  type ServeClient,
  serve,
  until,
} from "../faults/support/pml.js";

// Several gateways start, and some tests only wait for others to be gone: they run side by side.
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

describe.concurrent("where the directory lies [ST-2]", () => {
  it("works in a path of 200 characters", async () => {
    const deep = join(place.directory, ..."abcdefgh".split("").map((letter) => letter.repeat(24)));
    expect(deep.length).toBeGreaterThan(200);
    const args = ["--config", config, "--data-dir", deep];
    const client = await serve(place, args);
    await echoes(client);
    await client.close();
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([[[]], [["--no-daemon"]]])(
    "says that it cannot be created (%s)",
    async (mode: readonly string[]) => {
      writeFileSync(dir("a-file"), "");
      const { code, stderr } = await pml(place, [
        "serve",
        "--config",
        config,
        "--data-dir",
        dir("a-file/data"),
        ...mode,
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain(`Cannot create the data directory "${dir("a-file/data")}"`);
      expect(stderr).toContain("[STORE_FAILED]");
      expect(stderr).not.toMatch(/\n\s+at /);
    },
  );

  it.each([[[]], [["--no-daemon"]]])(
    "is not taken where others may have put something into it (%s)",
    async (mode: readonly string[]) => {
      const args = ["serve", ...on(`open${mode.length}`, ...mode)];
      mkdirSync(join(dir(`open${mode.length}`), "pgdata"), { recursive: true });
      chmodSync(dir(`open${mode.length}`), 0o777);
      const { code, stderr } = await pml(place, args);
      expect(code).toBe(1);
      expect(stderr).toContain("other users may write to it, and it is not empty [STORE_FAILED]");
      expect(stderr).toContain(`chmod 700 "${dir(`open${mode.length}`)}"`);
    },
  );

  it("listens in /tmp when a socket in TMPDIR would have too long a path", async () => {
    const long = join(place.directory, "t".repeat(90));
    mkdirSync(long);
    const options = { env: { TMPDIR: long } };
    const clients = [await serve(place, on("long-1"), options), await serve(place, on("long-2"), options)];
    const sockets = ["long-1", "long-2"].map((name) => ownerOf(dir(name))?.socket ?? "");
    for (const socket of sockets) expect(socket).toMatch(/^\/tmp\/pml-\d+\/[0-9a-f]{24}\.sock$/);
    expect(new Set(sockets).size).toBe(2);
    for (const client of clients) await client.close();
    for (const name of ["long-1", "long-2"])
      expect(await pml(place, ["stop", ...on(name)])).toMatchObject({ code: 0, stderr: "" });
  });

  it("does not put its socket where others could have put theirs", async () => {
    const shared = dir("shared");
    mkdirSync(join(shared, `pml-${process.getuid?.()}`), { recursive: true, mode: 0o755 });
    const open = await pml(place, ["serve", ...on("open-tmp")], { env: { TMPDIR: shared } });
    expect(open).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("other users may write to it [GATEWAY_UNREACHABLE]"),
    });
  });

  it("ends, and leaves nothing running, when its socket cannot be made", async () => {
    const client = await serve(place, on("blocked"));
    const { socket } = ownerOf(dir("blocked")) ?? { socket: "" };
    await client.close();
    await pml(place, ["stop", ...on("blocked")]);
    mkdirSync(join(socket, "in-the-way"), { recursive: true });
    const { code, stderr } = await pml(place, ["serve", ...on("blocked", "--no-daemon")]);
    expect(code).toBe(1);
    expect(stderr).toContain("[GATEWAY_UNREACHABLE]");
    expect(ownerOf(dir("blocked"))).toBeUndefined();
  });

  it("takes a copy of a directory in use for a directory of its own", async () => {
    const client = await serve(place, on("original"));
    await echoes(client);
    cpSync(dir("original"), dir("copy"), { recursive: true });
    expect(ownerOf(dir("copy"))).toEqual(ownerOf(dir("original")));
    expect(await pml(place, ["stop", ...on("copy")])).toMatchObject({
      stdout: `No gateway runs on ${dir("copy")}\n`,
    });
    const second = await serve(place, on("copy"));
    await echoes(second);
    expect(ownerOf(dir("copy"))?.pid).not.toBe(ownerOf(dir("original"))?.pid);
    expect(await serverPid(second)).not.toBe(await serverPid(client));
    await Promise.all([client.close(), second.close()]);
    await Promise.all([endOwner(dir("copy")), endOwner(dir("original"))]);
  });
});

describe.concurrent("an owner on another machine [ST-2]", () => {
  const other = {
    pid: 1,
    realm: "elsewhere net:[1]",
    socket: "/nowhere.sock",
    version: "0.1.0",
    mode: "background",
    startedAt: "2026-01-01T00:00:00.000Z",
  };

  it("is believed while its file is fresh, and not when that has grown old", async () => {
    mkdirSync(dir("shared-disk"));
    const file = join(dir("shared-disk"), "owner.json");
    writeFileSync(file, JSON.stringify(other));
    // Fresh for a minute, however long the process takes to look at it.
    const fresh = new Date(Date.now() + 60_000);
    utimesSync(file, fresh, fresh);
    const refused = await pml(place, ["serve", ...on("shared-disk", "--no-daemon")]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("[STORE_LOCKED]") });
    expect(refused.stderr).toContain("the gateway of process 1 (background, since 2026-01-01T00:00:00.000Z)");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(other);
    const old = new Date(Date.now() - 60_000);
    utimesSync(file, old, old);
    const client = await serve(place, on("shared-disk", "--no-daemon"));
    expect(ownerOf(dir("shared-disk"))?.pid).toBe(client.child.pid);
    expect(await client.close()).toBe(0);
  });

  it("is waited for by those who would join, for as long as it is believed", async () => {
    mkdirSync(dir("dead-disk"));
    const file = join(dir("dead-disk"), "owner.json");
    writeFileSync(file, JSON.stringify(other));
    // Believed for four seconds more.
    const before = new Date(Date.now() - 6_000);
    utimesSync(file, before, before);
    const client = await serve(place, on("dead-disk"));
    await echoes(client);
    expect(ownerOf(dir("dead-disk"))?.pid).not.toBe(other.pid);
    await client.close();
    expect(await pml(place, ["stop", ...on("dead-disk")])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("the background process [ST-2]", () => {
  let client: ServeClient;
  let pid: number;
  let socket: string;
  beforeAll(async () => {
    client = await serve(place, on("process"), {
      env: { SECRET_TOKEN: "s3cret", TERM: "xterm", NODE_OPTIONS: "--no-warnings" },
      cwd: ROOT,
    });
    pid = ownerPid(dir("process"));
    socket = ownerOf(dir("process"))?.socket ?? "";
  });
  afterAll(() => endOwner(dir("process")));

  it("listens where only its owner may look", () => {
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect(statSync(socket).mode & 0o077).toBe(0);
    expect(statSync(dir("process")).mode & 0o777).toBe(0o700);
    for (const name of ["owner.json", "gateway.log"])
      expect(statSync(join(dir("process"), name)).mode & 0o077).toBe(0);
  });

  it("has five variables of its first client, those of its allocator, and nothing else", () => {
    const env = readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .filter((text) => text !== "");
    const names = env.map((text) => text.split("=")[0] ?? "");
    const ofClient = names.filter((name) => !name.startsWith("MALLOC_"));
    expect(new Set(ofClient)).toEqual(new Set(["HOME", "LANG", "PATH", "TMPDIR", "USER"]));
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(config);
  });

  it("has no terminal, and stands in no directory of its client", () => {
    // After the name in parentheses: state, parent, group, session, terminal.
    const statOf = (process: number | undefined) => {
      const stat = readFileSync(`/proc/${process}/stat`, "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    };
    const [, , group, session, terminal] = statOf(pid);
    const [, , groupOfClient, sessionOfClient] = statOf(client.child.pid);
    // Those of the process that started it and has ended.
    expect([group, terminal]).toEqual([session, "0"]);
    expect([groupOfClient, sessionOfClient]).not.toContain(session);
  });

  it.each([
    ["no JSON at all\n", "GATEWAY_UNREACHABLE", "the first line is not JSON"],
    ["null\n", "GATEWAY_UNREACHABLE", "unknown request"],
    ['{"op":"dance"}\n', "GATEWAY_UNREACHABLE", 'unknown request "dance"'],
    ["x".repeat(300_000), "GATEWAY_UNREACHABLE", "longer than 262144 bytes"],
    ['{"op":"join"}\n', "CONFIG_MISMATCH", "it is PML 0.1.0"],
    ['{"op":"join","version":"0.0.1","scope":{},"print":{}}\n', "CONFIG_MISMATCH", "this is PML 0.0.1"],
    // A client is connected: a newer version does not take over.
    ['{"op":"join","version":"99.0.0","scope":{},"print":{}}\n', "CONFIG_MISMATCH", "this is PML 99.0.0"],
    [
      '{"op":"join","version":"0.1.0","scope":{"org":"A"},"print":{}}\n',
      "NAME_INVALID",
      'Cannot use "A" as org',
    ],
    ['{"op":"join","version":"0.1.0"}\n', "GATEWAY_UNREACHABLE", ""],
  ])("refuses %.40j on its socket", async (text, code, message) => {
    const reply = await new Promise<string>((resolve, reject) => {
      let said = "";
      const connection = connect(socket, () => connection.write(text));
      connection.on("data", (chunk) => {
        said += chunk;
      });
      connection.on("close", () => resolve(said));
      connection.on("error", reject);
    });
    const { ok, error } = JSON.parse(reply) as { ok: boolean; error: { code: string; message: string } };
    expect({ ok, code: error.code }).toEqual({ ok: false, code });
    expect(error.message).toContain(message);
    await echoes(client);
  });

  it("survives the client that started it", async () => {
    client.child.kill("SIGKILL");
    await client.exited;
    const next = await serve(place, on("process"));
    await echoes(next);
    expect(ownerOf(dir("process"))?.pid).toBe(pid);
    await next.close();
  });

  it("[FH-6] gives way to a newer version when no client is connected", async () => {
    await until("nobody is connected", async () => {
      const connection = connect(socket, () =>
        connection.write('{"op":"join","version":"99.0.0","scope":{},"print":{}}\n'),
      );
      const said = await new Promise<string>((resolve) => {
        let text = "";
        connection.on("data", (chunk) => {
          text += chunk;
        });
        connection.on("close", () => resolve(text));
        connection.on("error", () => {});
      });
      return said === "";
    });
    await until("it has ended", () => ownerOf(dir("process")) === undefined);
  });
});
