/**
 * Stored code as a program that needs no tools: its own code and that of all its callees, analysed without a gateway,
 * so that it runs without servers.
 *
 * @module
 */
import { analyse } from "../../analysis/analyse.js";
import type { Analysis } from "../../analysis/analysis.js";
import type { StaticStructure } from "../../analysis/static-structure.js";
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Callee, FindCallee } from "../../registry/callees.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { type CapabilityRef, formatCapabilityRef } from "../../registry/capability-ref.js";
import { isDag } from "../../registry/definition.js";
import { splitToolId, type ToolId } from "../../registry/tool-id.js";
import type { SandboxProgram } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import { savedVocabulary } from "../prepare/code-vocabulary.js";
import { storedTasks } from "../prepare/dag-code.js";
import { mergeArguments, type SchemaCheck } from "../prepare/merge-arguments.js";
import { ToolIndex } from "../prepare/tool-index.js";

/** The fields of a version that are needed to run it. */
export type ReplayVersion = Pick<
  CapabilityVersion,
  "fqdn" | "version" | "savedCode" | "parameters" | "toolsUsed" | "dependencies" | "definition"
>;

/** A callee, with the reference in the calling code. */
export interface ReplayUnit extends ReplayVersion {
  readonly ref: CapabilityRef;
  readonly displayName: string;
}

export interface ReplayProgram {
  readonly program: SandboxProgram;
  readonly analysis: Analysis;
  readonly structure: StaticStructure;
  readonly structureHash: string;
  readonly taskNames: ReadonlyMap<string, string> | undefined;
  /** With defaults, as in a run. */
  argumentsOf(
    given: Readonly<Record<string, Json>>,
  ): { readonly args: Readonly<Record<string, Json>> } | { readonly problem: string };
  toolAt(path: readonly string[]): KnownTool | undefined;
  readonly targetOf: (unit: CapabilityRef | undefined, node: string) => string | undefined;
  readonly structureOf: (unit: CapabilityRef) => StaticStructure | undefined;
}

export async function replayProgram(
  main: ReplayVersion,
  units: readonly ReplayUnit[],
  checkSchema: SchemaCheck,
): Promise<ReplayProgram> {
  const byRef = new Map(units.map((unit) => [unit.ref, unit]));
  const find: FindCallee = (ref) => {
    const unit = byRef.get(ref);
    return unit && calleeOf(unit);
  };
  const analysisOf = (version: ReplayVersion) => {
    const found = analyse(version.savedCode, savedVocabulary(version, find));
    const lifted = found.liftedParameters.filter((name) =>
      Object.hasOwn(version.parameters.properties, name),
    );
    return { ...found, liftedParameters: lifted };
  };
  const analysis = analysisOf(main);
  const inner = new Map(units.map((unit) => [unit.ref, analysisOf(unit)]));
  const ids = new Set([main, ...units].flatMap(({ toolsUsed }) => toolsUsed));
  const tools = new ToolIndex(Array.from(ids, replayedTool));
  const { definition } = main;
  return {
    analysis,
    structure: analysis.structure,
    structureHash: await structureHash(analysis.structure),
    taskNames:
      definition !== undefined && isDag(definition) ? storedTasks(definition, analysis)?.names : undefined,
    program: {
      main: {
        code: analysis.runnableCode,
        parameters: analysis.freeParameters,
        lifted: analysis.liftedParameters,
        calls: analysis.dependencies,
      },
      capabilities: units.map((unit) => {
        const found = inner.get(unit.ref) ?? analysis;
        return {
          ref: unit.ref,
          displayName: unit.displayName,
          version: unit.version,
          code: found.runnableCode,
          parameters: found.freeParameters,
          lifted: found.liftedParameters,
          calls: found.dependencies,
          schema: unit.parameters,
        };
      }),
    },
    argumentsOf(given) {
      try {
        const key = formatCapabilityRef(main);
        return { args: mergeArguments(given, main.parameters, key, checkSchema, analysis.liftedParameters) };
      } catch (error) {
        if (!(error instanceof PmlError)) throw error;
        return { problem: error.message };
      }
    },
    toolAt: (path) => tools.find(path),
    targetOf(unit, node) {
      const calls = (unit === undefined ? analysis : inner.get(unit))?.calls ?? [];
      const target = calls.find((call) => call.node === node)?.target;
      return target?.kind === "tool" ? target.id : target?.ref;
    },
    structureOf: (unit) => inner.get(unit)?.structure,
  };
}

/** A tool of which only the id is known. */
export function replayedTool(id: ToolId): KnownTool {
  const { server, tool: name } = splitToolId(id);
  return { id, server, name, inputSchema: {}, hash: "", transport: "stdio", trusted: true };
}

/** Equal for code with the same nodes, even if their arguments differ. */
export async function structureHash({ nodes }: StaticStructure): Promise<string> {
  const shape = nodes.map((node) => [
    node.id,
    node.type,
    node.within ?? "",
    node.type === "task"
      ? node.tool
      : node.type === "capability"
        ? node.fqdn
        : "kind" in node
          ? node.kind
          : "",
  ]);
  return (await sha256Hex(canonicalJson(shape))).slice(0, HASH_DIGITS);
}

const HASH_DIGITS = 16;

function calleeOf(unit: ReplayUnit): Callee {
  const { ref, fqdn, version, displayName, parameters, dependencies } = unit;
  return {
    ref,
    name: displayName,
    isHidden: false,
    // Analysis only needs names and numbers.
    capability: {
      fqdn,
      displayName,
      version,
      parameters,
      dependencies,
      aliases: [],
    } as unknown as Capability,
    version,
    parameters,
    dependencies,
    deletedAt: undefined,
  };
}
