/**
 * A capability with its recordings and all its callees: `pml test export` writes it, and it can be tested without a
 * gateway.
 *
 * @module
 */
import { isJsonObject } from "../../base/json-object.js";
import { PmlError } from "../../base/pml-error.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import { type Definition, readDefinition } from "../../registry/definition.js";
import { type Fqdn, isFqdn } from "../../registry/fqdn.js";
import { digestOf, isRecording, type Recording } from "../../registry/recording.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { Sandbox } from "../ports/sandbox.js";
import type { SchemaCheck } from "../prepare/merge-arguments.js";
import { type Difference, replay } from "./replay.js";
import { type ReplayUnit, replayProgram } from "./replay-program.js";

export interface TestBundle {
  readonly format: 1;
  readonly name: string;
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly parameters: ParametersSchema;
  readonly toolsUsed: readonly ToolId[];
  readonly dependencies: readonly CapabilityRef[];
  readonly definition?: Definition;
  /** With FQDNs instead of capability names. */
  readonly code: string;
  readonly units: readonly Omit<ReplayUnit, "definition">[];
  readonly recordings: readonly Recording[];
}

/** A recording, and how its replay differs from it. */
export interface TestedRecording {
  readonly digest: string;
  readonly recording: Recording;
  readonly differences: readonly Difference[];
}

/** Replays every recording of a bundle. */
export async function testBundle(
  bundle: TestBundle,
  parts: { readonly sandbox: Sandbox; readonly checkSchema: SchemaCheck },
): Promise<readonly TestedRecording[]> {
  const { code: savedCode, units, recordings } = bundle;
  const program = await replayProgram({ ...bundle, savedCode }, units, parts.checkSchema);
  const [problem] = program.analysis.problems;
  const tests: TestedRecording[] = [];
  for (const recording of recordings)
    tests.push({
      digest: await digestOf(recording),
      recording,
      differences:
        problem === undefined
          ? await replay(program, recording, parts)
          : [{ kind: "failed", message: `line ${problem.line}: ${problem.message}` }],
    });
  return tests;
}

/** Reads parts of files; throws `FILE_INVALID` with the problem. */
export function readBundle(
  file: string,
  value: unknown,
  code: string,
  recordings: readonly unknown[],
): TestBundle {
  const refused = (why: string) =>
    new PmlError("RECORDING_INVALID", `Cannot read the recordings in "${file}": ${why}`);
  if (!isJsonObject(value) || value.format !== 1) throw refused("capability.json is not of format 1");
  const { name, fqdn, version, parameters, toolsUsed, dependencies, units = [], definition } = value;
  if (typeof name !== "string" || typeof fqdn !== "string" || !isFqdn(fqdn) || typeof version !== "number")
    throw refused("capability.json has no name, FQDN or version");
  if (!isSchema(parameters) || !isTexts(toolsUsed) || !isTexts(dependencies))
    throw refused("capability.json has no parameters, tools or dependencies");
  if (!Array.isArray(units) || !units.every(isUnit))
    throw refused("a unit of capability.json is not complete");
  const wrong = recordings.findIndex((one) => !isRecording(one));
  if (wrong >= 0) throw refused(`recording ${wrong + 1} is not of format 1`);
  const read = definition === undefined ? undefined : readDefinition(definition);
  return {
    format: 1,
    name,
    fqdn,
    version,
    parameters,
    toolsUsed: toolsUsed as readonly ToolId[],
    dependencies: dependencies as readonly CapabilityRef[],
    ...(read !== undefined && { definition: read }),
    code,
    units,
    recordings: recordings as readonly Recording[],
  };
}

function isUnit(value: unknown): value is TestBundle["units"][number] {
  return (
    isJsonObject(value) &&
    [value.ref, value.fqdn, value.displayName, value.savedCode].every((text) => typeof text === "string") &&
    typeof value.version === "number" &&
    isSchema(value.parameters) &&
    isTexts(value.toolsUsed) &&
    isTexts(value.dependencies)
  );
}

function isSchema(value: unknown): value is ParametersSchema {
  return isJsonObject(value) && isJsonObject(value.properties) && isTexts(value.required);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
