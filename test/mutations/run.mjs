/**
 * Shows that the tests find mistakes: makes one of the listed mistakes in a copy of the checkout, runs the tests that must
 * find it, and goes on to the next.
 *
 *   npm run mutations                        all of them
 *   npm run mutations -- registry store-2    an area, one mutation
 *   npm run mutations -- store-2..store-5    a range, in the order of the list
 *   --all-tests   the whole suite instead of the named files
 *   --full        the full sizes instead of the usual ones
 *   --no-first    does not run the tests once without a mistake first
 *   --check       runs nothing: tells which mutations no longer apply
 *   --moved       runs nothing: writes into the list where sources and tests have gone, and the table into README.md
 *   --help        runs nothing: says this
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseFrom, follow, mutations, problemOf } from "./mutations.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MINUTES_MOST = 20;

/** The tests under way. */
let running;

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const wanted = args.filter((arg) => !arg.startsWith("--"));
const chosen = () => chooseFrom(mutations(ROOT), wanted);
if (flags.has("--help")) {
  const source = readFileSync(fileURLToPath(import.meta.url), "utf8");
  console.log(source.slice(source.indexOf("\n *"), source.indexOf("\n */")).replaceAll(/\n \* ?/g, "\n"));
  process.exit(0);
}
if (flags.has("--moved")) for (const unclear of follow(ROOT, chosen())) console.log(unclear);
if (!check(chosen())) process.exitCode = 1;
else if (!flags.has("--check") && !flags.has("--moved")) await runAll(chosen());

function check(list) {
  const problems = list.flatMap((mutation) => problemOf(ROOT, mutation) ?? []);
  for (const problem of problems) console.log(problem);
  console.log(`${list.length - problems.length} of ${list.length} mutations apply`);
  return problems.length === 0;
}

async function runAll(list) {
  const copy = copyOfCheckout();
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => running?.once("close", () => process.exit(1)).kill());
  const files = [...new Set(list.flatMap((mutation) => mutation.foundBy))];
  if (!flags.has("--no-first")) {
    const { verdict, detail, seconds } = await vitest(copy, files);
    if (verdict !== "survived") {
      console.log(`The tests fail without a mutation: ${detail}`);
      process.exitCode = 1;
      return;
    }
    console.log(`without a mutation: all pass (${seconds} s)`);
  }
  const counts = { found: 0, survived: 0, unclear: 0 };
  for (const mutation of list.toSorted((a, b) => Number(needsBuild(a)) - Number(needsBuild(b)))) {
    const { verdict, detail, seconds } = await mutated(copy, mutation, () => test(copy, mutation));
    counts[verdict] += 1;
    console.log(`${verdict.padEnd(8)} ${mutation.id.padEnd(14)} ${String(seconds).padStart(4)} s  ${detail}`);
  }
  console.log(`${counts.found} found, ${counts.survived} survived, ${counts.unclear} unclear`);
  if (counts.found < list.length) process.exitCode = 1;
}

/** What git would keep and what the build has made, so that the copy is built only when a mutation is in it. */
function copyOfCheckout() {
  const copy = mkdtempSync(join(tmpdir(), "pml-mutations-"));
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: ROOT });
  for (const file of [...listed.toString().split("\0"), "dist"])
    if (file !== "" && existsSync(join(ROOT, file)))
      cpSync(join(ROOT, file), join(copy, file), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function mutated(copy, { file, find, replace }, run) {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    return await run();
  } finally {
    writeFileSync(path, text);
  }
}

/** Tests in `test/` run the built files; those beside the source need them for workers and the like. */
function needsBuild({ foundBy }) {
  return flags.has("--all-tests") || foundBy.some((file) => file.startsWith("test/"));
}

/** Without a build first where that may do: what tests find then is found. */
async function test(copy, mutation) {
  const [build, kept] = [join(copy, "dist"), join(copy, "dist-clean")];
  if (needsBuild(mutation) || !existsSync(build)) return await vitest(copy, mutation.foundBy);
  const quick = await vitest(copy, mutation.foundBy, { PML_BUILD: "none" });
  if (quick.verdict !== "survived") return quick;
  renameSync(build, kept);
  cpSync(kept, build, { recursive: true, preserveTimestamps: true });
  const slow = await vitest(copy, mutation.foundBy);
  rmSync(build, { recursive: true });
  renameSync(kept, build);
  return slow;
}

/** Found is what a test says, and nothing else: what does not build or cannot be loaded is unclear. */
async function vitest(copy, files, env = {}) {
  const start = Date.now();
  const output = join(copy, "mutation-result.json");
  rmSync(output, { force: true });
  const script = join(dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))), "vitest.mjs");
  const named = flags.has("--all-tests") ? [] : files;
  const options = ["run", "--maxWorkers=1", "--bail=1", "--reporter=json", `--outputFile=${output}`];
  if (flags.has("--full")) options.push("--mode=full");
  running = spawn(process.execPath, [script, ...options, ...named], {
    cwd: copy,
    env: { ...process.env, ...env },
    timeout: MINUTES_MOST * 60_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [running.stdout, running.stderr]) stream.on("data", (text) => (said += text));
  const [status] = await once(running, "close");
  const seconds = Math.round((Date.now() - start) / 1_000);
  const result = existsSync(output) ? JSON.parse(readFileSync(output, "utf8")) : undefined;
  const failed = (result?.testResults ?? [])
    .flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: name })))
    .find((test) => test.status === "failed");
  if (failed !== undefined)
    return { verdict: "found", detail: `${failed.file.slice(copy.length + 1)}: ${failed.title}`, seconds };
  if (status === 0) return { verdict: "survived", detail: `${result?.numPassedTests} tests pass`, seconds };
  return { verdict: "unclear", detail: said.trim().slice(-1_000), seconds };
}
