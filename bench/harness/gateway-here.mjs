/** A gateway in this process, composed as in `pml serve`, for benchmarks that remove parts and put them back. */
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { pmlHome } from "./gateways.mjs";

/** Clients use pipes within this process. This process starts the servers, so it carries the mark itself. */
export async function gatewayHere(bench, build, servers) {
  Object.assign(process.env, bench.env("pml"));
  const home = pmlHome(bench, build, servers);
  const { compose } = await build.load("app/compose.js");
  const { claimDataDirectory, installationKeyOf, prepareDataDirectory } =
    await build.load("app/data-directory.js");
  const { readSettings } = await build.load("app/settings.js");
  const { serveConnection } = await build.load("gateway/transports/connection.js");
  const { LineTransport } = await build.load("mcp/line-transport.js");
  const settings = readSettings({ config: home.config, dataDir: home.dataDir }, process.env);
  const log = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };
  const key = installationKeyOf(settings);
  await prepareDataDirectory(settings, key);
  const composed = await compose(settings, await claimDataDirectory(settings, key), log);
  bench.atEnd(() => composed.stop());
  return {
    gateway: composed.gateway,
    scope: settings.scope,
    connect: async () => {
      const [up, down] = [new PassThrough(), new PassThrough()];
      const session = { id: crypto.randomUUID(), scope: settings.scope, exposure: "all" };
      serveConnection(composed.gateway, session, { input: up, output: down, endsOutput: true });
      const client = new Client({ name: "pml-bench", version: "1.0.0" });
      await client.connect(new LineTransport(down, up, { endsOutput: true }));
      bench.atEnd(() => client.close());
      return client;
    },
  };
}
