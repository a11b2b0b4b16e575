import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./build.mjs";

const PASSWORD = "s3cret-of-benchmarks";

/**
 * Starts the PostgreSQL of the tests until the benchmark ends; returns undefined if it cannot be started. Tests pass an
 * empty database instead: `PML_BENCH_POSTGRES`. The server has no mark: if root runs the benchmark, the server runs as
 * another user, who cannot enter this directory. It ends with the process that holds its stdin.
 *
 * @returns {Promise<string | undefined>} the URL
 */
export async function startPostgres(bench) {
  if (process.env.PML_BENCH_POSTGRES !== undefined) return process.env.PML_BENCH_POSTGRES;
  const child = spawn(process.execPath, [join(ROOT, "test/support/postgres-child.mjs"), "18", PASSWORD], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const words = [];
  child.stderr.on("data", (chunk) => words.push(chunk));
  bench.atEnd(async () => {
    child.stdin.end();
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith("{")) return JSON.parse(line).url;
  console.error(`left out: PostgreSQL cannot be started: ${Buffer.concat(words).toString().slice(-500)}`);
  return undefined;
}
