/** Starts and stops PML: its configuration, its ways of serving, and its orderly end. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sized } from "./options.mjs";
import { mcpServers } from "./servers.mjs";
import { endGroup } from "./workbench.mjs";

/** Longer than every pause of a benchmark, but short enough that no gateway stays if the benchmark itself is killed. */
const IDLE_SECONDS = 30;
const START_MS = 20_000;

/** A configuration, including `extra`, and a data directory, as arguments of `pml`. */
export function pmlHome(bench, build, servers, extra = {}) {
  const home = bench.directory("pml");
  const file = join(home, "pml.json");
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: mcpServers(servers),
      daemon: { idleSeconds: IDLE_SECONDS },
      log: { level: "warn" },
      // Loading a model for each gateway takes longer than everything that is measured in one round.
      ...sized({}, { discovery: { embedder: "none" } }),
      ...extra,
    }),
  );
  const where = (dataDir) => ["--config", file, "--data-dir", dataDir];
  return {
    config: file,
    dataDir: join(home, "data"),
    serve: (options = [], dataDir = join(home, "data")) => [
      build.main,
      "serve",
      ...where(dataDir),
      ...options,
    ],
    gatewayPid: () => ownerPid(join(home, "data")),
    /** Ends the gateway of the data directory, if one runs. */
    stop: async (dataDir = join(home, "data")) => {
      const child = bench.spawn("pml", process.execPath, [build.main, "stop", ...where(dataDir)], {
        stdio: ["ignore", "ignore", "inherit"],
      });
      if ((await child.exited) !== 0) throw new Error("pml stop failed");
    },
  };
}

/** The process that owns the data directory. A client is connected before its gateway runs, so this waits for it. */
async function ownerPid(dataDir) {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      return JSON.parse(readFileSync(join(dataDir, "owner.json"), "utf8")).pid;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** A home whose background gateway is stopped at the end of the benchmark. */
export function backgroundHome(bench, build, servers, extra = {}) {
  const home = pmlHome(bench, build, servers, extra);
  bench.atEnd(() => home.stop());
  return home;
}

/** Starts `pml serve --http` and returns its endpoint. */
export async function startPmlHttp(bench, build, servers, nodeFlags = []) {
  const home = pmlHome(bench, build, servers);
  // With the flags of this process.
  const flags = [...process.execArgv, ...nodeFlags];
  const child = bench.spawn("pml", process.execPath, [...flags, ...home.serve(["--http", "0"])], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const timer = setTimeout(() => child.stdout.destroy(), START_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /serves MCP at (\S+)/.exec(line);
    if (found === null) continue;
    clearTimeout(timer);
    return { url: found[1], pid: child.pid, end: () => endGroup(child) };
  }
  throw new Error("pml serve --http did not say where it serves");
}
