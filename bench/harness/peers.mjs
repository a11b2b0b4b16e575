/**
 * Other gateways. They are installed on demand next to the temporary files of the machine and kept there, because they
 * are not dependencies of PML. Their install scripts do not run. A gateway that cannot be installed is skipped.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mcpServers } from "./servers.mjs";
import { endGroup, freePort } from "./workbench.mjs";

const CACHE = join(tmpdir(), "pml-bench-peers");
const INSTALL_MS = 180_000;

/**
 * @typedef {object} Peer
 * @property {string} label
 * @property {string} version
 * @property {string} program path inside the package
 * @property {(port: number, server: string[], config: () => string) => string[]} args
 * @property {(port: number) => string} url
 * @property {boolean} [sse] the endpoint speaks the old SSE transport
 */

/** @type {Record<string, Peer>} */
const PEERS = {
  supergateway: {
    label: "supergateway (HTTP)",
    version: "4.0.0",
    program: "dist/index.js",
    // Without --stateful it restarts the server for each request.
    args: (port, server) => [
      "--stdio",
      [process.execPath, ...server].join(" "),
      "--outputTransport",
      "streamableHttp",
      "--stateful",
      "--logLevel",
      "none",
      "--port",
      String(port),
    ],
    url: (port) => `http://127.0.0.1:${port}/mcp`,
  },
  "mcp-proxy": {
    label: "mcp-proxy (HTTP)",
    version: "6.7.19",
    program: "dist/bin/mcp-proxy.mjs",
    args: (port, server) => [
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--server",
      "stream",
      "--",
      process.execPath,
      ...server,
    ],
    url: (port) => `http://127.0.0.1:${port}/mcp`,
  },
  "mcp-hub": {
    label: "mcp-hub (SSE)",
    version: "4.2.1",
    program: "dist/cli.js",
    args: (port, _server, config) => ["--port", String(port), "--config", config()],
    url: (port) => `http://127.0.0.1:${port}/mcp`,
    sse: true,
  },
};

/**
 * Starts each installed peer in front of `servers`. All but mcp-hub support one server only, and get the first.
 *
 * @param {Record<string, string[]>} servers
 */
export async function startPeers(bench, servers, names = Object.keys(PEERS)) {
  if (!bench.options.peers) return [];
  const started = [];
  for (const name of names) {
    const peer = PEERS[name];
    const program = await installed(name, peer);
    if (program === undefined) continue;
    const port = await freePort();
    const config = () => {
      const file = join(bench.directory(name), "config.json");
      writeFileSync(file, JSON.stringify({ mcpServers: mcpServers(servers) }));
      return file;
    };
    const [server] = Object.values(servers);
    const child = bench.spawn("other", process.execPath, [program, ...peer.args(port, server, config)], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    started.push({
      name,
      label: peer.label,
      url: peer.url(port),
      sse: peer.sse === true,
      pid: child.pid,
      end: () => endGroup(child),
    });
  }
  return started;
}

async function installed(name, { version, program }) {
  const home = join(CACHE, `${name}-${version}`);
  const root = join(home, "node_modules", name);
  if (versionIn(root) !== version) {
    const problem = await install(home, `${name}@${version}`);
    if (problem !== undefined) {
      rmSync(home, { recursive: true, force: true });
      console.log(`left out: ${name} ${version} does not install (${problem})\n`);
      return undefined;
    }
  }
  if (existsSync(join(root, program))) return join(root, program);
  console.log(`left out: ${name} ${version} has no ${program}\n`);
  return undefined;
}

function versionIn(root) {
  try {
    return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}

/** Returns the error, if any. */
function install(home, spec) {
  mkdirSync(home, { recursive: true });
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = spawn("npm", [...args, "--prefix", home, spec], {
    cwd: home,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INSTALL_MS,
  });
  let said = "";
  npm.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return new Promise((resolve) => {
    npm.once("error", (error) => resolve(error.message));
    npm.once("exit", (code, signal) =>
      resolve(
        code === 0 ? undefined : (said.split("\n").find(Boolean) ?? `npm ended with ${signal ?? code}`),
      ),
    );
  });
}
