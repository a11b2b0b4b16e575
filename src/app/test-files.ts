/**
 * Recordings as files of a repository: for each capability a directory with `capability.json`, `code.ts`, and one file
 * for each recording. Equal content gives equal bytes, so that recording again changes only what has changed.
 *
 * @module
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { LIMITS } from "../base/limits.js";
import { silentLog } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";
import { readBundle, type TestBundle, testBundle } from "../execution/replay/bundle.js";
import { wayOf } from "../execution/replay/choose-recordings.js";
import { ArgumentCheck } from "../gateway/argument-check.js";
import { type TestAnswer, testView, totalOf } from "../gateway/own/test.js";
import type { Recording } from "../registry/recording.js";
import { createSandbox } from "../sandbox/create-sandbox.js";
import { replaceWhole } from "./write-whole.js";

const CAPABILITY = "capability.json";
const CODE = "code.ts";
const RECORDINGS = "recordings";
const FILE_BYTES = 8 * 1024 * 1024;
const FILE_MODE = 0o644;
/** Files with other names do not belong to PML, and stay. */
const FILE_NAME = /-[0-9a-f]{8}\.json$/;

/** Writes the directories of these capabilities; files of obsolete recordings are removed. */
export async function writeTestFiles(
  directory: string,
  bundles: readonly TestBundle[],
): Promise<readonly string[]> {
  const written: string[] = [];
  const put = (file: string, text: string) => {
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) replaceWhole(file, text, FILE_MODE);
    written.push(file);
  };
  for (const { code, recordings, ...about } of bundles) {
    const home = join(directory, directoryOf(about.name));
    // A link in a cloned repository could point anywhere, and files are removed here.
    for (const place of [home, join(home, RECORDINGS)])
      if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true)
        throw new PmlError("RECORDING_INVALID", `Cannot write recordings: "${place}" is a link`, {
          hint: "Remove it, or export to another directory.",
        });
    mkdirSync(join(home, RECORDINGS), { recursive: true });
    put(join(home, CAPABILITY), pretty(about));
    put(join(home, CODE), code.endsWith("\n") ? code : `${code}\n`);
    const files = new Map<string, Recording>();
    for (const recording of recordings) files.set(await fileOf(recording), recording);
    for (const [file, recording] of files) put(join(home, RECORDINGS, file), recordingText(recording));
    for (const file of readdirSync(join(home, RECORDINGS)))
      if (FILE_NAME.test(file) && !files.has(file)) rmSync(join(home, RECORDINGS, file));
  }
  return written;
}

/** Throws `RECORDING_INVALID` with the name of the invalid file. */
function readTestFiles(directory: string): readonly TestBundle[] {
  const homes = entriesOf(directory).filter((entry) => existsSync(join(directory, entry, CAPABILITY)));
  if (homes.length === 0)
    throw new PmlError("RECORDING_INVALID", `"${directory}" has no recordings`, {
      hint: `pml test export ${directory} writes them.`,
    });
  return homes.map((entry) => {
    const home = join(directory, entry);
    const files = existsSync(join(home, RECORDINGS)) ? entriesOf(join(home, RECORDINGS)) : [];
    const recordings = files
      .filter((file) => file.endsWith(".json"))
      .map((file) => readJson(join(home, RECORDINGS, file)));
    const code = readText(join(home, CODE));
    return readBundle(home, readJson(join(home, CAPABILITY)), code, recordings);
  });
}

/** Tests the files without gateway, store, server or network. */
export async function testFiles(directory: string, names: readonly string[]): Promise<TestAnswer> {
  const bundles = readTestFiles(directory);
  const wanted = names.map((name) => name.split("@")[0]);
  const missing = wanted.find((name) => !bundles.some((bundle) => bundle.name === name));
  if (missing !== undefined)
    throw new PmlError("RECORDING_INVALID", `"${directory}" has no recordings of ${missing}`);
  return await testAll([bundles.filter(({ name }) => wanted.length === 0 || wanted.includes(name))]);
}

/** Tests capabilities in this process. */
export async function testAll(
  pages: Iterable<readonly TestBundle[]> | AsyncIterable<readonly TestBundle[]>,
  engine: "auto" | "deno" | "quickjs" = "auto",
): Promise<TestAnswer> {
  const sandbox = createSandbox({
    engine,
    memoryMb: LIMITS.runMemoryMb,
    timeMs: LIMITS.replayMs,
    log: silentLog,
  });
  const check = new ArgumentCheck();
  const parts = {
    sandbox,
    checkSchema: (
      schema: Parameters<ArgumentCheck["problem"]>[0],
      key: string,
      value: Readonly<Record<string, Json>>,
    ) => check.problem(schema, key, value),
  };
  try {
    const tests: TestAnswer["tests"][number][] = [];
    for await (const bundles of pages)
      for (const bundle of bundles)
        tests.push(testView(bundle.name, bundle.version, await testBundle(bundle, parts)));
    return totalOf(tests);
  } finally {
    await sandbox.close();
  }
}

/** Windows reserves these names for devices, even with an extension. */
const DEVICE_NAME = /^(?:aux|con|nul|prn|com\d|lpt\d)(?:\.|$)/i;

function directoryOf(name: string): string {
  const directory = name.replaceAll(":", ".");
  return DEVICE_NAME.test(directory) ? `~${directory}` : directory;
}

/** Named after the run's path and arguments, not after answers of tools. */
async function fileOf(recording: Recording): Promise<string> {
  const decisions = recording.decisions.map((one) => one.replace(/ ×\d+$/, "").replace(/[^\w]+/g, "-"));
  const ending = recording.error === undefined ? [] : ["throws"];
  const way = [...decisions, ...ending].join(".").slice(0, 60) || "straight";
  const key = await sha256Hex(`${wayOf(recording)} ${canonicalJson(recording.args as Json)}`);
  return `${way}-${key.slice(0, 8)}.json`;
}

/** Keys are sorted, even inside values. */
function recordingText({
  format,
  args,
  calls,
  result,
  error,
  path,
  decisions,
  structure,
  time,
  seed,
}: Recording): string {
  return pretty({
    format,
    args,
    calls: calls.map((call) => ({ ...call })),
    ...defined({ result, error }),
    path,
    decisions,
    structure,
    ...defined({ time, seed }),
  });
}

function pretty(value: object): string {
  const sorted = (part: unknown, level: number): unknown => {
    if (Array.isArray(part)) return part.map((item) => sorted(item, level + 1));
    if (part === null || typeof part !== "object") return part;
    const entries = Object.entries(part);
    // The outer keys have an order for people.
    if (level > 0) entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item, level + 1)]));
  };
  return `${JSON.stringify(sorted(value, 0), undefined, 2)}\n`;
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    throw new PmlError("RECORDING_INVALID", `Cannot read "${directory}": ${messageOf(error)}`);
  }
}

function readText(file: string): string {
  try {
    if (statSync(file).size > FILE_BYTES) throw new Error(`it has more than ${FILE_BYTES} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new PmlError("RECORDING_INVALID", `Cannot read "${file}": ${messageOf(error)}`);
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file));
  } catch (error) {
    if (error instanceof PmlError) throw error;
    throw new PmlError("RECORDING_INVALID", `Cannot read "${file}": ${messageOf(error)}`);
  }
}
