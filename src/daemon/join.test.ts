/** Both ends of the local socket in one process: what a client meets that comes at a bad moment. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import type { JoinRequest } from "./handshake.js";
import { reachGateway } from "./join.js";
import { type LocalSocketHandlers, listenLocally } from "./local-socket.js";
import { socketPath } from "./socket-path.js";

const place = mkdtempSync(join(tmpdir(), "pj-"));
const temporary = process.env.TMPDIR;
process.env.TMPDIR = place;
const servers: Server[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
  rmSync(place, { recursive: true, force: true });
});

/** A data directory whose owner says that it listens at the answer's `socket`. */
function dataDirectory(name: string, at?: string): { readonly directory: string; readonly socket: string } {
  const directory = join(place, name);
  mkdirSync(directory);
  const socket = at ?? socketPath(directory);
  writeFileSync(join(directory, "owner.json"), JSON.stringify({ pid: 1, realm: hostname(), socket }));
  return { directory, socket };
}

/** A gateway of our own making, that does with a client what it is told. */
async function gateway(socket: string, meet: (client: Socket) => void): Promise<void> {
  const server = createServer(meet);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
}

const STATUS = { op: "status", version: VERSION } as const;

describe("reaching a gateway [ST-2]", () => {
  it("gives one up that does not answer, and leaves no connection open", async () => {
    const { directory, socket } = dataDirectory("hung");
    const hungUp = new Promise<void>((resolve) => {
      void gateway(socket, (client) => client.resume().once("close", resolve));
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const refused = expect(reachGateway(directory, { op: "stop", version: VERSION })).rejects.toThrow(
      "no line within 10000 ms",
    );
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    await vi.advanceTimersByTimeAsync(10_000);
    await refused;
    await hungUp;
  });

  it("finds no gateway if it hangs up before it answers", async () => {
    const { directory, socket } = dataDirectory("closing");
    await gateway(socket, (client) => client.end());
    expect(await reachGateway(directory, STATUS)).toBeUndefined();
  });

  it("says why the gateway refuses", async () => {
    const { directory, socket } = dataDirectory("refusing");
    const error = { code: "CONFIG_MISMATCH", message: "Other settings" };
    await gateway(socket, (client) => client.end(`${JSON.stringify({ ok: false, error })}\n`));
    await expect(reachGateway(directory, STATUS)).rejects.toMatchObject(error);
  });

  it("does not believe an owner file that leads to where others may listen", async () => {
    const { socket: good } = dataDirectory("model");
    const open = join(place, "open");
    mkdirSync(open);
    const met = vi.fn((client: Socket) => client.end('{"ok":true,"pid":1,"version":"x"}\n'));
    const { directory } = dataDirectory("cloned");
    const name = socketPath(directory).slice(dirname(good).length + 1);
    const file = join(directory, "owner.json");
    const socket = join(open, name);
    writeFileSync(file, JSON.stringify({ pid: 1, realm: hostname(), socket }));
    await gateway(socket, met);
    for (const mode of [0o777, 0o755, 0o710]) {
      chmodSync(open, mode);
      expect(await reachGateway(directory, STATUS)).toBeUndefined();
    }
    expect(met).not.toHaveBeenCalled();
    chmodSync(open, 0o700);
    expect((await reachGateway(directory, STATUS))?.reply.pid).toBe(1);
  });
});

describe("listening [ST-2]", () => {
  const handlers = (more: Partial<LocalSocketHandlers> = {}): LocalSocketHandlers => ({
    admit: () => {},
    givesWay: () => false,
    http: async () => "",
    joined: () => {},
    status: async () => "well",
    stop: () => {},
    ...more,
  });

  it("takes the place of a socket that is there, which its owner does not remove any more", async () => {
    const { directory, socket } = dataDirectory("twice");
    const old = await listenLocally(socket, handlers({ status: async () => "old" }));
    const next = await listenLocally(socket, handlers({ status: async () => "next" }));
    await old.close();
    expect((await reachGateway(directory, STATUS))?.reply.status).toBe("next");
    await next.close();
    expect(existsSync(socket)).toBe(false);
  });

  it("says with its status whether a client would be let in", async () => {
    const { directory, socket } = dataDirectory("status");
    const admit = (request: JoinRequest) => {
      if (request.exposure !== "all")
        throw new PmlError("CONFIG_MISMATCH", "No", { data: { different: ["x"] } });
    };
    const local = await listenLocally(socket, handlers({ admit }));
    const ask = async (exposure: string) => {
      const scope = { org: "a", project: "b", user: "c" };
      const join = { op: "join", version: VERSION, scope, exposure, print: {} } as const;
      const { status, refusal } = (await reachGateway(directory, { ...STATUS, join }))?.reply ?? {};
      return { status, refusal };
    };
    expect(await ask("all")).toEqual({ status: "well", refusal: undefined });
    expect(await ask("lean")).toEqual({
      status: "well",
      refusal: { code: "CONFIG_MISMATCH", message: "No", different: ["x"] },
    });
    await local.close();
  });
});
