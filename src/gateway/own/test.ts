/**
 * `pml:test`, `pml:test_record` and `pml:test_export`: replays recordings of capabilities without tools, and compares
 * the results. For people: a recording contains what tools answered.
 *
 * @module
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { z } from "zod";
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { TestBundle, TestedRecording } from "../../execution/replay/bundle.js";
import { differenceText, type Recordings } from "../../execution/replay/recordings.js";
import type { Difference } from "../../execution/replay/replay.js";
import type { FoundCapability } from "../../registry/capability-registry.js";
import { parseReference } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import { canSee } from "../../registry/visibility.js";
import { decidesNothing, given, list, operation, withWarnings } from "../operation.js";
import { cutDiff } from "./code-diff.js";
import type { Parts } from "./parts.js";
import { runCaller } from "./run-caller.js";

type TestParts = Pick<Parts, "registry" | "executor">;

const names = z
  .array(z.string().min(1).max(500))
  .max(1_000)
  .optional()
  .describe(
    "Capabilities, by any form of their names, also with a version; all that have recordings by default",
  );

const testedRecording = z.strictObject({
  digest: z.string(),
  passed: z.boolean(),
  /** The differences, one line each. */
  differences: list(z.string()).exactOptional(),
  /** A diff of the first calls or results that differ. */
  diff: z.string().exactOptional(),
});

const testAnswer = z.strictObject({
  tests: list(
    z.strictObject({
      name: z.string(),
      version: z.int(),
      passed: z.int(),
      failed: z.int(),
      recordings: list(testedRecording),
    }),
  ),
  passed: z.int(),
  failed: z.int(),
});

export type TestAnswer = z.output<typeof testAnswer>;

export const pmlTest = operation({
  id: "pml:test",
  who: "person",
  decides: decidesNothing,
  summary:
    "Runs the recordings of capabilities again, without calling any tool, and compares path, calls and result.",
  input: z.strictObject({ names }),
  output: testAnswer,
  run:
    ({ registry, executor }: TestParts) =>
    async (asked, scope) => {
      const tests: TestAnswer["tests"][number][] = [];
      for (const found of await foundOf(registry, executor.recordings, asked.names, scope)) {
        const { capability, version, tested } = await executor.recordings.test(found, scope);
        if (tested.length > 0 || asked.names !== undefined)
          tests.push(testView(capability.displayName, version, tested));
      }
      return totalOf(tests);
    },
});

export const pmlTestRecord = operation({
  id: "pml:test_record",
  who: "person",
  decides: decidesNothing,
  summary:
    "Keeps runs of a capability as recordings: those that the gateway has seen, or one with the given arguments.",
  input: z.strictObject({
    name: z.string().min(1).describe("The capability, by any form of its name, also with a version"),
    args: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Runs it with these arguments first, with its real tools"),
    fresh: z.boolean().optional().describe("Replaces the recordings that the version has"),
  }),
  output: z.strictObject({
    name: z.string(),
    version: z.int(),
    recordings: list(
      z.strictObject({ digest: z.string(), calls: z.int(), branches: list(z.string()), failed: z.boolean() }),
    ),
    added: z.int(),
    ...withWarnings,
  }),
  run:
    ({ registry, executor }: TestParts) =>
    async ({ name, args, fresh }, scope, caller) => {
      const found = await registry.findToChange(name, scope);
      if (args !== undefined) {
        const ran = await executor.callCapability(
          found,
          args as Readonly<Record<string, Json>>,
          runCaller(scope, caller),
        );
        if (ran.status === "approval_required")
          throw new PmlError("APPROVAL_REQUIRED", `Cannot record ${name}: its run waits for approval`, {
            hint: `Approve it with \`pml approve ${ran.workflowId}\`, then record without --args.`,
          });
        if (ran.status === "error" && (await executor.recordings.hasRun(found, scope)) === false)
          throw new PmlError(
            "RUN_FAILED",
            `Cannot record ${name}: ${ran.error?.message ?? "its run failed"}`,
          );
      }
      const { version, kept, added, leftOut } = await executor.recordings.record(
        found,
        scope,
        fresh === true,
      );
      const warnings = [...found.warnings, ...leftOut];
      return {
        name: found.capability.displayName,
        version,
        recordings: kept.map(({ digest, recording: { calls, decisions, error } }) => ({
          digest,
          calls: calls.length,
          branches: decisions,
          failed: error !== undefined,
        })),
        added,
        ...(warnings.length > 0 && { warnings }),
      };
    },
});

