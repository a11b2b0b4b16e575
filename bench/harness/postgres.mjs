import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./build.mjs";

const PASSWORD = "s3cret-of-benchmarks";

/**
 * A PostgreSQL of its own, the one that the tests use, until the benchmark ends; nothing where it cannot be started.
 * Tests lend an empty database of theirs: `PML_BENCH_POSTGRES`.
 * It has no mark: where the benchmark is root's, the server is another user's, who cannot get into our directory. It
 * ends with whoever holds its stdin.
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
