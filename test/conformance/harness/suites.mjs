import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const NEXT = require.resolve("conformance-next/dist/index.js");

/**
 * The three runs that are scored. 2026-07-28 is a frozen list of the scenarios that revision requires; the suite
 * runs a few more for information and says itself which ones.
 */
export const SUITES = [
  {
    id: "0.1.16",
    cli: require.resolve("@modelcontextprotocol/conformance/dist/index.js"),
    args: ["--suite", "active"],
  },
  { id: "2025-11-25", cli: NEXT, args: ["--spec-version", "2025-11-25"] },
  { id: "2026-07-28", cli: NEXT, args: ["--requirements", "2026-07-28"] },
];

/** What Node 20 lacks and the suites import; see the file. */
const NODE_ARGS = "globSync" in fs ? [] : ["--import", new URL("glob-shim.mjs", import.meta.url).href];

/** The longest run seen takes 5 s; a server that stops answering costs 30 s per scenario. */
const SUITE_TIMEOUT_MS = 300_000;

const SUMMARY = "=== SUMMARY ===";
const SUMMARY_LINE = /^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm;
const NOT_SCORED_LINE = /^ {2}[✓✗] (\S+) \((\S+)\)/gm;
const RESULT_FOLDER = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Runs one suite against a URL and returns what it says of every scenario. */
export async function runSuite(suite, url) {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const startedAt = Date.now();
  try {
    const output = await runCli(suite, [suite.cli, "server", "--url", url, ...suite.args, "-o", folder]);
    const scenarios = readScenarios(output, await readChecks(folder));
    if (scenarios.length === 0)
      throw new Error(`Suite ${suite.id} printed no summary:\n${output.slice(-2000)}`);
    return { suite: suite.id, seconds: (Date.now() - startedAt) / 1000, scenarios };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The exit code is not used: it says that something failed, and the summary says what. */
function runCli(suite, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...NODE_ARGS, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: SUITE_TIMEOUT_MS,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk) => {
        output += chunk;
      });
    }
    child.once("error", reject);
    child.once("close", (_code, signal) => {
      if (signal) reject(new Error(`Suite ${suite.id} was ended by ${signal}:\n${output.slice(-2000)}`));
      else resolve(output);
    });
  });
}

/** The summary names every scenario, also one that threw and left no file; the files say what went wrong. */
function readScenarios(output, checks) {
  const summary = output.slice(Math.max(output.lastIndexOf(SUMMARY), 0));
  const notScored = new Map([...summary.matchAll(NOT_SCORED_LINE)].map(([, name, reason]) => [name, reason]));
  return [...summary.matchAll(SUMMARY_LINE)].map(([, name, passed, failed]) => {
    const own = checks.get(name) ?? [];
    return {
      name,
      passed: Number(passed),
      failed: Number(failed),
      warnings: own.filter((check) => check.status === "WARNING").length,
      required: !notScored.has(name),
      ...(notScored.has(name) && { notScored: notScored.get(name) }),
      problems: own
        .filter((check) => check.status === "FAILURE" || check.status === "WARNING")
        .map((check) => `${check.id}: ${check.errorMessage ?? check.description}`),
    };
  });
}

async function readChecks(folder) {
  const checks = new Map();
  for (const entry of await readdir(folder)) {
    const name = RESULT_FOLDER.exec(entry)?.[1];
    const source =
      name && (await readFile(join(folder, entry, "checks.json"), "utf8").catch(() => undefined));
    if (source) checks.set(name, JSON.parse(source));
  }
  return checks;
}
