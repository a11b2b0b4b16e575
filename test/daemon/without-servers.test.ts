/** The gateway that `pml test` starts where none runs: it has no servers, so no other client may join it. */
import { expect, it } from "vitest";
import { joinRequest } from "../../src/app/join-gateway.js";
import { readSettings } from "../../src/app/settings.js";
import { silentLog } from "../../src/base/log.js";
import { reachGateway } from "../../src/daemon/join.js";
import { fixture, newPlace } from "../faults/support/pml.js";
import { keepPglite } from "../support/kept-pglite.js";
import { makeSandbox } from "../support/shared-sandbox.js";

type OwnGatewayModule = typeof import("../../src/app/own-gateway.js");
type WithoutServersModule = typeof import("../../src/app/without-servers.js");

const place = newPlace();

it("[SW-1] a client that starts meanwhile does not join it, and a command does", async () => {
  const built = new URL("../../dist/app/own-gateway.js", import.meta.url).href;
  const { startOwnGateway } = (await import(built)) as OwnGatewayModule;
  await keepPglite();
  const config = place.config({ mcpServers: { healthy: fixture("healthy") } });
  const settings = readSettings({ config, dataDir: place.dataDirOf(config) }, place.env);
  const options = { startsServers: false, makeSandbox };
  const own = await startOwnGateway(settings, "test", silentLog, undefined, options);
  try {
    const request = joinRequest(settings);
    expect(await reachGateway(settings.dataDir, request)).toBeUndefined();
    const http = { op: "http", version: request.version, host: "127.0.0.1", port: 0, join: request } as const;
    await expect(reachGateway(settings.dataDir, http)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    const command = await reachGateway(settings.dataDir, { ...request, byPerson: true });
    command?.socket.destroy();
    expect(command?.reply.ok).toBe(true);
  } finally {
    await own.stop();
  }
});

it("[SW-1] `pml test` has the data directory while it reads, and not while it runs recordings", async () => {
  const built = (file: string) => new URL(`../../dist/app/${file}`, import.meta.url).href;
  const { startOwnGateway } = (await import(built("own-gateway.js"))) as OwnGatewayModule;
  const { storedBundles } = (await import(built("without-servers.js"))) as WithoutServersModule;
  await keepPglite();
  const config = place.config({ mcpServers: {} });
  const settings = readSettings({ config, dataDir: place.dataDirOf(config) }, place.env);
  let pages = 0;
  for await (const bundles of storedBundles(settings)) {
    pages += 1;
    expect(bundles).toEqual([]);
    // What a client would start.
    const own = await startOwnGateway(settings, "test", silentLog, undefined, { makeSandbox });
    const client = await reachGateway(settings.dataDir, joinRequest(settings));
    client?.socket.destroy();
    expect(client?.reply.ok).toBe(true);
    await own.stop();
  }
  expect(pages).toBe(1);
});
