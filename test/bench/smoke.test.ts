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

/**
 * Each starts gateways, sandboxes or models in processes of their own, which takes nearly all of its time, in ways that
 * `call.mjs`, `recall.mjs`, `sandbox.mjs`, `retrieval.mjs` or `cap-list.mjs` have too. In the usual size they are only loaded.
 */
const LOADED = sized(
  [],
  [
    "bridge.mjs",
    "cache.mjs",
    "cold-warm.mjs",
    "concurrency.mjs",
    "embedding.mjs",
    "large-store.mjs",
    "list.mjs",
    "memory.mjs",
    "profile.mjs",
    "recordings.mjs",
    "registry-start.mjs",
    "run-overhead.mjs",
    "start.mjs",
  ],
);

const files = readdirSync(BENCH).filter((name) => name.endsWith(".mjs") && name !== RUNNER);
const texts = readdirSync(BENCH, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".mjs"),
);

interface Ended {
  readonly code: unknown;
  readonly said: string;
}

describe("[SC-6] every benchmark runs for one round", () => {
  it("finds benchmarks", () => {
    expect(files).toContain("call.mjs");
    expect(files.length).toBeGreaterThan(20);
    expect(files).toEqual(expect.arrayContaining(LOADED));
  });

  it("takes from the build what is there", async () => {
    const takes = texts.flatMap((name) => takenBy(readFileSync(`${BENCH}${name}`, "utf8")));
    expect(takes).toContainEqual(["daemon/join.js", "reachGateway"]);
    for (const [path, name] of takes)
      expect(await import(`${BENCH}../dist/${path}`), `${name} of ${path}`).toHaveProperty(name);
  });

  // Each waits for the one that began `AT_ONCE` before it.
  const turns: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  const turned = files.filter((file) => !LOADED.includes(file));
  it.concurrent.each(turned)("%s", { timeout: TIMEOUT_MS }, async (file) => {
    const ended = turns.shift()?.then(() => start(file, FLAGS)) ?? start(file, FLAGS);
    turns.push(ended);
    const { code, said } = await ended;
    expect(code, said).toBe(0);
  });

  if (LOADED.length > 0)
    it("of the others all load", async () => {
      for (const file of LOADED) expect(await start(file, ["--load"]), file).toMatchObject({ code: 0 });
    });
});

/** Modules of the build, and what is taken from each: `const { compose } = await build.load("app/compose.js")`. */
function takenBy(source: string): readonly (readonly [path: string, name: string])[] {
  const taken = source.matchAll(/\{([\w\s,]+)\} =\s+await build\.load\("([^"]+)"\)/g);
  const named = source.matchAll(/\(await build\.load\("([^"]+)"\)\)\.(\w+)/g);
  return [
    ...[...taken].flatMap(([, names = "", path = ""]) =>
      names.split(",").flatMap((name) => (name.trim() === "" ? [] : [[path, name.trim()] as const])),
    ),
    ...[...named].map(([, path = "", name = ""]) => [path, name] as const),
  ];
}

async function start(file: string, flags: readonly string[]): Promise<Ended> {
  const source = readFileSync(`${BENCH}${file}`, "utf8");
  // Another server would be made for each benchmark that wants one.
  const lent = source.includes("startPostgres") ? { PML_BENCH_POSTGRES: await emptySchema() } : {};
  return new Promise((resolve) => {
    const env = { ...process.env, ...lent };
    execFile(
      process.execPath,
      [...NODE_FLAGS, `${BENCH}${file}`, ...flags],
      { env },
      (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : (error.code ?? error.signal),
          said: `${stdout}\n${stderr}`.slice(-LAST_WORDS_CHARS),
        }),
    );
  });
}
