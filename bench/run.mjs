/**
 * Runs the benchmarks one after the other, each as a separate program.
 *
 *   npm run bench                              all of them
 *   npm run bench -- call list start memory    only these
 *   npm run bench -- --check                   exits with 1 if a ratio is exceeded
 *   npm run bench -- --smoke                   one round of the smallest sizes: only whether they run
 *   npm run bench -- call --against ../old     with the build of another checkout in the same run
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { OPTIONS } from "./harness/options.mjs";

/** For finding causes, not for figures: not part of a plain run. */
const EXTRA = ["profile"];
const KNOWN = readdirSync(new URL(".", import.meta.url))
  .filter((name) => name.endsWith(".mjs") && name !== basename(import.meta.url))
  .map((name) => basename(name, ".mjs"))
  .sort();
const PLAIN = KNOWN.filter((name) => !EXTRA.includes(name));

const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
const unknown = positionals.find((name) => !KNOWN.includes(name));
if (unknown !== undefined) {
  console.error(`Unknown benchmark "${unknown}": expected ${KNOWN.join(", ")}`);
  process.exit(2);
}

let running;
let ended = false;
// Ctrl-C also reaches the benchmark, which ends its own processes; this only waits for it, and starts no other.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    ended = true;
    if (signal !== "SIGINT") running?.kill(signal);
  });

const passedOn = Object.entries(values).flatMap(([name, value]) =>
  value === true ? [`--${name}`] : [value].flat().flatMap((text) => [`--${name}`, text]),
);
for (const name of positionals.length === 0 ? PLAIN : positionals) {
  const code = await run(name);
  if (code !== 0) process.exitCode = 1;
  if (ended) process.exit(130);
}

function run(name) {
  running = spawn(process.execPath, [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), ...passedOn], {
    stdio: "inherit",
  });
  return new Promise((resolve) => {
    running.once("exit", (code) => resolve(code ?? 1));
  });
}
