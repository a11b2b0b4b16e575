/** Servers that talk without end: each beside a healthy one, whose answers must not wait long for a turn. */
import { afterAll, describe, expect, it } from "vitest";
import { sized } from "../support/sizes.js";
import { doctor, fixture, newPlace, pml, type ServeClient, serve, until } from "./support/pml.js";

const CALLS = sized(40, 12);
/** Generous: a call takes a millisecond or two on an idle machine. */
const SLOWEST_MS = 3_000;
const MEMORY_MB = 900;

const place = newPlace({ isProcess: true });

async function beside(how: string): Promise<{ client: ServeClient; args: readonly string[] }> {
  const file = place.config(
    { mcpServers: { healthy: fixture("healthy"), loud: fixture("odd", how) } },
    `${how}/pml.json`,
  );
  const args = ["--config", file];
  const client = await serve(place, args);
  afterAll(() => client.close());
  return { client, args };
}

async function healthyAnswers(client: ServeClient): Promise<void> {
  // The first call waits for the server to be started.
  expect(await client.call("healthy:echo", { text: "first" })).toEqual({ text: "first", isError: false });
  for (let i = 0; i < CALLS; i += 1) {
    const before = performance.now();
    expect(await client.call("healthy:echo", { text: String(i) })).toEqual({
      text: String(i),
      isError: false,
    });
    expect(performance.now() - before).toBeLessThan(SLOWEST_MS);
  }
}

describe("a server that floods [GW-2]", () => {
  it.each([
    ["floods-garbage", "its stdout with what is no message"],
    ["floods-log-messages", "the gateway with log messages"],
    ["floods-stderr", "its stderr"],
  ])("%s: %s, and its neighbour answers on", async (how) => {
    const { client, args } = await beside(how);
    await healthyAnswers(client);
    const { status } = await doctor(place, args);
    expect(status?.memoryMb).toBeLessThan(MEMORY_MB);
    const loud = status?.servers.find(({ name }) => name === "loud");
    expect(loud?.stderr.length).toBeLessThanOrEqual(50);
    expect(Math.max(0, ...(loud?.stderr ?? []).map((line) => line.length))).toBeLessThanOrEqual(500);
    if (how === "floods-stderr") expect(await client.call("loud:work")).toMatchObject({ text: "worked" });
    if (how === "floods-garbage")
      expect(loud?.problem ?? "it was back").toMatch(/lines were not messages|it was back/);
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0 });
  });

  it("does not read its list again for each of hundreds of thousands of announcements", async () => {
    const { client, args } = await beside("floods-list-changed");
    await healthyAnswers(client);
    await until("it is ready", async () => (await client.call("loud:work")).code !== "TOOL_NOT_FOUND");
    const lists = async () => (JSON.parse((await client.call("loud:work")).text) as { lists: number }).lists;
    expect(await lists()).toBeGreaterThan(0);
    expect(await lists()).toBeLessThan(500);
    expect(
      client.others.filter(({ method }) => method === "notifications/tools/list_changed").length,
    ).toBeLessThan(10);
    expect(await pml(place, ["stop", ...args])).toMatchObject({ code: 0 });
  });
});
