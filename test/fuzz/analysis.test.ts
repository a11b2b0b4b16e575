/**
 * `PML_FUZZ=100000 npx vitest run test/fuzz` tries so many, and says which was the most work, in milliseconds of the
 * processor; `PML_FUZZ_FROM` is the first seed, and `PML_EVAL_DIR` has more code to begin with.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyse } from "../../src/analysis/analyse.js";
import type { Vocabulary } from "../../src/analysis/vocabulary.js";
import { LIMITS } from "../../src/base/limits.js";
import { PmlError } from "../../src/base/pml-error.js";
import { readCases } from "../corpus/labelled-case.js";
import { programs, write } from "../support/programs.js";
import { sized } from "../support/sizes.js";
import { type TestTool, testVocabulary } from "../support/vocabulary.js";
import { longCodes } from "./long-code.js";
import { donorOf, mutant, noise } from "./mutations.js";
import { faultsOf } from "./well-formed.js";

const COUNT = Number(process.env.PML_FUZZ ?? sized(5_000, 100));
const FROM = Number(process.env.PML_FUZZ_FROM ?? 1);
const isByHand = process.env.PML_FUZZ !== undefined;

const corpus = ["analysis.jsonl", "structure.jsonl"].flatMap((name) =>
  readCases(new URL(`../corpus/${name}`, import.meta.url)),
);
const naming = readNaming(process.env.PML_EVAL_DIR);
const generated = fc.sample(programs, { numRuns: 100, seed: 1 }).map((tree, index) => write(tree, index));

const vocabulary = everyTool();
const donors = [...corpus, ...naming]
  .map(({ code }) => code)
  .concat(generated)
  .filter((code) => code.length < 4_000)
  .map(donorOf);

interface NamingCase {
  readonly code: string;
  readonly tools_used: readonly string[];
}

function readNaming(directory: string | undefined): readonly NamingCase[] {
  if (directory === undefined) return [];
  return readFileSync(join(directory, "naming.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as NamingCase);
}

/** Every tool that a program of the corpus calls exists. */
function everyTool(): Vocabulary {
  const servers: Record<string, Record<string, TestTool>> = JSON.parse(
    readFileSync(new URL("../corpus/servers.json", import.meta.url), "utf8"),
  );
  const add = (server: string, tool: string, schemas: TestTool): void => {
    const tools = servers[server] ?? {};
    servers[server] = tools;
    tools[tool] ??= schemas;
  };
  for (const each of corpus)
    for (const [server, tools] of Object.entries(each.servers ?? {}))
      for (const [tool, schemas] of Object.entries(tools)) add(server, tool, schemas);
  for (const id of [...naming.flatMap(({ tools_used }) => tools_used), "t:read_file", "t:echo", "u:list"]) {
    const [server = "", tool = ""] = id.split(":");
    add(server, tool, { inputSchema: { type: "object" } });
  }
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  return testVocabulary(servers, [
    { name: "fs:read_json", fqdn: "local.default.fs.read_json.a7f3", parameters },
    { name: "c:one", fqdn: "local.default.c.one.a000", parameters: { ...parameters, required: [] } },
  ]);
}

interface Tally {
  tried: number;
  clean: number;
  slowest: { readonly ms: number; readonly what: string };
}

/** What is wrong with the analysis of some code; with a note of how much work it was. */
function tryOut(what: string, code: string, tally: Tally): readonly string[] {
  tally.tried += 1;
  const started = process.cpuUsage();
  let faults: readonly string[];
  try {
    const analysis = analyse(code, vocabulary);
    const { user, system } = process.cpuUsage(started);
    const ms = (user + system) / 1_000;
    if (ms > tally.slowest.ms) tally.slowest = { ms, what };
    if (analysis.problems.length === 0) tally.clean += 1;
    faults = faultsOf(analysis, (again) => analyse(again, vocabulary));
  } catch (error) {
    // An error of its own is allowed by the letter, and is still a fault of ours: no code is known that needs one.
    const { stack } = ((error as Error).cause ?? error) as Error;
    faults = [
      `it threw ${error instanceof PmlError ? error.code : "no error of ours"}: ${stack?.slice(0, 500)}`,
    ];
  }
  return faults.slice(0, 3).map((fault) => `${fault} — ${what}: ${code.slice(0, 600)}`);
}

function newTally(): Tally {
  return { tried: 0, clean: 0, slowest: { ms: 0, what: "" } };
}

function report(title: string, { tried, clean, slowest }: Tally): void {
  if (isByHand)
    console.log(
      `${title}: ${tried} tried, ${clean} without problems; slowest ${slowest.ms.toFixed(1)} ms: ${slowest.what}`,
    );
}

const TIMEOUT = isByHand ? 3_600_000 : 60_000;

describe("[AN-14] analysis of whatever comes", () => {
  it(
    "ends, and its answer is well-formed, for code made of other code",
    () => {
      const tally = newTally();
      const faults: string[] = [];
      for (let seed = FROM; seed < FROM + COUNT && faults.length < 20; seed += 1)
        faults.push(...tryOut(`seed ${seed}`, mutant(donors, seed), tally));
      report("mutants", tally);
      expect(faults).toEqual([]);
      // Code that is refused at once tries out next to nothing.
      expect(tally.clean).toBeGreaterThan(tally.tried / 5);
    },
    TIMEOUT,
  );

  it(
    "ends for bytes as they come",
    () => {
      const tally = newTally();
      const faults: string[] = [];
      for (let seed = FROM; seed < FROM + COUNT / 3 && faults.length < 20; seed += 1)
        faults.push(...tryOut(`noise ${seed}`, noise(seed), tally));
      report("noise", tally);
      expect(faults).toEqual([]);
    },
    TIMEOUT,
  );

  it.each(longCodes(LIMITS.codeBytes / (isByHand ? 1 : sized(16, 64))))(
    "ends for as much as is allowed of one kind: $kind",
    ({ kind, code }) => {
      const tally = newTally();
      const faults = tryOut(kind, code, tally);
      report(`long (${code.length} chars)`, tally);
      expect(faults.map((fault) => fault.slice(0, 500))).toEqual([]);
    },
    TIMEOUT,
  );
});
