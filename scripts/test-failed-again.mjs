/**
 * Runs failed test files once more, one after the other, and says which ones pass then.
 *
 * `.ci/run` calls it after a run of all tests. Tests that start many processes may time out on a busy machine, but not
 * if they run alone. A real fault fails again. If more than a few files failed, load is not the reason, and nothing is
 * run again.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const MOST_FILES = 5;

const [report] = process.argv.slice(2);
const { testResults } = JSON.parse(readFileSync(report, "utf8"));
const failed = testResults.filter(({ status }) => status !== "passed").map(({ name }) => relative(".", name));

if (failed.length === 0 || failed.length > MOST_FILES) {
  console.error(`${failed.length} test files failed; up to ${MOST_FILES} are run again.`);
  process.exit(1);
}
console.log(`\nFailed among all tests, run again alone:\n${failed.map((file) => `  ${file}\n`).join("")}`);
const { status } = spawnSync("npx", ["vitest", "run", "--maxWorkers=1", ...failed], { stdio: "inherit" });
if (status === 0) console.log(`\nPassed the second time, so they depend on the load: ${failed.join(", ")}`);
process.exit(status ?? 1);
