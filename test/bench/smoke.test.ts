import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { emptySchema } from "../support/databases.js";
import { sized } from "../support/sizes.js";

const BENCH = fileURLToPath(new URL("../../bench/", import.meta.url));
/** Starts each benchmark, and measures nothing itself. */
const RUNNER = "run.mjs";
/** A short round of the real sizes in the full size. Its figures mean nothing while other tests run. */
const FLAGS = sized(["--rounds", "1", "--no-peers"], ["--smoke"]);
/** Optimizing PostgreSQL's WebAssembly takes longer than one round. */
const NODE_FLAGS = sized([], ["--liftoff-only"]);
const TIMEOUT_MS = sized(1_800_000, 600_000);
/** They mostly wait for processes that start and end. */
const AT_ONCE = sized(1, 2);
const LAST_WORDS_CHARS = 4_000;

const files = readdirSync(BENCH).filter((name) => name.endsWith(".mjs") && name !== RUNNER);

interface Ended {
  readonly code: unknown;
  readonly said: string;
}

describe("[SC-6] every benchmark runs for one round", () => {
  it("finds benchmarks", () => {
    expect(files).toContain("call.mjs");
    expect(files.length).toBeGreaterThan(20);
  });

  // Each waits for the one that began `AT_ONCE` before it.
  const turns: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  it.concurrent.each(files)("%s", { timeout: TIMEOUT_MS }, async (file) => {
    const ended = turns.shift()?.then(() => smoke(file)) ?? smoke(file);
    turns.push(ended);
    const { code, said } = await ended;
    expect(code, said).toBe(0);
  });
});

async function smoke(file: string): Promise<Ended> {
  const source = readFileSync(`${BENCH}${file}`, "utf8");
  // Another server would be made for each benchmark that wants one.
  const lent = source.includes("startPostgres") ? { PML_BENCH_POSTGRES: await emptySchema() } : {};
  return new Promise((resolve) => {
    const env = { ...process.env, ...lent };
    execFile(
      process.execPath,
      [...NODE_FLAGS, `${BENCH}${file}`, ...FLAGS],
      { env },
      (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : (error.code ?? error.signal),
          said: `${stdout}\n${stderr}`.slice(-LAST_WORDS_CHARS),
        }),
    );
  });
}
