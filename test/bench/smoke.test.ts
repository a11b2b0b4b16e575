import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
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

function smoke(file: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [`${BENCH}${file}`, ...FLAGS], (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : (error.code ?? error.signal),
        said: `${stdout}\n${stderr}`.slice(-LAST_WORDS_CHARS),
      }),
    );
  });
}
