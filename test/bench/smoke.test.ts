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
const TIMEOUT_MS = sized(900_000, 180_000);
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

  it.each(files)("%s", { timeout: TIMEOUT_MS }, async (file) => {
    const { code, said } = await smoke(file);
    expect(code, said).toBe(0);
  });
});

async function smoke(file: string): Promise<Ended> {
  const source = readFileSync(`${BENCH}${file}`, "utf8");
  // Another server would be made for each benchmark that wants one.
  const lent = source.includes("startPostgres") ? { PML_BENCH_POSTGRES: await emptySchema() } : {};
  return new Promise((resolve) => {
    const env = { ...process.env, ...lent };
    execFile(process.execPath, [`${BENCH}${file}`, ...FLAGS], { env }, (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : (error.code ?? error.signal),
        said: `${stdout}\n${stderr}`.slice(-LAST_WORDS_CHARS),
      }),
    );
  });
}