export const pmlTestExport = operation({
  id: "pml:test_export",
  who: "person",
  decides: decidesNothing,
  summary: "Capabilities with their recordings, for files in a repository.",
  input: z.strictObject({
    names,
    from: z.int().min(0).optional().describe("Number of capabilities to skip: `next` of the previous answer"),
  }),
  output: z.strictObject({
    bundles: list(given<TestBundle>()),
    /** The next offset, if one answer cannot hold all. */
    next: z.int().exactOptional(),
  }),
  run:
    ({ registry, executor }: TestParts) =>
    async ({ names: asked, from = 0 }, scope) => {
      const all = await foundOf(registry, executor.recordings, asked, scope);
      const bundles: TestBundle[] = [];
      let chars = 0;
      for (const [index, found] of all.entries()) {
        if (index < from) continue;
        const bundle = await executor.recordings.bundle(found, scope);
        if (bundle.recordings.length === 0 && asked === undefined) continue;
        chars += JSON.stringify(bundle).length;
        if (chars > PAGE_CHARS && bundles.length > 0) return { bundles, next: index };
        bundles.push(bundle);
      }
      return { bundles };
    },
});

/** The limit of one answer; a larger capability gets an answer of its own. */
const PAGE_CHARS = LIMITS.answerBytes / 8;

/**
 * The named capabilities; default: every capability of the project that has recordings, by name. Without a version: the
 * newest.
 */
async function foundOf(
  registry: Parts["registry"],
  recordings: Recordings,
  asked: readonly string[] | undefined,
  scope: Scope,
): Promise<readonly FoundCapability[]> {
  if (asked !== undefined) return await Promise.all(asked.map((name) => newestOf(registry, name, scope)));
  await registry.loaded();
  const all: FoundCapability[] = [];
  for (const fqdn of await recordings.recorded()) {
    const capability = registry.directory.get(fqdn);
    const isHere = capability?.org === scope.org && capability.project === scope.project;
    if (isHere && canSee(capability, scope)) all.push(await newestOf(registry, fqdn, scope));
  }
  return all.sort((a, b) => (a.capability.displayName < b.capability.displayName ? -1 : 1));
}

/** Recordings are runs of a project: a user of another project sees the capability but not its recordings. */
async function newestOf(registry: Parts["registry"], name: string, scope: Scope): Promise<FoundCapability> {
  const found = await registry.findToChange(name, scope);
  if (parseReference(name)?.version !== undefined) return found;
  const [newest] = await registry.versionsOf(found.capability);
  return { ...found, version: newest?.version ?? found.version };
}

/** The test results of a version, in the form of the answer. */
export function testView(
  name: string,
  version: number,
  tested: readonly TestedRecording[],
): TestAnswer["tests"][number] {
  const failed = tested.filter(({ differences }) => differences.length > 0).length;
  return {
    name,
    version,
    passed: tested.length - failed,
    failed,
    recordings: tested.map(({ digest, differences }) => ({
      digest,
      passed: differences.length === 0,
      ...(differences.length > 0 && {
        differences: differences.slice(0, SHOWN).map(differenceText),
        diff: diffOf(differences),
      }),
    })),
  };
}

export function totalOf(tests: TestAnswer["tests"]): TestAnswer {
  const sum = (key: "passed" | "failed") => tests.reduce((all, test) => all + test[key], 0);
  return { tests, passed: sum("passed"), failed: sum("failed") };
}

const SHOWN = 10;
const DIFF_CHARS = 4_000;
const DIFF_MS = 500;

/** Recorded and new calls and result, line by line. */
function diffOf(differences: readonly Difference[]): string {
  const lines = (side: "recorded" | "now") =>
    differences
      .slice(0, SHOWN)
      .flatMap((one) => sideOf(one, side))
      .join("\n");
  const diff = createTwoFilesPatch(
    "recorded",
    "now",
    `${lines("recorded")}\n`,
    `${lines("now")}\n`,
    undefined,
    undefined,
    {
      context: 2,
      timeout: DIFF_MS,
      headerOptions: FILE_HEADERS_ONLY,
    },
  );
  return cutDiff(diff ?? "", DIFF_CHARS).text;
}

function sideOf(one: Difference, side: "recorded" | "now"): readonly string[] {
  const pretty = (value: Json) => JSON.stringify(JSON.parse(canonicalJson(value)), undefined, 2);
  switch (one.kind) {
    case "arguments":
      return [`${one.task} ${one.tool} ${pretty(one[side])}`];
    case "missing-call":
      return side === "recorded" ? [`${one.task} ${one.tool} ${pretty(one.recorded)}`] : [];
    case "new-call":
      return side === "now" ? [`${one.task} ${one.tool} ${pretty(one.now)}`] : [];
    case "order":
      return one[side];
    case "path":
      return [`path: ${one[side].join(" ")}`];
    case "result":
      return [`result: ${pretty(one[side])}`];
    case "failed":
      return side === "now" ? [`failed: ${one.message}`] : [];
  }
}
