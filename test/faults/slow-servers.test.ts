/** Slow servers delay only the clients that call them. */
import { beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import {
  dataDirOf,
  doctor,
  fixture,
  isAlive,
  newPlace,
  ownerOf,
  pml,
  type ServeClient,
  serve,
} from "./support/pml.js";

const place = newPlace({ isProcess: true });
const config = place.config({
  mcpServers: {
    healthy: fixture("healthy"),
    mute: fixture("odd", "never-initializes"),
    listless: fixture("odd", "never-lists"),
    slow: fixture("odd", "pages-slowly-for-ever"),
  },
});
const args = ["--config", config];
let client: ServeClient;
let startedAt: number;

beforeAll(async () => {
  startedAt = performance.now();
  client = await serve(place, args);
});

const sinceStart = () => performance.now() - startedAt;

describe("servers that do not come up [GW-2]", () => {
  it("calls a healthy server while others have not said a word", async () => {
    expect(await client.call("healthy:echo", { text: "quick" })).toEqual({ text: "quick", isError: false });
    // Before the gateway has given up any of the others.
    expect(sinceStart()).toBeLessThan(LIMITS.serverConnectMs);
  });

  it("lists what there is after the longest wait for a first listing, and at once after that", async () => {
    const listed = await client.tools();
    const ids = listed.map((tool) => String(tool._meta?.["pml/id"])).filter((id) => !/^(pml|cap):/.test(id));
    expect(ids.every((id) => id.startsWith("healthy:"))).toBe(true);
    expect(ids).toHaveLength(6);
    expect(sinceStart()).toBeLessThan(LIMITS.serverConnectMs);
    const again = performance.now();
    expect(await client.tools()).toHaveLength(listed.length);
    expect(performance.now() - again).toBeLessThan(LIMITS.firstListWaitMs);
  });

  it("says in doctor which servers it is still waiting for", async () => {
    const { findings, code } = await doctor(place, args);
    expect(code).toBe(1);
    for (const name of ["mute", "listless", "slow"]) {
      expect(findings.find(({ part }) => part === `server ${name}`)).toMatchObject({
        state: "problem",
        detail: "connecting: not connected yet",
      });
    }
  });

  it("stops in time although servers are still being started, and leaves no process behind", async () => {
    const pid = ownerOf(dataDirOf(place, config))?.pid ?? 0;
    const { text } = await client.call("healthy:surroundings");
    const server = (JSON.parse(text) as { pid: number }).pid;
    expect([isAlive(pid), isAlive(server)]).toEqual([true, true]);
    const asked = performance.now();
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0, stderr: "" });
    expect(performance.now() - asked).toBeLessThan(8_000);
    expect([isAlive(pid), isAlive(server)]).toEqual([false, false]);
  });
});
