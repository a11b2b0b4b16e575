/**
 * Runs the benchmarks, each as a program of its own, one after the other.
 *
 *   npm run bench                              all of them
 *   npm run bench -- call list start memory    those
 *   npm run bench -- --check                   exits with 1 when a ratio is missed
 *   npm run bench -- call --against ../old     with the build of another checkout in the same run
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { OPTIONS } from "./harness/options.mjs";

const ALL = [
  "call",
  "list",
  "start",
  "memory",
  "usage",
  "resolve",
  "cap-list",
  "registry-start",
  "analysis",
  "graph",
  "vectors",
  "embedding",
  "retrieval",
  "naming",
  "recall",
  "cache",
  "bridge",
  "run-overhead",
  "traces",
  "concurrency",
  "cold-warm",
  "sandbox",
];
const EXTRA = ["profile"];

const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
const unknown = positionals.find((name) => ![...ALL, ...EXTRA].includes(name));
if (unknown !== undefined) {
  console.error(`Unknown benchmark "${unknown}": expected ${[...ALL, ...EXTRA].join(", ")}`);
  process.exit(2);
}

let running;
let ended = false;
// Ctrl-C reaches the benchmark too, which ends what it started; we only wait for it, and start no other.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    ended = true;
    if (signal !== "SIGINT") running?.kill(signal);
  });

const passedOn = Object.entries(values).flatMap(([name, value]) =>
  value === true ? [`--${name}`] : [value].flat().flatMap((text) => [`--${name}`, text]),
);
for (const name of positionals.length === 0 ? ALL : positionals) {
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
