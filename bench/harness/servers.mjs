/** The real servers behind the gateways, as arguments of `node`. */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ROOT } from "./build.mjs";
import { freePort } from "./workbench.mjs";

const official = (name) => join(ROOT, "node_modules/@modelcontextprotocol", name, "dist/index.js");

export const EVERYTHING = [official("server-everything"), "stdio"];
export const FILESYSTEM = [official("server-filesystem"), join(ROOT, "bench/fixtures")];
export const MEMORY = [official("server-memory")];

/** The same server over HTTP; returns its endpoint. It reads its port from the environment, and prints each request. */
export async function startEverythingHttp(bench) {
  const port = await freePort();
  const file = pathToFileURL(join(dirname(EVERYTHING[0]), "transports/streamableHttp.js"));
  const start = `process.env.PORT = "${port}"; await import("${file}");`;
  bench.spawn("other", process.execPath, ["--input-type=module", "--eval", start], { stdio: "ignore" });
  return `http://127.0.0.1:${port}/mcp`;
}

/** A server that answers at once, so that the rest of the time is that of the gateway. */
export const LOOKUPS = [fileURLToPath(new URL("../fixtures/lookups.mjs", import.meta.url))];

export const manyTools = (tools, pageItems) => [
  fileURLToPath(new URL("../fixtures/many-tools.mjs", import.meta.url)),
  String(tools),
  String(pageItems),
];

/** Entries of `mcpServers`, which PML and its peers read in the same way. */
export function mcpServers(servers) {
  return Object.fromEntries(
    Object.entries(servers).map(([name, args]) => [name, { command: process.execPath, args }]),
  );
}
